"""polars: a frame as JSON, JSON Lines, Parquet and Arrow; its CSV has no lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .rows import ROWS

REQUIREMENTS = ("polars",)


def _made() -> Any:
    import polars

    return polars.DataFrame(ROWS)


def _oldest() -> Any:
    import polars

    return polars.CompatLevel.oldest()


def write(folder: Path) -> None:
    """Write its files."""
    made = _made()
    made.write_json(folder / "polars_rows.json")
    made.write_ndjson(folder / "polars_rows.jsonl")
    made.write_parquet(folder / "polars_rows.parquet")
    made.write_ipc(folder / "polars_rows.arrow")
    made.write_ipc(folder / "polars_packed.arrow", compression="zstd")
    made.write_ipc(folder / "polars_oldest.arrow", compression="lz4", compat_level=_oldest())


def objects() -> dict[str, list[Any]]:
    """Its objects, by the file that has the same cases."""
    return {"polars_rows.jsonl": [_made()]}
