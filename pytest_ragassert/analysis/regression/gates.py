"""Evaluates quality gates on the measurements of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ...config.gate_syntax import Gate
from ...config.metric_table import COUNTS, MINIMUMS
from ...language.number_format import changed, fixed
from ...language.suggestions import nearest
from ..records.measurement import Measurement
from ..stats.intervals import quantile
from .comparison import Change, Comparison, fewest_pairs, interval_of_change

_BY_LABEL = next(name for name, what in COUNTS.items() if what == "labels")
_WRITES = "this run writes the baseline, which has too few of its cases yet"


@dataclass(frozen=True)
class GateResult:
    """A gate and its result.

    Attributes:
        value: the gate's value; None if there is none.
        n: the number of measured cases that it is based on.
        passed: whether the condition is met.
        why: an explanation beside the value.
        pulling: the cases that fail it, the worst first, each with its value.
    """

    gate: Gate
    value: float | None
    n: int
    passed: bool
    why: str = ""
    pulling: tuple[tuple[str, str], ...] = ()


def evaluated_gates(
    gates: Iterable[Gate],
    measurements: Sequence[Measurement],
    comparison: Comparison | None = None,
    *,
    writes: bool = False,
) -> list[GateResult]:
    """Evaluate each gate, in order.

    Args:
        comparison: the comparison with the baseline, for gates on drops.
        writes: whether the run writes the baseline; cases that are new in it have no drop.
    """
    by_metric: dict[str, list[Measurement]] = {}
    for one in measurements:
        if one.counts:
            by_metric.setdefault(one.metric, []).append(one)
    return [
        _drop(gate, comparison, writes=writes) if gate.of_changes else _evaluated(gate, by_metric)
        for gate in gates
    ]


def _evaluated(gate: Gate, by_metric: Mapping[str, Sequence[Measurement]]) -> GateResult:
    counted = by_metric.get(_BY_LABEL if gate.of_labels else gate.name, ())
    chosen = [one for one in counted if _fits(one, gate)]
    if (lacking := _lacking(gate, len(chosen))) is not None:
        return GateResult(
            gate, None, len(chosen), False, lacking or _nothing(gate, counted, by_metric)
        )
    if gate.of_labels:
        return _labels(gate, chosen)
    scores = sorted(one.value for one in chosen)
    value = _of_scores(gate, scores)
    passed = gate.holds(value)
    pulling = () if passed else _pulling(gate, chosen)
    return GateResult(gate, value, len(chosen), passed, pulling=pulling)


def _of_scores(gate: Gate, ordered: Sequence[float]) -> float:
    if gate.percentile is not None:
        return quantile(ordered, gate.percentile / 100)
    if gate.function == "mean":
        return fmean(ordered)
    return ordered[0] if gate.function == "min" else ordered[-1]


def _labels(gate: Gate, chosen: Sequence[Measurement]) -> GateResult:
    labels = [(one.case, (one.label or "").lower()) for one in chosen]
    having = [one for one in labels if one[1] == gate.name]
    value = len(having) / len(chosen) if gate.function == "rate" else float(len(having))
    passed = gate.holds(value)
    pulling: tuple[tuple[str, str], ...] = ()
    if not passed:
        pulling = tuple(one for one in labels if (one[1] == gate.name) is not gate.wants_more)
    return GateResult(gate, value, len(chosen), passed, pulling=pulling)


def figure_beside(value: float, gate: Gate) -> str:
    """The value, with enough digits to show on which side of the bound it is."""
    for digits in range(2, 17):
        text = fixed(value, digits)
        if gate.holds(float(text)) == gate.holds(value):
            return text
    return repr(value)


def _pulling(gate: Gate, chosen: Iterable[Measurement]) -> tuple[tuple[str, str], ...]:
    """The cases that would not meet the condition on their own, the farthest first."""
    sign = 1 if gate.wants_more else -1
    bad = [one for one in chosen if not gate.holds(one.value)]
    return tuple(
        (one.case, figure_beside(one.value, gate))
        for one in sorted(bad, key=lambda one: (sign * one.value, one.case))
    )


def _drop(gate: Gate, comparison: Comparison | None, *, writes: bool) -> GateResult:
    if comparison is None:
        return GateResult(
            gate, None, 0, False, "there is no baseline; --ragassert-baseline FILE names it"
        )
    found = comparison.metrics.get(gate.name)
    changes = [c for c in (found.changes if found else ()) if _fits(c.after, gate)]
    if writes and len(changes) < _needed(gate):
        # what the run itself adds to the baseline has no earlier result
        new = sum(one.metric == gate.name and _fits(one, gate) for one in comparison.without)
        if new or not comparison.metrics:
            return GateResult(gate, None, len(changes), True, _WRITES)
    return _of_changes(gate, changes)


def _needed(gate: Gate) -> int:
    """The least number of cases for a change."""
    return max(gate.least, fewest_pairs(gate.level) if gate.function == "drop" else 1)


def _of_changes(gate: Gate, changes: Sequence[Change]) -> GateResult:
    if (lacking := _lacking(gate, len(changes))) is not None:
        known = "; the baseline has none of them" if not changes else ""
        why = lacking or f"nothing measured that could be compared{known}"
        return GateResult(gate, None, len(changes), False, why)
    differences = [change.difference for change in changes]
    value, why = -fmean(differences), ""
    passed = gate.holds(value)
    if gate.function == "drop":
        interval = interval_of_change(differences, gate.level)
        if interval is None:
            why = (
                f"an interval at level {gate.level:g} needs {fewest_pairs(gate.level)} cases; "
                "plain_drop uses the difference alone"
            )
            return GateResult(gate, value, len(changes), False, why)
        if not any(differences):
            return GateResult(gate, 0.0, len(changes), passed, "no score changed")
        limits = f"{fixed(-interval.high, 3)} to {fixed(-interval.low, 3)}"
        why = f"{100 * gate.level:g}% interval {limits}"
        if not passed and interval.low <= 0 <= interval.high:
            passed, why = True, f"{why} includes 0: may be chance"
    pulling = () if passed else _dropped(changes)
    return GateResult(gate, value, len(changes), passed, why, pulling)


def _dropped(changes: Iterable[Change]) -> tuple[tuple[str, str], ...]:
    worse = sorted(
        (change for change in changes if change.worse),
        key=lambda change: (change.difference, change.after.case),
    )
    return tuple((c.after.case, changed(c.before.value, c.after.value)) for c in worse)


def _fits(one: Measurement, gate: Gate) -> bool:
    return all(
        name in one.metadata and _said(one.metadata[name]) == wanted
        for name, wanted in gate.where.items()
    )


def _said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _lacking(gate: Gate, n: int) -> str | None:
    """The explanation if there are too few cases; otherwise empty."""
    if n == 0:
        return ""
    if n >= gate.least:
        return None
    return f"{n} measured case{'s' * (n != 1)}, fewer than n = {gate.least}"


def _nothing(
    gate: Gate, counted: Sequence[Measurement], by_metric: Mapping[str, Sequence[Measurement]]
) -> str:
    """The result if nothing was measured, with a likely reason."""
    if counted:
        names = ", ".join(f"{name}={wanted!r}" for name, wanted in gate.where.items())
        return f"nothing measured with {names}, of {len(counted)} cases"
    if gate.of_labels:
        return f"nothing measured: {_BY_LABEL} (assert_correct and assert_not_evasive) was not"
    near = nearest(gate.name, by_metric)
    if near and gate.name not in MINIMUMS:
        return f"nothing measured; did you mean {near}?"
    measured = ", ".join(by_metric)
    return f"nothing measured; this run measured {measured}" if measured else "nothing measured"


def unknown_metric(gates: Iterable[Gate], known: Sequence[str]) -> str | None:
    """The message about the first gate whose metric does not exist; None if all do."""
    for gate in gates:
        if gate.of_labels or gate.name in known:
            continue
        near = nearest(gate.name, known)
        meant = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
        return f"the gate {gate.text!r}: no metric is called {gate.name!r}; {meant}"
    return None
