"""Combines several samples of one judgement: what the majority says, and whether all agree.

Each model has its own votes and its own majority; `ensemble` combines the scores of several models.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..runtime.canonical_json import digest
from ..steps.catalogue import step_named
from .ensemble import elected

if TYPE_CHECKING:
    from ..runtime.canonical_json import Json
    from .metric import Ask

Vote = TypeVar("Vote")
Word = TypeVar("Word")
# The number of votes for each word; empty with a single vote.
Votes = dict[str, int]


async def each_vote(ask: Ask, step: str, input: Json) -> dict[str, list[Json]]:
    """Each model's votes on one question, in the order of samples, all asked concurrently."""
    samples = range(ask.votes)
    replies = iter(
        await ask.together(
            ask(step, input, model=model, sample=sample)
            for model in ask.models
            for sample in samples
        )
    )
    return {model: [next(replies) for _ in samples] for model in ask.models}


def majority_of(
    votes: Sequence[Vote],
    word: Callable[[Vote], Word],
    worst_first: Sequence[Word],
    better: Callable[[Vote], bool] = lambda vote: True,
) -> Vote:
    """A vote for the word with the most votes; if words tie, for the worst of them.

    Args:
        better: which votes represent their word better; the lowest sample of these is taken, or the
            lowest of all if there is none.
    """
    if len(votes) == 1:
        return votes[0]
    winner = elected([word(vote) for vote in votes], worst_first)
    own = [vote for vote in votes if word(vote) == winner]
    return next((vote for vote in own if better(vote)), own[0])


def median_of(votes: Sequence[Vote], score: Callable[[Vote], float]) -> Vote:
    """The lowest sample with the median score; of an even number, the lower middle one.

    It is a vote that a judge gave, so that its reason belongs to the score.
    """
    middle = statistics.median_low([score(vote) for vote in votes])
    return next(vote for vote in votes if score(vote) == middle)


def counted(words: Sequence[str]) -> Votes:
    return dict(Counter(words)) if len(words) > 1 else {}


def together(votes: Iterable[Mapping[str, int]]) -> Votes:
    """The sum of several models' votes on one thing."""
    total: Counter[str] = Counter()
    for each in votes:
        total.update(each)
    return dict(total)


def split_words(votes: Mapping[str, int], winner: str) -> str:
    """`2:1`, the winner's votes first, then the others by number; empty if all agree."""
    if len(votes) < 2:
        return ""
    others = sorted((count for word, count in votes.items() if word != winner), reverse=True)
    return ":".join(map(str, [votes.get(winner, 0), *others]))


def scores_words(votes: Sequence[float]) -> str:
    """`votes 40, 60, 60`, in the order of samples; empty if all are equal."""
    if len(set(votes)) < 2:
        return ""
    return "votes " + ", ".join(f"{vote:g}" for vote in votes)


def note(
    ask: Ask, step: str, input: Json, by_model: Mapping[str, Sequence[Mapping[str, int] | None]]
) -> None:
    """Record which judgements were split, for the run's flip rate.

    Args:
        by_model: the votes on each judgement that the question asks for, in its order; None for a
            judgement without all votes.
    """
    if ask.votes == 1:
        return
    judgements = step_named(step).judgement_inputs(input)
    for model, each in by_model.items():
        for judgement, votes in zip(judgements, each, strict=True):
            if votes is not None:
                # metrics and tests share judgements; each is counted once
                ask.splits[digest([step, model, judgement])[:16]] = len(votes) > 1
