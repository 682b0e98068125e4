"""Shared parts of converting a store and converting committed verdicts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from ..config.settings import Settings
from ..judging.scheduling.former_answers import split
from ..language.number_format import plural
from ..storage.answers import Answer
from ..storage.contents import asked_in, content_of
from ..storage.keys import Question, question_key
from ..storage.store import Store
from .locations import Places
from .output import counted

# Exceptions from a damaged question, or from a reply to another question.
DAMAGE = (KeyError, TypeError, AttributeError, ValueError, RecursionError)
# Reasons why something cannot be converted.
UNKNOWN = "the store does not have the question"
UNFIT = "the store has a different question"


@dataclass
class Counts:
    """The outcome of a conversion.

    Attributes:
        whole: number of converted answers to whole questions.
        made: number of judgements that they became. there: how many of these existed already.
        single: number of answers to one judgement, which now record how it was asked.
        overrides: number of overrides that got their current id.
        stay: number of answers that cannot be converted, by reason.
    """

    whole: int = 0
    made: int = 0
    there: int = 0
    single: int = 0
    overrides: int = 0
    stay: Counter[str] = field(default_factory=Counter)

    @property
    def changes(self) -> bool:
        return bool(self.whole or self.single or self.overrides)

    def lines(self, where: str) -> list[str]:
        """The outcome as lines for display.

        Args:
            where: what was converted.
        """
        made = plural(self.made, "judgement")
        there = f", {self.there} of which existed already" if self.there else ""
        answers = f"{plural(self.whole, 'answer')} to whole questions"
        lines = [f"{where}: {answers} converted into {made}{there}"]
        if self.single:
            lines.append(f"  answers to one judgement, now in the current format: {self.single}")
        if self.overrides:
            lines.append(f"  overrides, now under their current ids: {self.overrides}")
        lines += [f"  not converted: {why}" for why in counted(self.stay)]
        return lines


def question_in(store: Store, key: str) -> Question | None:
    """The question whose answer has a key; None if the store does not have it, or has it
    damaged.
    """
    row = store.row(question_key(key))
    content = content_of(row) if row is not None else None
    if content is None or content.kind != "question":
        return None
    question = asked_in(content.record)
    try:
        return question if question is not None and question.key == key else None
    except (TypeError, ValueError, RecursionError):
        return None


def judgements_of(question: Question, answer: Answer, places: Places) -> dict[str, Answer]:
    """Split the answer to a whole question into answers to its judgements, by key, as a run would
    store them.
    """
    budget = places.token_budget or Settings.model_fields["token_budget"].default
    answers = split(question, answer, question.keys, budget)
    return {key: as_kept(question, one, places) for key, one in answers.items()}


def as_kept(question: Question, answer: Answer, places: Places) -> Answer:
    """The answer to a judgement, without the parts that the project does not keep."""
    reply = question.step.kept(
        answer.reply, reasons=places.keeps_reasons, passages=places.names_passages
    )
    return replace(answer, reply=reply)
