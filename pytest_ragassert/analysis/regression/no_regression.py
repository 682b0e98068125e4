"""`assert_no_regression`: compares a score with what a good run measured."""

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

# Of each session, as it was when the first assertion asked for it.
_baselines: WeakKeyDictionary[Session, Baseline] = WeakKeyDictionary()


@dataclass(frozen=True)
class AgainstBaseline:
    """Expects a case's score not to be below its score in the baseline.

    Attributes:
        before: what it was; None where it is just being written down.
    """

    session: Session
    job: Job
    before: Measurement | None
    tolerance: float

    def failure(self, measured: Measured) -> RagAssertionError | None:
        """Why it does not hold, where it was measured and there was something to check."""
        result = measured.result
        if result is None or result.passed or result.vacuous or self.before is None:
            return None
        if measured.job.known_failure is not None:
            return None
        return RagAssertionError(
            f"{visible(result.metric)} "
            f"{scored(result.score, result.interval, self.job.minimum)}: case "
            f"{measured.job.case.name}, the baseline's {self.before.value:.2f} less the tolerance "
            f"{self.tolerance:g} ({visible(result.reason)})",
            [result],
        )


def assert_no_regression(
    case: EvalCase, metric: str, tolerance: float | None = None, **options: Any
) -> AgainstBaseline:
    """The metric's score of the case is not below the baseline's by more than a tolerance.

    A run that writes the baseline (`--ragassert-update-baseline`) measures, and passes.

    Args:
        case: it has an id.
        metric: as in `evaluate`.
        tolerance: in [0, 1]; default `ragassert_tolerance`, else 0.05.
        options: of the metric, and `models`, `votes`, `no_claims`.

    Raises:
        RagAssertionError: measured and worse, or nothing to check.
        JudgeError, VerdictMissing, MissingFieldError: it could not be measured.
        ConfigurationError: the baseline has no such case, metric and judge, or there is none.
        TypeError: no metric or option of that name.
    """
    session = session_for(None)
    settings = session.settings
    tolerance = check_minimum(settings.tolerance if tolerance is None else tolerance, "tolerance")
    chosen = {name: value for name, value in options.items() if value is not None}
    job = session.job(case, metric, chosen, 0.0, asserted=True)
    if case.id is None or is_blank(case.id):
        raise ConfigurationError(
            f"case {case.name}: a case is found in the baseline by its id; give it one: "
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
    """Return what a good run measured; nothing where a first one is being written.

    Raises:
        ConfigurationError: none is configured, or it can't be read.
    """
    if session not in _baselines:
        settings = session.settings
        _baselines[session] = open_baseline(
            settings.baseline, update=settings.update_baseline is not None
        )
    return _baselines[session]
