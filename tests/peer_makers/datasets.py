"""`datasets`: a Dataset as JSON Lines, CSV and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .rows import ROWS

REQUIREMENTS = ("datasets",)


def _made() -> Any:
    from datasets import Dataset

    return Dataset.from_dict(ROWS)


def write(folder: Path) -> None:
    """Write its files."""
    _made().to_json(folder / "datasets_rows.jsonl")
    _made().to_csv(folder / "datasets_rows.csv")
    _made().to_parquet(folder / "datasets_rows.parquet")


def objects() -> dict[str, list[Any]]:
    """Its objects, by the file that has the same cases."""
    return {"datasets_rows.jsonl": [_made(), _made().to_iterable_dataset()]}
