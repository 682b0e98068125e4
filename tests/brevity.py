"""A metric whose description tests read: what follows from its class, not what it measures."""

from __future__ import annotations

from pytest_ragassert import EvalCase, MetricResult
from pytest_ragassert.metrics.metric import Ask, Assertion, Metric


class Brevity(Metric):
    """The answer is short.

    Args:
        words: how many it may have,
            at most.
    """

    name = "brevity"
    requires = ("answer",)
    default_min = 0.5
    asserted_by = (Assertion("assert_brief", "the answer is short"),)
    asks_judge = False

    async def measure(self, case: EvalCase, ask: Ask, *, words: int = 50) -> MetricResult:
        raise NotImplementedError("it is described, and never measured")
