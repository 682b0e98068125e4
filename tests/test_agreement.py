"""Agreement with labels, against published and scikit-learn's figures, and by rules."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.analysis.stats.agreement import Confusion, added, cohens_kappa, confusion

confusions = st.builds(Confusion, *(st.integers(0, 30) for _ in range(4)))


# Cohen's own table of 1960 (his table 1, kappa .492), and three that show how the same agreement
# gives different kappas, as Wikipedia's article on it computes them.
@pytest.mark.parametrize(
    ("cells", "kappa"),
    [
        ([[88, 14, 18], [10, 40, 10], [2, 6, 12]], 0.492),
        ([[20, 5], [10, 15]], 0.4),
        ([[45, 15], [25, 15]], 0.1304),
        ([[25, 35], [5, 35]], 0.2593),
    ],
)
def test_published_kappas(cells: list[list[int]], kappa: float) -> None:
    pairs = {(i, j): count for i, row in enumerate(cells) for j, count in enumerate(row)}
    assert cohens_kappa(pairs) == pytest.approx(kappa, abs=5e-4)


def test_scikit_learn_s_figures() -> None:
    """Of scikit-learn 1.9.1 for 37 tp, 12 fn, 9 fp, 71 tn."""
    found = Confusion(37, 12, 9, 71)
    assert found.n == 129
    assert found.recall == pytest.approx(0.7551020408163265)
    assert found.specificity == pytest.approx(0.8875)
    assert found.precision == pytest.approx(0.8043478260869565)
    assert found.f1 == pytest.approx(0.7789473684210526)
    assert found.accuracy == pytest.approx(0.8372093023255814)
    assert found.balanced_accuracy == pytest.approx(0.8213010204081633)
    assert found.kappa == pytest.approx(0.650316251452175)


def test_what_is_not_defined_is_none() -> None:
    nothing = Confusion()
    assert {nothing.recall, nothing.precision, nothing.f1, nothing.accuracy, nothing.kappa} == {
        None
    }
    one_side = Confusion(tp=3, fn=1)
    assert (one_side.specificity, one_side.balanced_accuracy) == (None, None)
    assert one_side.kappa == 0
    assert Confusion(tp=5).kappa is None
    silent = Confusion(fn=2, tn=2)
    assert (silent.precision, silent.recall, silent.f1) == (None, 0, 0)


def test_counting() -> None:
    pairs = [(True, True), (True, False), (True, False), (False, True), (False, False)]
    assert confusion(pairs) == Confusion(tp=1, fn=2, fp=1, tn=1)
    assert confusion([]) == Confusion()


@given(st.lists(confusions))
def test_counts_are_added(many: list[Confusion]) -> None:
    assert added(many) == tuple(map(sum, zip(*many, strict=True))) or not many


@given(confusions)
def test_rules_of_figures(found: Confusion) -> None:
    figures = (found.recall, found.specificity, found.precision, found.f1, found.accuracy)
    assert all(figure is None or 0 <= figure <= 1 for figure in figures)
    turned = Confusion(found.tn, found.fp, found.fn, found.tp)
    assert turned.balanced_accuracy == found.balanced_accuracy
    assert turned.kappa == found.kappa
    if found.precision and found.recall:
        mean = 2 * found.precision * found.recall / (found.precision + found.recall)
        assert found.f1 == pytest.approx(mean)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_rules_of_kappa(pairs: list[tuple[str, str]]) -> None:
    kappa = cohens_kappa(Counter(pairs))
    assert kappa == cohens_kappa(Counter((b, a) for a, b in pairs))
    assert kappa is None or -1 <= kappa <= 1
    same = cohens_kappa(Counter((a, a) for a, _ in pairs))
    assert same == (1 if len({a for a, _ in pairs}) > 1 else None)
