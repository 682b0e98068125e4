"""Makes the functions with which tests assert a metric; the metric determines the signature."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from ..case import EvalCase
from ..results import MetricResult
from .metric import Assertion, Expectation, Metric

NoClaims = Literal["fail", "warn", "pass"]


Expect = Callable[..., Expectation | list[Expectation]]


def expectation_factory(metric: Metric, assertion: Assertion) -> Expect:
    """Make the function that turns an assertion's arguments into an `Expectation`.

    It has the assertion's name, docstring and signature: the case; any further positional arguments
    of the metric's `expected`; and as keywords `min`, the options of `expected` and `measure`, and
    the options that every metric of its kind has.
    """
    parameters = list(_parameters(metric, assertion))
    several = _several(metric.expected)

    def expected(
        case: EvalCase, each: tuple[Any, ...], options: dict[str, Any]
    ) -> Expectation | list[Expectation]:
        if assertion.labels:
            return Expectation(case, metric.name, None, options, assertion.labels)
        if assertion.metrics:
            own = metric.expected(case, *each, **options)
            return [replace(own, metric=name) for name in assertion.metrics]
        return metric.expected(case, *each, **options)

    # generated as source, as dataclasses do, so that Python itself reports wrong calls
    written = "".join(f", {one.name}=_defaults[{one.name!r}]" for one in parameters)
    given = "".join(f"{one.name!r}: {one.name}, " for one in parameters)
    name, each = ("", "()") if several is None else (several.name, several.name)
    source = (
        f"def {assertion.name}(case, *{name}{written}): return _expected(case, {each}, {{{given}}})"
    )
    names = {
        # names in annotations are resolved here or in the metric's module
        **globals(),
        **vars(sys.modules[type(metric).__module__]),
        "_defaults": {one.name: one.default for one in parameters},
        "_expected": expected,
    }
    exec(source, names)
    function: Expect = names[assertion.name]
    function.__doc__ = assertion.doc or type(metric).__doc__
    function.__annotations__ = {
        "case": "EvalCase",
        **({} if several is None else {several.name: several.annotation}),
        **{one.name: one.annotation for one in parameters},
        "return": MetricResult.__name__,
    }
    return function


def _parameters(metric: Metric, assertion: Assertion) -> Iterator[inspect.Parameter]:
    def option(name: str, annotation: str, default: Any = None) -> inspect.Parameter:
        return inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )

    own: dict[str, inspect.Parameter] = {}
    if not assertion.labels:
        measured = _options(metric.measure)
        for name in metric.evaluate_only:
            del measured[name]
        own = _options(metric.expected)
        own |= {name: one for name, one in measured.items() if name not in own}
    last = own.pop("aggregate", None)
    yield from own.values()
    if metric.may_lack_claims:
        yield option("no_claims", "NoClaims | None")
    if metric.asks_judge:
        yield option("models", "Sequence[str] | None")
        yield option("votes", "int | None")
    if last is not None:
        yield last


def _options(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one for one in parameters if one.kind is one.KEYWORD_ONLY}


def _several(function: Callable[..., Any]) -> inspect.Parameter | None:
    """The `*args` parameter; None if there is none."""
    parameters = inspect.signature(function).parameters.values()
    return next((one for one in parameters if one.kind is one.VAR_POSITIONAL), None)


DEFAULT_METRICS = ("faithfulness", "context_relevance", "answer_relevancy")


def assert_rag(
    case: EvalCase,
    *,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    **thresholds: float,
) -> list[Expectation]:
    """The expectations of `pytest_ragassert.assert_rag`.

    Raises:
        TypeError: a threshold is a dict of options.
    """
    for name, minimum in thresholds.items():
        if isinstance(minimum, Mapping):
            raise TypeError(
                f"assert_rag takes a minimum for each metric, not {minimum!r} for {name}; pass "
                "options of a metric to its own assertion or to evaluate"
            )
    wanted: dict[str, Any] = dict(thresholds) or dict.fromkeys(DEFAULT_METRICS)
    return [
        Expectation(case, name, minimum, {"models": models, "votes": votes})
        for name, minimum in wanted.items()
    ]
