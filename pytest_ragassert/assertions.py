"""The assertions, and the fixture's object that bundles them."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec

from . import evaluation, expectations
from .errors import RagAssertionError, RagAssertWarning, raising_here
from .expectations import Expectation
from .measuring import Job, Measured
from .report.rows import headline
from .results import MetricResult
from .session import Session, session_for

Arguments = ParamSpec("Arguments")


def prepared(expected: Expectation) -> tuple[Session, Job]:
    """The session to measure with, and the checked job."""
    session = session_for(None)
    options = {name: value for name, value in expected.options.items() if value is not None}
    job = session.job(expected.case, expected.metric, options, expected.minimum, asserted=True)
    return session, job


def concluded(measured: Measured) -> MetricResult:
    """The result, where it holds.

    Raises:
        RagAssertionError: it does not hold. JudgeError and others: it could not be measured.
    """
    __tracebackhide__ = True
    if measured.error is not None:
        raise measured.error
    result = measured.result
    if result is None:
        raise RuntimeError("a measurement has a result or an error")
    if not result.passed:
        raise RagAssertionError(headline(result, measured.job.case.name), [result])
    if result.vacuous and measured.job.no_claims == "warn":
        warnings.warn(f"{measured.job.called}: {result.reason}", RagAssertWarning, stacklevel=4)
    return result


def _performed(
    expect: Callable[Arguments, Expectation],
) -> Callable[Arguments, MetricResult]:
    @raising_here
    @functools.wraps(expect)
    def assertion(*args: Arguments.args, **kwargs: Arguments.kwargs) -> MetricResult:
        session, job = prepared(expect(*args, **kwargs))
        return concluded(session.measure([job])[0])

    assertion.__module__ = __name__
    assertion.__annotations__ = {**expect.__annotations__, "return": MetricResult}
    return assertion


assert_faithful = _performed(expectations.assert_faithful)
assert_factual_f1 = _performed(expectations.assert_factual_f1)
assert_factual_precision = _performed(expectations.assert_factual_precision)
assert_factual_recall = _performed(expectations.assert_factual_recall)


class RagAssert:
    """All assertions and `evaluate`, as the fixture `ragassert`."""

    assert_faithful = staticmethod(assert_faithful)
    assert_factual_f1 = staticmethod(assert_factual_f1)
    assert_factual_precision = staticmethod(assert_factual_precision)
    assert_factual_recall = staticmethod(assert_factual_recall)
    evaluate = staticmethod(evaluation.evaluate)
