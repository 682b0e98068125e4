"""The pages with generated parts, and what each part is made by."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from . import commands, fields, hooks, judge_format, metrics, options, outcome
from .schemas import schema_texts

ROOT = Path(__file__).parents[2]
FOLDER = "docs/reference"

# By page: what makes its parts, by their names.
PAGES: Mapping[str, Callable[[], Mapping[str, str]]] = {
    f"{FOLDER}/{page}.md": parts
    for page, parts in {
        "options": options.parts,
        "metrics": metrics.parts,
        "fields": fields.parts,
        "hooks": hooks.parts,
        "commands": commands.parts,
        "judge-format": judge_format.parts,
        "outcome": outcome.parts,
    }.items()
}
_PART = re.compile(r"(<!-- generated: (?P<name>[^\n]+?) -->\n)(?P<text>.*?)(<!-- end -->)", re.S)


def written() -> dict[str, str]:
    """The text of every page and schema as the code has it now, by path from the root."""
    pages = {
        path: filled((ROOT / path).read_text(encoding="utf-8"), parts(), path)
        for path, parts in PAGES.items()
    }
    schemas = {f"{FOLDER}/schemas/{name}": text for name, text in schema_texts().items()}
    return pages | schemas


def filled(page: str, parts: Mapping[str, str], path: str) -> str:
    """The page with each of its parts as it is now.

    Raises:
        ValueError: the page names a part that is not made, or it does not have each part once.
    """
    names = [found["name"] for found in _PART.finditer(page)]
    if sorted(names) != sorted(parts):
        wrong = sorted({*names} ^ {*parts}) or sorted(n for n in parts if names.count(n) > 1)
        raise ValueError(f"{path}: each generated part belongs there once; check {wrong}")
    return _PART.sub(lambda found: f"{found[1]}\n{parts[found['name']]}\n{found[4]}", page)
