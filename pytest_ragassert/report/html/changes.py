"""The changes against the baseline, case by case, as plain data for the page."""

from __future__ import annotations

from typing import Any

from ...analysis.records.measurement import MeasuredClaim
from ...analysis.regression.comparison import Change, Comparison
from ...judgements import Met, Verdict
from ...language.number_format import TOLERANCE, changed, share_of_one, signed
from ..comparison_lines import why_changed

Json = dict[str, Any]

WORSE, BETTER, CLAIMS, NEW, GONE = (
    "worse",
    "better",
    "same score, other claims",
    "not in the baseline",
    "not measured now",
)


def mean_rows(comparison: Comparison) -> list[Json]:
    """Each metric's means before and after, and the interval of the change, in words."""
    rows = []
    for one in comparison.metrics.values():
        interval, drop = one.interval(), one.smallest_drop()
        rows.append(
            {
                "metric": one.metric,
                "n": len(one.changes),
                "before": share_of_one(one.before, 2),
                "after": share_of_one(one.after, 2),
                "change": signed(one.after - one.before),
                "interval": ""
                if interval is None
                else f"{signed(interval.low)} to {signed(interval.high)}",
                "moved": abs(one.after - one.before) > TOLERANCE,
                "told": interval is not None and not interval.low <= 0 <= interval.high,
                "drop": "" if drop is None else f"{drop:.3f}",
            }
        )
    return rows


def change_list(comparison: Comparison) -> list[Json]:
    """Changes for the worse first, largest first; then improvements, and results in only one of the
    runs.
    """
    changes = [one for one in comparison.changes if not one.same]
    order = sorted(changes, key=lambda one: (_kind_order(one), -abs(one.difference), one.after.key))
    listed = [change_data(one) for one in order]
    for kind, measurements in ((NEW, comparison.without), (GONE, comparison.gone)):
        listed += [{"kind": kind, "case": one.case, "metric": one.metric} for one in measurements]
    return listed


def change_data(change: Change) -> Json:
    """A case and metric in both runs."""
    before, after = change.before, change.after
    moved = change.worse or change.better
    said = changed(before.value, after.value) if moved else f"{after.value:.2f}"
    if before.label != after.label:
        said += f", {before.label or '-'} -> {after.label or '-'}"
    claims = change.claims
    return {
        "kind": _kind(change),
        "case": after.case,
        "metric": after.metric,
        "said": said,
        "why": why_changed(change),
        "claims": [
            *(_claim(claim, was) for was, claim in claims.flipped),
            *(_claim(claim, claim.verdict, now="") for claim in claims.vanished),
            *(_claim(claim, "") for claim in claims.new),
        ],
    }


def _claim(claim: MeasuredClaim, was: str, now: str | None = None) -> Json:
    """A claim with its verdicts before and after, empty if the claim was absent."""
    return {
        "text": claim.text,
        "source": claim.source,
        "was": was,
        "now": claim.verdict if now is None else now,
        "hand": claim.by_hand,
    }


def verdict_words() -> dict[str, str]:
    """The words for each verdict."""
    return {verdict.value: verdict.words for verdict in (*Verdict, *Met)}


def _kind(change: Change) -> str:
    if change.worse:
        return WORSE
    return BETTER if change.better else CLAIMS


def _kind_order(change: Change) -> int:
    return (WORSE, BETTER, CLAIMS).index(_kind(change))
