"""Why a judgement is not known, seen from those that are: in committed verdicts, or in a store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from .closest_text import LikeTexts
from .verdict_line import VerdictLine

Cause = Literal[
    "prompt version changed",
    "other settings",
    "other model",
    "passages changed",
    "text changed",
    "never recorded",
]
# What changed where a question has something new, by step.
_NEW_IN: Mapping[str, Cause] = {
    "extract_claims": "text changed",
    "verify_claims": "text changed",
    "judge_passages": "passages changed",
}
# What was changed least comes first: the same model's verdict says more than another's.
BY_KEY: tuple[Cause, ...] = ("prompt version changed", "other settings", "other model")


class Recorded(Protocol):
    """What is known of judgements: `CommittedVerdicts`, or what of a store bears on some."""

    def lines_under(self, keys: Collection[str]) -> dict[str, VerdictLine]:
        """What is known under some keys, by key."""

    def lines(self) -> Iterator[VerdictLine]:
        """All of them, always in the same order."""


# Texts of a step and judge for which a like one is looked for: a few seconds' worth.
MOST_LIKE = 1_000


@dataclass(frozen=True)
class MissedQuestion:
    """A judgement that is not known.

    Attributes:
        key, step, judge, about, asked, passages: as they would stand in its line.
        other_keys: by a cause of `BY_KEY`, the keys that the same judgement has under a former
            version of its prompt, default settings, or another judge or model.
        beside: how many judgements of the same question are known.
    """

    key: str
    step: str
    judge: str
    about: str
    other_keys: Mapping[Cause, Collection[str]] = field(default_factory=dict, hash=False)
    asked: str = ""
    passages: tuple[str, ...] = ()
    beside: int = 0


@dataclass(frozen=True)
class Miss:
    """Why there is none.

    Attributes:
        recorded: the key of the verdict that shows it; None where the cause is `never recorded`.
        judge, passages: that verdict's, as in its line.
        about: what that verdict is about. Where the cause is `text changed` and it is the
            judgement's own, the text beside it changed, or it is not known what.
        used: this run used that verdict, for another judgement.
    """

    question: MissedQuestion
    cause: Cause
    recorded: str | None = None
    judge: str | None = None
    about: str | None = None
    passages: tuple[str, ...] = ()
    used: bool = False


def causes(
    verdicts: Recorded,
    missed: Sequence[MissedQuestion],
    used: Collection[str] = frozenset(),
) -> list[Miss]:
    """Why each judgement is not known, in their order.

    The same for the same input, whatever the order of the lines. Reads the verdicts through once
    where a key does not show it: a few seconds for 1,000 questions and 100,000 verdicts.

    Args:
        used: keys of the verdicts that this run used: their texts are still there, so that no
            other question has changed from them.

    Raises:
        ConfigurationError: a verdict is damaged; names file and line.
    """
    keys = {key for question in missed for own in question.other_keys.values() for key in own}
    lines = verdicts.lines_under(keys) if keys else {}
    found = {question: _by_key(lines, question) for question in missed}
    unexplained = [question for question, miss in found.items() if miss is None]
    by_text = _by_text(verdicts, unexplained, used) if unexplained else {}
    return [
        found[question] or by_text.get(question) or _by_neighbours(question) for question in missed
    ]


def _by_neighbours(question: MissedQuestion) -> Miss:
    """By what is known of the same question: what else it asks for is new in it."""
    cause = _NEW_IN.get(question.step, "never recorded") if question.beside else "never recorded"
    return Miss(question, cause)


def _by_key(lines: Mapping[str, VerdictLine], question: MissedQuestion) -> Miss | None:
    for cause in BY_KEY:
        for key in sorted(question.other_keys.get(cause, ())):
            line = lines.get(key)
            if line is not None:
                return Miss(question, cause, line.key, line.judge, line.about)
    return None


def _by_text(
    verdicts: Recorded, missed: Sequence[MissedQuestion], used: Collection[str]
) -> dict[MissedQuestion, Miss]:
    """The judgements that have a line of the same step and judge about the same or a like text."""
    asked: dict[tuple[str, str], list[MissedQuestion]] = defaultdict(list)
    for question in missed:
        asked[question.step, question.judge].append(question)
    recorded: dict[tuple[str, str], dict[str, str]] = {maker: {} for maker in asked}
    unused: dict[tuple[str, str], set[str]] = {maker: set() for maker in asked}
    elsewhere: dict[tuple[str, str], list[VerdictLine]] = defaultdict(list)
    claims = {(one.step, one.about) for one in missed if one.passages}
    known = frozenset(used)
    for line in verdicts.lines():
        if line.asked and (line.step, line.about) in claims:
            elsewhere[line.step, line.about].append(line)
        maker = line.step, line.judge
        if maker in asked:
            recorded[maker].setdefault(line.about, line.key)
            if line.key not in known:
                unused[maker].add(line.about)
    found: dict[MissedQuestion, Miss] = {}
    for maker, questions in asked.items():
        texts = recorded[maker]
        others = {question.about for question in questions if question.about not in texts}
        like = (
            LikeTexts(sorted(unused[maker]), others).found if 0 < len(others) <= MOST_LIKE else {}
        )
        for question in questions:
            same = elsewhere[question.step, question.about]
            miss = _on_other_passages(question, same, known) or _by_others(question, same)
            if miss is not None:
                found[question] = miss
                continue
            # the same text beside other passages is named, whether or not these are still used
            about = question.about if question.about in texts else like.get(question.about)
            if about is not None:
                found[question] = Miss(question, "text changed", texts[about], maker[1], about)
    return found


def _on_other_passages(
    question: MissedQuestion, lines: Sequence[VerdictLine], used: Collection[str]
) -> Miss | None:
    """The judgement on the same claim, asked for in the same way, against other passages; one that
    this run did not use where there is one."""
    # its key differs, so that its passages do, whether or not their hashes are written down
    others = [line for line in lines if line.asked == question.asked]
    if not others:
        return None
    line = next((one for one in others if one.key not in used), others[0])
    return Miss(
        question,
        "passages changed",
        line.key,
        line.judge,
        line.about,
        line.passages,
        line.key in used,
    )


def _by_others(question: MissedQuestion, lines: Sequence[VerdictLine]) -> Miss | None:
    """The judgement of another judge on the same claim against the same passages."""
    others = [
        line
        for line in lines
        if line.passages == question.passages and line.judge != question.judge
    ]
    if not others:
        return None
    line = others[0]
    return Miss(question, "other model", line.key, line.judge, line.about, line.passages)
