"""Estimates of a judge's replies, for planning without asking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..judgements import Met, Verdict
from ..language.sentences import split_sentences
from ..language.token_estimate import estimated_tokens
from ..runtime.canonical_json import Json, digest, readable_json
from .extract_claims import sentences_of
from .own_step import Step as OwnStep
from .replies.schema import ReplyError
from .reply_schema import likely_value
from .step import Step, text_of
from .write_case import MOST_QUOTES, UNANSWERABLE

_DIGITS = 60  # of a text that consists of numbers
_REASON = "The passage says it in its own words, and nothing in it is against that."


def likely_reply(step: Step, input: Json) -> Json | None:
    """Return a complete reply of ordinary size, as a step's reader produces it, or None.

    A sentence makes one claim, and every claim is supported by the first passage.
    """
    if isinstance(step, OwnStep):
        return _of_own(step)
    make = _LIKELY.get(step.name)
    return None if make is None else make(input)


def _of_own(step: OwnStep[Any]) -> Json | None:
    """Return a reply in the step's shape, or None if its model has further conditions."""
    try:
        return step.reply_of({}, likely_value(step.schema, _REASON))
    except ReplyError:
        return None


def reply_tokens(reply: Json) -> int:
    """Return the estimated tokens of a reply as the judge writes it."""
    said = {name: value for name, value in reply.items() if name != "sentences"}
    return estimated_tokens(readable_json(said))


def _extracted(input: Json) -> Json:
    sentences = sentences_of(input["text"])
    wanted = input.get("only", [one["id"] for one in sentences])
    claims = [
        {"sentence": one["id"], "text": text_of(one["text"])}
        for one in sentences
        if one["id"] in wanted
    ]
    return {"sentences": sentences, "claims": [claim for claim in claims if claim["text"]]}


def _verified(input: Json) -> Json:
    first: Any = next(iter(input["passages"]), {"id": None, "text": ""})
    quote = _first_sentence(first["text"])
    said = {
        "reason": _REASON,
        "evidence": [] if quote is None else [{"passage": first["id"], "quote": quote}],
        "verdict": Verdict.FULLY_SUPPORTED.value,
        "confidence": 1.0,
    }
    return {"verdicts": [{"id": claim["id"], **said} for claim in input["claims"]]}


def _first_sentence(text: str) -> str | None:
    return next((text_of(text[start:end]) for start, end in split_sentences(text)), None)


def _last_sentence(text: str) -> str | None:
    return next((text_of(text[start:end]) for start, end in split_sentences(text)[::-1]), None)


def _judged(input: Json) -> Json:
    # an unanswerable case is kept only if no passage answers its question
    said = {"reason": _REASON, "relevant": False}
    return {"passages": [{"id": passage["id"], **said} for passage in input["passages"]]}


def _generated(input: Json) -> Json:
    about = _first_sentence(input["answer"]) or "?"
    return {"questions": [f"{number}. {about}" for number in range(1, input["n"] + 1)]}


def _rated(input: Json) -> Json:
    return {"reason": _REASON, "score": 1.0}


def _graded(input: Json) -> Json:
    names = ("correctness", "completeness", "consistency")
    return {name: {"reason": _REASON, "score": 100.0} for name in names}


def _classified(input: Json) -> Json:
    return {"reason": _REASON, "label": "CORRECT"}


def _checked(input: Json) -> Json:
    said = {"reason": _REASON, "quote": _first_sentence(input["answer"]), "met": Met.YES.value}
    return {"checks": [{"id": criterion["id"], **said} for criterion in input["criteria"]]}


def _written(input: Json) -> Json:
    """A question and an answer of a sentence each, and a quote from each passage.

    Different inputs get different texts, because generation discards copies.
    """
    evidence = [
        {"passage": passage["id"], "quote": quote}
        for passage in input["passages"][:MOST_QUOTES]
        # headings come first, and quotes from them prove nothing
        if (quote := _last_sentence(passage["text"])) is not None
    ]
    if input["kind"] == UNANSWERABLE:
        evidence = []
    elif not evidence:
        return {"question": "", "answer": "", "evidence": []}
    digits = str(int(digest(input), 16))
    said = " ".join(digits[at : at + 5] for at in range(0, _DIGITS, 5))
    return {"question": said, "answer": said, "evidence": evidence}


def _described(input: Json) -> Json:
    """Personas of two sentences' size."""
    numbers = range(1, input["number"] + 1)
    return {"personas": [f"{number}. {_REASON} {_REASON}" for number in numbers]}


_LIKELY: dict[str, Callable[[Json], Json]] = {
    "extract_claims": _extracted,
    "verify_claims": _verified,
    "judge_passages": _judged,
    "generate_questions": _generated,
    "rate_relevance": _rated,
    "grade_accuracy": _graded,
    "classify_answer": _classified,
    "check_criteria": _checked,
    "write_case": _written,
    "write_personas": _described,
}
