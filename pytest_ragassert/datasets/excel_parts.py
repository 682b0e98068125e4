"""Checks the size of the parts of a workbook's archive, and finds what its sheets contain.

openpyxl reads shared texts, styles and each row as a whole, without limits.
"""

from __future__ import annotations

import re
import zipfile
from typing import BinaryIO, NamedTuple

from ..language.suggestions import shown_value
from .file_contents import most_unpacked

# Tags in all parts: an element takes about as much memory as 500 letters.
_TAGS_ALWAYS, _TAGS_TIMES = 1_000_000, 4
_MOST_PARTS = 10_000
_CHUNK = 2**20
_OVERLAP = 200  # of two chunks; no tag that is searched for is longer
_MERGED = re.compile(
    rb'<(?:\w+:)?mergeCell\b[^>]*\bref="([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})"'
)
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")


class ExcelMistake(ValueError):
    """What is wrong with a workbook; openpyxl raises errors of many kinds."""


class Merged(NamedTuple):
    """Merged cells, as the rows of their first column."""

    column: int
    first: int
    last: int


class Part(NamedTuple):
    """What the XML of a sheet contains."""

    merged: tuple[Merged, ...] = ()
    has_formulas: bool = False


def checked_parts(file: BinaryIO, size: int) -> dict[str, Part]:
    """Each XML part, by its name.

    Raises:
        ExcelMistake: they are too large for an archive of that size, or have a document type.
    """
    with zipfile.ZipFile(file) as archive:
        infos = archive.infolist()
        # no part unpacks to more than is stated here
        unpacked = sum(info.file_size for info in infos)
        if unpacked > most_unpacked(size) or len(infos) > _MOST_PARTS:
            raise _too_much("unpacks to more")
        tags, parts = max(_TAGS_ALWAYS, _TAGS_TIMES * size), {}
        for info in infos:
            if info.filename.lower().endswith((".xml", ".rels")):
                count, parts[info.filename] = _scanned(archive, info)
                tags -= count
                if tags < 0:
                    raise _too_much("has more cells and texts")
    return parts


def _too_much(what: str) -> ExcelMistake:
    return ExcelMistake(
        f"it {what} than a workbook of its size may; if that is intended, save it again, or as CSV"
    )


def _scanned(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[int, Part]:
    count, merged, formulas, before = 0, dict[Merged, None](), False, b""
    with archive.open(info) as part:
        while chunk := part.read(_CHUNK):
            # in UTF-16 each letter of a tag is next to a null byte
            chunk = chunk.replace(b"\0", b"")
            count += chunk.count(b"<")
            text = before + chunk
            if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
                raise ExcelMistake(
                    f"its part {shown_value(info.filename)} has a document type, unlike any "
                    "workbook"
                )
            formulas = formulas or _FORMULA.search(text) is not None
            for column, first, last in _MERGED.findall(text):
                if int(last) > int(first):
                    merged[Merged(_column(column), int(first), int(last))] = None
            before = text[-_OVERLAP:]
    return count, Part(tuple(merged), formulas)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
