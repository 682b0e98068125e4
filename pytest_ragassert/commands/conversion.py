"""What converting a store and converting committed verdicts have in common."""

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

# What a damaged question, or a reply to another one, may raise.
DAMAGE = (KeyError, TypeError, AttributeError, ValueError, RecursionError)
# Why something can't be converted.
UNKNOWN = "the store has not what was asked"
UNFIT = "the question in the store is another"


@dataclass
class Counts:
    """What came of a conversion.

    Attributes:
        whole: answers to whole questions that were converted.
        made: the judgements that they became. there: of these, those that there were already.
        single: answers to one judgement, which now say how it was asked.
        overrides: that now stand under their present id.
        stay: what can't be converted, by why.
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
        """For people.

        Args:
            where: what was converted.
        """
        made = plural(self.made, "judgement")
        there = f", {self.there} of them there already" if self.there else ""
        answers = f"{plural(self.whole, 'answer')} to whole questions"
        lines = [f"{where}: {answers} converted into {made}{there}"]
        if self.single:
            lines.append(f"  answers to one judgement, in the present form now: {self.single}")
        if self.overrides:
            lines.append(f"  overrides, under their present ids now: {self.overrides}")
        lines += [f"  stay as they are: {why}" for why in counted(self.stay)]
        return lines


def question_in(store: Store, key: str) -> Question | None:
    """The question whose answer has a key; None where the store has it not, or damaged."""
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
    """The answer to a whole question as answers to its judgements, by key, as a run would keep
    them."""
    budget = places.token_budget or Settings.model_fields["token_budget"].default
    answers = split(question, answer, question.keys, budget)
    return {key: as_kept(question, one, places) for key, one in answers.items()}


def as_kept(question: Question, answer: Answer, places: Places) -> Answer:
    """The answer to a judgement, without what the project does not keep."""
    reply = question.step.kept(
        answer.reply, reasons=places.keeps_reasons, passages=places.names_passages
    )
    return replace(answer, reply=reply)
