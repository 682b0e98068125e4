"""Figures as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.text.figures import counted, fixed, percent, share_of_one, signed

shares = st.floats(0, 1)


@pytest.mark.parametrize(("value", "text"), [(0.1, "+0.100"), (-0.05, "-0.050"), (-1e-9, "0.000")])
def test_signs(value: float, text: str) -> None:
    assert signed(value) == text


def test_zero_has_no_sign() -> None:
    assert (fixed(-0.0, 3), fixed(-0.0004, 3), fixed(-0.0006, 3)) == ("0.000", "0.000", "-0.001")


def test_one_is_no_plural() -> None:
    assert [counted(n, "claim") for n in (0, 1, 2)] == ["0 claims", "1 claim", "2 claims"]
    assert counted(2, "class", "classes") == "2 classes"


@given(shares, st.integers(1, 6))
def test_a_share_reads_as_none_or_all_only_where_it_is(share: float, digits: int) -> None:
    assert (float(share_of_one(share, digits)) in (0, 1)) is (share in (0, 1))
    assert (percent(share) in ("0.0 %", "100.0 %")) is (share in (0, 1))
