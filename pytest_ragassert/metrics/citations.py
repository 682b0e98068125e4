"""Citation metrics: whether the cited passages support each claim of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ..case import EvalCase
from ..judgements import Verdict
from ..language.number_format import plural
from ..language.words.claim_match import nearest_sentence
from ..results import ClaimVerdict, MetricResult
from ..steps.evidence.coverage import coverage_of
from ..steps.evidence.evidence_check import Passage, passages_of
from .cited_contexts import Citation, citations_of
from .claims import (
    Claim,
    claims_of,
    claims_result,
    need_text,
    supported_share,
    vacuous_result,
    verdicts_on,
)
from .ensemble import Aggregate, check_aggregate, elected, scored
from .findings import Beside, Finding, Printed
from .metric import ANSWER_IN_CITED, Ask, Assertion, Metric, Movement

Contexts = tuple[int, ...]  # indices, in order
_CITES_NOTHING = "cites no passage"
_MOST_IDS = 3  # ids that a failure shows
_LONGEST_MARK = 40  # characters of a mark in a claim's reason
_MOST_LOOKED_FOR = 20  # sentences for which another passage is searched: nobody reads more

_BOTH = Assertion(
    "assert_citations",
    "the passages that a sentence cites support its claims",
    """The passages that a sentence cites support its claims, and each citation supports a claim.

    Measures `citation_recall` and `citation_precision`; both must reach `min`, and the lower result
    is returned. `docs/how-to/citations.md` describes how marks such as "[1]", "[doc 2]" and "[^3]"
    are read.

    Args:
        min: the minimum of both. Default: each metric's own, 0.8.
        no_claims, models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError: a score is below `min`, or there is nothing to check. `result` is the
            lower result.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `answer` or `retrieved_contexts`.
    """,
    metrics=("citation_recall", "citation_precision"),
)


class CitationRecall(Metric):
    """Claims of the answer that the passages cited by their sentence fully support / claims.

    The citation recall of ALCE (Gao et al. 2023), with claims instead of sentences. A claim whose
    sentence cites nothing counts as not supported. Arguments and errors as in `assert_citations`.
    """

    name = "citation_recall"
    requires = ("answer", "retrieved_contexts")
    default_min = 0.8
    asserted_by = (_BOTH,)
    sides = (ANSWER_IN_CITED,)
    says_right = False
    asks_only = True
    rounds = 2
    refuses_blank = True

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        return {"verify_claims": "alike"}

    async def measure(
        self, case: EvalCase, ask: Ask, *, aggregate: Aggregate = "mean"
    ) -> MetricResult:
        check_aggregate(aggregate)
        answer = need_text(case, self.name, "answer", case.answer)
        claims = await claims_of(ask, case, answer, "answer")
        if not claims:
            return vacuous_result(self.name, "the answer makes")
        cited = await ask.computed(partial(citations_of, case))
        wanted = [_together(_of_claim(claim, cited)) for claim in claims]
        unjudged = {
            number: _why_unjudged(_of_claim(claims[number], cited))
            for number, contexts in enumerate(wanted)
            if not contexts
        }
        verdicts = _Verdicts(ask, claims, passages_of(case.retrieved_contexts))
        await verdicts.look(enumerate(wanted))
        by_model = {
            model: [
                verdicts.of(model, number, contexts).model_copy(
                    update={
                        "looked_at": list(contexts),
                        **({} if contexts else {"gate_reason": unjudged[number]}),
                    }
                )
                for number, contexts in enumerate(wanted)
            ]
            for model in ask.models
        }
        result = claims_result(self.name, by_model, supported_share, aggregate)
        alone = list(unjudged.values()).count(_CITES_NOTHING)
        nowhere = len(unjudged) - alone
        said = [
            f"{count} {one if count == 1 else more}"
            for count, one, more in (
                (alone, _CITES_NOTHING, "cite no passage"),
                (nowhere, "points nowhere", "point nowhere"),
            )
            if count
        ]
        if said:
            result.reason += f"; {', '.join(said)}"
        return result


class CitationPrecision(Metric):
    """Citations that support a claim of their sentence / citations.

    A citation supports a claim if its passage alone fully supports it. It also counts if it is
    needed: all passages that the sentence cites support the claim together, none does alone, and
    the others without this one do not. This is the citation precision of ALCE (Gao et al. 2023),
    with claims instead of sentences.

    A citation that points nowhere supports nothing. Other citations of a sentence without claims
    are not counted, because there is nothing to support. An answer without citations has nothing to
    check. Arguments and errors as in `assert_citations`.
    """

    name = "citation_precision"
    requires = ("answer", "retrieved_contexts")
    default_min = 0.8
    asserted_by = (_BOTH,)
    says_right = False
    asks_only = True
    rounds = 3
    refuses_blank = True

    @property
    def may_lack_claims(self) -> bool:
        return True

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        most = max((len(_pointing(cited)) for cited in citations_of(case)), default=0)
        if most > 2:
            return {}  # the later questions depend on the answers to the first ones
        # with two, a citation that comes to support a claim alone makes the other one unnecessary
        return {"verify_claims": "freely" if most == 2 else "alike"}

    def findings(self, row: Printed) -> list[Finding]:
        return [
            Beside(one["mark"], _why(one, row["details"]), "citations")
            for one in row["details"]["citations"]
            if not one["supports"]
        ]

    async def measure(
        self, case: EvalCase, ask: Ask, *, aggregate: Aggregate = "mean"
    ) -> MetricResult:
        check_aggregate(aggregate)
        answer = need_text(case, self.name, "answer", case.answer)
        claims = await claims_of(ask, case, answer, "answer")
        if not claims:
            return vacuous_result(self.name, "the answer makes")
        passages = passages_of(case.retrieved_contexts)
        sentences = _sentences(claims, await ask.computed(partial(citations_of, case)))
        if not any(one.citations for one in sentences):
            nothing = "nothing to check: the answer cites nothing for its claims"
            return MetricResult(metric=self.name, score=1.0, vacuous=True, reason=nothing)
        verdicts = _Verdicts(ask, claims, passages)
        await verdicts.look(pair for one in sentences for pair in one.first_asked())
        await verdicts.look(
            pair
            for one in sentences
            for model in ask.models
            for pair in one.then_asked(verdicts, model)
        )
        by_model = {
            model: [flag for one in sentences for flag in one.supporting(verdicts, model)]
            for model in ask.models
        }
        agreed = [elected(flags, (False, True)) for flags in zip(*by_model.values(), strict=True)]
        score, scores = scored(by_model, agreed, _share, aggregate)
        listed = await ask.computed(partial(_listed, sentences, agreed, verdicts, passages))
        ids = [id for id in case.retrieved_context_ids or () if id]
        return MetricResult(
            metric=self.name,
            score=score,
            reason=_counts(listed),
            by_model=scores,
            details={"citations": listed, "retrieved": len(passages), "ids": ids[:_MOST_IDS]},
        )


class _Verdicts:
    """Verdicts on claims, by claim and by the contexts that they were checked against.

    Args:
        claims: the claims; methods name them by their index here.
    """

    def __init__(self, ask: Ask, claims: Sequence[Claim], passages: Sequence[Passage]) -> None:
        self.claims = claims
        self._ask, self._passages = ask, passages
        self._known: dict[tuple[int, Contexts], dict[str, ClaimVerdict]] = {}

    async def look(self, pairs: Iterable[tuple[int, Contexts]]) -> None:
        """Ask about pairs of claim and contexts; those with the same contexts in one question."""
        wanted: dict[Contexts, list[int]] = {}
        for number, contexts in dict.fromkeys(pairs):
            if (number, contexts) not in self._known:
                wanted.setdefault(contexts, []).append(number)
        found = await self._ask.together(
            verdicts_on(
                self._ask,
                [self.claims[number] for number in numbers],
                [passage for passage in self._passages if passage[0] in contexts],
                _CITES_NOTHING,
            )
            for contexts, numbers in wanted.items()
        )
        for (contexts, numbers), by_model in zip(wanted.items(), found, strict=True):
            for model, verdicts in by_model.items():
                for number, verdict in zip(numbers, verdicts, strict=True):
                    self._known.setdefault((number, contexts), {})[model] = verdict

    def of(self, model: str, number: int, contexts: Contexts) -> ClaimVerdict:
        return self._known[number, contexts][model]

    def full(self, model: str, number: int, contexts: Contexts) -> bool:
        """Whether the contexts fully support the claim, as far as it was asked."""
        said = self._known.get((number, contexts), {}).get(model)
        return said is not None and said.verdict is Verdict.FULLY_SUPPORTED

    def by_anyone(self, number: int, contexts: Contexts) -> bool:
        """Whether any model says that the contexts fully support the claim."""
        return any(self.full(model, number, contexts) for model in self._ask.models)


class _Sentence:
    """The claims of a sentence, by their indices, and what the sentence cites."""

    def __init__(self, claims: Sequence[int], citations: Sequence[Citation]) -> None:
        self.claims = claims
        self.citations = citations
        self.pointing = _pointing(citations)
        self.all = _together(citations)

    def first_asked(self) -> Iterable[tuple[int, Contexts]]:
        """Each claim with all contexts that the sentence cites, and with each citation alone."""
        for number in self.claims:
            yield from ((number, one) for one in (self.all, *self.pointing) if one)

    def then_asked(self, verdicts: _Verdicts, model: str) -> Iterable[tuple[int, Contexts]]:
        """Each claim that only several citations support together, without each of them."""
        for number in self.claims:
            alone = any(verdicts.full(model, number, one) for one in self.pointing)
            if not alone and verdicts.full(model, number, self.all):
                yield from ((number, self._without(one)) for one in self.pointing)

    def supporting(self, verdicts: _Verdicts, model: str) -> list[bool]:
        """For each citation, whether it supports a claim."""
        asked = set(self.then_asked(verdicts, model))

        def supports(number: int, one: Contexts) -> bool:
            if verdicts.full(model, number, one):
                return True
            others = self._without(one)
            return (number, others) in asked and not verdicts.full(model, number, others)

        return [
            bool(one.contexts) and any(supports(number, one.contexts) for number in self.claims)
            for one in self.citations
        ]

    def _without(self, contexts: Contexts) -> Contexts:
        """The contexts that the other citations point at."""
        return tuple(sorted({place for one in self.pointing if one != contexts for place in one}))


def _of_claim(claim: Claim, cited: Sequence[Sequence[Citation]]) -> Sequence[Citation]:
    return () if claim.sentence is None else cited[claim.sentence]


def _why_unjudged(citations: Sequence[Citation]) -> str:
    """Why a claim is not checked: its sentence cites nothing, or `[7]` points nowhere."""
    marks = [one.mark[:_LONGEST_MARK] for one in citations if not one.contexts]
    if not marks:
        return _CITES_NOTHING
    first = f"its {marks[0]}"
    return f"{first} points nowhere" if len(marks) == 1 else f"{first} and others point nowhere"


def _sentences(claims: Sequence[Claim], cited: Sequence[Sequence[Citation]]) -> list[_Sentence]:
    """Sentences with citations that count; without claims, only citations that point nowhere do."""
    numbers: dict[int | None, list[int]] = {}
    for number, claim in enumerate(claims):
        numbers.setdefault(claim.sentence, []).append(number)
    sentences = []
    for place, citations in enumerate(cited):
        own = numbers.get(place, [])
        counting = citations if own else [one for one in citations if not one.contexts]
        sentences.append(_Sentence(own, counting))
    return sentences


def _pointing(citations: Iterable[Citation]) -> list[Contexts]:
    return [one.contexts for one in citations if one.contexts]


def _together(citations: Iterable[Citation]) -> Contexts:
    """All contexts that the citations point at."""
    return tuple(sorted({place for one in citations for place in one.contexts}))


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def _listed(
    sentences: Sequence[_Sentence],
    agreed: Sequence[bool],
    verdicts: _Verdicts,
    passages: Sequence[Passage],
) -> list[dict[str, Any]]:
    """The details of each citation, as reports print them. A citation that supports nothing has its
    sentence's unsupported claims, and the context that seems to support the first of them."""
    flags = iter(agreed)
    looked_for = 0
    listed: list[dict[str, Any]] = []
    for sentence in sentences:
        own = [next(flags) for _ in sentence.citations]
        lacking: dict[str, Any] = {}
        if not all(own):
            left = [n for n in sentence.claims if not verdicts.by_anyone(n, sentence.all)]
            texts = [verdicts.claims[number].text for number in left or sentence.claims]
            seems = None
            if left and looked_for < _MOST_LOOKED_FOR:
                looked_for += 1
                others = [one for one in passages if one[0] not in sentence.all]
                seems = _seeming(texts[0], others)
            lacking = {"claims": texts, "elsewhere": seems}
        listed += [
            {"mark": one.mark, "contexts": list(one.contexts), "supports": supports}
            | ({} if supports else lacking)
            for one, supports in zip(sentence.citations, own, strict=True)
        ]
    return listed


def _seeming(claim: str, passages: Sequence[Passage]) -> int | None:
    """The index of a passage with one sentence that has the claim's words, numbers and names."""
    found = nearest_sentence(claim, passages)
    if found is None:
        return None
    place, start, end = found
    text = dict(passages)[place]
    return place if coverage_of(claim, [text[start:end]], [text]).ok else None


def _why(one: Mapping[str, Any], details: Mapping[str, Any]) -> str:
    """Why a citation supports nothing."""
    if not one["contexts"]:
        said = f"points nowhere: {plural(details['retrieved'], 'passage')} retrieved"
        return f"{said}, with ids such as {', '.join(details['ids'])}" if details["ids"] else said
    texts = ", ".join(f'"{text}"' for text in one["claims"])
    said = f"does not support {texts}" if len(one["claims"]) == 1 else f"supports none of {texts}"
    return said if one["elsewhere"] is None else f"{said}; [{one['elsewhere'] + 1}] seems to"


def _counts(listed: Sequence[Mapping[str, Any]]) -> str:
    """`4 citations: 1 points nowhere, 1 supports nothing, 2 support a claim`"""
    right = sum(one["supports"] for one in listed)
    nowhere = sum(not one["contexts"] for one in listed)
    wrong = len(listed) - right - nowhere
    counts = (
        (nowhere, "points", "point", "nowhere"),
        (wrong, "supports", "support", "nothing"),
        (right, "supports", "support", "a claim"),
    )
    said = (f"{n} {one if n == 1 else more} {what}" for n, one, more, what in counts if n)
    return f"{plural(len(listed), 'citation')}: {', '.join(said)}"
