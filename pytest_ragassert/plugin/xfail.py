"""`@pytest.mark.rag_xfail(metric=…, reason=…)`: a known failure; the report says when it passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pytest

from ..language.escaping import visible

if TYPE_CHECKING:
    from ..analysis.records.row_types import MeasuredRow
    from ..metrics.registry import Registry

MARKER = "rag_xfail"
_HINT = '@pytest.mark.rag_xfail(metric="faithfulness", reason="why it fails for now")'


class Xfail(NamedTuple):
    """The expected failure of a metric.

    Attributes:
        cases: ids of the cases expected to fail; empty: all cases.
        strict: whether passing fails the test.
    """

    metric: str
    reason: str
    cases: tuple[str, ...] = ()
    strict: bool = False

    def covers(self, metric: str, case: str | None) -> bool:
        return metric == self.metric and (not self.cases or case in self.cases)


def xfails_of(item: pytest.Item) -> list[Xfail]:
    """
    Raises:
        ValueError: a mark has invalid arguments.
    """
    return [one for mark in item.iter_markers(MARKER) for one in _of_mark(mark)]


def check_xfails(item: pytest.Item, registry: Registry) -> None:
    """Fail the test if its marks are invalid or name an unknown metric."""
    problem = None
    try:
        for one in xfails_of(item):
            registry[one.metric]
    except (ValueError, TypeError) as error:
        problem = f"{item.nodeid}: {MARKER}: {error}"
    if problem is not None:
        pytest.fail(problem, pytrace=False)


def applied(
    report: pytest.TestReport, rows: Sequence[MeasuredRow], xfails: Iterable[Xfail]
) -> bool:
    """Turn a test that passed except for known failures into an expected failure; return whether
    it is one.
    """
    if report.when != "call" or not report.passed:
        return False
    known = [row for row in rows if row["asserted"] and row.get("quarantine") is not None]
    failing = [row for row in known if not row["passed"]]
    strict = [one for one in xfails if one.strict]
    ended = [
        row
        for row in known
        if row["passed"] and any(one.covers(row["metric"], row["case"]) for one in strict)
    ]
    if ended:
        named = ", ".join(
            dict.fromkeys(f"{visible(row['metric'])} ({row['quarantine']})" for row in ended)
        )
        report.outcome = "failed"
        report.longrepr = f"[XPASS(strict)] passed, but a failure is expected: {named}"
    elif failing:
        reasons = dict.fromkeys(f"{visible(row['metric'])}: {row['quarantine']}" for row in failing)
        report.outcome = "skipped"
        report.wasxfail = "; ".join(reasons)
        return True
    return False


def _of_mark(mark: pytest.Mark) -> list[Xfail]:
    options: Mapping[str, object] = mark.kwargs
    if mark.args or set(options) - {"metric", "reason", "cases", "strict"}:
        raise ValueError(f"write {_HINT}, with cases=[ids] and strict=True if needed")
    metrics, reason = options.get("metric"), options.get("reason")
    names = [metrics] if isinstance(metrics, str) else metrics
    if not isinstance(names, list | tuple) or not names:
        raise ValueError(f"metric must be a name or a list of names: {_HINT}")
    if not isinstance(reason, str) or not reason.strip():
        raise ValueError(f"reason must say why it fails for now: {_HINT}")
    cases, strict = options.get("cases", ()), options.get("strict", False)
    ids = (cases,) if isinstance(cases, str) else cases
    if not isinstance(ids, list | tuple) or not all(isinstance(one, str) for one in ids):
        raise ValueError(f"cases must be a list of case ids, not {cases!r:.60}")
    if not isinstance(strict, bool):
        raise ValueError(f"strict must be True or False, not {strict!r:.60}")
    return [Xfail(name, visible(reason), tuple(ids), strict) for name in names]
