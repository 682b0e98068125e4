"""pandas: a frame as CSV, with and without row numbers, and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .rows import ROWS

REQUIREMENTS = ("pandas",)


def _made() -> Any:
    import pandas

    return pandas.DataFrame(ROWS)


def write(folder: Path) -> None:
    """Write its files."""
    made = _made()
    made.to_csv(folder / "pandas_numbered.csv")
    made.to_csv(folder / "pandas_rows.csv", index=False)
    made.to_json(folder / "pandas_rows.json", orient="records")
    made.to_json(folder / "pandas_rows.jsonl", orient="records", lines=True)


def objects() -> dict[str, list[Any]]:
    """Its objects, by the file that has the same cases."""
    return {"pandas_rows.jsonl": [_made(), _made().convert_dtypes(), _made().to_dict("records")]}
