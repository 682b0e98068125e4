"""How many cases each kind gets."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_ragassert.generation.candidates import KINDS, Kind
from pytest_ragassert.generation.generator import quotas

SHARES = st.dictionaries(
    st.sampled_from(KINDS),
    st.floats(0, 1e6, allow_subnormal=False) | st.integers(0, 100).map(float),
)


@pytest.mark.parametrize(
    ("number", "shares", "expected"),
    [
        (50, (5, 2, 2, 1), (25, 10, 10, 5)),
        (1, (5, 2, 2, 1), (1, 0, 0, 0)),
        (3, (1, 1, 1, 1), (1, 1, 1, 0)),
        (10, (0, 0, 0, 3), (0, 0, 0, 10)),
        (10, (1, 0, 0, 2), (3, 0, 0, 7)),
    ],
)
def test_examples(number: int, shares: tuple[float, ...], expected: tuple[int, ...]) -> None:
    found = quotas(number, dict(zip(KINDS, shares, strict=True)))
    assert tuple(found.get(kind, 0) for kind in KINDS) == expected


@given(st.integers(1, 10_000), SHARES)
def test_they_sum_to_the_number_and_are_at_most_one_off(
    number: int, shares: dict[Kind, float]
) -> None:
    total = sum(shares.values())
    assume(total > 0)
    found = quotas(number, shares)
    assert sum(found.values()) == number
    assert all(shares[kind] > 0 for kind in found)
    for kind, count in found.items():
        assert count >= 0
        assert abs(count - number * shares[kind] / total) <= 1 + 1e-6


@given(st.integers(1, 1000), SHARES, st.sampled_from([0.125, 2.0, 1024.0]))
def test_only_ratios_matter(number: int, shares: dict[Kind, float], factor: float) -> None:
    assume(sum(shares.values()) > 1e-3)
    scaled = {kind: share * factor for kind, share in shares.items()}
    assert quotas(number, scaled) == quotas(number, shares)
