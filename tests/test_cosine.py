"""Cosines: symmetric, in range, and blind to length."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.judging.embedders.cosine import cosine

NUMBERS = st.floats(-1e300, 1e300, allow_subnormal=False)
VECTORS = st.lists(NUMBERS, min_size=3, max_size=3)
LONG = VECTORS.filter(lambda vector: max(map(abs, vector)) > 1e-280)
FACTORS = st.floats(1e-5, 1e5)


@given(VECTORS, VECTORS)
def test_a_cosine_is_symmetric_and_in_range(one: list[float], other: list[float]) -> None:
    found = cosine(one, other)
    assert found == cosine(other, one)
    assert -1 <= found <= 1


@given(LONG)
def test_a_vector_is_like_itself_and_unlike_its_opposite(one: list[float]) -> None:
    assert cosine(one, list(one)) == 1.0
    assert cosine(one, [-number for number in one]) == pytest.approx(-1)


@given(LONG, LONG, FACTORS)
def test_length_does_not_matter(one: list[float], other: list[float], factor: float) -> None:
    longer = [factor * number for number in other]
    assert cosine(one, longer) == pytest.approx(cosine(one, other), abs=1e-9)


@given(VECTORS)
def test_a_zero_vector_is_like_nothing(one: list[float]) -> None:
    assert cosine(one, [0.0, -0.0, 0.0]) == 0
    assert cosine([0.0, 0.0, 0.0], one) == 0


def test_known_angles() -> None:
    assert cosine([1, 0], [0, 5]) == 0
    assert cosine([1, 0], [2, 2]) == pytest.approx(math.sqrt(0.5))
    assert cosine([], []) == 0


def test_dimensions_must_agree() -> None:
    with pytest.raises(ConfigurationError, match="different dimensions, 2 and 3"):
        cosine([1.0, 0.0], [1.0, 0.0, 0.0])
