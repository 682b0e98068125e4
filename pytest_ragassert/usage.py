"""What answers cost: requests, tokens, and money by each model's prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

_MOST = 2**53  # costs are computed with floats, which represent integers exactly up to here


@dataclass(frozen=True)
class Usage:
    """What an answer cost: requests and tokens, as the endpoint counted them.

    Attributes:
        again: how often the judge was asked again because of its reply.
        again_tokens: prompt and completion tokens of these requests, included in the counts above.
    """

    requests: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    again: int = 0
    again_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.again + other.again,
            self.again_tokens + other.again_tokens,
        )


FREE = Usage()


def read_usage(counts: Any) -> Usage:
    """Read counts that `counts_of` wrote.

    Raises:
        TypeError, ValueError: a count is unknown or invalid.
    """
    if counts == {}:
        return FREE
    usage = Usage(**counts)
    for count in counts.values():
        if type(count) is not int or not 0 <= count <= _MOST:
            raise ValueError("a count is not an integer from 0")
    return usage


def counts_of(usage: Usage) -> dict[str, int]:
    """The counts by name; empty if nothing was spent, as for most judgements, which share the
    request of another one."""
    return {} if usage == FREE else asdict(usage)


# For each model: its name, and the prices of a million prompt and a million completion tokens.
Prices = Sequence[tuple[str, float, float]]


def cost_of(model: str, prompt: int, completion: int, prices: Prices) -> float | None:
    """The cost in the currency of the prices; None if the model has no price.

    If the prices list a model twice, the last entry counts.

    Args:
        prompt, completion: tokens.
    """
    by_model = {name: (asked, answered) for name, asked, answered in prices}
    if model not in by_model:
        return None
    asked, answered = by_model[model]
    return (prompt * asked + completion * answered) / 1e6
