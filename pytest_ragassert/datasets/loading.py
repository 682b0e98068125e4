"""Cases from files: JSON lines or JSON, a file or a folder of them."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..case import EvalCase, as_metadata
from ..case_mistakes import MistakesOfMany
from ..language.sanitize import is_blank
from ..runtime.printable import printable
from ..storage.files.committed_text import has_conflict, json_mistake
from ..storage.files.plain_files import cant_be_read, read_text

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
    without `id` is called by its file and place (`cases-3`). Of a folder, hidden files and what
    editors keep beside files are passed over.

    Raises:
        FileNotFoundError: nothing is there.
        ValueError: names all that can't be read, each with file, line, field and value, and what it
            takes; and cases of one id.
    """
    try:
        return _loaded(Path(path))
    except ValueError as error:
        raise ValueError(printable(str(error))) from None


def _loaded(place: Path) -> list[EvalCase]:
    if place.is_dir():
        files = sorted(file for file in place.iterdir() if _is_read(file))
        if not files:
            raise FileNotFoundError(f"{place}: the folder has no .jsonl or .json file")
    else:
        files = [place]
    stems = Counter(file.stem for file in files)
    cases: list[EvalCase] = []
    mistakes = MistakesOfMany()
    places: dict[str, str] = {}
    for file in files:
        name = file.stem if stems[file.stem] == 1 else file.name
        for where, id, case in _of_file(file, name, mistakes):
            if (first := places.setdefault(str(id), where)) != where:
                told = f"two cases have the id {str(id)!r}, this one and that of {first}"
                mistakes.add(where, ValueError(f"{told}; ids tell cases apart in reports"))
            cases += [] if case is None else [case]
    mistakes.check(str(place))
    return cases


def _is_read(file: Path) -> bool:
    """Whether a folder's file holds cases; not what systems and editors keep beside them."""
    return file.suffix in _ENDINGS and not file.name.startswith((".", "#", "~"))


def distinct(cases: Iterable[EvalCase]) -> list[EvalCase]:
    """The cases; an error where two have one id.

    Raises:
        ValueError: names the ids.
    """
    listed = list(cases)
    counts = Counter(str(case.id) for case in listed if not is_blank(case.id))
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        also = f" (so do two each: {', '.join(map(repr, twice[1:]))})" if twice[1:] else ""
        raise ValueError(
            f"two cases have the id {twice[0]!r}{also}; ids tell cases apart in reports"
        )
    return listed


def _of_file(
    file: Path, name: str, mistakes: MistakesOfMany
) -> Iterator[tuple[str, Any, EvalCase | None]]:
    """The place and the id of each case, and the case: None where `mistakes` says why."""
    for number, where, record in _records(file, mistakes):
        case = None
        try:
            if not isinstance(record, dict):
                raise ValueError(f"a case is a JSON object, not {type(record).__name__}")
            given = record.get("id")
            if given is None or (isinstance(given, str) and is_blank(given)):
                record["id"] = f"{name}-{number}"
            case = EvalCase(**_fields_of(record))
        except ValueError as error:
            mistakes.add(where, error)
        if isinstance(record, dict):
            yield where, record["id"], case


def _records(file: Path, mistakes: MistakesOfMany) -> Iterator[tuple[int, str, Any]]:
    """What a file holds: each number, place and value."""
    try:
        text = _text_of(file)
        if file.suffix == ".json":
            value = _parsed(text)
            records = value if isinstance(value, list) else [value]
            for number, record in enumerate(records, start=1):
                yield number, f"{file}, case {number}", record
            return
    except ValueError as error:
        mistakes.add(str(file), error)
        return
    # not splitlines(): texts may hold its other line ends unescaped
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{file}, line {number}"
            try:
                yield number, where, _parsed(line)
            except ValueError as error:
                mistakes.add(where, error)


def _text_of(file: Path) -> str:
    """
    Raises:
        FileNotFoundError: it is not there.
        ValueError: why it can't be read.
    """
    if file.suffix not in _ENDINGS:
        raise ValueError("cases are read from .jsonl and .json files")
    try:
        return read_text(file)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ValueError(f"it {cant_be_read(error)}") from None


def _fields_of(record: dict[str, Any]) -> dict[str, Any]:
    """The record with ragas' further columns where they belong: persona, metadata."""
    fields = as_metadata(record, _RAGAS_COLUMNS)
    if "persona_name" in fields and "persona" not in fields:
        fields["persona"] = fields.pop("persona_name")
    return fields


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        if any(map(has_conflict, text.split("\n"))):
            raise ValueError("git left a conflict here; decide it and delete its markers") from None
        raise ValueError(json_mistake(error)) from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = Counter(name for name, _ in pairs)
        twice = next(name for name, count in names.items() if count > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return record
