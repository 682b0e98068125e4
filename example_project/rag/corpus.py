"""The notices: a folder for each language, a file for each notice, a paragraph for each passage.

Files that lie beside the folders are English.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Passage(NamedTuple):
    """What the retriever finds: a paragraph, with its notice's file, heading and language."""

    language: str
    heading: str
    text: str
    source: str  # such as corpus/en/fares.md
    id: str  # such as en/fares.md#2, the notice's second paragraph


def read_notices(*folders: Path) -> list[Passage]:
    """All passages. A notice in a later folder replaces the one of the same name before it.

    Raises:
        FileNotFoundError: there is none.
    """
    files = {file.relative_to(folder): file for folder in folders for file in folder.rglob("*.md")}
    if not files:
        raise FileNotFoundError(f"no *.md in {' or '.join(map(str, folders))}")
    return [
        passage
        for name, file in sorted(files.items())
        for passage in _passages(
            file,
            name.parts[0] if len(name.parts) > 1 else "en",
            file.parents[len(name.parts) - 1].name,
            name.as_posix(),
        )
    ]


def _passages(file: Path, language: str, folder: str, name: str) -> list[Passage]:
    paragraphs = file.read_text(encoding="utf-8").strip().split("\n\n")
    heading = paragraphs.pop(0) if paragraphs[0].startswith("# ") else file.stem
    joint = "" if language == "zh" else " "  # Chinese has no spaces where a line ends
    return [
        Passage(
            language,
            heading.removeprefix("# "),
            joint.join(paragraph.splitlines()),
            source=f"{folder}/{name}",
            id=f"{name}#{number}",
        )
        for number, paragraph in enumerate(paragraphs, start=1)
    ]
