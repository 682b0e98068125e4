"""Cases from a file, a folder of files, or a list."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..case import EvalCase, as_metadata
from ..language.escaping import is_blank
from ..language.number_format import listed
from ..runtime.printable import printable
from ..storage.files.plain_files import cant_be_read, not_utf8_since, open_plain
from .case_reader import FileRow
from .mistakes import Mistakes
from .readers import known_suffixes, reader_of, readers_of

# Columns of a ragas data set beside the fields: what its test set generator and scores keep.
_RAGAS_COLUMNS = (
    "query_style",
    "query_length",
    "rubrics",
    "multi_responses",
    "reference_context_ids",
)


def load_cases(path: str | os.PathLike[str]) -> list[EvalCase]:
    """The cases of a file, in its order, or of a folder's files, by name.

    A `.jsonl` file has one JSON object a line (blank lines are passed over); a `.json` file has a
    list of objects, or one, or lines as a `.jsonl` file. What else ragas' files hold becomes
    `persona` and `metadata`. A case without `id` is called by its file and place (`cases-3`). Of a
    folder, hidden files and what editors keep beside files are passed over.

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
            raise FileNotFoundError(
                f"{place}: the folder has no {listed(known_suffixes(), 'or')} file"
            )
    else:
        files = [place]
    stems = Counter(file.stem for file in files)
    cases: list[EvalCase] = []
    mistakes = Mistakes()
    places: dict[str, str] = {}
    for file in files:
        name = file.stem if stems[file.stem] == 1 else file.name
        for where, id, case in _of_file(file, name, mistakes):
            if (first := places.setdefault(str(id), where)) != where:
                twice = f"two cases have the id {str(id)!r}, this one and that of {first}"
                mistakes.add(where, ValueError(f"{twice}; ids tell cases apart in reports"))
            cases += [] if case is None else [case]
    mistakes.check(str(place))
    return cases


def _is_read(file: Path) -> bool:
    """Whether a folder's file holds cases; not what systems and editors keep beside them."""
    return bool(readers_of(file.suffix)) and not file.name.startswith((".", "#", "~"))


def cases_from(items: Iterable[Any]) -> list[EvalCase]:
    """The cases of a list of cases and dicts, in its order.

    Raises:
        TypeError: an item is neither.
        ValueError: names all items that are no cases, each with field and value, and what it takes;
            and cases of one id.
    """
    cases, mistakes = [], Mistakes()
    for number, item in enumerate(items, start=1):
        try:
            cases.append(_case(item))
        except ValueError as error:
            mistakes.add(f"case {number} of the list", error)
    mistakes.check("the list")
    return distinct(cases)


def _case(item: Any) -> EvalCase:
    if isinstance(item, EvalCase):
        return item
    if isinstance(item, Mapping):
        return EvalCase(**item)
    raise TypeError(f"a case is an EvalCase or a dict, not {type(item).__name__}")


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
    file: Path, name: str, mistakes: Mistakes
) -> Iterator[tuple[str, Any, EvalCase | None]]:
    """The place and the id of each case, and the case: None where `mistakes` says why."""
    for row in _rows(file, mistakes):
        where, fields, case = f"{file}, {row.place}", row.content, None
        try:
            if isinstance(fields, ValueError):
                raise fields
            if not isinstance(fields, dict):
                raise ValueError(f"a case is a JSON object, not {type(fields).__name__}")
            id = fields.get("id")
            if id is None or (isinstance(id, str) and is_blank(id)):
                fields["id"] = f"{name}-{row.number}"
            case = EvalCase(**_fields_of(fields))
        except ValueError as error:
            mistakes.add(where, error)
        if isinstance(fields, dict):
            yield where, fields["id"], case


def _rows(file: Path, mistakes: Mistakes) -> Iterator[FileRow]:
    try:
        # opened first: of one that is not there, its suffix is no matter
        with open_plain(file) as opened:
            readers = readers_of(file.suffix)
            if not readers:
                raise ValueError(f"cases are read from {listed(known_suffixes(), 'and')} files")
            for row in reader_of(opened, readers).read(opened):
                if isinstance(row.content, UnicodeDecodeError):
                    # so are most lines of such a file
                    raise ValueError(not_utf8_since(row.content, row.number))
                yield row
    except FileNotFoundError:
        raise
    except OSError as error:
        mistakes.add(str(file), ValueError(f"it {cant_be_read(error)}"))
    except ValueError as error:
        mistakes.add(str(file), error)


def _fields_of(record: dict[str, Any]) -> dict[str, Any]:
    """The record with ragas' further columns where they belong: persona, metadata."""
    fields = as_metadata(record, _RAGAS_COLUMNS)
    if "persona_name" in fields and "persona" not in fields:
        fields["persona"] = fields.pop("persona_name")
    return fields
