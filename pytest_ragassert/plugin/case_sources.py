"""The sources that `@pytest.mark.rag_cases(…)` names: each file is read once in a run."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ..case import EvalCase
from ..datasets.loading import Choose, cases_from, read_cases
from ..datasets.sampling import Candidates, Sampling
from ..errors import RagAssertWarning

Warn = Callable[[str], None]


class Source(NamedTuple):
    """
    Attributes:
        cases: those of which tests are made.
        candidates: of a sample, which the cases are; None: they are all that the source has.
    """

    cases: list[EvalCase]
    candidates: Candidates | None

    @property
    def mistake(self) -> str | None:
        """Why no sample can be taken of it; None where one can, or none is wanted."""
        return None if self.candidates is None else self.candidates.mistake


class CaseSources:
    """Reads what markers name, and keeps it for other tests that name the same.

    Args:
        sampling: how the run takes its sample, so that only cases that may be in it are held; None:
            all are.

    Attributes:
        by_function: what each marked test function names, by its node id.
    """

    def __init__(self, sampling: Sampling | None) -> None:
        self._sampling = sampling
        self._read: dict[Hashable, Source | Exception] = {}
        # an iterator gives its items once; by its id, as long as it is held
        self._iterators: dict[int, tuple[Iterator[Any], Any]] = {}
        self.by_function: dict[str, Source] = {}

    def of(self, marker: pytest.Mark, metafunc: pytest.Metafunc) -> Source:
        """
        Args:
            marker: of one source, with `fields` and `format` as `load_cases` takes them.

        Raises:
            OSError, TypeError, ValueError: as `load_cases`; a file has no case.
        """
        named, how = marker.args[0], _how(marker)
        warn = partial(_warn_at, metafunc.definition)
        if isinstance(named, str | os.PathLike):
            file = _found(Path(named), metafunc)
            key = (str(file), *_states(file), repr(how))
            source = self._once(key, lambda: self._of_file(file, how, warn))
        elif isinstance(named, Iterator):
            _, first = self._iterators.setdefault(id(named), (named, how))
            if how != first:
                raise ValueError(
                    "an iterator is read once, by fields= and format= of its first test; give a "
                    "list"
                )
            source = self._once(id(named), lambda: self._of_items(named, how, warn))
        else:
            source = self._of_items(named, how, warn)
        self.by_function[metafunc.definition.nodeid] = source
        return source

    def _once(self, key: Hashable, read: Callable[[], Source]) -> Source:
        if key not in self._read:
            try:
                self._read[key] = read()
            except Exception as error:
                self._read[key] = error.with_traceback(None)
        found = self._read[key]
        if isinstance(found, Exception):
            raise found
        return found

    def _of_file(self, file: Path, how: Mapping[str, Any], warn: Warn) -> Source:
        choose, candidates = self._choice()
        read = read_cases(file, choose=choose, **how)
        for note in read.notes:
            warn(note)
        if not read.cases:
            # a truncated export must not switch its tests off unseen
            raise ValueError(f"no case in {file}")
        return Source(read.cases, candidates)

    def _of_items(self, items: Any, how: Mapping[str, Any], warn: Warn) -> Source:
        choose, candidates = self._choice()
        return Source(cases_from(items, choose=choose, warn=warn, **how), candidates)

    def _choice(self) -> tuple[Choose, Candidates | None]:
        if self._sampling is None:
            return list, None
        candidates = Candidates(self._sampling)
        return candidates.of, candidates


def _warn_at(test: pytest.Item, message: str) -> None:
    """Warn at a marked test function: no code of the project calls this package here."""
    path, line, _ = test.reportinfo()
    warnings.warn_explicit(message, RagAssertWarning, str(path), (line or 0) + 1)


def _how(marker: pytest.Mark) -> dict[str, Any]:
    """How a marker says that its source is read."""
    return {name: marker.kwargs.get(name) for name in ("fields", "format")}


def _found(path: Path, metafunc: pytest.Metafunc) -> Path:
    """The file, looked for beside the test file, then under rootdir."""
    places = [metafunc.definition.path.parent / path, metafunc.config.rootpath / path]
    for place in places:
        if place.exists():
            # one file is called the same by all that use it
            plain = Path(os.path.normpath(place))
            return plain if plain.exists() and plain.samefile(place) else place
    tried = " and ".join(str(place) for place in dict.fromkeys(places))
    from ..language.suggestions import nearest

    beside = [
        one.name for place in places if place.parent.is_dir() for one in place.parent.iterdir()
    ]
    near = nearest(path.name, beside)
    hint = f"; did you mean {str(path.with_name(near))!r}?" if near else ""
    raise FileNotFoundError(f"no file {str(path)!r}; looked for {tried}{hint}")


def _states(path: Path) -> Iterator[tuple[str, int, int]]:
    """What changes where a file, or one of a folder, is written again."""
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        if file.exists():
            state = file.stat()
            yield file.name, state.st_size, state.st_mtime_ns
