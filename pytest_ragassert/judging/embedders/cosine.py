"""The cosine similarity of two vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...errors import ConfigurationError


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of the angle between two vectors, in [-1, 1].

    It is 0 if one of them is zero, and exactly 1 if they are equal.

    Raises:
        ConfigurationError: their dimensions differ, as those of two embedders may.
    """
    if len(one) != len(other):
        raise different_dimensions(len(one), len(other))
    ours, theirs = _unit(one), _unit(other)
    if not ours or not theirs:
        return 0.0
    # rounding would give slightly less
    if ours == theirs:
        return 1.0
    product = math.fsum(a * b for a, b in zip(ours, theirs, strict=True))
    return max(-1.0, min(1.0, product))


def different_dimensions(one: int, other: int, whose: str = "") -> ConfigurationError:
    """Return the error for two vectors with these dimensions.

    Args:
        whose: the id of the embedder that returned both, if known.
    """
    return ConfigurationError(
        f"embedder {whose}: "
        * bool(whose)
        + f"two embeddings have different dimensions, {one} and {other}: they "
        "come from different embedders"
    )


def _unit(vector: Sequence[float]) -> list[float]:
    """Return the vector scaled to length 1, or an empty one if it is zero."""
    largest = max(map(abs, vector), default=0.0)
    if not largest:
        return []
    # scale to at most 1 first, so that no square overflows or underflows
    scaled = [number / largest for number in vector]
    length = math.hypot(*scaled)
    return [number / length for number in scaled]
