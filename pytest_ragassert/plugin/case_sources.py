"""Reads the sources in `@pytest.mark.rag_cases(…)`, each file once per run."""

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
        cases: the cases that become tests.
        candidates: if a sample is taken, the candidates that the cases are drawn from; None: the
            cases are all of the source.
    """

    cases: list[EvalCase]
    candidates: Candidates | None

    @property
    def mistake(self) -> str | None:
        """Why it cannot be sampled; None if it can, or if no sample is wanted."""
        return None if self.candidates is None else self.candidates.mistake


class CaseSources:
    """Reads the sources in markers, and caches them for other tests with the same source.

    Args:
        sampling: how the run samples its cases, so that only possible members are kept; None: all
            cases are kept.

    Attributes:
        by_function: the source of each marked test function, by its node id.
    """

    def __init__(self, sampling: Sampling | None) -> None:
        self._sampling = sampling
        self._read: dict[Hashable, Source | Exception] = {}
        # an iterator yields its items only once; by its id while it is referenced
        self._iterators: dict[int, tuple[Iterator[Any], Any]] = {}
        self.by_function: dict[str, Source] = {}

    def of(self, marker: pytest.Mark, metafunc: pytest.Metafunc) -> Source:
        """
        Args:
            marker: the marker with one source, and `fields` and `format` as for `load_cases`.

        Raises:
            OSError, TypeError, ValueError: as for `load_cases`; or a file has no case.
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
                    "an iterator is read only once, with fields= and format= of its first test; "
                    "pass a list instead"
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
            # a truncated export must not disable its tests silently
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
    """Warn at the marked test function, since no project code is on the call stack."""
    path, line, _ = test.reportinfo()
    warnings.warn_explicit(message, RagAssertWarning, str(path), (line or 0) + 1)


def _how(marker: pytest.Mark) -> dict[str, Any]:
    """The `fields` and `format` of a marker."""
    return {name: marker.kwargs.get(name) for name in ("fields", "format")}


def _found(path: Path, metafunc: pytest.Metafunc) -> Path:
    """Find the file: next to the test file, then below rootdir."""
    places = [metafunc.definition.path.parent / path, metafunc.config.rootpath / path]
    for place in places:
        if place.exists():
            # one file has one path, whichever test uses it
            plain = Path(os.path.normpath(place))
            return plain if plain.exists() and plain.samefile(place) else place
    tried = " and ".join(str(place) for place in dict.fromkeys(places))
    from ..datasets.folders import similar_file

    near = similar_file(path.name, [place.parent for place in places])
    hint = f"; did you mean {str(path.with_name(near))!r}?" if near else ""
    raise FileNotFoundError(f"no file {str(path)!r}; looked for {tried}{hint}")


def _states(path: Path) -> Iterator[tuple[str, int, int]]:
    """A value that changes when a file, or a file in a folder, is rewritten."""
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        if file.exists():
            state = file.stat()
            yield file.name, state.st_size, state.st_mtime_ns
