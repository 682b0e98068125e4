"""Judges whole answers by their words: how relevant, how accurate, and of which class."""

from __future__ import annotations

import math
from typing import Any

from ....judgements import CORRECT, DONT_KNOW, RUBRIC, WRONG
from .claim_extraction import claims_in
from .follow_up import Asked
from .questions import as_statement, is_yes_or_no, says_no, topic_of
from .self_contradiction import ClaimsOfAnswer
from .text_comparison import (
    checked_against,
    counted,
    facts_in,
    has_number,
    is_dont_know,
    languages_apart,
    one_reason,
    quoted,
    shared,
)

# of what a reference claim says beyond the question, for the answer to count as stating it
TOLD_SHARE = 0.5

Json = dict[str, Any]


# -- relevance -------------------------------------------------------------------------------------


def relevance_of_answer(asked: Asked, answer: str) -> Json:
    """Rate how many words of the question are in the answer, and whether it has a number if one is
    asked.
    """
    if is_dont_know(answer):
        return {"reason": "the answer says nothing, or that it does not know", "score": 0}
    if is_yes_or_no(answer):
        score = 0.0 if asked.number else 0.5
        return {"reason": "a bare yes or no; words can't show more", "score": score}
    topic = topic_of(asked.question)
    words = shared(topic, answer)
    if asked.before and not words.asked:  # "And how long?"
        topic = topic_of(asked.before)
        words = shared(topic, answer)
    parts = [words.by_weight] if words.asked else []
    number = ""
    if asked.number:
        # a number from an earlier answer does not answer a question that the answer says nothing
        # about
        parts.append(float(has_number(answer, known="" if words.found else asked.before)))
        number = f"it asks for a number, the answer has {'one' if parts[-1] else 'none'}"
    share = sum(parts) / len(parts) if parts else 0.5
    return {
        "reason": one_reason(
            f"{words} of the question found" if words.asked else "nothing to look for",
            number,
            "" if words.found else languages_apart(topic, answer),
            "words are compared, not meaning",
        ),
        "score": math.floor(4 * share + 0.5) / 4,
    }


# -- accuracy --------------------------------------------------------------------------------------


class _Comparison:
    """The claims of an answer compared with the reference, and those of the reference with the
    answer.
    """

    def __init__(self, asked: Asked, reference: str, answer: str) -> None:
        self.known, self.answer = as_statement(asked.known), answer
        self.claims = [] if is_dont_know(answer) else claims_in(answer) or [answer]
        self.wanted = claims_in(reference) or [reference]
        verdicts = [checked_against(claim, reference).verdict for claim in self.claims]
        self.supported_claims = verdicts.count("FULLY_SUPPORTED")
        self.refuted = [
            claim
            for claim, verdict in zip(self.claims, verdicts, strict=True)
            if verdict == "CONTRADICTORY"
        ]
        self.lacking = [
            (claim, lack) for claim in self.wanted if (lack := self._lack(claim)) is not None
        ]

    def _lack(self, wanted: str) -> str | None:
        """Return what the answer lacks of a reference claim, or None if the answer states the
        claim.

        An answer that the reference supports needs to state only what the question does not: the
        numbers and names ("40 minutes"), or half of the words if there are none.
        """
        if not self.claims:
            return "no answer"
        finding = checked_against(wanted, self.answer)
        if finding.verdict == "FULLY_SUPPORTED":
            return None
        if finding.verdict == "CONTRADICTORY" or self.supported_claims < len(self.claims):
            reason = finding.reason.replace("any passage", "the answer")
            reason = reason.replace("the passage", "the answer")
            return languages_apart(wanted, self.answer) or reason
        if facts := facts_in(wanted, self.answer, self.known):
            missing = [fact for fact, there in facts.items() if not there]
            return f"it lacks {', '.join(missing)}" if missing else None
        new = shared(wanted, self.answer, known=self.known)
        if new.by_weight >= TOLD_SHARE or not new.asked:
            return None
        return f"only {new} beyond the question found"

    def at_odds(self) -> list[str]:
        """Return the answer's claims that the reference or another claim of the answer
        contradicts.
        """
        refuted, claims = set(self.refuted), ClaimsOfAnswer(self.claims)
        return [
            claim
            for place, claim in enumerate(self.claims)
            if claim in refuted or claims.contradicted(place)
        ]


def accuracy_of_answer(asked: Asked, reference: str, answer: str) -> Json:
    """Grade the shares of claims that agree, from 0 to 100."""
    if is_dont_know(reference) and is_dont_know(answer):
        return _graded(*[("neither answer nor reference knows", 100)] * 3)
    if yes_no := _by_yes_or_no(reference, answer):
        agrees, reason = yes_no
        return _graded(*[(reason, 100 * agrees)] * 3)
    found = _Comparison(asked, reference, answer)
    claims, wanted = len(found.claims), len(found.wanted)
    if not claims:
        reason = "the answer makes no claim"
        return _graded((reason, 0), (reason, 0), (reason, 100))
    against, said = len(found.at_odds()), wanted - len(found.lacking)
    return _graded(
        (
            one_reason(
                f"{found.supported_claims} of {counted(claims)} supported by the reference",
                f"{len(found.refuted)} contradicted",
            ),
            found.supported_claims / claims * 100,
        ),
        (f"{said} of {counted(wanted)} of the reference stated", said / wanted * 100),
        (f"{against} of {counted(claims)} contradicted", (1 - against / claims) * 100),
    )


def _by_yes_or_no(reference: str, answer: str) -> tuple[bool, str] | None:
    """Compare two yes-or-no answers, one of which says nothing more. Return None if both say
    more.
    """
    if is_dont_know(answer) or not (is_yes_or_no(answer) or is_yes_or_no(reference)):
        return None
    ours, theirs = says_no(answer), says_no(reference)
    sides = {True: "negates", False: "affirms"}
    return ours == theirs, f"the answer {sides[ours]}, the reference {sides[theirs]}"


def _graded(*parts: tuple[str, float]) -> Json:
    """Return the grades by criterion, in the order of the rubric."""
    return {
        name: {"reason": reason, "score": round(float(score), 1)}
        for name, (reason, score) in zip(RUBRIC, parts, strict=True)
    }


# -- kind ------------------------------------------------------------------------------------------


def kind_of_answer(asked: Asked, reference: str, answer: str) -> Json:
    """Classify the answer: CORRECT if it states each claim of the reference and contradicts
    none.
    """
    if is_dont_know(answer):
        return _labelled(DONT_KNOW, "no sentence of the answer states anything about the question")
    if yes_no := _by_yes_or_no(reference, answer):
        agrees, reason = yes_no
        return _labelled(CORRECT if agrees else WRONG, reason)
    found = _Comparison(asked, reference, answer)
    if found.refuted:
        return _labelled(WRONG, f"contradicted by the reference: {quoted(found.refuted[0])}")
    for claim, lack in found.lacking:
        return _labelled(WRONG, one_reason(f"not stated: {quoted(claim)}", lack))
    return _labelled(CORRECT, f"{counted(len(found.wanted))} of the reference stated")


def _labelled(label: str, reason: str) -> Json:
    return {"reason": reason, "label": label}
