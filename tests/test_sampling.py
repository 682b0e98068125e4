"""Samples: the same everywhere, hardly others when cases are added, each stratum with its share."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.datasets.sampling import sampled, shares

strata = st.dictionaries(st.text(max_size=6), st.sampled_from("abc"), max_size=30)


@given(strata, st.integers(1, 40), st.randoms(use_true_random=False))
def test_a_sample_depends_on_nothing_but_the_cases(
    cases: dict[str, str], size: int, random: object
) -> None:
    chosen = sampled(cases, size)
    shuffled = list(cases.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert sampled(dict(shuffled), size) == chosen
    assert len(chosen) == min(size, len(cases))
    assert chosen <= cases.keys()


@given(
    st.sets(st.text(max_size=6), min_size=1, max_size=30), st.text(max_size=6), st.integers(1, 20)
)
def test_one_more_case_changes_the_sample_by_one_at_most(
    cases: set[str], more: str, size: int
) -> None:
    before = sampled(dict.fromkeys(cases, ""), size)
    after = sampled(dict.fromkeys({*cases, more}, ""), size)
    assert after - before <= {more}
    assert len(before - after) <= 1


@given(strata, st.text(max_size=6), st.sampled_from("abc"), st.integers(1, 20))
def test_and_by_one_at_most_for_each_stratum(
    cases: dict[str, str], more: str, stratum: str, size: int
) -> None:
    before = sampled(cases, size)
    if more not in cases:
        after = sampled({**cases, more: stratum}, size)
        assert len(after - before) <= 3
        assert len(before - after) <= 3


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 50), min_size=1), st.integers(1, 200))
def test_shares_are_in_proportion(sizes: dict[str, int], size: int) -> None:
    dealt = shares(sizes, size)
    whole = sum(sizes.values())
    assert sum(dealt.values()) == min(size, whole)
    for name, many in sizes.items():
        assert dealt[name] <= many
        assert abs(dealt[name] - min(size, whole) * many / whole) < 1


def test_shares_by_hand() -> None:
    assert shares({"a": 60, "b": 30, "c": 10}, 5) == {"a": 3, "b": 2, "c": 0}
    assert shares({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}


def test_the_sample_of_this_release_stays() -> None:
    """Another choice would make every project's sampled runs others."""
    chosen = sampled({f"case-{n}": "" for n in range(50)}, 5)
    assert chosen == {"case-3", "case-26", "case-27", "case-45", "case-49"}
