"""`assert_no_regression`: compares a score with the baseline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from ...case import EvalCase
from ...engine.jobs import Job, Measured
from ...engine.runner import judge_label
from ...engine.session import Session
from ...engine.sessions import session_for
from ...errors import ConfigurationError, RagAssertionError
from ...language.escaping import is_blank, visible
from ...metrics.option_checks import check_minimum
from ..records.baseline_file import UPDATE, Baseline, open_baseline
from ..records.measurement import Measurement
from ..records.result_rows import scored

# The baseline of each session, as it was when the first assertion asked for it.
_baselines: WeakKeyDictionary[Session, Baseline] = WeakKeyDictionary()


@dataclass(frozen=True)
class AgainstBaseline:
    """The expectation that a case's score is not below its score in the baseline.

    Attributes:
        before: the measurement in the baseline; None if this run writes it.
    """

    session: Session
    job: Job
    before: Measurement | None
    tolerance: float

    def failure(self, measured: Measured) -> RagAssertionError | None:
        """The assertion's failure, if the score is too low and there was something to check."""
        result = measured.result
        if result is None or result.passed or result.vacuous or self.before is None:
            return None
        if measured.job.known_failure is not None:
            return None
        return RagAssertionError(
            f"{visible(result.metric)} "
            f"{scored(result.score, result.interval, self.job.minimum)}: case "
            f"{measured.job.case.name}, the baseline's {self.before.value:.2f} minus the tolerance "
            f"{self.tolerance:g} ({visible(result.reason)})",
            [result],
        )


def assert_no_regression(
    case: EvalCase, metric: str, tolerance: float | None = None, **options: Any
) -> AgainstBaseline:
    """The expectation of `pytest_ragassert.assert_no_regression`.

    Raises:
        ConfigurationError: there is no baseline, or it lacks this case, metric and judge.
        TypeError: the metric or an option is unknown.
    """
    session = session_for(None)
    settings = session.settings
    tolerance = check_minimum(settings.tolerance if tolerance is None else tolerance, "tolerance")
    chosen = {name: value for name, value in options.items() if value is not None}
    job = session.job(case, metric, chosen, 0.0, asserted=True)
    if case.id is None or is_blank(case.id):
        raise ConfigurationError(
            f"case {case.name} has no id, by which the baseline finds a case; give it one: "
            "EvalCase(id=…)"
        )
    if settings.update_baseline is not None:
        return AgainstBaseline(session, job, None, tolerance)
    judge = judge_label(session.asker, job.models)
    baseline = baseline_of(session)
    before = baseline.find(case.id, metric, judge)
    if before is None:
        raise ConfigurationError(
            f"case {case.name}: the baseline {baseline.path} has no {visible(metric)} by judge "
            f"{judge}; a run with {UPDATE} adds it"
        )
    least = max(0.0, before.value - tolerance)
    return AgainstBaseline(session, replace(job, minimum=least), before, tolerance)


def baseline_of(session: Session) -> Baseline:
    """Return the session's baseline; it is empty while a first one is being written.

    Raises:
        ConfigurationError: none is configured, or it can't be read.
    """
    if session not in _baselines:
        settings = session.settings
        _baselines[session] = open_baseline(
            settings.baseline, update=settings.update_baseline is not None
        )
    return _baselines[session]
