"""Names of other tools for the fields of a case that mean the same in every record."""

from __future__ import annotations

# By tool. A name means the same field in every vocabulary.
VOCABULARIES: dict[str, dict[str, str]] = {
    "ragas": {
        "user_input": "question",
        "response": "answer",
        "reference": "ground_truth_answer",
        "reference_contexts": "ground_truth_contexts",
        "reference_context_ids": "ground_truth_context_ids",
    },
    "ragas before 0.2": {
        "contexts": "retrieved_contexts",
        "ground_truth": "ground_truth_answer",
        "ground_truths": "ground_truth_answers",
    },
    "DeepEval": {
        "input": "question",
        "actual_output": "answer",
        "expected_output": "ground_truth_answer",
        "retrieval_context": "retrieved_contexts",
    },
    "axion": {
        "query": "question",
        "actual_output": "answer",
        "expected_output": "ground_truth_answer",
        "retrieved_content": "retrieved_contexts",
    },
    "llama-index": {
        "query": "question",
        "reference_answer": "ground_truth_answer",
        "reference_contexts": "ground_truth_contexts",
    },
}
ALIASES = {name: field for names in VOCABULARIES.values() for name, field in names.items()}
