"""The same names as coroutines: the caller's event loop goes on while the judge is asked."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, ParamSpec, overload

from . import expectations
from .assertions import concluded, prepared
from .case import EvalCase
from .evaluation import Evaluation, Metrics, OnError, Order
from .expectations import Expectation
from .results import MetricResult
from .settings import Settings

Arguments = ParamSpec("Arguments")


def _awaited(
    expect: Callable[Arguments, Expectation],
) -> Callable[Arguments, Coroutine[Any, Any, MetricResult]]:
    @functools.wraps(expect)
    async def assertion(*args: Arguments.args, **kwargs: Arguments.kwargs) -> MetricResult:
        __tracebackhide__ = True
        session, job = prepared(expect(*args, **kwargs))
        return concluded((await session.measure_async([job]))[0])

    assertion.__module__ = __name__
    assertion.__annotations__ = {**expect.__annotations__, "return": MetricResult}
    return assertion


assert_faithful = _awaited(expectations.assert_faithful)
assert_factual_f1 = _awaited(expectations.assert_factual_f1)
assert_factual_precision = _awaited(expectations.assert_factual_precision)
assert_factual_recall = _awaited(expectations.assert_factual_recall)


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
    order = Order(case, metrics, settings, on_error, options)
    return order.result(await order.session.measure_async(order.jobs))
