"""Combines the scores and the decisions of several models."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

if TYPE_CHECKING:
    from ..runtime.canonical_json import Json
    from .metric import Ask

Word = TypeVar("Word")
Words = TypeVar("Words")

Aggregate = Literal["mean", "median", "min", "majority"]
AGGREGATES = get_args(Aggregate)


def check_aggregate(aggregate: str) -> None:
    """Check the option `aggregate`.

    Raises:
        ValueError: it is not one of `AGGREGATES`.
    """
    if aggregate not in AGGREGATES:
        raise ValueError(f"aggregate is {aggregate!r}; valid are {', '.join(AGGREGATES)}")


async def each_model(ask: Ask, step: str, input: Json) -> dict[str, Json]:
    """Each model's reply to one question, asked concurrently."""
    replies = await ask.together(ask(step, input, model=model) for model in ask.models)
    return dict(zip(ask.models, replies, strict=True))


def joined(scores: Mapping[str, float], aggregate: str) -> float:
    """Combine the models' scores into one, in [0, 1]; `majority` of scores is their median."""
    each = list(scores.values())
    if aggregate == "mean":
        return statistics.fmean(each)
    return min(each) if aggregate == "min" else statistics.median(each)


def scored(
    by_model: Mapping[str, Words], agreed: Words, score: Callable[[Words], float], aggregate: str
) -> tuple[float, dict[str, float]]:
    """The ensemble's score, and each model's own score if several judged.

    Args:
        agreed: the majority's decision on each item.
    """
    scores = {model: score(words) for model, words in by_model.items()}
    value = score(agreed) if aggregate == "majority" else joined(scores, aggregate)
    return value, of_several(scores)


def of_several(scores: dict[str, float]) -> dict[str, float]:
    """Each model's own score, if several judged."""
    return scores if len(scores) > 1 else {}


def elected(votes: Sequence[Word], worst_first: Sequence[Word]) -> Word:
    """The word with most votes; if words tie, the worst of them."""
    return max(worst_first, key=lambda word: (votes.count(word), -worst_first.index(word)))


def clamped(score: float) -> float:
    return min(1.0, max(0.0, score))
