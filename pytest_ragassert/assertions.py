"""The assertions, and `RagAssert`, the value of the fixture `ragassert`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from . import evaluation
from .analysis.records.result_rows import headline, headline_of_several
from .analysis.regression import no_regression
from .case import EvalCase
from .engine.jobs import Job, Measured
from .engine.session import Session
from .engine.sessions import session_for, warn_of_offline
from .errors import JudgeError, RagAssertionError, raising_here, warn_caller
from .evaluation import Evaluation
from .language.escaping import visible
from .metrics import assertion as of_metrics
from .metrics.metric import Expectation
from .metrics.registry import expectations
from .results import MetricResult
from .runtime.fake_files import with_real_files

if TYPE_CHECKING:
    from .analysis.records.baseline_file import Baseline
    from .metrics.assertion_signatures import *  # noqa: F403 - each assertion of a metric
    from .metrics.assertion_signatures import AssertionMethods
else:
    AssertionMethods = object

Arguments = ParamSpec("Arguments")
Expected = TypeVar("Expected")


def prepared(expected: Expectation | list[Expectation]) -> tuple[Session, list[Job]]:
    """The session and its checked jobs, one for each expectation."""
    session = session_for(None)
    each = [expected] if isinstance(expected, Expectation) else expected
    jobs = [
        session.job(
            one.case,
            one.metric,
            {name: value for name, value in one.options.items() if value is not None},
            one.minimum,
            asserted=True,
            labels=one.labels,
        )
        for one in each
    ]
    warn_of_offline(session, jobs)
    return session, jobs


def concluded(measured: Measured) -> MetricResult:
    """Return the result if the assertion passes or is expected to fail.

    Raises:
        RagAssertionError: the assertion fails.
        JudgeError and others: the metric could not be measured.
    """
    __tracebackhide__ = True
    if measured.error is not None:
        raise measured.error
    result = measured.result
    if result is None:
        raise RuntimeError("a measurement has a result or an error")
    if not result.passed and measured.job.known_failure is None:
        raise RagAssertionError(headline(result, measured.job.case.name), [result])
    if result.vacuous and measured.job.no_claims == "warn":
        warn_caller(visible(f"{measured.job.called}: {result.reason}"))
    return result


def expected_by(
    expect: Callable[Arguments, Expected], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Expected:
    """Return what an assertion with these arguments expects.

    Raises:
        TypeError: the call is wrong; for `threshold`, the message names `min`.
    """
    try:
        return expect(*args, **kwargs)
    except TypeError as error:
        if "threshold" not in kwargs:
            raise
        raise TypeError(f"{error}; did you mean min={kwargs['threshold']!r}?") from None


def _performed(
    expect: Callable[Arguments, Expectation | list[Expectation]],
) -> Callable[Arguments, MetricResult]:
    @raising_here
    @with_real_files
    @functools.wraps(expect)
    def assertion(*args: Arguments.args, **kwargs: Arguments.kwargs) -> MetricResult:
        session, jobs = prepared(expected_by(expect, *args, **kwargs))
        return lowest(session.measure(jobs))

    assertion.__module__ = __name__
    assertion.__annotations__ = {**expect.__annotations__, "return": MetricResult}
    return assertion


def lowest(measured: list[Measured]) -> MetricResult:
    """Return the result of an assertion; if it has several metrics, the one with the lowest score.

    Raises:
        as in `all_concluded`; the results begin with the lowest score.
    """
    __tracebackhide__ = True
    in_order = sorted(measured, key=lambda one: 1.0 if one.result is None else one.result.score)
    return next(iter(all_concluded(in_order).values()))


def all_concluded(measured: list[Measured]) -> Evaluation:
    """Return the results of several metrics of a case if all assertions pass.

    Mistakes in the test are raised first, then failures, then a `JudgeError`.

    Raises:
        RagAssertionError: assertions fail; it has their results.
        JudgeError and others: the first error of a metric that could not be measured.
    """
    __tracebackhide__ = True
    evaluation = Evaluation()
    failed: list[MetricResult] = []
    outage: JudgeError | None = None
    for one in measured:
        try:
            result = concluded(one)
        except RagAssertionError as error:
            failed += error.results
        except JudgeError as error:
            outage = outage or error
        else:
            evaluation[one.job.name] = result
    # an outage must not hide what was measured: the test may be skipped for it
    if failed:
        raise RagAssertionError(headline_of_several(failed, measured[0].job.case.name), failed)
    if outage is not None:
        raise outage
    return evaluation


# what a test measures is read from its source by the function that is wrapped
@raising_here
@with_real_files
@functools.wraps(of_metrics.assert_rag, assigned=())
def assert_rag(
    case: EvalCase,
    *,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    **thresholds: float,
) -> Evaluation:
    """Measure several metrics of a case concurrently, and report all failures together.

    Args:
        thresholds: minimums by metric: `faithfulness=0.8, factual_f1=0.7`. Without any:
            faithfulness, context_relevance and answer_relevancy with their default minimums.
        models, votes: as in `assert_faithful`.

    Returns:
        The results by metric name.

    Raises:
        TypeError: a metric is unknown.
        RagAssertionError: metrics are below their minimum; `results` has their results.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks a field that a metric needs.
    """
    session, jobs = prepared(of_metrics.assert_rag(case, models=models, votes=votes, **thresholds))
    return all_concluded(session.measure(jobs))


def compared_with_baseline(
    expected: no_regression.AgainstBaseline, measured: Measured
) -> MetricResult:
    """Return the result if the score has not dropped below the baseline.

    Raises:
        RagAssertionError: it has.
        JudgeError and others: the metric could not be measured.
    """
    __tracebackhide__ = True
    if (failure := expected.failure(measured)) is not None:
        raise failure
    return concluded(measured)


@raising_here
@with_real_files
@functools.wraps(no_regression.assert_no_regression, assigned=())
def assert_no_regression(
    case: EvalCase, metric: str, tolerance: float | None = None, **options: Any
) -> MetricResult:
    """Assert that a score is not below the baseline's by more than a tolerance.

    In a run that writes the baseline (`--ragassert-update-baseline`), the assertion measures and
    passes.

    Args:
        case: a case with an id.
        metric: a metric's name, as in `evaluate`.
        tolerance: in [0, 1]. Default: `ragassert_tolerance`, or else 0.05.
        options: options of the metric, and `models`, `votes`, `no_claims`.

    Raises:
        RagAssertionError: the score is too low, or there is nothing to check.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks a field that the metric needs.
        ConfigurationError: there is no baseline, or it lacks this case, metric and judge.
        TypeError: the metric or an option is unknown.
    """
    expected = no_regression.assert_no_regression(case, metric, tolerance, **options)
    return compared_with_baseline(expected, expected.session.measure([expected.job])[0])


class RagAssert(AssertionMethods):
    """All assertions and `evaluate`, as methods of the fixture `ragassert`."""

    @property
    def baseline(self) -> Baseline:
        """The results of the baseline run.

        Raises:
            ConfigurationError: no baseline is configured, or its file can't be read.
        """
        return no_regression.baseline_of(session_for(None))

    assert_rag = staticmethod(assert_rag)
    assert_no_regression = staticmethod(assert_no_regression)
    evaluate = staticmethod(evaluation.evaluate)


for _name, _expect in expectations().items():
    globals()[_name] = _performed(_expect)
    setattr(RagAssert, _name, staticmethod(globals()[_name]))
