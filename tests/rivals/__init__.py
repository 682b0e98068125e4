"""What ragas and DeepEval make of the same verdicts: `python -m tests.rivals`."""
