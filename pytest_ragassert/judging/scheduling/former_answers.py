"""Converts answers to whole questions, as earlier versions kept them, to answers to judgements."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from ...runtime.canonical_json import same_text
from ...storage.answers import Answer, read_answer
from ...storage.keys import Question
from ...usage import Usage

if TYPE_CHECKING:
    from ...storage.committed.verdict_line import VerdictLine


def is_kept_whole(question: Question) -> bool:
    """Whether an earlier version may have kept the answer under the key of the whole question."""
    return question.step.kept_whole and not question.of_part


def answer_in_text(question: Question, text: str, *, stored: bool = True) -> Answer | None:
    """Return the answer to a whole question in a stored text, or None if it does not match."""
    answer = read_answer(text, question, stored=stored)
    return answer if answer is not None and _fits(question, answer) else None


def answer_in_line(question: Question, line: VerdictLine) -> Answer | None:
    """Return the answer in a committed line, or None if it does not match the question."""
    answer = Answer(line.reply, stored=True, committed=True)
    return answer if is_line_of(question, line) and _fits(question, answer) else None


def is_line_of(question: Question, line: VerdictLine) -> bool:
    """Whether a line claims to answer the question or judgement."""
    return (
        line.step == question.step.name
        and line.is_by(question.judge_id, question.model)
        and same_text(line.about, question.about)
    )


def _fits(question: Question, answer: Answer) -> bool:
    return question.step.answers(question.input, answer.reply)


def split(
    question: Question, answer: Answer, keys: Collection[str], token_budget: int
) -> dict[str, Answer]:
    """Return the answers to these judgements of the question. The first of all carries the cost.

    Args:
        token_budget: of a message, as it was when the question was asked.
    """
    first = question.keys[0]
    reply = question.step.of_messages(question.input, answer.reply, token_budget)
    return {
        key: replace(answer, reply=one, usage=answer.usage if key == first else Usage())
        for key, one in question.replies(keys, reply).items()
    }
