"""The assertions and `evaluate` as coroutines: the event loop runs on while the judge is asked."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, overload

from .analysis.regression import no_regression
from .assertions import all_concluded, compared_with_baseline, expected_by, lowest, prepared
from .case import EvalCase
from .config.settings import Settings
from .evaluation import Evaluation, Metrics, OnError, Order
from .metrics import assertion as of_metrics
from .metrics.metric import Expectation
from .metrics.registry import expectations
from .results import MetricResult
from .runtime.fake_files import real_files

if TYPE_CHECKING:
    from .metrics.coroutine_signatures import *  # noqa: F403 - each assertion of a metric

Arguments = ParamSpec("Arguments")

_unawaited: list[str] = []
_warn: Callable[[Any], None] | None = getattr(warnings, "_warn_unawaited_coroutine", None)


def taken_unawaited() -> list[str]:
    """The names of this module's coroutines that were never awaited, since the last call."""
    names = list(_unawaited)
    _unawaited.clear()
    return names


def _note_unawaited(coroutine: Any) -> None:
    """Record the coroutine, because a warning is easily missed and the test would pass."""
    if coroutine.cr_code.co_filename == __file__:
        _unawaited.append(coroutine.__name__)
    if _warn is not None:
        _warn(coroutine)


if _warn is not None:
    # the interpreter calls this for a coroutine that is destroyed before it was started
    warnings._warn_unawaited_coroutine = _note_unawaited  # type: ignore[attr-defined]


def _awaited(
    expect: Callable[Arguments, Expectation | list[Expectation]],
) -> Callable[Arguments, Coroutine[Any, Any, MetricResult]]:
    @functools.wraps(expect)
    async def assertion(*args: Arguments.args, **kwargs: Arguments.kwargs) -> MetricResult:
        __tracebackhide__ = True
        with real_files():
            session, jobs = prepared(expected_by(expect, *args, **kwargs))
            measured = await session.measure_async(jobs)
        return lowest(measured)

    assertion.__module__ = __name__
    assertion.__annotations__ = {**expect.__annotations__, "return": MetricResult}
    return assertion


for _name, _expect in expectations().items():
    globals()[_name] = _awaited(_expect)


async def assert_rag(
    case: EvalCase,
    *,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    **thresholds: float,
) -> Evaluation:
    """`pytest_ragassert.assert_rag` as a coroutine."""
    __tracebackhide__ = True
    with real_files():
        wanted = of_metrics.assert_rag(case, models=models, votes=votes, **thresholds)
        session, jobs = prepared(wanted)
        measured = await session.measure_async(jobs)
    return all_concluded(measured)


async def assert_no_regression(
    case: EvalCase, metric: str, tolerance: float | None = None, **options: Any
) -> MetricResult:
    """`pytest_ragassert.assert_no_regression` as a coroutine."""
    __tracebackhide__ = True
    with real_files():
        expected = no_regression.assert_no_regression(case, metric, tolerance, **options)
        (measured,) = await expected.session.measure_async([expected.job])
    return compared_with_baseline(expected, measured)


@overload
async def evaluate(
    case: EvalCase,
    metrics: Metrics,
    *,
    settings: Settings | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> Evaluation: ...


@overload
async def evaluate(
    case: Iterable[EvalCase],
    metrics: Metrics,
    *,
    settings: Settings | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> list[Evaluation]: ...


async def evaluate(
    case: EvalCase | Iterable[EvalCase],
    metrics: Metrics,
    *,
    settings: Settings | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> Evaluation | list[Evaluation]:
    """`pytest_ragassert.evaluate` as a coroutine."""
    with real_files():
        order = Order(case, metrics, settings, on_error, options)
        measured = await order.session.measure_async(order.jobs)
    return order.result(measured)
