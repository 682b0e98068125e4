"""Reads passages that people already have, from JSON Lines, with their ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..interop.documents import ids_of, sources_of, text_of
from ..language.suggestions import shown_value
from ..storage.files.committed_text import json_value
from .passages import Document, Passage
from .sizes import FEWEST_WORDS, word_count
from .suspicion import check_harmless


def documents_of_records(name: str, text: str, *, suspicious: bool) -> list[Document]:
    """The documents of a file with a passage on each line, one for each source, in order.

    Args:
        name: the name of the file, and of the document of passages without a source.
        text: each line is an object with `text`, or another name that a framework gives it, and
            possibly an id and a source.
        suspicious: read texts that contain instructions to a model.

    Raises:
        ValueError: a line is not such an object or contains instructions to a model, or an id
            appears twice; the message says where.
    """
    passages: dict[str, list[Passage]] = {}
    lines: dict[str, int] = {}  # of each id
    for number, record in _records(text):
        said = text_of(record)
        if not isinstance(said, str):
            raise ValueError(
                f'line {number}: no text; a passage has its text in "text", "content" or '
                '"page_content"'
            )
        (identifier,) = ids_of([record]) or [None]
        (source,) = sources_of([record]) or [None]
        identifier = identifier or f"{name}#{number}"
        if identifier in lines:
            raise ValueError(
                f"line {number}: the id {shown_value(identifier)} is also that of line "
                f"{lines[identifier]}"
            )
        lines[identifier] = number
        if not suspicious:
            check_harmless(f"{said}\n{identifier}\n{source or ''}", line=number)
        if word_count(said) >= FEWEST_WORDS:
            document = source or name
            passages.setdefault(document, []).append(Passage(identifier, document, (), said))
    return [Document(document, None, tuple(found)) for document, found in passages.items()]


def _records(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json_value(line)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if not isinstance(record, dict):
            raise ValueError(f"line {number}: not a JSON object")
        yield number, record
