"""What is wrong with cases, in words: every mistake of a case, and those of all cases of a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from .language.suggestions import nearest, shown_value

_MOST_TOLD = 20  # different mistakes that a message lists

_TEXT = "a text"
_CONTEXTS = "a list of texts or documents, or one text"
_TAKES = {
    "id": "a text or a whole number",
    "retrieved_contexts": _CONTEXTS,
    "ground_truth_contexts": _CONTEXTS,
    "ground_truth_answers": "a list of texts, or one text",
    "source_units": "a list",
    "persona": "a text or a dict",
    "generation_params": "a dict",
    "metadata": "a dict",
    "tags": "a list of texts",
    "minimums": "a dict of numbers from 0 to 1 by metric",
    "label": "'correct' or 'incorrect'",
    "results": "a dict of results by metric",
}
_ITEM_TAKES = {
    "retrieved_contexts": "a text or a document",
    "ground_truth_contexts": "a text or a document",
}
_AMBIGUOUS = {
    "context": "people mean different things by it: say retrieved_contexts or ground_truth_contexts"
}


class CaseMistakes(ValueError):
    """A case can't be made.

    Attributes:
        case: how messages call it.
        mistakes: what is wrong, each on one line.
    """

    def __init__(self, case: str, mistakes: Iterable[str]) -> None:
        self.case = case
        self.mistakes = list(mistakes)
        super().__init__(f"case {case}: {'; '.join(self.mistakes)}")


class MistakesOfMany:
    """Collects the mistakes of many cases; the same one is told once, with how many have it."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}
        # of a mistake, the case that it was first met in
        self._cases: dict[str, str] = {}

    def add(self, where: str, error: ValueError) -> None:
        """
        Args:
            where: the case's file and line.
        """
        if not isinstance(error, CaseMistakes):
            self._places.setdefault(str(error), []).append(where)
            return
        for mistake in error.mistakes:
            self._places.setdefault(mistake, []).append(where)
            self._cases.setdefault(mistake, f"case {error.case}: ")

    def check(self, of: str) -> None:
        """
        Args:
            of: whose cases they are.

        Raises:
            ValueError: there are some; names each and where it stands.
        """
        told = [self._told(mistake, places) for mistake, places in self._places.items()]
        if len(told) == 1:
            raise ValueError(told[0])
        if told:
            more = len(told) - _MOST_TOLD
            rest = [f"and {more} more"] if more > 0 else []
            # the file or folder of all of them is named once
            short = [line.removeprefix(f"{of}, ").removeprefix(f"{of}{os.sep}") for line in told]
            listed = "".join(f"\n  {line}" for line in [*short[:_MOST_TOLD], *rest])
            raise ValueError(f"{of}: {len(told)} mistakes{listed}")

    def _told(self, mistake: str, places: list[str]) -> str:
        others = len(places) - 1
        many = f" (and {others} more case{'s' * (others > 1)})" if others else ""
        return f"{places[0]}{many}: {self._cases.get(mistake, '')}{mistake}"


def unknown_fields(names: Iterable[str], known: Iterable[str], fields: Iterable[str]) -> str:
    """What is said of all unknown names of a case together.

    Args:
        known: the fields, and other tools' names for them.
        fields: the fields.
    """
    said = []
    whole = False
    for name in names:
        near = nearest(name, known)
        if name in _AMBIGUOUS:
            said.append(f"{name!r} ({_AMBIGUOUS[name]})")
        elif near is not None:
            said.append(f"{shown_value(name)} (did you mean {near!r}?)")
        else:
            said.append(shown_value(name))
            whole = True
    listed = f"unknown field{'s' * (len(said) > 1)} {', '.join(said)}"
    if not whole:
        return listed
    return f"{listed}; known are {', '.join(fields)}; anything else can go into metadata"


def wrong_values(errors: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is said of values, from the errors of pydantic; each value once."""
    said: dict[str, str] = {}
    for error in errors:
        field, *inner = error["loc"] or ("?",)
        # behind the field: the place in a list, and names of types
        item = next((part for part in inner[:1] if isinstance(part, int)), None)
        path = str(field) if item is None else f"{field}.{item}"
        if error["type"] == "value_error":
            told = f"field {path}: {error['ctx']['error']}"
        else:
            takes = _TAKES if item is None else _ITEM_TAKES
            told = f"field {path} is {shown_value(error['input'])}; it takes "
            told += takes.get(str(field), _TEXT)
        said.setdefault(path, told)
    return list(said.values())
