"""Formats the changes against a baseline or another run as lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..analysis.records.measurement import MeasuredClaim, Measurement
from ..analysis.regression.comparison import Change, ClaimChanges, Comparison, MetricChange
from ..analysis.stats.noise import LEVEL
from ..judgements import MET_BY_FAULT, Verdict, label_named
from ..language.escaping import visible
from ..language.number_format import changed, percent, share_of_one, signed
from .terminal import Screen

_FEW = 5  # maximum number of cases of a kind, and of claims of a case, unless verbose
_ALL = 10_000  # maximum number of lines of a text
_NAMES = 12  # maximum number of cases named in a line


def comparison_lines(
    comparison: Comparison,
    screen: Screen,
    *,
    against: str,
    before: str = "in the baseline",
    partial: bool = False,
    verbose: bool = False,
) -> list[str]:
    """The lines: means with intervals, what got worse and better, claim by claim, and results in
    only one of the runs.

    Args:
        against: what the run is compared with, for the title.
        before: where the missing results were.
        partial: whether the run left cases out on purpose, so that missing ones are only counted.
    """
    changes = list(comparison.changes)
    cases = f"{comparison.cases} case{'s' * (comparison.cases != 1)}"
    lines = [screen.safe(f"against {visible(against)}: {cases} compared")]
    if changes:
        lines += _means(comparison.metrics.values(), screen)
    worse = sorted((c for c in changes if c.worse), key=lambda c: (c.difference, *c.after.key))
    better = sorted((c for c in changes if c.better), key=lambda c: (-c.difference, *c.after.key))
    level = [c for c in changes if not (c.worse or c.better or c.same)]
    kinds = (("worse", worse), ("better", better), ("same score, other claims", level))
    for what, chosen in kinds:
        lines += _cases(what, chosen, screen, verbose=verbose)
    if changes and not (worse or better or level):
        lines.append("nothing changed")
    lines += _named("without a baseline", comparison.without, screen, verbose=verbose)
    if partial and comparison.gone:
        gone = len({one.case for one in comparison.gone})
        lines.append(f"{before}, not in this part of the tests or not measured: {gone}")
    else:
        lines += _named(f"{before}, not measured now", comparison.gone, screen, verbose=verbose)
    twice = [f"{visible(case)} ({visible(metric)})" for case, metric, _ in comparison.ambiguous]
    lines += _list("not compared, because one case has two results", twice, screen, verbose=verbose)
    return lines


def _means(metrics: Iterable[MetricChange], screen: Screen) -> list[str]:
    head = ("metric", "n", "before", "after", "change", f"{LEVEL:.0%} interval", "visible drop")
    lines = [screen.cut(_row(*head), screen.width)]
    for one in metrics:
        interval, drop = one.interval(), one.smallest_drop()
        lines.append(
            _row(
                visible(one.metric),
                f"{len(one.changes)}",
                share_of_one(one.before, 2),
                share_of_one(one.after, 2),
                signed(one.after - one.before),
                "-" if interval is None else f"{signed(interval.low)} {signed(interval.high)}",
                "-" if drop is None else f"{drop:.3f}",
            )
        )
    lines.append("  visible drop: the smallest drop that 9 of 10 such runs distinguish from chance")
    for one in metrics:
        if one.flip_rate:
            lines.append(
                f"  {visible(one.metric)}: when asked again, the judge flips "
                f"{percent(one.flip_rate)} of its judgements"
            )
    return lines


def _row(metric: str, n: str, before: str, after: str, change: str, span: str, drop: str) -> str:
    return f"{metric:<20}{n:>5}{before:>7}{after:>7}{change:>8}{span:>16}{drop:>14}"


def _cases(what: str, changes: Sequence[Change], screen: Screen, *, verbose: bool) -> list[str]:
    if not changes:
        return []
    lines = [f"{what}: {len(changes)}"]
    most = len(changes) if verbose else _FEW
    for change in changes[:most]:
        lines += change_lines(change, screen, verbose=verbose)
    if len(changes) > most:
        lines.append(f"  {screen.glyph('...')} {len(changes) - most} more (-v shows all)")
    return lines


def change_lines(change: Change, screen: Screen, *, verbose: bool = False) -> list[str]:
    """The lines of a case: its scores, whether its answer or the judgement changed, and its
    claims.
    """
    before, after = change.before, change.after
    scores = changed(before.value, after.value)
    claims = [f"{what}: {text}" for what, text in claim_changes(change.claims)]
    if not (change.worse or change.better):
        scores = f"{after.value:.2f}"
    if not claims and before.label != after.label:
        scores += f" {visible(before.label or '-')} -> {visible(after.label or '-')}"
    head = f"{visible(after.case)}  {visible(after.metric)} {scores}  ({why_changed(change)})"
    lines = _wrapped(head, 2, screen, verbose=verbose)
    most = len(claims) if verbose else _FEW
    for line in claims[:most]:
        lines += _wrapped(line, 6, screen, verbose=verbose)
    if len(claims) > most:
        rest = len(claims) - most
        lines.append(
            f"      {screen.glyph('...')} {rest} more claim{'s' * (rest > 1)} (-v shows all)"
        )
    return lines


def _wrapped(text: str, indent: int, screen: Screen, *, verbose: bool) -> list[str]:
    """A text on at most two lines, unless verbose; the second is indented."""
    most = _ALL if verbose else 2
    first, *more = screen.wrapped(text, max(20, screen.width - indent - 2), most)
    return [" " * indent + first, *(" " * (indent + 2) + line for line in more)]


def why_changed(change: Change) -> str:
    """Why a result changed: the case, or the judgement on it."""
    if change.inputs:
        *others, last = change.inputs
        return (f"{', '.join(others)} and {last}" if others else last) + " changed"
    if change.before.judge != change.after.judge:
        return "the same texts, another judge"
    by_hand = change.claims.by_hand
    if by_hand == len(change.claims.flipped) > 0:
        return "the same texts, overridden"
    return "the same texts, judged differently" + " and overridden" * (by_hand > 0)


def claim_changes(claims: ClaimChanges) -> Iterable[tuple[str, str]]:
    """Each changed claim with its change: flips first, and among them those for the worse."""
    order = [one.value for one in (*Verdict, *reversed(MET_BY_FAULT))]
    flips = sorted(
        claims.flipped, key=lambda flip: order.index(flip[0]) - order.index(flip[1].verdict)
    )
    for was, claim in flips:
        how = ", overridden" if claim.by_hand else ""
        yield f"{_words(was)} -> {_words(claim.verdict)}{how}", _text(claim)
    for claim in claims.vanished:
        yield f"vanished ({_words(claim.verdict)})", _text(claim)
    for claim in claims.new:
        yield f"new ({_words(claim.verdict)})", _text(claim)


def _words(verdict: str) -> str:
    return label_named(verdict).words


def _text(claim: MeasuredClaim) -> str:
    whose = "of the reference: " if claim.source == "reference" else ""
    return f"{whose}{visible(claim.text)}"


def _named(
    what: str, measurements: Sequence[Measurement], screen: Screen, *, verbose: bool
) -> list[str]:
    by_case: dict[str, list[str]] = {}
    for one in measurements:
        by_case.setdefault(one.case, []).append(one.metric)
    every = {metric for metrics in by_case.values() for metric in metrics}
    names = [
        visible(case) + ("" if len(every) == 1 else f" ({', '.join(map(visible, metrics))})")
        for case, metrics in by_case.items()
    ]
    return _list(what, names, screen, verbose=verbose)


def _list(what: str, names: Sequence[str], screen: Screen, *, verbose: bool) -> list[str]:
    if not names:
        return []
    most = len(names) if verbose else _NAMES
    rest = f" and {len(names) - most} more (-v names them)" if len(names) > most else ""
    text = f"{what}: {len(names)}: {', '.join(names[:most])}{rest}"
    first, *more = screen.wrapped(text, screen.width - 2, _ALL if verbose else 6)
    return [first, *(f"  {line}" for line in more)]
