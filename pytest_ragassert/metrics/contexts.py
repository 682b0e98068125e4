"""Metrics of the retrieved contexts: their relevance, recall and ranking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from ..case import EvalCase
from ..language.escaping import is_blank
from ..language.folding import fold
from ..language.number_format import plural
from ..results import MetricResult
from ..steps.evidence.evidence_check import Passage, passages_of
from .claims import (
    best_of,
    claims_result,
    need_question,
    need_references,
    reference_claims,
    supported_share,
    vacuous_result,
    verdicts_on,
)
from .ensemble import Aggregate, check_aggregate, scored
from .findings import EachContext, Finding, Headline, Printed
from .metric import REFERENCE_IN_CONTEXTS, Ask, Assertion, Metric, Movement
from .option_checks import check_flag
from .votes import Votes, counted, each_vote, majority_of, note, together


class Said(NamedTuple):
    """Whether a context is relevant, and why."""

    relevant: bool
    reason: str | None = None
    votes: Votes = {}  # noqa: RUF012 - nobody changes it


Relevance = dict[int, Said]  # by the context's index

_WORST_FIRST = (False, True)
_WORDS = {True: "relevant", False: "not relevant"}
_SHORTEST_PART = 20  # characters; shorter texts are not searched for within others


class ContextRelevance(Metric):
    """The retrieved contexts are relevant to the question: relevant contexts / contexts.

    Args:
        min: in [0, 1]. Default: the case's own minimum, or else
            `ragassert_min_context_relevance`, or else 0.5.
        models: the models that judge. Default: all configured models.
        votes: as in `assert_faithful`.
        aggregate: how the models' scores are combined.

    Raises:
        RagAssertionError: the score is below `min`.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `question` or `retrieved_contexts`.
    """

    name = "context_relevance"
    requires = ("question", "retrieved_contexts")
    default_min = 0.5
    says_right = False
    asserted_by = (
        Assertion("assert_context_relevance", "the contexts are relevant to the question"),
    )
    asks_only = True
    refuses_blank = True

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        return {"judge_passages": "alike"}

    def findings(self, row: Printed) -> list[Finding]:
        return [EachContext()]

    async def measure(
        self, case: EvalCase, ask: Ask, *, aggregate: Aggregate = "mean"
    ) -> MetricResult:
        """Contexts that are relevant to the question / contexts. Blank contexts are not counted.

        The metric of this name in the EvalCase vocabulary; without retrieved contexts the score is
        0.
        """
        check_aggregate(aggregate)
        question = need_question(case, self.name)
        passages = passages_of(case.retrieved_contexts)
        by_model = await _judged(ask, question, None, passages)
        relevance = _majority(by_model)
        value, scores = scored(by_model, relevance, _share, aggregate)
        return MetricResult(
            metric=self.name,
            score=value,
            reason=_count(relevance, "relevant"),
            by_model=scores,
            details={"contexts": _listed(relevance)},
        )


class ContextRecall(Metric):
    """The retrieved contexts contain what the reference says: supported reference claims / all.

    Default minimum 0.8. Needs `retrieved_contexts`, and `ground_truth_answer` or
    `ground_truth_claims`, which replace the claims of the reference and count by their weights.
    Arguments and errors as in `assert_faithful`.
    """

    name = "context_recall"
    requires = ("ground_truth_answer", "retrieved_contexts")
    needs = "`ground_truth_answer` or `ground_truth_claims`, and `retrieved_contexts`"
    in_place_of: ClassVar[Mapping[str, str]] = {"ground_truth_answer": "ground_truth_claims"}
    default_min = 0.8
    document_name = ("ragas_context_recall", 100)
    says_right = False
    asserted_by = (
        Assertion("assert_context_recall", "the contexts contain what the reference says"),
    )
    sides = (REFERENCE_IN_CONTEXTS,)
    asks_only = True
    rounds = 2
    refuses_blank = True

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        return {"verify_claims": "alike"}

    def lacks(self, case: EvalCase, name: str) -> bool:
        # with stated claims, the reference is not read and may be blank
        stated = name == "ground_truth_answer" and case.ground_truth_claims is not None
        return not stated and super().lacks(case, name)

    async def measure(
        self, case: EvalCase, ask: Ask, *, aggregate: Aggregate = "mean"
    ) -> MetricResult:
        """Reference claims fully supported by the contexts / reference claims.

        ragas' formula of this name; each claim has the context and the quote that support it. If a
        case has several references, the best one counts.
        """
        check_aggregate(aggregate)
        # claims that people stated are one list, regardless of the number of references
        references = [""] if case.ground_truth_claims else need_references(case, self.name)
        results = await ask.together(self._of(case, ask, text, aggregate) for text in references)
        return best_of(results)

    async def _of(self, case: EvalCase, ask: Ask, reference: str, aggregate: str) -> MetricResult:
        passages = passages_of(case.retrieved_contexts)
        claims = await reference_claims(ask, case, reference)
        if not claims:
            return vacuous_result(self.name, "the reference makes")
        by_model = await verdicts_on(ask, claims, passages, if_none="nothing was retrieved")
        return claims_result(self.name, by_model, supported_share, aggregate)


class ContextPrecision(Metric):
    """Relevant contexts come first: average precision of the ranking.

    Args:
        ranked: if False, relevant contexts / contexts, regardless of their order.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.

    Raises:
        MissingFieldError: the case lacks `retrieved_contexts`; or it lacks `ground_truth_contexts`
            and also `question` or `ground_truth_answer`.
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_context_relevance`.
    """

    name = "context_precision"
    requires = ("retrieved_contexts",)
    needs = (
        "`retrieved_contexts` and `ground_truth_contexts`, or `question` and `ground_truth_answer`"
    )
    default_min = 0.7
    document_name = ("ragas_context_precision", 100)
    says_right = False
    asserted_by = (Assertion("assert_context_precision", "relevant contexts come first"),)
    asks_only = True
    refuses_blank = True

    def missing(self, case: EvalCase) -> tuple[str, ...]:
        lacking = super().missing(case)
        if case.ground_truth_contexts is None:
            judged = ("question", "ground_truth_answer")
            lacking += tuple(name for name in judged if self.lacks(case, name))
        return lacking

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        # one more relevant context at the end of the ranking may lower the average precision
        return {"judge_passages": "freely"}

    def headline(self, row: Printed) -> Headline:
        by_truth = row["details"].get("relevance_from") == "ground_truth_contexts"
        return f"{row['reason']}, by ground_truth_contexts" if by_truth else row["reason"]

    def findings(self, row: Printed) -> list[Finding]:
        return [EachContext()]

    async def measure(
        self, case: EvalCase, ask: Ask, *, ranked: bool = True, aggregate: Aggregate = "mean"
    ) -> MetricResult:
        """Average precision of the ranking: Σ_k rel_k · P@k / Σ rel, 0 if none is relevant.

        ragas' formula of this name; with `ranked=False` relevant contexts / contexts. If the case
        has `ground_truth_contexts`, they determine the relevance without a judge; otherwise the
        judge decides it by question and reference.
        """
        check_aggregate(aggregate)
        check_flag("ranked", ranked)
        passages = passages_of(case.retrieved_contexts)
        if case.ground_truth_contexts is not None:
            truth = _Truth(text for text in case.ground_truth_contexts if not is_blank(text))
            relevance: Relevance = {place: Said(truth.has(text)) for place, text in passages}
            return self._result({"": relevance}, ranked, aggregate, "ground_truth_contexts")
        question = need_question(case, self.name)
        references = need_references(case, self.name)
        judged = await ask.together(_judged(ask, question, text, passages) for text in references)
        return best_of([self._result(found, ranked, aggregate, "judge") for found in judged])

    def _result(
        self, by_model: dict[str, Relevance], ranked: bool, aggregate: str, source: str
    ) -> MetricResult:
        relevance = _majority(by_model)
        value, scores = scored(by_model, relevance, _precision if ranked else _share, aggregate)
        return MetricResult(
            metric=self.name,
            score=value,
            reason=f"relevant: {_places(relevance)}, {_count(relevance, 'in all')}",
            by_model=scores,
            details={
                "ranked": ranked,
                "relevance_from": source,
                "contexts": _listed(relevance),
            },
        )


def average_precision(relevant: Sequence[bool]) -> float:
    """Σ_k rel_k · P@k / Σ rel over a ranking, in [0, 1]; 0 if nothing is relevant."""
    hits, total = 0, 0.0
    for place, hit in enumerate(relevant, start=1):
        if hit:
            hits += 1
            total += hits / place
    return total / hits if hits else 0.0


async def _judged(
    ask: Ask, question: dict[str, Any], reference: str | None, passages: Sequence[Passage]
) -> dict[str, Relevance]:
    """Each model's decision on each context, by the majority of its votes.

    Without contexts, nothing is asked.
    """
    if not passages:
        return {model: {} for model in ask.models}
    input = {
        **question,
        "reference": reference,
        "passages": [{"id": place + 1, "text": text} for place, text in passages],
    }
    by_model: dict[str, Relevance] = {}
    for model, replies in (await each_vote(ask, "judge_passages", input)).items():
        samples = [[Said(s["relevant"], s["reason"]) for s in r["passages"]] for r in replies]
        each = zip(passages, zip(*samples, strict=True), strict=True)
        by_model[model] = {place: _by_majority(votes) for (place, _), votes in each}
    votes = {model: [said.votes for said in own.values()] for model, own in by_model.items()}
    note(ask, "judge_passages", input, votes)
    return by_model


def _by_majority(votes: Sequence[Said]) -> Said:
    shown = majority_of(votes, lambda said: said.relevant, _WORST_FIRST)
    return shown._replace(votes=counted([_WORDS[said.relevant] for said in votes]))


def _majority(by_model: dict[str, Relevance]) -> Relevance:
    first = next(iter(by_model.values()))
    voted: Relevance = {}
    for place in first:
        each = [relevance[place] for relevance in by_model.values()]
        shown = majority_of(each, lambda said: said.relevant, _WORST_FIRST)
        voted[place] = shown._replace(votes=together(said.votes for said in each))
    return voted


def _flags(relevance: Relevance) -> list[bool]:
    return [said.relevant for said in relevance.values()]


def _precision(relevance: Relevance) -> float:
    return average_precision(_flags(relevance))


def _share(relevance: Relevance) -> float:
    flags = _flags(relevance)
    return sum(flags) / len(flags) if flags else 0.0


def _count(relevance: Relevance, what: str) -> str:
    if not relevance:
        return "nothing was retrieved"
    flags = _flags(relevance)
    return f"{sum(flags)} of {plural(len(flags), 'context')} {what}"


def _places(relevance: Relevance) -> str:
    places = [f"[{place + 1}]" for place, said in relevance.items() if said.relevant]
    return ", ".join(places) or "none"


def _listed(relevance: Relevance) -> list[dict[str, Any]]:
    return [
        {"context": place, "relevant": said.relevant, "reason": said.reason}
        | ({"votes": said.votes} if said.votes else {})
        for place, said in relevance.items()
    ]


class _Truth:
    """The ground-truth contexts."""

    def __init__(self, texts: Iterable[str | None]) -> None:
        self._texts = {_normal(text) for text in texts if text is not None}
        self._long = [text for text in self._texts if len(text) >= _SHORTEST_PART]

    def has(self, context: str) -> bool:
        """Whether the context equals one of them except for typography and case, or one contains
        the other."""
        ours = _normal(context)
        if ours in self._texts:
            return True
        if len(ours) < _SHORTEST_PART:
            return False
        return any(_holds(other, ours) or _holds(ours, other) for other in self._long)


def _holds(whole: str, part: str) -> bool:
    # this decides most pairs, and is fast
    if part not in whole:
        return False
    # "500 crowns for each passenger" is not a part of "1500 crowns for each passenger"
    return re.search(rf"(?<!\d){re.escape(part)}(?!\d)", whole) is not None


def _normal(text: str) -> str:
    return fold(text).text.strip().casefold()
