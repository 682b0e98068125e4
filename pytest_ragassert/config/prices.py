"""What tokens cost."""

from __future__ import annotations

from collections.abc import Sequence

# Of each model: its name, and the prices of a million prompt and completion tokens.
Prices = Sequence[tuple[str, float, float]]


def cost_of(model: str, prompt: int, completion: int, prices: Prices) -> float | None:
    """In the prices' currency; None where the model has no price. Of two lines the last counts.

    Args:
        prompt, completion: tokens.
    """
    by_model = {name: (asked, answered) for name, asked, answered in prices}
    if model not in by_model:
        return None
    asked, answered = by_model[model]
    return (prompt * asked + completion * answered) / 1e6
