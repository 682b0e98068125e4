"""Which passages are relevant, by words: to a reference answer, else to the question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .claim_extraction import claims_in
from .questions import as_statement, topic_of
from .text_comparison import checked_against, counted, languages_apart, one_reason, shared

RELEVANT_SHARE = 0.5  # of the content words


def relevance_of_passages(
    question: str, reference: str | None, passages: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """A judgement on each passage `{"id", "text"}`, in the wire format.

    A reference that says nothing is none.
    """
    claims = claims_in(reference) if reference else []
    judged = []
    for passage in passages:
        text = as_statement(passage["text"])  # a passage may ask and answer
        if reference and claims:
            relevant, reason = _for_reference(reference, claims, text)
        else:
            relevant, reason = _for_question(question, text)
        judged.append({"id": passage["id"], "reason": reason, "relevant": relevant})
    return judged


def _for_reference(reference: str, claims: Sequence[str], passage: str) -> tuple[bool, str]:
    supported = sum(checked_against(c, passage).verdict == "FULLY_SUPPORTED" for c in claims)
    words = shared(reference, passage)
    relevant = supported > 0 or words.by_weight >= RELEVANT_SHARE
    return relevant, one_reason(
        f"it bears out {supported} of {counted(len(claims))} of the reference",
        f"{words} of it found",
        "" if relevant else languages_apart(reference, passage),
    )


def _for_question(question: str, passage: str) -> tuple[bool, str]:
    words = shared(topic_of(question), passage)
    if not words.asked:
        return False, "the question has no content words to look for"
    relevant = words.share >= RELEVANT_SHARE
    apart = "" if relevant else languages_apart(question, passage)
    return relevant, one_reason(f"{words} of the question found", apart)
