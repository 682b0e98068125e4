"""Why a question has no committed verdict, seen from the verdicts that there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .closest_text import LikeTexts
from .committed_verdicts import CommittedVerdicts

Cause = Literal[
    "prompt version changed", "other settings", "other model", "text changed", "never recorded"
]
# What was changed least comes first: the same model's verdict says more than another's.
BY_KEY: tuple[Cause, ...] = ("prompt version changed", "other settings", "other model")


@dataclass(frozen=True)
class MissedQuestion:
    """A question of this run without a committed verdict.

    Attributes:
        key, step, judge, about: as they would stand in its line.
        other_keys: by a cause of `BY_KEY`, the keys that the same question has under a former
            version of its prompt, default settings, or another judge or model.
    """

    key: str
    step: str
    judge: str
    about: str
    other_keys: Mapping[Cause, Collection[str]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Miss:
    """Why there is none.

    Attributes:
        recorded: the key of the verdict that shows it; None where the cause is `never recorded`.
        judge: that verdict's, as in its line.
        about: what that verdict is about. Where the cause is `text changed` and it is the
            question's own, its passages or the text beside it changed.
    """

    question: MissedQuestion
    cause: Cause
    recorded: str | None = None
    judge: str | None = None
    about: str | None = None


def causes(
    verdicts: CommittedVerdicts,
    missed: Sequence[MissedQuestion],
    used: Collection[str] = frozenset(),
) -> list[Miss]:
    """Why each question has no committed verdict, in the questions' order.

    The same for the same input, whatever the order of the lines. Reads the verdicts through once
    where a key does not show it: a few seconds for 1,000 questions and 100,000 verdicts.

    Args:
        used: keys of the verdicts that this run used: their texts are still there, so that no
            other question has changed from them.

    Raises:
        ConfigurationError: a verdict is damaged; names file and line.
    """
    found = {question: _by_key(verdicts, question) for question in missed}
    unexplained = [question for question, miss in found.items() if miss is None]
    by_text = _by_text(verdicts, unexplained, used) if unexplained else {}
    return [
        found[question] or by_text.get(question) or Miss(question, "never recorded")
        for question in missed
    ]


def _by_key(verdicts: CommittedVerdicts, question: MissedQuestion) -> Miss | None:
    for cause in BY_KEY:
        for key in sorted(question.other_keys.get(cause, ())):
            line = verdicts.line(key)
            if line is not None:
                return Miss(question, cause, line.key, line.judge, line.about)
    return None


def _by_text(
    verdicts: CommittedVerdicts, missed: Iterable[MissedQuestion], used: Collection[str]
) -> dict[MissedQuestion, Miss]:
    """The questions that have a line of the same step and judge about the same or a like text."""
    asked: dict[tuple[str, str], list[MissedQuestion]] = defaultdict(list)
    for question in missed:
        asked[question.step, question.judge].append(question)
    recorded: dict[tuple[str, str], dict[str, str]] = {maker: {} for maker in asked}
    unused: dict[tuple[str, str], set[str]] = {maker: set() for maker in asked}
    known = frozenset(used)
    for line in verdicts.lines():
        maker = line.step, line.judge
        if maker in asked:
            recorded[maker].setdefault(line.about, line.key)
            if line.key not in known:
                unused[maker].add(line.about)
    found: dict[MissedQuestion, Miss] = {}
    for maker, questions in asked.items():
        texts = recorded[maker]
        others = {question.about for question in questions if question.about not in texts}
        like = LikeTexts(sorted(unused[maker]), others).found if others else {}
        for question in questions:
            # the same text beside other passages is named, whether or not these are still used
            about = question.about if question.about in texts else like.get(question.about)
            if about is not None:
                found[question] = Miss(question, "text changed", texts[about], maker[1], about)
    return found
