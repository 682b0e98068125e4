"""Mistakes in a case: the error that its constructor raises, and the messages for each field."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .errors import reduced
from .language.suggestions import shown_value

# What each field accepts, and below what each item of a list accepts.
_TEXT = "a text"
_CONTEXTS = "a list of texts or documents, or one text"
TAKES = {
    "id": "a text or a whole number",
    "history": "a list of turns",
    "retrieved_contexts": _CONTEXTS,
    "retrieved_context_ids": "a list of texts or whole numbers",
    "retrieved_context_sources": "a list of texts",
    "ground_truth_contexts": _CONTEXTS,
    "ground_truth_context_ids": "a list of ids, or a dict of grades by id",
    "ground_truth_claims": 'a list of texts or of {"text": …, "weight": …}',
    "ground_truth_answers": "a list of texts, or one text",
    "criteria": "a list of texts, or one text",
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
    "retrieved_context_ids": "a text or a whole number",
    "retrieved_contexts": "a text or a document",
    "ground_truth_contexts": "a text or a document",
}
_ROLES = ("user", "assistant")
# What each key of a turn accepts.
TURN_TAKES = {"role": "'user' or 'assistant'", "content": _TEXT}


class CaseMistakes(ValueError):
    """A case has mistakes.

    Attributes:
        case: the case's name in messages; empty without an id and a question.
        whose: the prefix of messages, which names the case; may be empty.
        mistakes: one message for each mistake, on one line.
        unknown: the unknown names that the message lists and that do not resemble a field's name.
    """

    __reduce__ = reduced

    def __init__(self, case: str, mistakes: Iterable[str], unknown: Iterable[str] = ()) -> None:
        self.case = case
        self.mistakes = list(mistakes)
        self.unknown = list(unknown)
        self.whose = f"case {case}: " if case else ""
        super().__init__(f"{self.whose}{'; '.join(self.mistakes)}")


def wrong_in_turn(number: int, turn: Any) -> Iterator[str]:
    """Yield a message for each mistake in a turn of the history, numbered from 1."""
    if not isinstance(turn, Mapping):
        yield f'turn {number} is {shown_value(turn)}; it takes {{"role": …, "content": …}}'
        return
    for key in (key for key in turn if key not in TURN_TAKES):
        yield f"turn {number} has the key {shown_value(key)}; known are {', '.join(TURN_TAKES)}"
    for key, takes in TURN_TAKES.items():
        value = turn.get(key)
        if key not in turn:
            yield f"turn {number} lacks the key {key!r}, which takes {takes}"
        elif not isinstance(value, str) or (key == "role" and value not in _ROLES):
            yield f"turn {number}: {key} is {shown_value(value)}; it takes {takes}"


def wrong_values(errors: Iterable[Mapping[str, Any]]) -> list[str]:
    """One message for each wrong value, from pydantic's errors."""
    messages: dict[str, str] = {}
    for error in errors:
        field, *inner = error["loc"] or ("?",)
        # after the field come the index in a list and the names of types
        item = next((part for part in inner[:1] if isinstance(part, int)), None)
        path = str(field) if item is None else f"{field}.{item}"
        if error["type"] == "value_error":
            message = f"field {path}: {error['ctx']['error']}"
        elif item is None and field not in TAKES and _is_number(error["input"]):
            # without the value, so that the message is the same for all cases
            message = (
                f"field {path} is a number; it takes a text: write the number in quotes, or "
                "convert a DataFrame's column with .astype(str)"
            )
        else:
            takes = TAKES if item is None else _ITEM_TAKES
            message = f"field {path} is {shown_value(error['input'])}; it takes "
            message += takes.get(str(field), _TEXT)
        messages.setdefault(path, message)
    return list(messages.values())


def _is_number(value: Any) -> bool:
    """Whether the value is a finite number."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
