"""What can go wrong, one class for each thing a caller may want to tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .results import MetricResult


class RagAssertionError(AssertionError):
    """A metric was measured and its score lies below the minimum.

    Attributes:
        results: the `MetricResult` of every metric that failed.
        result: the first of them.
    """

    def __init__(self, message: str, results: Sequence[MetricResult] = ()) -> None:
        super().__init__(message)
        self.results: list[MetricResult] = list(results)

    @property
    def result(self) -> MetricResult:
        return self.results[0]

    def __reduce__(self) -> tuple[Any, ...]:
        # pickled by name, the class would be looked for where __module__ (below) says
        return _assertion_error, (self.args[0], self.results)


def _assertion_error(message: str, results: Sequence[MetricResult]) -> RagAssertionError:
    return RagAssertionError(message, results)


# pytest prints an exception's module before its name unless that is `builtins`; without the
# module the message has room on the FAILED line.
RagAssertionError.__module__ = "builtins"


class JudgeError(Exception):
    """A metric could not be measured: transport, refusal, truncated or malformed reply.

    Never stored, never a number.

    Attributes:
        kind: what went wrong, one of `KINDS`.
        ends_judging: True where no further question can succeed (credentials, quota, unknown
            model), so that the run asks no more.
    """

    KINDS = (
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
    )

    def __init__(self, message: str, *, kind: str = "judge", ends_judging: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.ends_judging = ends_judging

    def about(self, what: str) -> JudgeError:
        """The same error with `what` (metric and case) before its message."""
        return JudgeError(f"{what}: {self}", kind=self.kind, ends_judging=self.ends_judging)

    def __reduce__(self) -> tuple[Any, ...]:
        return _judge_error, (self.args[0], self.kind, self.ends_judging)


def _judge_error(message: str, kind: str, ends_judging: bool) -> JudgeError:
    return JudgeError(message, kind=kind, ends_judging=ends_judging)


JudgeError.__module__ = "builtins"


class VerdictMissing(Exception):
    """Replay (`record-mode none`) and no stored verdict."""

    def about(self, what: str) -> VerdictMissing:
        """The same error with `what` (metric and case) before its message."""
        return VerdictMissing(f"{what}: {self}")


class MissingFieldError(ValueError):
    """The case lacks a field that the metric needs, or the field is blank."""


class ConfigurationError(ValueError):
    """The settings do not fit together: unknown judge, no embedder, a value out of range."""


class RagAssertWarning(UserWarning):
    """Something in a case is odd and was dealt with: blank chunks, an answer without claims."""
