"""ragas before 0.2: a data set as people made it, and a generated test set."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .ferry import ANSWER, CONTEXTS, IDEAL, QUESTION, REFERENCE

# The last releases that it works with.
REQUIREMENTS = (
    *("ragas<0.2", "langchain<0.3", "langchain-community<0.3", "langchain-openai<0.2"),
    *("datasets<3", "pyarrow<20", "pandas<3"),
)
ENVIRONMENT = {"RAGAS_DO_NOT_TRACK": "true"}


def _test_set() -> Any:
    os.environ.update(ENVIRONMENT)
    from ragas.testset.generator import DataRow, TestDataset

    row = DataRow(
        question=QUESTION,
        contexts=IDEAL,
        ground_truth=REFERENCE,
        evolution_type="simple",
        metadata=[{"source": "faq.md"}],
    )
    return TestDataset([row])


def _data_set() -> Any:
    from datasets import Dataset

    return Dataset.from_dict(
        {
            "question": [QUESTION],
            "answer": [ANSWER],
            "contexts": [CONTEXTS],
            "ground_truth": [REFERENCE],
        }
    )


def write(folder: Path) -> None:
    """Write its files."""
    _test_set().to_pandas().to_csv(folder / "ragas_1_test_set.csv", index=False)
    _test_set().to_dataset().to_json(folder / "ragas_1_test_set.jsonl")
    _data_set().to_json(folder / "ragas_1_data_set.jsonl")


def objects() -> dict[str, list[Any]]:
    """Its objects, by the file that has the same cases."""
    return {
        "ragas_1_test_set.jsonl": [_test_set().to_pandas(), _test_set().to_dataset()],
        "ragas_1_data_set.jsonl": [_data_set()],
    }
