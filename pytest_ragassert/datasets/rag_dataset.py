"""Reads LlamaIndex' labelled data sets together with the predictions, which are a separate file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..interop.data_sets import joined
from ..interop.tools import LLAMA_INDEX
from ..storage.files.committed_text import json_value
from ..storage.files.plain_files import open_plain, text_of
from .case_reader import FileRow
from .data_set import DataSet
from .file_contents import read_whole
from .unpacking import inner_name, plain

_HEAD = 4096  # bytes
_FIRST_KEY = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(examples|predictions)"\s*:')


def rag_dataset_in(folder: Path, files: Sequence[Path]) -> DataSet | None:
    """The data set of a folder, with its predictions; None if it does not have both.

    Args:
        files: the case files of the folder.

    Raises:
        ValueError: it has more than one of either.
    """
    found: dict[bytes, list[Path]] = {b"examples": [], b"predictions": []}
    for file in files:
        key = _first_key(file) if inner_name(file).suffix.lower() == ".json" else None
        if key is not None:
            found[key].append(file)
    examples, predictions = found.values()
    if not examples or not predictions:
        return None
    if len(files) > 2:
        raise ValueError(
            f"{folder}: a folder with predictions must have one data set, which they are joined "
            f"with, and no other case file; it has {', '.join(file.name for file in files[:10])}"
        )
    rows = _rows(examples[0], predictions[0])
    name = inner_name(examples[0]).stem
    return DataSet(f"{LLAMA_INDEX}, {examples[0].name}", name, rows, [])


def _first_key(file: Path) -> bytes | None:
    try:
        with open_plain(file) as opened:
            found = _FIRST_KEY.match(plain(opened).read(_HEAD))
    except (OSError, ValueError):
        return None  # reported when the file is read
    return found[1] if found else None


def _rows(examples: Path, predictions: Path) -> Iterator[FileRow]:
    pairs = joined(_items(examples, "examples"), _items(predictions, "predictions"))
    for number, record in enumerate(pairs, start=1):
        yield FileRow(number, f"example {number}", record)


def _items(file: Path, name: str) -> list[Any]:
    with open_plain(file) as opened:
        try:
            items = json_value(text_of(read_whole(plain(opened))))[name]
        except ValueError as error:
            raise ValueError(f"{file.name}: {error}") from None
    if items is None:
        return []
    if not isinstance(items, list):
        raise ValueError(f"{file.name}: {name} must be a list")
    return items
