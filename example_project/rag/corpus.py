"""The notices: a folder for each language, a file for each notice, a paragraph for each passage."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Passage(NamedTuple):
    """What the retriever finds: a paragraph, with its notice's heading and language."""

    language: str
    heading: str
    text: str


def read_notices(*folders: Path) -> list[Passage]:
    """All passages. A notice in a later folder replaces the one of the same name before it."""
    files = {file.relative_to(folder): file for folder in folders for file in folder.glob("*/*.md")}
    return [passage for _, file in sorted(files.items()) for passage in _passages(file)]


def _passages(file: Path) -> list[Passage]:
    language = file.parent.name
    heading, *paragraphs = file.read_text(encoding="utf-8").strip().split("\n\n")
    joint = "" if language == "zh" else " "  # Chinese has no spaces where a line ends
    return [
        Passage(language, heading.removeprefix("# "), joint.join(paragraph.splitlines()))
        for paragraph in paragraphs
    ]
