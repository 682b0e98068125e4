"""Runs of their own, one after the other, that ask a judge of the test's through a session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_ragassert import EvalCase, Settings
from pytest_ragassert.engine.jobs import Measured
from pytest_ragassert.engine.session import Session
from pytest_ragassert.metrics.metric import Metric


def measured_in_run(
    settings: Settings,
    judge: Any,
    metric: str,
    cases: Iterable[EvalCase],
    *,
    metrics: Iterable[Metric] = (),
    one_by_one: bool = False,
) -> list[Measured]:
    """What a run makes of a metric of the cases.

    Args:
        settings: with the judge `mine`.
        judge: which that is.
        metrics: of the test's own.
        one_by_one: one case after the other, in place of side by side.
    """
    session = Session(settings, make_judge={"mine": judge}.get, metrics=metrics)
    try:
        jobs = [session.job(one, metric, {}) for one in cases]
        if one_by_one:
            return [measured for job in jobs for measured in session.measure([job])]
        return session.measure(jobs)
    finally:
        session.close()
        session.run.remove()


def results_of(measured: Iterable[Measured]) -> list[Any]:
    """Their results, or errors."""
    return [one.error or one.result for one in measured]
