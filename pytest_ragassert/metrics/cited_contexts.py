"""Finds the contexts that each sentence of an answer cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..case import EvalCase
from ..language.citation_marks import Label, labels_by_sentence, normal

Names = tuple[str | None, ...]
_DIGITS = re.compile(r"\d+")
_NUMBER = "0"  # the shape of a numeric id
_FOLDER = re.compile(r"[/\\]")


class Citation(NamedTuple):
    """A citation: what a mark points at.

    Attributes:
        mark: the mark as reports show it.
        contexts: 0-based indices, in order: one, or all of a source; empty: it points nowhere.
    """

    mark: str
    contexts: tuple[int, ...]


def citations_of(case: EvalCase) -> tuple[tuple[Citation, ...], ...]:
    """The citations of each sentence of the answer, without duplicates.

    A mark points at the contexts whose id or source is its name, or ends in it as a path ends in a
    file name. A number that is not an id is a position, counted from 1, unless some id is a number.
    The same applies to "doc 3" if there are ids such as "doc 1" and "doc 2".
    """
    contexts = tuple(text or "" for text in case.retrieved_contexts or ())
    ids = tuple(case.retrieved_context_ids or ())
    sources = tuple(case.retrieved_context_sources or ())
    return _citations(case.answer or "", contexts, ids, sources)


@lru_cache(maxsize=32)  # two metrics call it, as does a replay that lacks verdicts
def _citations(
    answer: str, contexts: tuple[str, ...], ids: Names, sources: Names
) -> tuple[tuple[Citation, ...], ...]:
    pointers = _Pointers(len(contexts), ids, sources)
    cited = labels_by_sentence(answer, pointers.names, contexts)
    return tuple(tuple(pointers.distinct(labels)) for labels in cited)


def names_of(case: EvalCase) -> Iterator[str]:
    """All names of the case's retrieved and ground-truth contexts, normalised by `normal`."""
    for each in (
        case.retrieved_context_ids,
        case.retrieved_context_sources,
        case.ground_truth_context_ids,
    ):
        for name in each or ():
            yield from _called(name or "")


class _Pointers:
    """What labels point at.

    Args:
        count: the number of contexts; a list of names with another length is ignored.
    """

    def __init__(self, count: int, ids: Names, sources: Names) -> None:
        self.names: dict[str, list[int]] = {}
        self._count = count
        self._shapes = {_shape(normal(id)) for id in ids if id}
        for each in (ids, sources):
            for place, name in enumerate(each if len(each) == count else ()):
                for one in dict.fromkeys(_called(name or "")):
                    places = self.names.setdefault(one, [])
                    if place not in places[-1:]:
                        places.append(place)

    def distinct(self, labels: Sequence[Label]) -> Iterator[Citation]:
        """The citations of a sentence's labels; labels that point at the same contexts are one."""
        seen = set[object]()
        for label in labels:
            for citation in self._pointed(label):
                if (key := citation.contexts or citation.mark) not in seen:
                    seen.add(key)
                    yield citation

    def _pointed(self, label: Label) -> Iterator[Citation]:
        named = next((self.names[name] for name in label.names if name in self.names), None)
        if named is not None:
            yield Citation(label.shown, tuple(sorted(named)))
            return
        numbers = label.numbers
        if any(_shape(name) in self._shapes - {_NUMBER} for name in label.names):
            numbers = ()  # an id that no context has
        for number in numbers or (0,):
            shown = f"[{number}]" if len(numbers) > 1 else label.shown
            contexts = tuple(self._numbered(number))
            if contexts or label.sure:
                yield Citation(shown, contexts)

    def _numbered(self, number: int) -> list[int]:
        if _NUMBER in self._shapes:
            return sorted(self.names.get(str(number), []))
        return [number - 1] if 0 < number <= self._count else []


def _called(name: str) -> Iterator[str]:
    """The names of a context with this id or source."""
    for one in (name, _FOLDER.split(name)[-1]):
        if called := normal(one):
            yield called


def _shape(name: str) -> str:
    """The shape of a name: equal for names that differ only in their numbers."""
    return _DIGITS.sub("0", name)
