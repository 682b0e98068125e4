"""Explains why a judgement is not known, from those that are known in committed verdicts or a
store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from .closest_text import ClosestTexts
from .verdict_line import VerdictLine, parts_of_judge_name

Cause = Literal[
    "prompt version changed",
    "other settings",
    "other model",
    "other endpoint",
    "passages changed",
    "text changed",
    "never recorded",
]
# What changed if a question has something new, by step.
_NEW_IN: Mapping[str, Cause] = {
    "extract_claims": "text changed",
    "verify_claims": "text changed",
    "judge_passages": "passages changed",
}
# The smallest change comes first: a verdict of the same model says more than one of another model.
BY_KEY: tuple[Cause, ...] = ("prompt version changed", "other settings", "other model")


class Recorded(Protocol):
    """Known judgements: `CommittedVerdicts`, or the entries of a store that concern some of
    them.
    """

    def lines_under(self, keys: Collection[str]) -> dict[str, VerdictLine]:
        """Return what is known under some keys, by key."""

    def lines(self) -> Iterator[VerdictLine]:
        """Yield all of them, always in the same order."""


# Maximum texts of a step and judge for which a similar one is looked for: a few seconds.
MOST_LIKE = 1_000


@dataclass(frozen=True)
class MissedQuestion:
    """A judgement that is not known.

    Attributes:
        key: as in a committed line, like `step`, `judge`, `about`, `asked` and `passages`.
        other_keys: by a cause in `BY_KEY`, the keys that the same judgement has with a former
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
    """Why a judgement is missing.

    Attributes:
        recorded: the key of the verdict that shows it; None if the cause is `never recorded`.
        judge: that verdict's judge, as in its line.
        passages: that verdict's passages, as in its line.
        about: what that verdict is about. If the cause is `text changed` and this equals the
            judgement's own, the text beside it changed, or it is unknown what changed.
        used: this run used that verdict for another judgement.
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
    """Return why each judgement is not known, in their order.

    The result does not depend on the order of the lines. The verdicts are read once if a key does
    not show the cause: a few seconds for 1,000 questions and 100,000 verdicts.

    Args:
        used: keys of the verdicts that this run used: their texts still exist, so no other question
            has changed from them.

    Raises:
        ConfigurationError: a verdict is damaged; the message names file and line.
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
    """Decide by what is known of the same question: anything else that it asks for is new in it."""
    cause = _NEW_IN.get(question.step, "never recorded") if question.beside else "never recorded"
    return Miss(question, cause)


def _by_key(lines: Mapping[str, VerdictLine], question: MissedQuestion) -> Miss | None:
    for cause in BY_KEY:
        for key in sorted(question.other_keys.get(cause, ())):
            line = lines.get(key)
            if line is not None:
                if cause == "other model":
                    cause = _other_judge(line.judge, question.judge)
                return Miss(question, cause, line.key, line.judge, line.about)
    return None


def _other_judge(recorded: str, asked: str) -> Cause:
    """The cause of a verdict by another judge: `other endpoint` if the same model was asked at
    another address.
    """
    (before, model), (now, same) = parts_of_judge_name(recorded), parts_of_judge_name(asked)
    addresses = "://" in before or "://" in now
    return "other endpoint" if model and model == same and addresses else "other model"


def _by_text(
    verdicts: Recorded, missed: Sequence[MissedQuestion], used: Collection[str]
) -> dict[MissedQuestion, Miss]:
    """Find judgements with a line of the same step and judge about the same or a similar text."""
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
            ClosestTexts(sorted(unused[maker]), others).found
            if 0 < len(others) <= MOST_LIKE
            else {}
        )
        for question in questions:
            same = elsewhere[question.step, question.about]
            miss = _on_other_passages(question, same, known) or _by_others(question, same)
            if miss is not None:
                found[question] = miss
                continue
            # the same text with other passages is named, whether or not these are still used
            about = question.about if question.about in texts else like.get(question.about)
            if about is not None:
                found[question] = Miss(question, "text changed", texts[about], maker[1], about)
    return found


def _on_other_passages(
    question: MissedQuestion, lines: Sequence[VerdictLine], used: Collection[str]
) -> Miss | None:
    """Return the judgement of the same claim, asked in the same way, against other passages;
    preferably one that this run did not use.
    """
    # its key differs, so its passages do, whether or not their hashes are recorded
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
    """Return another judge's judgement of the same claim against the same passages."""
    others = [
        line
        for line in lines
        if line.passages == question.passages and line.judge != question.judge
    ]
    if not others:
        return None
    line = others[0]
    cause = _other_judge(line.judge, question.judge)
    return Miss(question, cause, line.key, line.judge, line.about, line.passages)
