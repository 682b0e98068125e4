"""Formats a plan: what a run would ask, and what is unknown before it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..engine.request_estimate import SECONDS_A_REQUEST, TOKENS_A_SECOND, Plan
from ..language.number_format import plural, tokens
from ..storage.last_run import PastTest
from ..usage import Prices, cost_of
from .remaining_requests import function_of

_MOST_NAMES = 3  # maximum number of functions named in a line


class ByLastRun(NamedTuple):
    """Tests that are planned from what they asked for when they last ran.

    Attributes:
        first, last: dates of the first and last run, such as `2026-01-31`.
    """

    tests: list[str]
    first: str
    last: str

    @classmethod
    def of(cls, records: Sequence[PastTest]) -> ByLastRun:
        days = [one.when for one in records]
        return cls([one.nodeid for one in records], min(days), max(days))


def plan_lines(
    plan: Plan,
    unknown: Mapping[str, Sequence[str]],
    *,
    past: Mapping[str, ByLastRun],
    concurrency: int,
    per_minute: int | None = None,
    prices: Prices = (),
) -> list[str]:
    """
    Args:
        unknown: node ids of tests whose questions are unknown, by reason.
        past: those of them that are planned from earlier runs, by reason.
        concurrency: maximum number of requests in flight.
        per_minute: maximum number of requests per minute.
    """
    asked = plan.asked.values()
    line = (
        f"judgements: {len(plan.to_ask)} to ask, {len(plan.stored)} stored, "
        f"{len(plan.carried | plan.likely_carried)} carried"
    )
    if plan.requests != len(plan.to_ask):
        line += f" ({plural(plan.requests, 'request')})"
    if plan.estimated:
        line += (
            f"; {plan.estimated} of those to ask are estimated, because they depend on replies "
            "that do not exist yet"
        )
    if plan.likely_carried:
        line += (
            f"; {len(plan.likely_carried)} of those carried are estimated, because new passages "
            "may contain more on the claims"
        )
    lines = [line]
    if plan.embedded:
        lines.append(f"texts to embed: {len(plan.embedded)}")
    if asked:
        prompt, completion = (sum(getattr(o, n) for o in asked) for n in ("prompt", "completion"))
        lines.append(f"tokens: about {tokens(prompt, completion)} (estimated)")
        lines += _cost_lines(plan, prices)
        limits = f"{concurrency} in flight"
        if per_minute is not None:
            limits += f" and {plural(per_minute, 'request')} per minute"
        seconds = max(1, round(plan.seconds(concurrency, per_minute)))
        lines.append(
            f"time: about {_time(seconds)} with {limits} (estimated: {SECONDS_A_REQUEST:g} s a "
            f"request, {TOKENS_A_SECOND:.0f} tokens a second)"
        )
    for reason, known in past.items():
        one = known.first == known.last
        runs = f"run, of {known.first}" if one else f"runs, of {known.first} to {known.last}"
        lines.append(f"by the last {runs}: {_many(known.tests)}: {reason}")
    for reason, tests in unknown.items():
        lines.append(f"not known: {_many(tests)}: {reason}")
    if plan.partly:
        names = ", ".join(sorted(plan.partly))
        lines.append(f"not known: what {names} may ask in addition")
    return lines


def _many(tests: Sequence[str]) -> str:
    return f"{plural(len(tests), 'test')} ({_functions(tests)})"


def _functions(tests: Sequence[str]) -> str:
    names = list(dict.fromkeys(map(function_of, tests)))
    return ", ".join(names[:_MOST_NAMES]) + ", …" * (len(names) > _MOST_NAMES)


def _cost_lines(plan: Plan, prices: Prices) -> list[str]:
    if not prices:
        return []
    cost, unpriced = 0.0, set()
    for one in plan.asked.values():
        each = cost_of(one.model, one.prompt, one.completion, prices)
        if each is None:
            unpriced.add(one.model)
        else:
            cost += each
    if unpriced:
        return [
            "cost: unknown, because ragassert_prices has no price for "
            f"{', '.join(sorted(unpriced))}"
        ]
    return [f"cost: about {cost:.4f} (estimated)"]


def _time(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
