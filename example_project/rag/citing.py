"""Says where each sentence of an answer comes from."""

from __future__ import annotations

from collections.abc import Sequence

from .corpus import Passage
from .extractive import sentences_of


def with_numbers(answer: str, passages: Sequence[Passage]) -> str:
    """The answer with its passage's number, from 1, in each sentence: "No boats sail [2]."

    What a model has written itself has its numbers already.
    """
    for number, passage in enumerate(passages, start=1):
        for sentence in sentences_of(passage.text):
            answer = answer.replace(sentence, f"{sentence[:-1]} [{number}]{sentence[-1]}")
    return answer
