"""What can go wrong, one class for each thing a caller may want to tell apart."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from .language.escaping import escaped_lines
from .runtime.ci_log import inert
from .runtime.redaction import redact

if TYPE_CHECKING:
    from .results import MetricResult
    from .usage import Usage

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_PUBLIC = __name__.rpartition(".")[0]  # where users import them from


def reduced(error: BaseException) -> tuple[Any, ...]:
    """What pickle and copy need: a subclass may take other arguments than it keeps in `args`."""
    return _rebuilt, (type(error), error.args), error.__dict__


def _rebuilt(kind: type[BaseException], args: tuple[Any, ...]) -> BaseException:
    return kind.__new__(kind, *args)


class _Printed(Exception):
    """Who meets it prints its text, which holds texts of cases and replies, but no secret and no
    character that acts on a terminal or that an encoding refuses.

    Attributes:
        message: the text for files; as `str` a CI service finds no command in it.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(escaped_lines(redact(a)) if isinstance(a, str) else a for a in args))

    @property
    def message(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return inert(self.message)


class RagAssertionError(_Printed, AssertionError):
    """A metric was measured and its score lies below the minimum.

    Attributes:
        results: the `MetricResult` of every metric that failed.
        result: the first of them.
    """

    __module__ = _PUBLIC
    __reduce__ = reduced

    def __init__(self, message: str, results: Sequence[MetricResult] = ()) -> None:
        super().__init__(message)
        self.results: list[MetricResult] = list(results)

    @property
    def result(self) -> MetricResult:
        return self.results[0]


class JudgeError(_Printed):
    """A metric could not be measured: transport, refusal, truncated or malformed reply.

    Never stored, never a number.

    Attributes:
        kind: what went wrong, one of `KINDS`.
        usage: what was paid for all the same; None: nothing, or it is counted elsewhere.
        usage_key: the key that it is counted under.
        ends_judging: True where no further question can succeed (credentials, quota, unknown
            model, a spent budget), so that the run asks no more.
    """

    __module__ = _PUBLIC
    __reduce__ = reduced

    KINDS = (
        "configuration",
        "credentials",
        "model",
        "quota",
        "rate limit",
        "server",
        "timeout",
        "connection",
        "request",
        "refusal",
        "content filter",
        "truncated",
        "malformed",
        "judge",
        "budget",
        "blocked",
    )
    # nothing that passes by itself: someone must mend the project, or the hook whose judge raised
    _MISTAKES = ("configuration", "credentials", "model", "request", "judge", "blocked")

    def __init__(self, message: str, *, kind: str = "judge", ends_judging: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.ends_judging = ends_judging
        self.usage: Usage | None = None
        self.usage_key: str | None = None

    @property
    def outage(self) -> bool:
        """The judge's trouble, or the end of a budget; False for a mistake in the configuration: a
        proxy or certificates that can't be used, credentials, an unknown model, a request that the
        endpoint does not take, sockets that the project forbids; and for what a hook's judge
        raised, unless its status or class is that of an outage."""
        return self.kind not in self._MISTAKES

    @property
    def blocked(self) -> bool:
        """Whether sockets were forbidden where it was asked: no trouble of the question's, which
        another test of the same run may well ask."""
        return self.kind == "blocked"

    def about(self, what: str) -> JudgeError:
        """The same error with `what` (case and metric) before its message."""
        told = JudgeError(f"{what}: {self.message}", kind=self.kind, ends_judging=self.ends_judging)
        told.usage, told.usage_key = self.usage, self.usage_key
        return told


class VerdictMissing(_Printed):
    """Replay (`record-mode none`) and no stored verdict.

    Attributes:
        question: plain data on what was missed, from which its cause is told; None: nothing known.
    """

    __module__ = _PUBLIC
    __reduce__ = reduced

    def __init__(self, message: str, question: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.question = question

    def about(self, what: str) -> VerdictMissing:
        """The same error with `what` (case and metric) before its message."""
        return VerdictMissing(f"{what}: {self.message}", self.question)


class AnswerMissing(VerdictMissing):
    """Replay (`record-mode none`) and no recorded answer of the application to judge."""

    __reduce__ = reduced


class MissingFieldError(_Printed, ValueError):
    """The case lacks a field that the metric needs, or the field is blank."""

    __module__ = _PUBLIC
    __reduce__ = reduced


class ConfigurationError(_Printed, ValueError):
    """The settings do not fit together: unknown judge, no embedder, a value out of range."""

    __module__ = _PUBLIC
    __reduce__ = reduced


class RagAssertWarning(_Printed, UserWarning):
    """Something is odd and was dealt with: blank chunks, an answer without claims.

    Where no test run's summary says what was odd with the endpoint or the store, this does.
    """


def warn_caller(message: str) -> None:
    """Warn at the line that called this package, however deep in it the cause was met."""
    frame, level = sys._getframe(1), 3
    while frame.f_back is not None and _is_of_this_package(frame.f_back.f_globals):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RagAssertWarning, stacklevel=level)


def raising_here(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """The function; where this package raises, the traceback ends at the caller's line."""

    @functools.wraps(function)
    def called(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except (AssertionError, JudgeError, VerdictMissing, ValueError, TypeError) as error:
            if not _raised_by_this_package(error):
                raise
            raise error.with_traceback(None) from None

    return called


def _raised_by_this_package(error: BaseException) -> bool:
    """False where a plugin's metric or judge raised it: its author needs the lines."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and _is_of_this_package(at.tb_frame.f_globals)


def _is_of_this_package(module: Mapping[str, Any]) -> bool:
    return str(module.get("__name__", "")).partition(".")[0] == _PUBLIC
