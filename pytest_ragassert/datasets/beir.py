"""Reads BEIR data sets: a folder with a corpus, queries, and the documents relevant to each query.

The corpus may be far larger than memory: only relevant documents are kept.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..interop.tools import BEIR
from ..language.suggestions import shown_value
from ..storage.files.json_lines import lines_of
from ..storage.files.plain_files import open_plain, text_of
from .case_reader import FileRow
from .data_set import DataSet
from .file_contents import LONGEST_LINE
from .unpacking import plain

_SPLITS = ("*.tsv", "*.tsv.gz")
_DEFAULT = "test"


def beir_at(place: Path) -> DataSet | None:
    """The data set in a folder; or, given a file of relevance judgements, with that split.

    Raises:
        ValueError: there are several splits, and none is called test.
    """
    if place.is_dir():
        folder, judged = place, None
    elif place.parent.name == "qrels":
        folder, judged = place.parent.parent, place
    else:
        return None
    corpus, queries = _file(folder, "corpus"), _file(folder, "queries")
    if corpus is None or queries is None or not (folder / "qrels").is_dir():
        return None
    judged = judged or _split(folder / "qrels")
    notes: list[str] = []
    format = f"{BEIR}, qrels/{judged.name}"
    return DataSet(format, folder.name, _rows(corpus, queries, judged, notes), notes)


def _file(folder: Path, name: str) -> Path | None:
    """The path of a JSON Lines file, compressed or not."""
    files = (folder / f"{name}.jsonl{packed}" for packed in ("", ".gz"))
    return next((file for file in files if file.is_file()), None)


def _split(folder: Path) -> Path:
    splits = sorted(file for pattern in _SPLITS for file in folder.glob(pattern))
    chosen = [file for file in splits if file.name.partition(".")[0] == _DEFAULT] or splits
    if len(chosen) != 1:
        names = ", ".join(file.name for file in splits[:10]) or "no file"
        raise ValueError(
            f"{folder} has {names}; give the path of the one to read, such as {folder.name}/dev.tsv"
        )
    return chosen[0]


def _rows(corpus: Path, queries: Path, judged: Path, notes: list[str]) -> Iterator[FileRow]:
    """A row for each query, in the order of the split."""
    grades = _grades(judged)
    asked = {id: record for id, record in _records(queries) if id in grades}
    relevant = {id for by_id in grades.values() for id, grade in by_id.items() if grade > 0}
    texts = {id: _text(record) for id, record in _records(corpus) if id in relevant}
    if len(texts) < len(relevant):
        first = next(
            id for by_id in grades.values() for id in by_id if id in relevant - texts.keys()
        )
        notes.append(
            f"{corpus.name} lacks {len(relevant) - len(texts)} relevant documents; the first is "
            f"{shown_value(first)}"
        )
    for number, (id, by_id) in enumerate(grades.items(), start=1):
        place = f"query {shown_value(id)}"
        record = asked.get(id)
        if record is None:
            yield FileRow(number, place, ValueError(f"{queries.name} has no such query"))
            continue
        found = [texts[one] for one in by_id if one in texts]
        content = {
            "id": id,
            "question": record.get("text"),
            "ground_truth_contexts": found,
            "ground_truth_context_ids": by_id,
            "metadata": record.get("metadata"),
        }
        yield FileRow(number, place, content)


def _grades(path: Path) -> dict[str, dict[str, int | float]]:
    """The grade of each judged document, by query.

    Raises:
        ValueError: a line has no grade; the message names the line.
    """
    grades: dict[str, dict[str, int | float]] = {}
    for number, raw in _lines(path):
        line = text_of(raw, number).strip()
        # in BEIR's format, or in trec_eval's, which has another column in between
        parts = line.split("\t") if "\t" in line else line.split()
        grade = _number(parts[-1]) if len(parts) in (3, 4) else None
        if grade is None:
            if number == 1 and len(parts) in (3, 4):
                continue  # the header
            raise ValueError(
                f"{path.name}, line {number}: {shown_value(line)} is not a query, document and "
                "grade"
            )
        grades.setdefault(parts[0], {})[parts[-2]] = grade
    return grades


def _number(text: str) -> int | float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number


def _text(record: Mapping[str, Any]) -> str:
    """The title and text of a document."""
    parts = (record.get("title"), record.get("text"))
    return "\n".join(part for part in parts if isinstance(part, str) and part.strip())


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Read the records, each with its id.

    Raises:
        ValueError: a line is not a record; the message names the line.
    """
    for number, raw in _lines(path):
        try:
            record = json.loads(raw.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path.name}, line {number}: not JSON: {error}") from None
        id = record.get("_id") if isinstance(record, dict) else None
        if not isinstance(id, str | int):
            raise ValueError(f"{path.name}, line {number}: it has no _id")
        yield str(id), record


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with open_plain(path) as file:
        for number, _, raw in lines_of(plain(file), LONGEST_LINE):
            yield number, raw
