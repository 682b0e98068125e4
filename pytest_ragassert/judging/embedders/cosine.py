"""How near two vectors are."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...errors import ConfigurationError


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors' angle, in [-1, 1]; 0 where one is zero, 1 where they are equal.

    Raises:
        ConfigurationError: they have different dimensions, as vectors of two embedders may.
    """
    if len(one) != len(other):
        raise of_two_embedders(len(one), len(other))
    ours, theirs = _unit(one), _unit(other)
    if not ours or not theirs:
        return 0.0
    # rounding would make it a little less
    if ours == theirs:
        return 1.0
    product = math.fsum(a * b for a, b in zip(ours, theirs, strict=True))
    return max(-1.0, min(1.0, product))


def of_two_embedders(one: int, other: int, whose: str = "") -> ConfigurationError:
    """The error that two vectors have these dimensions.

    Args:
        whose: the id of the embedder that gave both, where it is known.
    """
    return ConfigurationError(
        f"embedder {whose}: "
        * bool(whose)
        + f"two embeddings have different dimensions, {one} and {other}: they are not of one "
        "embedder"
    )


def _unit(vector: Sequence[float]) -> list[float]:
    """The vector with length 1; empty where it has none."""
    largest = max(map(abs, vector), default=0.0)
    if not largest:
        return []
    # first to at most 1, so that no square is too large or too small for a float
    scaled = [number / largest for number in vector]
    length = math.hypot(*scaled)
    return [number / length for number in scaled]
