"""Figures as people read them."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_ragassert.language.number_format import (
    TOLERANCE,
    between,
    changed,
    fixed,
    percent,
    plural,
    share_of_one,
    signed,
    tokens,
)

shares = st.floats(0, 1)


@pytest.mark.parametrize(("value", "text"), [(0.1, "+0.100"), (-0.05, "-0.050"), (-1e-9, "0.000")])
def test_signs(value: float, text: str) -> None:
    assert signed(value) == text


def test_zero_has_no_sign() -> None:
    assert (fixed(-0.0, 3), fixed(-0.0004, 3), fixed(-0.0006, 3)) == ("0.000", "0.000", "-0.001")


def test_one_is_no_plural() -> None:
    assert [plural(n, "claim") for n in (0, 1, 2)] == ["0 claims", "1 claim", "2 claims"]
    assert plural(2, "class", "classes") == "2 classes"


@given(shares, st.integers(1, 6))
def test_a_share_reads_as_none_or_all_only_where_it_is(share: float, digits: int) -> None:
    assert (float(share_of_one(share, digits)) in (0, 1)) is (share in (0, 1))
    assert (percent(share) in ("0.0 %", "100.0 %")) is (share in (0, 1))


@given(shares, shares)
def test_what_changed_is_shown_as_changed(before: float, after: float) -> None:
    one, other = changed(before, after).split(" -> ")
    assert (one != other) is (abs(before - after) > 1e-6) or abs(before - after) < 2e-6


def test_a_small_change_has_more_digits() -> None:
    assert changed(0.801, 0.798) == "0.801 -> 0.798"
    assert changed(1.0, 0.25) == "1.00 -> 0.25"
    assert changed(-0.0, 0.0) == "0.00 -> 0.00"


@pytest.mark.parametrize(
    ("low", "high", "minimum", "shown"),
    [
        (0.4, 0.6, 0.8, "0.40 to 0.60 < 0.80"),
        (0.4, 0.7999, 0.8, "0.4000 to 0.7999 < 0.8000"),
        (0.2, 0.799999, 0.8, "0.200000 to 0.799999 < 0.800000"),
        (0.85, 1.0, 0.8, "0.85 to 1.00 >= 0.80"),
        (0.8, 0.8, 0.8, "0.80 >= 0.80"),
        (0.0, 0.0, 0.8, "0.00 < 0.80"),
        (0.8 - 1e-12, 1.0, 0.8, "0.80 to 1.00 >= 0.80"),
    ],
)
def test_an_interval_keeps_the_inequality_true(
    low: float, high: float, minimum: float, shown: str
) -> None:
    assert between(low, high, minimum) == shown


@given(shares, shares, shares)
def test_what_is_printed_of_an_interval_is_true(one: float, other: float, minimum: float) -> None:
    low, high = sorted((one, other))
    assume(high < minimum - TOLERANCE or low >= minimum)
    ends, sign, least = between(low, high, minimum).rpartition(" >= " if low >= minimum else " < ")
    first, *last = map(float, ends.split(" to "))
    assert (first >= float(least)) if ">=" in sign else ([first, *last][-1] < float(least))


def test_tokens_that_there_are_none_of_are_left_out() -> None:
    assert tokens(120, 40) == "120 prompt, 40 completion"
    assert tokens(120, 40, 0) == "120 prompt (0 cached), 40 completion"
    assert (tokens(120, 0), tokens(0, 40), tokens(0, 0)) == ("120 prompt", "40 completion", "")
