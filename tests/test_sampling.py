"""Samples: the same everywhere, hardly others when cases are added, each stratum with its share."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase
from pytest_ragassert.datasets.sampling import Candidates, Sampling, sampled, shared, shares

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


@given(
    st.lists(strata, max_size=3),
    st.one_of(st.integers(1, 40), st.floats(0.01, 0.99)),
)
def test_candidates_of_each_data_set_have_the_sample_of_all(
    sets: list[dict[str, str]], size: float
) -> None:
    sampling = Sampling(size, "kind" if size >= 1 else None)
    whole: dict[str, str] = {}
    held: set[str] = set()
    for cases in sets:
        # a case is what the first set says that has it, and its id is not blank
        new = {f"id {id}": kind for id, kind in cases.items() if f"id {id}" not in whole}
        candidates = Candidates(sampling)
        kept = candidates.of(EvalCase(id=id, metadata={"kind": new[id]}) for id in new)
        ids = [case.id for case in kept]
        assert ids == [id for id in new if id in ids], "in their order"
        assert candidates.strata.keys() == new.keys()
        assert candidates.mistake is None
        held.update(map(str, ids))
        whole.update(candidates.strata)
    assert sampling.chosen(whole) <= held
    if size >= 1:
        by_kind = {id: kind for cases in sets for id, kind in cases.items()}
        assert len(sampling.chosen(whole)) == min(int(size), len(by_kind))


def test_candidates_are_few() -> None:
    def cases() -> Iterator[EvalCase]:
        yield from (EvalCase(id=f"case-{n}", metadata={"kind": n % 3}) for n in range(600))

    assert len(Candidates(Sampling(5)).of(cases())) == 5
    assert len(Candidates(Sampling(5, "kind")).of(cases())) == 15
    assert 20 < len(Candidates(Sampling(0.1)).of(cases())) < 120


@given(st.sets(st.text(max_size=6), min_size=1, max_size=30), st.text(), st.floats(0.001, 0.999))
def test_other_cases_do_not_change_whether_a_share_has_one(
    cases: set[str], more: str, share: float
) -> None:
    before, after = shared(cases, share), shared({*cases, more}, share)
    assert before
    assert after
    # the only one of before may have been taken for want of others
    assert after - before <= {more}
    assert len(before - after) <= (len(before) == 1)


def test_a_share_is_about_as_large_as_it_says() -> None:
    assert 900 < len(shared([f"case-{n}" for n in range(10_000)], 0.1)) < 1100


def test_shares_by_hand() -> None:
    assert shares({"a": 60, "b": 30, "c": 10}, 5) == {"a": 3, "b": 2, "c": 0}
    assert shares({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}


def test_the_sample_of_this_release_stays() -> None:
    """Another choice would make every project's sampled runs others."""
    cases = {f"case-{n}": "" for n in range(50)}
    assert sampled(cases, 5) == {"case-3", "case-26", "case-27", "case-45", "case-49"}
    assert shared(cases, 0.1) == {"case-3", "case-26", "case-49"}
