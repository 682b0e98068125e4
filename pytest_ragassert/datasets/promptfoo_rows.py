"""Turns promptfoo's tests into rows: one for each combination of values, with linked texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..interop import promptfoo
from ..storage.files.plain_files import cant_be_read, open_plain, text_of
from .case_reader import FileRow

_LONGEST = 64 * 2**20  # bytes of a linked file


def tests_of(
    rows: Iterable[FileRow], folder: Path | None, tool: str | None, name: str | None
) -> Iterator[FileRow]:
    """The rows, with each test of promptfoo expanded.

    Args:
        folder: the folder of linked files; None: there is none.
        tool: the tool that wrote the records, if given.
        name: the name of cases without an id, before their number; None: they remain without.
    """
    called = Counter[str]()
    for row in rows:
        content = row.content
        if not isinstance(content, Mapping) or not promptfoo.is_test(content, tool):
            yield row
            continue
        try:
            tests = list(promptfoo.expanded(content, lambda link: _texts(link, folder)))
        except ValueError as error:
            yield row._replace(content=error)
            continue
        several = len(tests) > 1
        for number, test in enumerate(tests, start=1):
            base = test.get("description") or (f"{name}-{row.number}" if name and several else None)
            if base is not None:
                test["description"] = _distinct(f"{base}-{number}" if several else base, called)
            yield row._replace(content=test)


def _distinct(id: str, called: Counter[str]) -> str:
    """The id, made unique if an earlier test has it, because descriptions may be repeated."""
    called[id] += 1
    while called[id] > 1:
        id = f"{id}-{called[id]}"
        called[id] += 1
    return id


def _texts(link: str, folder: Path | None) -> list[str]:
    """Read the texts that a link names.

    Raises:
        ValueError: there is no such file below the folder, or it is not a text.
    """
    shown = f"{promptfoo.LINK}{link}"
    if folder is None:
        raise ValueError(f"{shown!r:.200} is beside the file of tests; give that file's path")
    base = folder.resolve()
    try:
        several = any(sign in link for sign in "*?[")
        found = sorted(base.glob(link)) if several else [base / link]
        found = [path.resolve() for path in found]
    # `glob` does not accept absolute patterns
    except (NotImplementedError, OSError, RuntimeError, ValueError) as error:
        raise ValueError(f"{shown!r:.200} is not a file below {folder}: {error}") from None
    if not found:
        raise ValueError(f"{shown!r:.200} matches no file in {folder}")
    for path in found:
        if not path.is_relative_to(base):
            raise ValueError(f"{shown!r:.200} is outside of {folder}; only files below it are read")
        if path.suffix.lower() in promptfoo.PROGRAMS:
            raise ValueError(f"{shown!r:.200} is a program; programs are not run")
    return [_text(path, shown) for path in found]


def _text(path: Path, shown: str) -> str:
    try:
        with open_plain(path) as file:
            raw = file.read(_LONGEST + 1)
    except OSError as error:
        raise ValueError(f"{shown!r:.200} {cant_be_read(error)}") from None
    if len(raw) > _LONGEST:
        raise ValueError(f"{shown!r:.200} is larger than {_LONGEST // 2**20} MiB")
    try:
        return text_of(raw)
    except ValueError as error:
        raise ValueError(f"{shown!r:.200} is {error}") from None
