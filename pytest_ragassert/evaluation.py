"""`evaluate`: measure metrics of one or many cases concurrently, with or without pytest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, overload

from .case import EvalCase, not_a_case
from .config.settings import Settings
from .engine.jobs import Job, Measured
from .engine.session import Session
from .engine.sessions import session_for, warn_of_offline
from .errors import JudgeError, MissingFieldError, raising_here
from .language.escaping import visible
from .metrics.registry import EVERYWHERE, takes
from .report.pretty import MetricResult
from .runtime.fake_files import with_real_files

Metrics = Sequence[str] | Mapping[str, Mapping[str, Any]]
OnError = Literal["raise", "collect"]


class Evaluation(dict[str, MetricResult]):
    """The results of a case, by metric name.

    Attributes:
        errors: the error of each metric that has no result; filled with `on_error="collect"`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.errors: dict[str, Exception] = {}

    def __missing__(self, metric: str) -> MetricResult:
        error = self.errors.get(metric)
        raise KeyError(
            metric if error is None else f"{visible(metric)} has no result: {error}"
        ) from error


class Order:
    """Checked arguments of `evaluate` and of its coroutine."""

    def __init__(
        self,
        cases: EvalCase | Iterable[EvalCase],
        metrics: Metrics,
        settings: Settings | None,
        on_error: str,
        options: Mapping[str, Any],
    ) -> None:
        if on_error not in ("raise", "collect"):
            raise ValueError(f"on_error is {on_error!r}; valid are raise, collect")
        self._on_error = on_error
        if isinstance(cases, str | Mapping) or not isinstance(cases, EvalCase | Iterable):
            raise TypeError(f"case must be an EvalCase or a list of them, not {cases!r:.60}")
        if hasattr(cases, "columns"):
            # iterating over a DataFrame gives the names of its columns
            raise TypeError(not_a_case(cases))
        self._single = isinstance(cases, EvalCase)
        self._cases = [cases] if isinstance(cases, EvalCase) else list(cases)
        self.session = session_for(settings)
        per_metric = options_by_metric(metrics, options, self.session)
        self.jobs: list[Job] = [
            self.session.job(case, name, own)
            for case in self._cases
            for name, own in per_metric.items()
        ]
        warn_of_offline(self.session, self.jobs)

    def result(self, measured: Sequence[Measured]) -> Evaluation | list[Evaluation]:
        """The results of each case, in order.

        Raises:
            the first error, unless errors are collected; a JudgeError only if there is no other.
        """
        errors = [done.error for done in measured if done.error is not None]
        if errors and self._on_error == "raise":
            # a test may be skipped for an outage, which must not hide a mistake in the test
            first = next((e for e in errors if not isinstance(e, JudgeError)), errors[0])
            if isinstance(first, MissingFieldError) and not self._single:
                raise MissingFieldError(
                    f'{first.message}; to measure the others, call evaluate(…, on_error="collect")'
                )
            raise first
        evaluations = [Evaluation() for _ in self._cases]
        each = len(self.jobs) // len(self._cases) if self._cases else 0
        for number, done in enumerate(measured):
            evaluation = evaluations[number // each]
            if done.result is not None:
                evaluation[done.job.name] = done.result
            elif done.error is not None:
                evaluation.errors[done.job.name] = done.error
        return evaluations[0] if self._single else evaluations


@overload
def evaluate(
    case: EvalCase,
    metrics: Metrics,
    *,
    settings: Settings | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> Evaluation: ...


@overload
def evaluate(
    case: Iterable[EvalCase],
    metrics: Metrics,
    *,
    settings: Settings | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> list[Evaluation]: ...


@raising_here
@with_real_files
def evaluate(
    case: EvalCase | Iterable[EvalCase],
    metrics: Metrics,
    *,
    settings: Settings | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> Evaluation | list[Evaluation]:
    """Measure metrics of one case or of several cases.

    Args:
        case: one case, or several, which are measured concurrently.
        metrics: a list of metric names, or a dict `{name: {option: value}}`.
        settings: the judge's settings. Default: those of the pytest run, or of the environment
            outside pytest.
        on_error: `"raise"` raises the first error; `"collect"` puts each `JudgeError`,
            `VerdictMissing` and `MissingFieldError` into the result's `errors` instead.
        options: options for every metric that takes them.

    Returns:
        The results by metric name; for several cases, a list with one such dict for each case.

    Raises:
        JudgeError: the judge could not decide.
        VerdictMissing: a replay has no stored verdict.
        MissingFieldError: a case lacks a field that a metric needs.
        ConfigurationError: the settings conflict.
        TypeError: a metric is unknown, or no metric takes an option.
        ValueError: the value of an option is invalid.
    """
    order = Order(case, metrics, settings, on_error, options)
    return order.result(order.session.measure(order.jobs))


def options_by_metric(
    metrics: Metrics, options: Mapping[str, Any], session: Session
) -> dict[str, dict[str, Any]]:
    """Each metric's own options, and the shared options that it takes.

    Raises:
        TypeError: a metric is unknown, or no metric takes an option.
    """
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        raise TypeError(f"metrics must be a list of names or a dict of options, not {metrics!r}")
    names = list(metrics)
    found = [session.registry[name] for name in names]
    own = metrics if isinstance(metrics, Mapping) else {name: {} for name in names}
    known = dict(zip(names, found, strict=True))
    for name, given in own.items():
        if not isinstance(given, Mapping):
            raise TypeError(f"the options of {visible(name)} must be a dict, not {given!r}")
    for option in options:
        if option not in EVERYWHERE and not any(takes(m, option) for m in known.values()):
            hint = "; set it in EvalCase.minimums or Settings.minimums" * (option == "min")
            one = len(names) == 1
            who = f"{names[0]} takes no" if one else f"none of {', '.join(own)} takes an"
            raise TypeError(f"{who} option {option!r}{hint}")
    return {
        name: {
            **{
                option: value
                for option, value in options.items()
                if option in EVERYWHERE or takes(metric, option)
            },
            **own[name],
        }
        for name, metric in known.items()
    }
