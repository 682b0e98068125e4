"""Judges by words which passages are relevant: to a reference answer or, without one, to the
question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .claim_extraction import claims_in
from .follow_up import Asked
from .questions import as_statement, topic_of
from .text_comparison import checked_against, counted, languages_apart, one_reason, shared

RELEVANT_SHARE = 0.5  # of the content words
# a question with this many content words says enough, even if it refers to earlier turns
_ALONE = 2


def relevance_of_passages(
    asked: Asked, reference: str | None, passages: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Judge each passage `{"id", "text"}`, in the wire format.

    A reference that states nothing counts as no reference.
    """
    claims = claims_in(reference) if reference else []
    judged = []
    for passage in passages:
        text = as_statement(passage["text"])  # a passage may ask and answer
        if reference and claims:
            relevant, reason = _for_reference(reference, claims, text)
        else:
            relevant, reason = _for_question(asked, text)
        judged.append({"id": passage["id"], "reason": reason, "relevant": relevant})
    return judged


def _for_reference(reference: str, claims: Sequence[str], passage: str) -> tuple[bool, str]:
    supported = sum(checked_against(c, passage).verdict == "FULLY_SUPPORTED" for c in claims)
    words = shared(reference, passage)
    relevant = supported > 0 or words.by_weight >= RELEVANT_SHARE
    return relevant, one_reason(
        f"it supports {supported} of {counted(len(claims))} of the reference",
        f"{words} of it found",
        "" if relevant else languages_apart(reference, passage),
    )


def _for_question(asked: Asked, passage: str) -> tuple[bool, str]:
    topic = topic_of(asked.question)
    words = shared(topic, passage)
    if asked.before and not words.asked:  # "And how long?"
        topic = topic_of(asked.before)
        words = shared(topic, passage)
    if not words.asked:
        return False, "the question has no content words to look for"
    relevant = words.share >= RELEVANT_SHARE
    apart = "" if relevant else languages_apart(topic, passage)
    if relevant and asked.before and (asked.part is not None or len(words.asked) < _ALONE):
        # the subject of the question is in the turns before it
        around = shared(topic_of(asked.before), passage, known=asked.question)
        relevant, apart = bool(around.found), f"{around} of the turns before"
    return relevant, one_reason(f"{words} of the question found", apart)
