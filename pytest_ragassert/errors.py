"""The exceptions and the warning of this package, one class for each kind callers distinguish."""

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
    """What pickle and copy need, because subclasses do not keep all arguments in `args`."""
    return _rebuilt, (type(error), error.args), error.__dict__


def _rebuilt(kind: type[BaseException], args: tuple[Any, ...]) -> BaseException:
    return kind.__new__(kind, *args)


class _Printed(Exception):
    """An exception whose text is safe to print.

    The text may contain parts of cases and replies, but no secrets, and no characters that act on a
    terminal or that an encoding rejects.

    Attributes:
        message: the text for files. `str` also keeps CI services from finding commands in it.
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(escaped_lines(redact(a)) if isinstance(a, str) else a for a in args))

    @property
    def message(self) -> str:
        return super().__str__()

    def __str__(self) -> str:
        return inert(self.message)


class RagAssertionError(_Printed, AssertionError):
    """A metric was measured, and its score is below the minimum.

    Attributes:
        results: the `MetricResult` of each metric that failed.
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
    """The judge could not decide: no connection, a refusal, a truncated or malformed reply.

    Such an error is never stored and never becomes a score.

    Attributes:
        kind: what went wrong, one of `KINDS`.
        usage: what the failed requests cost; None: nothing, or it is counted elsewhere.
        usage_key: the key under which the usage is counted.
        ends_judging: True if every further question would fail too (credentials, quota, unknown
            model, a spent budget); the run then asks nothing more.
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
    # errors that do not pass by themselves: the project or the judge from a hook must be fixed
    _MISTAKES = ("configuration", "credentials", "model", "request", "judge", "blocked")

    def __init__(self, message: str, *, kind: str = "judge", ends_judging: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.ends_judging = ends_judging
        self.usage: Usage | None = None
        self.usage_key: str | None = None

    @property
    def outage(self) -> bool:
        """Whether the judge's service failed or a budget was spent.

        False for mistakes in the configuration: a proxy or certificates that can't be used,
        credentials, an unknown model, a request that the endpoint rejects, sockets that the project
        forbids. False as well for an exception of a judge from a hook, unless its status or class
        indicates an outage.
        """
        return self.kind not in self._MISTAKES

    @property
    def blocked(self) -> bool:
        """Whether sockets were forbidden when the question was asked.

        The question itself may be fine: another test of the same run may be able to ask it.
        """
        return self.kind == "blocked"

    def about(self, what: str) -> JudgeError:
        """The same error with `what` (case and metric) before its message."""
        told = JudgeError(f"{what}: {self.message}", kind=self.kind, ends_judging=self.ends_judging)
        told.usage, told.usage_key = self.usage, self.usage_key
        return told


class VerdictMissing(_Printed):
    """A replay (`--ragassert-record-mode=none`) has no stored verdict.

    Attributes:
        question: plain data on the missing verdict, from which reports determine the cause; None:
            nothing is known.
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
    """A replay (`--ragassert-record-mode=none`) has no recorded answer of the application."""

    __reduce__ = reduced


class MissingFieldError(_Printed, ValueError):
    """The case lacks a field that the metric needs, or the field is blank."""

    __module__ = _PUBLIC
    __reduce__ = reduced


class ConfigurationError(_Printed, ValueError):
    """The settings are invalid: an unknown judge, no embedder, a value out of range."""

    __module__ = _PUBLIC
    __reduce__ = reduced


class RagAssertWarning(_Printed, UserWarning):
    """Something unusual was found and handled: blank chunks, an answer without claims.

    Outside pytest, problems with the endpoint or the store are also reported by this warning.
    """


def warn_caller(message: str) -> None:
    """Warn at the line that called this package, however deep in the package the cause is."""
    frame, level = sys._getframe(1), 3
    while frame.f_back is not None and _is_of_this_package(frame.f_back.f_globals):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RagAssertWarning, stacklevel=level)


def raising_here(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Wrap a function so that tracebacks of this package's errors end at the caller's line."""

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
    """False if a plugin's metric or judge raised it: its author needs the whole traceback."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and _is_of_this_package(at.tb_frame.f_globals)


def _is_of_this_package(module: Mapping[str, Any]) -> bool:
    return str(module.get("__name__", "")).partition(".")[0] == _PUBLIC
