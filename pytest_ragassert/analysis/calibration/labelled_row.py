"""Reads a row of labelled claims or criteria, and reports everything that is wrong with it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ...datasets.case_reader import FileRow
from ...datasets.cells import value_of
from ...judgements import Met
from ...language.escaping import is_blank, visible
from ...language.suggestions import did_you_mean, nearest, shown_value
from ...storage.files.plain_files import not_utf8

Field = TypeVar("Field")
SUPPORTED, UNSUPPORTED, CONTRADICTED, NEUTRAL = (
    "supported",
    "unsupported",
    "contradicted",
    "neutral",
)
LABELS = (SUPPORTED, UNSUPPORTED, NEUTRAL, CONTRADICTED)
MET_LABELS = tuple(Met.__members__)  # the labels of a criterion
_BOOLEANS = {"TRUE": Met.YES.value, "FALSE": Met.NO.value}  # tables may have them as texts
_COLUMNS = ("id", "claim", "answer", "context", "label", "criterion", "question")
_TEXTS = ("claim", "answer")
_MOST_COLUMNS, _MOST_COMPARED = 30, 1000  # columns of a row that a message lists, and compares
_LONGEST_ID = 200


class LabelledRow(NamedTuple):
    """A row of labelled claims or criteria.

    Attributes:
        claim: the claim or criterion.
        contexts: the contexts of a claim; for a criterion, the answer.
        question: the question that the answer of a criterion replies to.
    """

    id: str | None
    label: str
    claim: str
    contexts: list[str]
    question: str | None = None


def fields_of(row: FileRow) -> dict[str, Any]:
    """The row's columns and values; in a table, a list of contexts is also written as a text.

    Raises:
        ValueError: the row could not be read, is not an object, or has a cell that looks like a
            list of contexts and is not one.
    """
    content = row.content
    if isinstance(content, UnicodeDecodeError):
        raise ValueError(not_utf8(content))
    if isinstance(content, ValueError):
        raise content
    if not isinstance(content, dict):
        raise ValueError(f"a row must be a JSON object, not {type(content).__name__}")
    cell = content.get("context")
    if not row.is_table or not isinstance(cell, str):
        return content
    strange: list[str] = []
    contexts = value_of("retrieved_contexts", cell, None, strange.append)
    if contexts is not None and strange:
        raise ValueError(
            f"context looks like a list but is not one: {shown_value(cell)}; write a list as JSON: "
            '["a text", "another one"]'
        )
    return {**content, "context": contexts}


def checked(data: dict[str, Any]) -> LabelledRow:
    """Check a row.

    Raises:
        ValueError: the row is invalid; the message lists everything that is missing or wrong.
    """
    mistakes: list[str] = []

    def read(field: Callable[[dict[str, Any]], Field], otherwise: Field) -> Field:
        try:
            return field(data)
        except ValueError as error:
            mistakes.append(str(error))
            return otherwise

    is_criterion = data.get("criterion") is not None
    record = LabelledRow(
        claim=read(_criterion if is_criterion else _claim, ""),
        contexts=read(_answer if is_criterion else _contexts, []),
        label=read(_met if is_criterion else _label, ""),
        id=read(_id, None),
        question=read(_question, None) if is_criterion else None,
    )
    if mistakes:
        raise ValueError(" | ".join(mistakes))
    return record


def _claim(data: dict[str, Any]) -> str:
    names = [name for name in _TEXTS if data.get(name) is not None]
    if len(names) > 1:
        raise ValueError("it has both claim and answer; give one")
    if not names:
        raise ValueError(_missing("claim", data))
    claim = data[names[0]]
    if not isinstance(claim, str):
        raise ValueError(f"{names[0]} is {shown_value(claim)}, not a text")
    if is_blank(claim):
        raise ValueError(f"{names[0]} is empty")
    return claim


def _criterion(data: dict[str, Any]) -> str:
    if data.get("claim") is not None:
        raise ValueError("it has both claim and criterion; give one")
    return _text(data, "criterion")


def _answer(data: dict[str, Any]) -> list[str]:
    if data.get("answer") is None:
        raise ValueError(_missing("answer", data))
    return [_text(data, "answer")]


def _text(data: dict[str, Any], name: str) -> str:
    text = data[name]
    if not isinstance(text, str):
        raise ValueError(f"{name} is {shown_value(text)}, not a text")
    if is_blank(text):
        raise ValueError(f"{name} is empty")
    return text.strip()


def _question(data: dict[str, Any]) -> str | None:
    question = data.get("question")
    if not isinstance(question, str | None):
        raise ValueError(f"question is {shown_value(question)}, not a text")
    return None if is_blank(question) else question


def _contexts(data: dict[str, Any]) -> list[str]:
    contexts = data.get("context")
    if contexts is None:
        raise ValueError(_missing("context", data))
    contexts = [contexts] if isinstance(contexts, str) else contexts
    if not isinstance(contexts, list):
        raise ValueError(f"context is {shown_value(contexts)}, not a text or list of texts")
    for place, text in enumerate(contexts, start=1):
        if not isinstance(text, str):
            raise ValueError(f"text {place} of context is {shown_value(text)}, not a text")
    if all(map(is_blank, contexts)):
        raise ValueError("context has no text")
    return contexts


def _label(data: dict[str, Any]) -> str:
    label = data.get("label")
    if label is None:
        raise ValueError(f"{_missing('label', data)}; valid are {', '.join(LABELS)}")
    if not isinstance(label, str) or label not in LABELS:
        meant = did_you_mean(label, LABELS) if isinstance(label, str) else ""
        raise ValueError(f"label is {shown_value(label)}{meant}; valid are {', '.join(LABELS)}")
    return label


def _met(data: dict[str, Any]) -> str:
    """The label of a criterion."""
    label = data.get("label")
    valid = f"valid are {', '.join(MET_LABELS)}, true and false"
    if label is None:
        raise ValueError(f"{_missing('label', data)}; {valid}")
    name = str(label).strip().upper() if isinstance(label, str | bool) else ""
    name = _BOOLEANS.get(name, name)
    if name not in MET_LABELS:
        raise ValueError(f"label is {shown_value(label)}; {valid}")
    return name


def _id(data: dict[str, Any]) -> str | None:
    name = data.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int | None):
        raise ValueError(f"id is {shown_value(name)}, not a text")
    return visible(str(name))[:_LONGEST_ID] if name else None


def group_of(data: dict[str, Any], name: str) -> str | None:
    """The row's value in the column `name`, by which figures are grouped.

    Raises:
        ValueError: the value can't name a group.
    """
    value = data.get(name)
    if isinstance(value, list | dict):
        raise ValueError(
            f"{name} is {shown_value(value)}, not a text, so figures can't be grouped by it"
        )
    return None if value is None else str(value)


def _missing(name: str, data: dict[str, Any]) -> str:
    """The message about a missing column, with a similar column that may have been meant."""
    if name in data:
        return f"{name} is null"
    others = itertools.islice((other for other in data if other not in _COLUMNS), _MOST_COMPARED)
    near = nearest(name, others)
    if near is not None:
        return f"it has no {name}; did you mean the column {near!r}? if so, rename it to {name}"
    shown = [shown_value(other) for other in itertools.islice(data, _MOST_COLUMNS)]
    more = [f"and {len(data) - _MOST_COLUMNS} more"] if len(data) > _MOST_COLUMNS else []
    return f"it has no {name}; it has {', '.join([*shown, *more]) or 'no column'}"
