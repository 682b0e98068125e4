"""Cases from files: JSON lines or JSON, a file or a folder of them."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .case import EvalCase, as_metadata
from .committed_text import has_conflict
from .plain_files import read_plain
from .printed import printable
from .text.visible import is_blank

_ENDINGS = (".jsonl", ".json")
# Columns of a ragas data set beside the fields: what its test set generator and scores keep.
_RAGAS_COLUMNS = (
    "query_style",
    "query_length",
    "rubrics",
    "multi_responses",
    "retrieved_context_ids",
    "reference_context_ids",
)


def load_cases(path: str | os.PathLike[str]) -> list[EvalCase]:
    """The cases of a file, in its order, or of a folder's files, by name.

    A `.jsonl` file has one JSON object a line (blank lines are passed over); a `.json` file has a
    list of objects, or one. What else ragas' files hold becomes `persona` and `metadata`. A case
    without `id` is called by its file and place (`cases-3`).

    Raises:
        FileNotFoundError: nothing is there.
        ValueError: names file, line and field of what can't be read, or two cases of one id.
    """
    try:
        return _loaded(Path(path))
    except ValueError as error:
        raise ValueError(printable(str(error))) from None


def _loaded(place: Path) -> list[EvalCase]:
    if place.is_dir():
        files = sorted(file for file in place.iterdir() if file.suffix in _ENDINGS)
        if not files:
            raise FileNotFoundError(f"{place}: the folder has no .jsonl or .json file")
    else:
        files = [place]
    stems = Counter(file.stem for file in files)
    names = [f.stem if stems[f.stem] == 1 else f.name for f in files]
    cases = [case for file, name in zip(files, names, strict=True) for case in _of_file(file, name)]
    try:
        return distinct(cases)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def distinct(cases: Iterable[EvalCase]) -> list[EvalCase]:
    """The cases; an error where two have one id.

    Raises:
        ValueError: names the id.
    """
    listed = list(cases)
    seen: set[str] = set()
    for case in listed:
        if is_blank(case.id):
            continue
        if case.id in seen:
            raise ValueError(f"two cases have the id {case.id!r}; ids tell cases apart in reports")
        seen.add(str(case.id))
    return listed


def _of_file(file: Path, name: str) -> Iterator[EvalCase]:
    if file.suffix not in _ENDINGS:
        raise ValueError(f"{file}: cases are read from .jsonl and .json files")
    try:
        text = read_plain(file).decode("utf-8-sig")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ValueError(f"{file} can't be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{file}: not UTF-8 ({error}); save the file as UTF-8") from None
    records = _lines(file, text) if file.suffix == ".jsonl" else _document(file, text)
    for number, where, record in records:
        if not isinstance(record, dict):
            raise ValueError(f"{where}: a case is a JSON object, not {type(record).__name__}")
        if record.get("id") is None or (isinstance(record["id"], str) and is_blank(record["id"])):
            record["id"] = f"{name}-{number}"
        try:
            yield EvalCase(**_fields_of(record))
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None


def _fields_of(record: dict[str, Any]) -> dict[str, Any]:
    """The record with ragas' further columns where they belong: persona, metadata."""
    fields = as_metadata(record, _RAGAS_COLUMNS)
    if "persona_name" in fields and "persona" not in fields:
        fields["persona"] = fields.pop("persona_name")
    return fields


def _lines(file: Path, text: str) -> Iterator[tuple[int, str, Any]]:
    # not splitlines(): texts may hold its other line ends unescaped
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{file}, line {number}"
            yield number, where, _parsed(line, where)


def _document(file: Path, text: str) -> Iterator[tuple[int, str, Any]]:
    value = _parsed(text, str(file))
    records = value if isinstance(value, list) else [value]
    for number, record in enumerate(records, start=1):
        yield number, f"{file}, case {number}", record


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        if any(map(has_conflict, text.split("\n"))):
            raise ValueError(
                f"{where}: git left a conflict here; decide it and delete its markers"
            ) from None
        raise ValueError(f"{where}: not JSON: {error}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = Counter(name for name, _ in pairs)
        twice = next(name for name, count in names.items() if count > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return record
