"""Shared by all claim metrics: the claims of a text, their verdicts, several models' score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from ..case import EvalCase
from ..errors import MissingFieldError
from ..ground_truth import weights_of
from ..judgements import BY_MERIT, Verdict
from ..language.escaping import is_blank, visible
from ..results import ClaimVerdict, MetricResult, verdicts_in_words
from ..steps.evidence.evidence_check import Passage, gated
from ..storage.overrides import Override
from .ensemble import scored
from .metric import Ask
from .uncited_text import uncited
from .votes import Votes, counted, each_vote, majority_of, note, together

Source = Literal["answer", "reference"]
Score = Callable[[Sequence[ClaimVerdict]], float]
Fields = dict[str, Any]  # fields of `ClaimVerdict`


@dataclass(frozen=True)
class Claim:
    """A claim with its sentence: 0-based index and half-open offsets in the text.

    Attributes:
        weight: as in `ClaimVerdict`.
    """

    text: str
    source: Source
    sentence: int | None = None
    span: tuple[int, int] | None = None
    weight: float | None = None

    @property
    def place(self) -> Fields:
        """The fields of its verdict that do not depend on the judgement."""
        return {
            "source": self.source,
            "sentence": self.sentence,
            "span": self.span,
            "weight": self.weight,
        }


async def claims_of(
    ask: Ask, case: EvalCase, text: str, source: Source, sample: int = 0
) -> list[Claim]:
    """The claims of a text of the case, extracted by the first model, in text order."""
    bare = await ask.computed(partial(uncited, case, text))
    if bare is not None and is_blank(bare.text):
        return []
    input = {"text": bare.text if bare else text, **question_of(case)}
    reply = await ask("extract_claims", input, model=ask.models[0], sample=sample)
    places = {
        sentence["id"]: bare.sentence_at(sentence["start"])
        if bare
        else (number, (sentence["start"], sentence["end"]))
        for number, sentence in enumerate(reply["sentences"])
    }
    return [
        Claim(claim["text"], source, *places.get(claim["sentence"], (None, None)))
        for claim in reply["claims"]
    ]


async def reference_claims(ask: Ask, case: EvalCase, reference: str) -> list[Claim]:
    """The claims of the reference: the case's `ground_truth_claims`, or else extracted claims."""
    if not case.ground_truth_claims:
        return await claims_of(ask, case, reference, "reference")
    weights = weights_of(case.ground_truth_claims)
    differ = len(set(weights.values())) > 1
    return [
        Claim(text, "reference", weight=weight if differ else None)
        for text, weight in weights.items()
    ]


async def verdicts_on(
    ask: Ask,
    claims: Sequence[Claim],
    passages: Sequence[Passage],
    if_none: str = "there is no passage to check it against",
) -> dict[str, list[ClaimVerdict]]:
    """Each model's verdict on every claim, by the majority of its votes, in the claims' order.

    Without passages, nothing is asked and every claim is NO_EVIDENCE with the reason `if_none`.
    """
    if not passages:
        return dict.fromkeys(ask.models, unasked(claims, if_none))
    texts = list(dict.fromkeys(claim.text for claim in claims))
    hand = {text: ask.by_hand(text, passages) for text in texts}
    question = {
        "passages": [{"id": index + 1, "text": text} for index, text in passages],
        "claims": [{"id": number, "text": text} for number, text in enumerate(texts, start=1)],
    }
    gate = ask.settings.evidence_gate == "on"
    decided: dict[str, dict[str, Fields]] = {}
    counts: dict[str, list[Votes | None]] = {}
    for model, replies in (await each_vote(ask, "verify_claims", question)).items():
        samples = [
            [
                judged(text, said, passages, gate=gate)
                for text, said in zip(texts, reply["verdicts"], strict=True)
            ]
            for reply in replies
        ]
        each = dict(zip(texts, zip(*samples, strict=True), strict=True))
        own = {text: corrected(by_majority(votes), hand[text]) for text, votes in each.items()}
        decided[model] = own
        counts[model] = [asked_votes(votes, own[text]) for text, votes in each.items()]
    note(ask, "verify_claims", question, counts)
    return {model: placed(claims, by_text) for model, by_text in decided.items()}


def judged(
    text: str, said: Fields, passages: Sequence[Passage], *, gate: bool, require: bool = False
) -> Fields:
    """The verdict of one sample; the evidence check is applied before samples are counted."""
    return {
        **gated(said, text, passages, gate=gate, require=require),
        "text": text,
        "reason": said["reason"],
        "confidence": said["confidence"],
        "conflict": said.get("conflict", False),
        "carried": said.get("carried"),
    }


def is_proven(fields: Fields) -> bool:
    """Whether a quote that was found in its passage proves the verdict."""
    return any(one.verified for one in fields["evidence"])


def by_majority(votes: Sequence[Fields]) -> Fields:
    """The verdict of most samples, with the evidence of one that gave it, verified if possible."""
    shown = majority_of(
        votes,
        lambda vote: vote["verdict"],
        BY_MERIT[::-1],
        better=is_proven,
    )
    return {**shown, "votes": counted([vote["verdict"].value for vote in votes])}


def asked_votes(votes: Sequence[Fields], decided: Fields) -> Votes | None:
    """What `by_majority` counted; None if a vote was carried over, because carried votes do not
    show how much the judge varies."""
    counts: Votes = decided["votes"]
    return counts if all(vote["carried"] is None for vote in votes) else None


def corrected(fields: Fields, hand: Override | None) -> Fields:
    """Apply a human override, which takes precedence; the judge's verdict stays visible."""
    if hand is None:
        return fields
    own = {"verdict": hand.verdict, "by_hand": hand.reason, "judged": fields["verdict"]}
    return {**fields, **own}


def placed(claims: Iterable[Claim], by_text: Mapping[str, Fields]) -> list[ClaimVerdict]:
    """The verdicts on the texts of claims, for each claim at its place, in the claims' order."""
    return [ClaimVerdict(**by_text[claim.text], **claim.place) for claim in claims]


def unasked(claims: Iterable[Claim], why: str) -> list[ClaimVerdict]:
    """The claims as NO_EVIDENCE, with a reason that needs no judge."""
    return [
        ClaimVerdict(
            text=claim.text,
            verdict=Verdict.NO_EVIDENCE,
            label_raw=Verdict.NO_EVIDENCE,
            gate_reason=why,
            **claim.place,
        )
        for claim in claims
    ]


def majority(by_model: dict[str, list[ClaimVerdict]]) -> list[ClaimVerdict]:
    """For each claim the verdict that most models gave; if they tie, the worse one."""
    return [_of_most(said) for said in zip(*by_model.values(), strict=True)]


def _of_most(said: Sequence[ClaimVerdict]) -> ClaimVerdict:
    shown = majority_of(said, lambda one: one.verdict, BY_MERIT[::-1])
    if len(said) == 1:
        return shown
    return shown.model_copy(update={"votes": together(one.votes for one in said)})


def aggregated(
    by_model: dict[str, list[ClaimVerdict]], score: Score, aggregate: str
) -> tuple[float, list[ClaimVerdict], dict[str, float]]:
    """The ensemble's score, the claims by majority, and each model's own score."""
    claims = majority(by_model)
    value, scores = scored(by_model, claims, score, aggregate)
    return value, claims, scores


def claims_result(
    metric: str,
    by_model: dict[str, list[ClaimVerdict]],
    score: Score,
    aggregate: str,
    details: dict[str, Any] | None = None,
) -> MetricResult:
    """The result of a metric that scores all its claims in the same way."""
    value, claims, scores = aggregated(by_model, score, aggregate)
    return MetricResult(
        metric=metric,
        score=value,
        claims=claims,
        reason=summary_of(claims),
        by_model=scores,
        details=details or {},
    )


def question_of(case: EvalCase) -> dict[str, Any]:
    """The case's question as input of a step, with the earlier turns if there are any."""
    turns = {"history": [dict(turn) for turn in case.history]} if case.history else {}
    return {**turns, "question": case.question}


def need_question(case: EvalCase, metric: str) -> dict[str, Any]:
    """The case's question as in `question_of`.

    Raises:
        MissingFieldError: the question is blank.
    """
    need_text(case, metric, "question", case.question)
    return question_of(case)


def need_text(case: EvalCase, metric: str, field: str, value: str | None) -> str:
    """The field's text.

    Raises:
        MissingFieldError: it is blank.
    """
    if value is None or is_blank(value):
        raise MissingFieldError(
            f"{visible(metric)} can't be measured: the {field} is empty in case {case.name}; fill "
            f"EvalCase({field}=…) or leave the case out"
        )
    return value


def supported_share(claims: Sequence[ClaimVerdict]) -> float:
    """Fully supported claims / claims, weighted."""
    weights = [1.0 if claim.weight is None else claim.weight for claim in claims]
    supported = (
        weight
        for weight, claim in zip(weights, claims, strict=True)
        if claim.verdict is Verdict.FULLY_SUPPORTED
    )
    return min(1.0, math.fsum(supported) / math.fsum(weights))


def need_references(case: EvalCase, metric: str) -> list[str]:
    """The texts of `reference_texts`.

    Raises:
        MissingFieldError: one of them is blank.
    """
    return [need_text(case, metric, "ground_truth_answer", text) for text in reference_texts(case)]


def reference_texts(case: EvalCase) -> list[str]:
    """The texts that an answer's claims are checked against: all reference answers; if there are
    none, the `ground_truth_claims` as one text."""
    if case.references or not case.ground_truth_claims:
        return case.references
    return ["\n".join(weights_of(case.ground_truth_claims))]


def _by_score(result: MetricResult) -> tuple[bool, float]:
    return not result.vacuous, result.score


def best_of(
    results: Sequence[MetricResult], by: Callable[[MetricResult], Any] = _by_score
) -> MetricResult:
    """The best result over all references; its details name the reference."""
    best = max(range(len(results)), key=lambda place: by(results[place]))
    if len(results) > 1:
        results[best].details["reference"] = best
    return results[best]


def summary_of(claims: list[ClaimVerdict]) -> str:
    """`3 claims: 1 contradicted, 1 no evidence, 1 supported`"""
    return verdicts_in_words([claim.verdict for claim in claims])


def vacuous_result(metric: str, who: str) -> MetricResult:
    """The result if there is nothing to check; `who` includes the verb: `the answer makes`."""
    return MetricResult(
        metric=metric,
        score=1.0,
        vacuous=True,
        reason=f"nothing to check: {who} no factual claim",
    )
