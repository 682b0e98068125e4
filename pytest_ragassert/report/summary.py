"""The session's section: each metric's figures, what was asked, and what could not be measured."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..text.visible import visible
from .display import Screen
from .rows import Row

# The name that the source documents give a metric in percent.
OTHER_NAMES: Mapping[str, str] = {"faithfulness": "ragas_faithfulness"}
OFFLINE_CAVEAT = (
    "the offline judge compares words: it sees missing words, wrong numbers and negations, not "
    "meaning; for a release gate use a model (--ragassert-model)"
)
Prices = Sequence[tuple[str, float, float]]


class Tally:
    """The rows of a run's tests, the last try of each; the same however many workers ran it."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, list[Row]]] = {}

    def forget(self, test: str) -> None:
        """A new try of a test begins."""
        self._rows.pop(test, None)

    def add(self, test: str, phase: str, rows: list[Row]) -> None:
        self._rows.setdefault(test, {})[phase] = rows

    def rows(self) -> list[Row]:
        """By test; a measurement that a test repeats counts once."""
        listed = []
        for test in sorted(self._rows):
            phases = self._rows[test]
            seen: dict[str, Row] = {}
            for phase in ("setup", "call", "teardown"):
                for row in phases.get(phase, ()):
                    known = seen.get(row["identity"])
                    # what a test asserts it may measure once more
                    if known is None or row["asserted"] or not known["asserted"]:
                        seen[row["identity"]] = row
            listed += list(seen.values())
        return listed


def summary_lines(
    rows: Sequence[Row],
    notices: Iterable[str],
    screen: Screen,
    *,
    judge: str,
    offline: bool,
    prices: Prices = (),
) -> list[str]:
    """The section's lines, without its title."""
    lines = [f"judge {judge}"]
    if offline:
        lines.append(OFFLINE_CAVEAT)
    lines += _metric_table(rows)
    lines += _unmeasured(rows)
    lines += _questions(rows, prices, offline=offline)
    lines += [f"note: {visible(notice)}" for notice in notices]
    return [screen.safe(line) for line in lines]


def _metric_table(rows: Sequence[Row]) -> list[str]:
    by_metric: dict[str, list[Row]] = {}
    for row in rows:
        if row["error"] is None:
            by_metric.setdefault(row["metric"], []).append(row)
    if not by_metric:
        return []
    lines = [f"{'metric':<20}{'n':>6}{'mean':>8}{'min':>8}{'below':>7}"]
    for metric in sorted(by_metric):
        measured = [row for row in by_metric[metric] if not row["vacuous"]]
        below = sum(row["asserted"] and not row["passed"] for row in measured)
        figures = f"{metric:<20}{len(measured):>6}"
        if measured:
            scores = [row["score"] for row in measured]
            mean = statistics.fmean(scores)
            figures += f"{mean:>8.2f}{min(scores):>8.2f}{below:>7}"
            if metric in OTHER_NAMES:
                figures += f"   {OTHER_NAMES[metric]} {100 * mean:.1f} %"
        else:
            figures += f"{'-':>8}{'-':>8}{'-':>7}"
        lines.append(figures)
    return lines


def _unmeasured(rows: Sequence[Row]) -> list[str]:
    lines = []
    vacuous = sum(row["vacuous"] for row in rows)
    if vacuous:
        lines.append(f"vacuous (nothing to check): {vacuous}")
    errors = [row["error"] for row in rows if row["error"] is not None]
    judge = Counter(e["kind"] or "judge" for e in errors if e["type"] == "JudgeError")
    missing = sum(e["type"] == "VerdictMissing" for e in errors)
    other = len(errors) - sum(judge.values()) - missing
    if judge:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(judge.items()))
        lines.append(f"judge errors (not measured): {judge.total()}: {kinds}")
    if missing:
        lines.append(f"no stored verdict (not measured): {missing}")
    if other:
        lines.append(f"not measurable (a field is missing or empty): {other}")
    unproven = sum(
        claim["label_raw"] == "CONTRADICTORY" and not claim["quote_verified"]
        for row in rows
        for claim in row["claims"]
    )
    if unproven:
        lines.append(f"judge says contradicted, no evidence: {unproven} claims")
    return lines


def _questions(rows: Sequence[Row], prices: Prices, *, offline: bool) -> list[str]:
    uses = [asked for row in rows for asked in row["asked"]]
    if not uses:
        return []
    distinct = {asked["key"]: asked for asked in uses}
    new = [asked for asked in distinct.values() if not asked["stored"]]
    stored, shared = len(distinct) - len(new), len(uses) - len(distinct)
    line = f"questions: {len(new)} asked, {stored} stored, {shared} shared"
    if offline:
        return [line]
    prompt = sum(asked["prompt"] for asked in new)
    cached = sum(asked["cached"] for asked in new)
    completion = sum(asked["completion"] for asked in new)
    requests = sum(asked["requests"] for asked in new)
    if requests != len(new):
        line += f" ({requests} requests)"
    if prompt or completion:
        line += f"; tokens: {prompt} prompt ({cached} cached), {completion} completion"
    cost = _cost(new, prices)
    return [line + (f"; cost {cost:.4f}" if cost is not None else "")]


def _cost(asked: Sequence[Row], prices: Prices) -> float | None:
    """In the prices' currency; None where the price of a model that was asked is not given."""
    by_model = {model: (prompt, completion) for model, prompt, completion in prices}
    if not asked or any(question["model"] not in by_model for question in asked):
        return None
    cost = 0.0
    for question in asked:
        prompt, completion = by_model[question["model"]]
        cost += (question["prompt"] * prompt + question["completion"] * completion) / 1e6
    return cost
