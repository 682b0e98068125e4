"""The same rows as `datasets`, pandas and polars write them."""

from __future__ import annotations

from typing import Any

from .ferry import ANSWER, CONTEXTS, QUESTION, REFERENCE, SECOND

ROWS: dict[str, list[Any]] = {
    "id": ["a", "b"],
    "question": [QUESTION, SECOND],
    "answer": [ANSWER, None],
    "contexts": [CONTEXTS, []],
    "ground_truth": [REFERENCE, None],
}
