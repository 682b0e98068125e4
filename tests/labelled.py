"""Labelled claims on ferries that no real ferry made, as many as are wanted, and their file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]
LABELS = ("supported", "contradicted", "neutral")


def ferries(count: int, **fields: Any) -> list[Row]:
    """Rows whose labels are supported, contradicted and neutral in turn, of contexts all theirs.

    The loopback judge gets all right.
    """
    rows = []
    for number in range(count):
        label = LABELS[number % 3]
        cars = 20 + number
        claim = f"Ferry number {number} carries {cars + (label == 'contradicted')} cars."
        if label == "neutral":
            claim = f"Captain {number} likes herring."
        rows.append(
            {
                "id": f"f{number}",
                "lang": ("en", "de")[number % 2],
                "source": "made up",
                "claim": claim,
                "context": [
                    f"Ferry number {number} carries {cars} cars. It is from {1900 + number}.",
                    "",
                    f"Dogs travel free on ferry {number}. Tea costs {number + 3} crowns on it.",
                ],
                "label": label,
                **fields,
            }
        )
    return rows


def write(path: Path, rows: Iterable[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
