"""What tokens cost."""

from __future__ import annotations

from pytest_ragassert.usage import cost_of


def test_the_last_price_of_a_model_counts() -> None:
    prices = [("small", 1.0, 2.0), ("large", 10.0, 20.0), ("small", 3.0, 4.0)]
    assert cost_of("small", 2_000_000, 500_000, prices) == 8.0
    assert cost_of("large", 0, 1, prices) == 20 / 1e6
    assert cost_of("other", 1, 1, prices) is None
    assert cost_of("small", 1, 1, ()) is None
