"""A case as the judge wrote it, and what can be checked of it without asking anybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..corpus.passages import Passage
from ..language.escaping import is_blank, shortened
from ..language.phrases.questions import open_reference, source_words
from ..language.same_language import is_language, same_language
from ..runtime.canonical_json import Json
from ..steps.evidence.evidence_check import find_evidence
from .candidates import Candidate, with_headings

LONGEST_QUESTION, LONGEST_ANSWER = 1_000, 4_000  # characters
NOT_SELF_CONTAINED = "the question is not self-contained"
_LONGEST_QUOTE = 60  # characters of a quote in a reason


class Dropped(Exception):
    """A candidate that is not kept.

    Attributes:
        reason: the kind of reason, by which dropped candidates are counted.
        details: what is wrong with this one; None if the reason says all.
        question: the question that was written; None if there is none.
    """

    def __init__(self, reason: str, details: str | None = None, question: str | None = None):
        super().__init__(reason)
        self.reason, self.details, self.question = reason, details, question


class SourceQuote(NamedTuple):
    """A quote in a passage.

    Attributes:
        passage: the place of the passage among those of the candidate.
        span: half-open offsets in the passage's text; None for a quote from the headings above it.
    """

    passage: int
    text: str
    span: tuple[int, int] | None


@dataclass(frozen=True)
class Draft:
    """A question with its answer, and the quotes that prove the answer; none if the documents do
    not answer the question.
    """

    candidate: Candidate
    question: str
    answer: str
    quotes: tuple[SourceQuote, ...]

    @property
    def used(self) -> list[Passage]:
        """The passages that the case is about: those with a quote; without quotes, all."""
        numbers = sorted({quote.passage for quote in self.quotes if quote.span is not None})
        passages = self.candidate.passages
        return [passages[number] for number in numbers] if numbers else list(passages)

    @property
    def places(self) -> tuple[tuple[str, int, int], ...]:
        """The places of the quotes: the passage's id, and half-open offsets in its text."""
        passages = self.candidate.passages
        found = ((passages[one.passage].id, one.span) for one in self.quotes)
        return tuple((id, *span) for id, span in found if span is not None)


def checked_draft(candidate: Candidate, reply: Json) -> Draft:
    """Return the judge's reply as a draft.

    Args:
        reply: the reply to `write_case`, in its normal form.

    Raises:
        Dropped: the draft fails a check.
    """
    question, answer = reply["question"], reply["answer"]
    if is_blank(question):
        raise Dropped("nothing to ask")
    try:
        if len(question) > LONGEST_QUESTION or len(answer) > LONGEST_ANSWER:
            raise Dropped("too long", f"{len(question)} and {len(answer)} characters")
        _check_question(question)
        for text in (question, answer):
            _check_language(candidate, text)
        quotes = _quotes(candidate, reply["evidence"], answer)
        if candidate.kind != "unanswerable":
            _check_evidence(candidate, quotes)
    except Dropped as dropped:
        dropped.question = question
        raise
    return Draft(candidate, question, answer, quotes)


def _check_question(question: str) -> None:
    if words := source_words(question):
        raise Dropped("the question refers to a text", f'"{words}"')
    if words := open_reference(question):
        raise Dropped(NOT_SELF_CONTAINED, f'"{words}" refers to nothing in the question')


def _check_language(candidate: Candidate, text: str) -> None:
    wanted = candidate.language
    if wanted is not None:
        if is_language(text, wanted) is False:
            raise Dropped("another language", f"not {wanted}: {text}")
        return
    if all(same_language(text, one.text) is False for one in candidate.passages):
        raise Dropped("another language", f"not that of the passages: {text}")


def _quotes(candidate: Candidate, evidence: Sequence[Json], answer: str) -> tuple[SourceQuote, ...]:
    """Return the quotes in the passages' own words.

    Raises:
        Dropped: no passage contains one of them.
    """
    sent = [(place, with_headings(one)) for place, one in enumerate(candidate.passages)]
    quotes = []
    for entry in evidence:
        found = find_evidence(entry["quote"], entry["passage"] - 1, sent, answer)
        if found is None:
            said = shortened(entry["quote"], _LONGEST_QUOTE)
            raise Dropped("a quote is not in its passage, or too short", f'"{said}"')
        passage = candidate.passages[found.passage]
        above = len(sent[found.passage][1]) - len(passage.text)
        start, end = found.span[0] - above, found.span[1] - above
        quotes.append(SourceQuote(found.passage, found.quote, (start, end) if start >= 0 else None))
    return tuple(dict.fromkeys(quotes))


def _check_evidence(candidate: Candidate, quotes: Sequence[SourceQuote]) -> None:
    quoted = {quote.passage for quote in quotes if quote.span is not None}
    if not quoted:
        raise Dropped("no quote")
    if candidate.kind == "several" and len(quoted) < 2:
        raise Dropped("one passage is enough")
    documents = {candidate.passages[number].document for number in quoted}
    if candidate.kind == "documents" and len(documents) < 2:
        raise Dropped("one document is enough")
