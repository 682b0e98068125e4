"""Parse gates such as `mean(faithfulness, question_type="multi-hop") >= 0.7`.

Imports only the standard library: the gates of an ini file are read at the start of every run.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..judgements import ANSWER_CLASSES

DEFAULT_LEVEL = 0.95
_OF_SCORES = ("mean", "min", "max")
_OF_LABELS = ("rate", "count")
_OF_CHANGES = ("drop", "plain_drop")
_FUNCTIONS = (*_OF_SCORES, "p10", *_OF_LABELS, *_OF_CHANGES)
_RELATIONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_TOLERANCE = 1e-9  # the same as for a score and its minimum
_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"[^\"]*\"|'[^']*')|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"(?![\w.])|(?P<name>[^\W\d]\w*(?:[.-]\w+)*)|(?P<relation>>=|<=|>|<)|(?P<mark>[(),=]))"
)
_WORDS = {"string": "a text", "number": "a number", "name": "a name", "relation": ">= or <="}


class GateSyntaxError(ValueError):
    """The text is not a valid gate; the message points at the character.

    Attributes:
        at: 0-based offset of the character in the gate's text.
    """

    def __init__(self, text: str, at: int, problem: str) -> None:
        self.at = at
        super().__init__(f"a gate: {problem}, at character {at + 1}\n  {text}\n  {' ' * at}^")


@dataclass(frozen=True)
class Gate:
    """One condition on a run.

    Attributes:
        text: as it was written.
        function: mean, min, max or a percentile of scores; rate or count of a label; drop (only
            where its interval excludes zero) or plain_drop of the mean against the baseline.
        percentile: in [0, 100], of a percentile.
        name: the metric, or for rate and count the label, in lower case.
        relation: >=, <=, > or <.
        bound: what the value is compared with.
        where: values that a case's metadata must have, as text.
        least: the number of measured cases that the gate needs at least.
        level: confidence level of the interval of a drop, in (0, 1).
    """

    text: str
    function: str
    name: str
    relation: str
    bound: float
    percentile: float | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    least: int = 1
    level: float = DEFAULT_LEVEL

    @property
    def of_labels(self) -> bool:
        return self.function in _OF_LABELS

    @property
    def of_changes(self) -> bool:
        return self.function in _OF_CHANGES

    @property
    def wants_more(self) -> bool:
        """Whether low values fail the gate."""
        return self.relation.startswith(">")

    def holds(self, value: float) -> bool:
        """Whether the value satisfies the gate, allowing for rounding errors."""
        if self.relation in (">=", "<="):
            value += _TOLERANCE if self.wants_more else -_TOLERANCE
        return _RELATIONS[self.relation](value, self.bound)


def read_gates(text: str) -> tuple[Gate, ...]:
    """Parse the gates of a text, one per line or separated by `;`.

    Raises:
        GateSyntaxError: one of them is invalid; the message points at the character.
    """
    return tuple(read_gate(line) for line in _lines(text))


def _lines(text: str) -> list[str]:
    """Split a text into gates; a `;` inside a quoted text does not separate."""
    lines, start, quote = [], 0, ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char in (quote, "\n") else quote
        elif char in "\"'":
            quote = char
        if char == "\n" or (char == ";" and not quote):
            lines.append(text[start:at])
            start = at + 1
    return [line.strip() for line in (*lines, text[start:]) if line.strip()]


def read_gate(text: str) -> Gate:
    """
    Raises:
        GateSyntaxError: its message points at the character.
    """
    return _Parser(text).gate()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._next()

    def gate(self) -> Gate:
        start = self._start
        function = self._take("name", "a function")
        percentile = self._percentile(function, start)
        self._mark("(")
        of_label, place = function in _OF_LABELS, self._start
        metric = self._take("name", "a label" if of_label else "a metric")
        if of_label and metric.upper() not in ANSWER_CLASSES:
            known = ", ".join(ANSWER_CLASSES).lower()
            raise GateSyntaxError(self._text, place, f"no label {metric!r}; known are {known}")
        options = self._options(function)
        self._mark(")")
        place = self._start
        relation = self._take("relation")
        if function in _OF_CHANGES and relation.startswith(">"):
            raise GateSyntaxError(self._text, place, f"{function} takes <= or <")
        start = self._start
        bound = self._number("a number")
        self._check_bound(function, bound, start)
        if self._kind != "end":
            raise self._error("nothing more is expected")
        return Gate(
            text=self._text.strip(),
            function=function,
            percentile=percentile,
            name=metric.lower() if of_label else metric,
            relation=relation,
            bound=bound,
            **options,  # type: ignore[arg-type]  # `_options` has each by its type
        )

    def _percentile(self, function: str, start: int) -> float | None:
        found = re.fullmatch(r"p(\d+(?:\.\d+)?)", function)
        if found is not None and float(found[1]) <= 100:
            return float(found[1])
        if function not in _FUNCTIONS:
            known = f"known are {', '.join(_FUNCTIONS)} (any percentile)"
            raise GateSyntaxError(self._text, start, f"no function {function!r}; {known}")
        return None

    def _options(self, function: str) -> dict[str, object]:
        options: dict[str, object] = {}
        where: dict[str, str] = {}
        seen: set[tuple[str, bool]] = set()
        while self._kind == "mark" and self._value == ",":
            self._next()
            start, quoted = self._start, self._kind == "string"
            name = self._take(self._kind if quoted else "name", "n, level or a metadata key")
            self._mark("=")
            is_key = quoted or name not in ("n", "level")
            if (name, is_key) in seen:
                raise GateSyntaxError(self._text, start, f"{name} is given twice")
            seen.add((name, is_key))
            if name == "n" and not is_key:
                options["least"] = self._least()
            elif name == "level" and not is_key:
                if function != "drop":
                    raise GateSyntaxError(
                        self._text, start, f"level applies only to drop, not to {function}"
                    )
                options["level"] = self._level()
            elif self._kind in ("string", "number", "name"):
                where[name] = self._value
                self._next()
            else:
                raise self._error("a text or a number is expected")
        return {**options, "where": where}

    def _least(self) -> int:
        start = self._start
        value = self._number("a whole number of cases from 1")
        if value < 1 or value != int(value):
            raise GateSyntaxError(
                self._text, start, "n is a whole number of measured cases, from 1"
            )
        return int(value)

    def _level(self) -> float:
        start = self._start
        value = self._number("a number between 0 and 1")
        if not 0 < value < 1:
            raise GateSyntaxError(
                self._text, start, "level is a number between 0 and 1, such as 0.95"
            )
        return value

    def _check_bound(self, function: str, bound: float, start: int) -> None:
        if function == "count" and (bound < 0 or bound != int(bound)):
            raise GateSyntaxError(self._text, start, "a count is a whole number from 0")
        low = -1 if function in _OF_CHANGES else 0
        if function != "count" and not low <= bound <= 1:
            raise GateSyntaxError(self._text, start, f"{function} is a number from {low} to 1")

    def _number(self, wanted: str) -> float:
        start = self._start
        value = float(self._take("number", wanted))
        if not math.isfinite(value):
            raise GateSyntaxError(self._text, start, f"{wanted} is expected")
        return value

    def _mark(self, mark: str) -> None:
        if self._kind != "mark" or self._value != mark:
            raise self._error(f"{mark!r} is expected")
        self._next()

    def _take(self, kind: str, wanted: str | None = None) -> str:
        if self._kind != kind:
            raise self._error(f"{wanted or _WORDS[kind]} is expected")
        value = self._value
        self._next()
        return value

    def _next(self) -> None:
        rest = self._text[self._at :]
        self._start = self._at + len(rest) - len(rest.lstrip())
        found = _TOKEN.match(self._text, self._at)
        if found is not None and found.lastgroup is not None:
            self._kind, self._value = found.lastgroup, found[found.lastgroup]
            self._at = found.end()
            if self._kind == "string":
                self._value = self._value[1:-1]
        elif rest.strip():
            raise GateSyntaxError(self._text, self._start, _odd(rest.strip()))
        else:
            self._start = len(self._text.rstrip())
            self._kind = self._value = "end"

    def _error(self, problem: str) -> GateSyntaxError:
        return GateSyntaxError(self._text, self._start, problem)


def _odd(rest: str) -> str:
    if rest[0] in "\"'":
        return "the text that begins here does not end"
    return f"{rest[0]!r} is not allowed here"
