"""The metric `evidence`: the answer's sentences, which are wrong only if a quote proves it."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from functools import partial

from ..case import EvalCase
from ..judgements import Verdict
from ..results import ClaimVerdict, MetricResult
from ..runtime.canonical_json import Json
from ..steps.evidence.coverage import clamped, coverage_of
from ..steps.evidence.evidence_check import Passage, passages_of
from ..steps.evidence.evidence_details import EvidenceDetails, SentenceVerdict
from ..steps.evidence.ranking import VerificationBatch, batches_for
from ..steps.evidence.sentence_labels import LABELS, label_of, score_of, sentences_of, spans_of
from ..steps.verify_claims import VERIFY_CLAIMS
from ..storage.overrides import Override
from .claims import (
    Claim,
    Fields,
    aggregated,
    asked_votes,
    by_majority,
    claims_of,
    corrected,
    is_proven,
    judged,
    need_text,
    placed,
    unasked,
    vacuous_result,
)
from .ensemble import Aggregate, check_aggregate
from .findings import EachSpan, Finding, Printed
from .metric import ANSWER_IN_CONTEXTS, Ask, Assertion, Metric, Movement
from .option_checks import check_flag
from .votes import note


class Evidence(Metric):
    """The retrieved contexts support the answer's sentences; only a proven error counts as wrong.

    Score: the mean over sentences with claims of 1 (correct), `uncertain_weight` (uncertain) and 0
    (incorrect). A claim is incorrect only if a verified quote or a person's override proves it. The
    most relevant passages are checked first, the others only for claims that are still without
    evidence. `EvidenceDetails.model_validate(result.details)` has the sentences, and the spans of
    those that are not correct.

    Args:
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_evidence`, or else
            0.8.
        uncertain_weight: the score, in [0, 1], of a sentence that is neither correct nor incorrect.
        require_evidence_for_correct: whether a claim needs a verified quote to be correct.
        no_claims, models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_faithful`.
        MissingFieldError: the case lacks `answer` or `retrieved_contexts`.
    """

    name = "evidence"
    requires = ("answer", "retrieved_contexts")
    default_min = 0.8
    counts = "spans"
    asserted_by = (
        Assertion(
            "assert_evidence",
            "the contexts support the answer's sentences; only proof makes one incorrect",
        ),
    )
    sides = (ANSWER_IN_CONTEXTS,)
    asks_only = True
    rounds = 3
    refuses_blank = True

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        return {"verify_claims": "alike"}

    def findings(self, row: Printed) -> list[Finding]:
        return [EachSpan()]

    async def measure(
        self,
        case: EvalCase,
        ask: Ask,
        *,
        uncertain_weight: float = 0.5,
        require_evidence_for_correct: bool = False,
        aggregate: Aggregate = "mean",
    ) -> MetricResult:
        """The mean over sentences with claims of 1 (correct), `uncertain_weight` and 0 (incorrect).

        The factuality agent of the German source document. A sentence is incorrect if any of its
        claims is, else uncertain if any is, else correct. A claim is incorrect only if a verified
        quote contradicts it, regardless of `ragassert_evidence_gate`. It is correct if it is fully
        supported; with `require_evidence_for_correct` only if a verified quote supports it.
        """
        weight = _weight(uncertain_weight)
        check_flag("require_evidence_for_correct", require_evidence_for_correct)
        check_aggregate(aggregate)
        answer = need_text(case, self.name, "answer", case.answer)
        passages = passages_of(case.retrieved_contexts)
        claims = await claims_of(ask, case, answer, "answer")
        if not claims:
            return vacuous_result(self.name, "the answer makes")
        by_model = await _verdicts(ask, claims, passages, require=require_evidence_for_correct)

        def score(verdicts: Sequence[ClaimVerdict]) -> float:
            return score_of(verdicts, weight)

        value, verdicts, scores = aggregated(by_model, score, aggregate)
        sentences = sentences_of(verdicts, answer)
        details = EvidenceDetails(
            sentences=sentences,
            spans=spans_of(verdicts, sentences),
            labels={name: sum(v.label_final == name for v in verdicts) for name in LABELS},
            with_evidence=sum(verdict.proven for verdict in verdicts),
            uncertain_weight=weight,
            require_evidence_for_correct=require_evidence_for_correct,
        )
        return MetricResult(
            metric=self.name,
            score=value,
            claims=verdicts,
            reason=_reason(sentences),
            by_model=scores,
            details=details.model_dump(),
        )


async def _verdicts(
    ask: Ask, claims: Sequence[Claim], passages: Sequence[Passage], *, require: bool
) -> dict[str, list[ClaimVerdict]]:
    """Each model's verdict on every claim, by the majority of its votes, in the claims' order."""
    if not passages:
        nothing = {
            "label_final": "uncertain",
            "selection_reason": "nothing was retrieved",
            "looked_at": [],
        }
        alone = unasked(claims, "there is no passage to check it against")
        return {model: [one.model_copy(update=nothing) for one in alone] for model in ask.models}
    texts = list(dict.fromkeys(claim.text for claim in claims))
    hand = {text: ask.by_hand(text, passages) for text in texts}
    batches = await ask.computed(partial(batches_for, texts, passages))
    samples = range(ask.votes)
    found = iter(
        await ask.together(
            _looked(ask, batch, passages, model, sample, require=require)
            for batch in batches
            for model in ask.models
            for sample in samples
        )
    )
    decided: dict[str, dict[str, Fields]] = {model: {} for model in ask.models}
    for batch in batches:
        votes = {}
        for model in ask.models:
            each = [next(found) for _ in samples]
            of_text = {text: [one[text] for one in each] for text in batch.claims.values()}
            own = {
                text: _corrected(by_majority(said), hand[text]) for text, said in of_text.items()
            }
            votes[model] = [asked_votes(said, own[text]) for text, said in of_text.items()]
            decided[model].update(own)
        note(ask, "verify_claims", _question(batch.first, batch.claims), votes)
    return {model: placed(claims, by_text) for model, by_text in decided.items()}


async def _looked(
    ask: Ask,
    batch: VerificationBatch,
    passages: Sequence[Passage],
    model: str,
    sample: int,
    *,
    require: bool,
) -> dict[str, Fields]:
    """The verdicts of one sample: from the passages most relevant to the claims, and for claims
    without evidence there, from the other passages too."""

    def fields(id: int, said: Json, first_indices: list[int], reason: str) -> Fields:
        own = judged(batch.claims[id], said, passages, gate=True, require=require)
        raw = {name: value for name, value in said.items() if name != "carried"}
        own |= {"raw_reply": raw, "looked_at": first_indices}
        return _with_coverage(own | {"selection_reason": reason}, texts)

    texts = dict(passages)
    question = _question(batch.first, batch.claims)
    reply = await ask("verify_claims", question, model=model, sample=sample)
    said = {verdict["id"]: verdict for verdict in reply["verdicts"]}
    decided = {
        id: fields(id, said[id], batch.first_indices, batch.reasons[text])
        for id, text in batch.claims.items()
    }
    lacking = {id: batch.claims[id] for id, own in decided.items() if not _is_settled(own)}
    if lacking and batch.rest:
        rest = await ask(
            "verify_claims", _question(batch.rest, lacking), model=model, sample=sample
        )
        before = {"verdicts": [said[id] for id in lacking]}
        merged = VERIFY_CLAIMS.merged(_question(passages, lacking), [before, rest])
        everything = [index for index, _ in passages]
        for verdict in merged["verdicts"]:
            id = verdict["id"]
            why = f"{batch.reasons[batch.claims[id]]}; no evidence there, so the others too"
            decided[id] = fields(id, verdict, everything, why)
    return {batch.claims[id]: own for id, own in decided.items()}


def _corrected(own: Fields, hand: Override | None) -> Fields:
    """Apply a human override, and label the claim accordingly."""
    own = corrected(own, hand)
    return own if hand is None else {**own, "label_final": label_of(own["verdict"])}


def _is_settled(own: Fields) -> bool:
    """Whether the other passages need not be checked."""
    decides = own["verdict"] in (Verdict.FULLY_SUPPORTED, Verdict.CONTRADICTORY)
    return decides and is_proven(own)


def _question(passages: Sequence[Passage], claims: dict[int, str]) -> Json:
    return {
        "passages": [{"id": index + 1, "text": text} for index, text in passages],
        "claims": [{"id": id, "text": text} for id, text in claims.items()],
    }


def _with_coverage(own: Fields, passages: dict[int, str]) -> Fields:
    """Add the label, and limit the confidence to what the quotes cover."""
    own = {**own, "label_final": label_of(own["verdict"])}
    if not is_proven(own):
        return own
    contradicts = own["verdict"] is Verdict.CONTRADICTORY
    verified = [one for one in own["evidence"] if one.verified]
    quotes = [one.quote for one in verified]
    texts = [passages[one.passage] for one in verified]
    covers = coverage_of(own["text"], quotes, texts, contradicts=contradicts)
    return {
        **own,
        "coverage_ok": covers.ok,
        "coverage_note": covers.note,
        "confidence": clamped(own["confidence"], covers),
    }


def _reason(sentences: Sequence[SentenceVerdict]) -> str:
    """`3 sentences: 1 incorrect, 2 correct`"""
    counts = ((sum(s.label == label for s in sentences), label) for label in LABELS)
    said = ", ".join(f"{count} {label}" for count, label in counts if count)
    return f"{len(sentences)} sentence{'s' * (len(sentences) != 1)}: {said}"


def _weight(given: object) -> float:
    """Check the option `uncertain_weight`.

    Raises:
        ValueError: it is not a number from 0 to 1.
    """
    is_number = isinstance(given, numbers.Real) and not isinstance(given, bool)
    if not is_number or not 0 <= float(given) <= 1:  # type: ignore[arg-type]  # a number by then
        raise ValueError(f"uncertain_weight must be a number from 0 to 1, not {given!r}")
    return float(given)  # type: ignore[arg-type]  # and here
