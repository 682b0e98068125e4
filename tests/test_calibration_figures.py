"""Figures of a calibration from verdicts made by hand."""

from __future__ import annotations

import pytest

from pytest_ragassert import ClaimVerdict, Quote, Verdict
from pytest_ragassert.analysis.calibration.calibration_figures import agreement, comparison
from pytest_ragassert.analysis.calibration.collected_verdicts import Judged, Said
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledClaim
from pytest_ragassert.analysis.stats.agreement import cohens_kappa

FULL, PARTIAL, NONE, AGAINST = Verdict


def labelled(label: str, cluster: str = "") -> LabelledClaim:
    return LabelledClaim("id", label, (), cluster or f"context of {label}", 0, 0)


def said(verdict: Verdict, raw: Verdict | None = None, *, proven: bool = False) -> ClaimVerdict:
    """A verdict; a proven one has a quote that stands nowhere beside the one that proves it."""
    return ClaimVerdict(
        text="It is so.",
        verdict=verdict,
        label_raw=raw or verdict,
        evidence=[Quote(quote="It is so", verified=True), Quote(quote="ever")] if proven else [],
    )


def test_every_figure() -> None:
    pairs = [
        (labelled("supported"), said(FULL, proven=True)),
        (labelled("supported"), said(PARTIAL)),
        (labelled("supported"), said(NONE, AGAINST)),
        (labelled("neutral"), said(FULL)),
        (labelled("neutral"), said(NONE)),
        (labelled("contradicted"), said(AGAINST, proven=True)),
        (labelled("contradicted"), said(NONE, AGAINST)),
        (labelled("unsupported"), said(AGAINST, proven=True)),
    ]
    found = agreement(pairs)
    yes = found.supported
    assert (yes.tp, yes.fn, yes.fp, yes.tn) == (1, 2, 1, 4)
    assert yes.balanced_accuracy == pytest.approx((1 / 3 + 4 / 5) / 2)
    assert found.labels == {"supported": 3, "unsupported": 1, "neutral": 2, "contradicted": 2}
    assert found.verdicts["supported"] == {
        "FULLY_SUPPORTED": 1,
        "PARTIALLY_SUPPORTED": 1,
        "NO_EVIDENCE": 1,
    }
    # the claim that is only known not to be supported stands in no third class
    cells = {
        ("s", "s"): 1,
        ("s", "n"): 2,
        ("n", "s"): 1,
        ("n", "n"): 1,
        ("c", "c"): 1,
        ("c", "n"): 1,
    }
    assert found.kappa_of_three == cohens_kappa(cells)
    assert found.decided == 4 / 8
    assert found.decided_right == 3 / 4
    assert found.decided_verified == 3 / 4
    before, after = found.contradicted_raw, found.contradicted
    assert before is not None
    assert after is not None
    assert (before.said, before.right, before.wrong, before.unsupported) == (4, 2, 1, 1)
    assert (before.precision, before.recall) == (2 / 3, 1)
    # the claim that is only known not to be supported may well be contradicted
    assert (after.said, after.right, after.wrong, after.unsupported) == (2, 1, 0, 1)
    assert (after.precision, after.recall) == (1, 0.5)


def test_no_precision_of_what_nobody_knows() -> None:
    rows = [(labelled("unsupported"), said(AGAINST)), (labelled("contradicted"), said(NONE))]
    found = agreement(rows).contradicted
    assert found is not None
    assert (found.said, found.unsupported, found.precision, found.recall) == (1, 1, None, 0)


def test_where_people_call_nothing_contradicted_only_what_is_wrong_is_known() -> None:
    labels = ("supported", "neutral", "unsupported")
    found = agreement([(labelled(label), said(AGAINST)) for label in labels]).contradicted
    assert found is not None
    assert (found.right, found.wrong, found.unsupported) == (0, 2, 1)
    assert (found.precision, found.recall) == (None, None)
    assert agreement([(labelled(label), said(NONE)) for label in labels]).contradicted is None


def test_three_claims_that_are_all_right_leave_much_open() -> None:
    rows = [("supported", FULL), ("supported", FULL), ("neutral", NONE)]
    pairs = [(labelled(label, f"{n}"), said(verdict)) for n, (label, verdict) in enumerate(rows)]
    interval = agreement(pairs).interval
    assert interval is not None
    assert (interval.method, interval.contexts, interval.high) == ("wilson", 3, 1)
    assert 0.3 < interval.low < 0.6
    many = agreement([(labelled(p.label, f"{n}"), s) for n, (p, s) in enumerate(pairs * 100)])
    assert many.interval is not None
    assert 0.97 < many.interval.low < 1
    # that one answer fits all is no more certain
    always = agreement([(labelled(row.label, row.cluster), said(FULL)) for row, _ in pairs])
    assert always.interval is not None
    assert always.interval.low < 0.5 < always.interval.high


def test_judges_that_never_differ_may_differ_elsewhere() -> None:
    rows = [labelled(label, str(n)) for n, label in enumerate(["supported", "neutral"] * 10)]
    right: dict[int, Said] = {n: said(FULL if n % 2 == 0 else NONE) for n in range(20)}
    wrong: dict[int, Said] = {n: said(NONE if n % 2 == 0 else FULL) for n in range(20)}
    same = comparison(Judged("a", right), Judged("b", dict(right)), rows).interval
    assert same is not None
    assert -0.2 < same.low == -same.high < 0
    worse = comparison(Judged("a", wrong), Judged("b", right), rows)
    assert worse.interval is not None
    assert worse.difference == worse.interval.low == -1
    assert -1 < worse.interval.high < -0.8


def test_an_unproven_contradiction_decides_nothing_even_without_the_gate() -> None:
    assert agreement([(labelled("contradicted"), said(AGAINST))]).decided == 0


def test_intervals_are_of_contexts() -> None:
    rows = [("supported", FULL), ("supported", NONE), ("neutral", NONE), ("neutral", FULL)]
    own = [(labelled(label, f"{i}"), said(verdict)) for i, (label, verdict) in enumerate(rows * 10)]
    shared = [
        (labelled(label, f"{i % 4}"), said(verdict)) for i, (label, verdict) in enumerate(rows * 10)
    ]
    narrow, wide = agreement(own).interval, agreement(shared).interval
    assert narrow is not None
    assert wide is not None
    assert (narrow.contexts, wide.contexts) == (40, 4)
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


def test_what_is_not_defined() -> None:
    one_side = agreement([(labelled("supported", "a"), said(FULL)) for _ in range(3)])
    assert (one_side.supported.balanced_accuracy, one_side.interval) == (None, None)
    assert (one_side.kappa_of_three, one_side.contradicted) == (None, None)
    nothing = agreement([])
    assert (nothing.n, nothing.decided, nothing.decided_right) == (0, None, None)


def test_two_judges_are_compared_where_both_spoke() -> None:
    rows = [labelled(label, str(n)) for n, label in enumerate(["supported", "neutral"] * 20)]
    right: dict[int, Said] = {n: said(FULL if n % 2 == 0 else NONE) for n in range(40)}
    first = Judged("a", {n: one for n, one in right.items() if n != 3})
    second = Judged("b", {**right, **{n: said(FULL) for n in (1, 5, 7)}, 0: said(NONE)})
    found = comparison(first, second, rows)
    assert found.n == 39
    assert (found.both_right, found.first_right, found.second_right) == (35, 4, 0)
    assert found.difference == pytest.approx((1 / 20 + 3 / 19) / 2)
    assert found.interval is not None
    assert found.interval.contexts == 39
    back = comparison(second, first, rows)
    assert (back.first_right, back.second_right) == (0, 4)
    assert back.difference == pytest.approx(-(found.difference or 0))
    alone = comparison(Judged("a", {0: said(FULL)}), second, rows)
    assert (alone.n, alone.difference, alone.interval) == (1, None, None)
