"""Checks of what people expect of a case: relevant contexts by id, weighted facts, criteria."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .language.escaping import is_blank
from .language.suggestions import shown_value

ContextIds = list[str] | dict[str, float]
Claims = list[str | dict[str, Any]]

_CLAIM_KEYS = ("text", "weight")
_LARGEST = 1e300  # of numbers that are summed


def id_text(value: Any) -> Any:
    """An id as a text, so that `1`, `1.0` and `"1"` are equal; other values are unchanged."""
    if isinstance(value, float) and value.is_integer():
        # a column of integers with a missing value has floats
        value = int(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def grades_of(ids: Sequence[str] | Mapping[str, float]) -> dict[str, float]:
    """The grade of each id; every id of a list has the grade 1."""
    return dict(ids) if isinstance(ids, Mapping) else dict.fromkeys(ids, 1.0)


def weights_of(claims: Iterable[str | Mapping[str, Any]]) -> dict[str, float]:
    """The weight of each claim, by its text; 1 by default."""
    return dict((one, 1.0) if isinstance(one, str) else _parts(one) for one in claims)


def checked_ids(value: Sequence[Any] | Mapping[Any, Any]) -> ContextIds:
    """Check ids and drop duplicates, or check grades by id.

    Raises:
        ValueError: an id is blank, or neither a text nor a whole number, or has two grades; or a
            grade is not a finite number of moderate size.
    """
    ids = list(map(_checked_id, value))
    if not isinstance(value, Mapping):
        return list(dict.fromkeys(ids))
    grades: dict[str, float] = {}
    for id, grade in zip(ids, value.values(), strict=True):
        if not _is_number(grade):
            raise ValueError(
                f"the grade of {shown_value(id)} is {shown_value(grade)}, not a number from "
                f"-{_LARGEST:g} to {_LARGEST:g}"
            )
        if grades.get(id, grade) != grade:
            raise ValueError(f"the id {shown_value(id)} has two grades: as a text and as a number")
        grades[id] = float(grade)
    return grades


def checked_claims(value: Sequence[Any]) -> Claims:
    """Check facts, given as texts or as texts with weights.

    Raises:
        ValueError: a claim is blank or repeated, or a weight is not a number above 0.
    """
    claims: Claims = []
    numbers_of: dict[str, int] = {}
    for number, one in enumerate(value, start=1):
        text, weight = _claim(number, one)
        if (first := numbers_of.setdefault(text.strip(), number)) != number:
            raise ValueError(f"claim {number} repeats claim {first}, {shown_value(text)}")
        claims.append(text if weight is None else {"text": text, "weight": weight})
    return claims


def checked_criteria(value: Sequence[Any]) -> list[str]:
    """Check criteria and strip surrounding whitespace.

    Raises:
        ValueError: a criterion is not a text, blank or repeated.
    """
    numbers_of: dict[str, int] = {}
    for number, one in enumerate(value, start=1):
        if isinstance(one, list | tuple):
            raise ValueError(
                f"criterion {number} is the list {shown_value(one)}; each criterion is a text of "
                "its own: unpack the list with * in the call"
            )
        if not isinstance(one, str) or is_blank(one):
            raise ValueError(
                f"criterion {number} is {shown_value(one)}; it must be a text, not blank"
            )
        if (first := numbers_of.setdefault(one.strip(), number)) != number:
            raise ValueError(f"criterion {number} repeats criterion {first}, {shown_value(one)}")
    return list(numbers_of)


def _checked_id(value: Any) -> str:
    id = id_text(value)
    if not isinstance(id, str) or is_blank(id):
        raise ValueError(f"{shown_value(value)} is not an id; an id is a text or a whole number")
    return id


def _claim(number: int, one: Any) -> tuple[str, float | None]:
    given = {"text": one} if isinstance(one, str) else one
    if not isinstance(given, Mapping) or "text" not in given or set(given) - set(_CLAIM_KEYS):
        raise ValueError(
            f'claim {number} is {shown_value(one)}; it takes a text or {{"text": …, "weight": …}}'
        )
    text: Any = given["text"]
    weight: Any = given.get("weight")
    if not isinstance(text, str) or is_blank(text):
        raise ValueError(
            f"claim {number} has the text {shown_value(text)}; it must be a text, not blank"
        )
    if weight is None:
        return text, None
    if not _is_number(weight) or weight <= 0:
        raise ValueError(
            f"claim {number} has the weight {shown_value(weight)}; it takes a number above 0, at "
            f"most {_LARGEST:g}"
        )
    return text, float(weight)


def _parts(claim: Mapping[str, Any]) -> tuple[str, float]:
    return claim["text"], claim["weight"]


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return abs(float(value)) <= _LARGEST
    except OverflowError:
        return False
