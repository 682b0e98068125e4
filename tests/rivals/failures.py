"""`python -m tests.rivals.failures [FOLDER]`: what each tool prints of one contradicted answer.

The judge denies the answer's only claim, and gives those that ask for a reason the same one.
FOLDER is where the rivals are installed, as in `python -m tests.rivals`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.children import JudgeProcess

from . import runs
from .__main__ import CACHE
from .runs import Place, Run

CASE = {
    "id": "fares-child",
    "question": "What does a child's ticket cost?",
    "answer": "A child's ticket costs 7 crowns.",
    "retrieved_contexts": [
        "From May to September the ferry runs every 40 minutes.",
        "Children under six travel free. A child's ticket costs 4 crowns.",
    ],
    "ground_truth_answer": "A child's ticket costs 4 crowns.",
}
TEST = """\
import pytest
from pytest_ragassert import assert_faithful


@pytest.mark.rag_cases("cases.jsonl")
def test_answer(rag_case):
    assert_faithful(rag_case)
"""
# ragas prints scores, and leaves it to the user what is too low; promptfoo exits with 100.
WAYS: dict[str, tuple[Run, int]] = {
    "pytest-ragassert": (runs.ours, 1),
    "DeepEval": (runs.deepeval, 1),
    "ragas": (runs.ragas, 0),
    "promptfoo": (runs.promptfoo, 100),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rivals.failures", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CACHE)
    rivals = parser.parse_args().folder
    with JudgeProcess(module="tests.rivals.served") as judge:
        for name, (run, code) in WAYS.items():
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "cases.jsonl").write_text(json.dumps(CASE) + "\n", "utf-8")
                Path(folder, "test_rag.py").write_text(TEST)
                cost = run(Place(Path(folder), judge.base_url, rivals, (code,)))
            print(f"## {name}\n\n{cost.output}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
