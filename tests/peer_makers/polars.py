"""polars: a frame as JSON, JSON Lines and Parquet; its CSV has no lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .rows import ROWS

REQUIREMENTS = ("polars",)


def _made() -> Any:
    import polars

    return polars.DataFrame(ROWS)


def write(folder: Path) -> None:
    """Write its files."""
    made = _made()
    made.write_json(folder / "polars_rows.json")
    made.write_ndjson(folder / "polars_rows.jsonl")
    made.write_parquet(folder / "polars_rows.parquet")


def objects() -> dict[str, list[Any]]:
    """Its objects, by the file that has the same cases."""
    return {"polars_rows.jsonl": [_made()]}
