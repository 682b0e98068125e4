"""The metric `criteria`: statements in the user's own words that must be true of the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..case import EvalCase
from ..errors import ConfigurationError
from ..ground_truth import checked_criteria
from ..judgements import MET_BY_FAULT, Met
from ..language.number_format import plural
from ..results import MetricResult
from ..runtime.canonical_json import Json
from ..steps.check_criteria import CHECK_CRITERIA
from ..steps.evidence.claim_ids import criterion_id
from ..steps.evidence.evidence_check import find_evidence
from ..storage.overrides import Override
from .claims import need_text, question_of
from .ensemble import Aggregate, check_aggregate, scored
from .findings import EachCriterion, Finding, Printed
from .metric import Ask, Assertion, Expectation, Metric, Movement
from .votes import counted, each_vote, majority_of, note, together


class Check(NamedTuple):
    """Whether the answer meets a criterion.

    Attributes:
        quote: the answer's own words at `span`; None if the judge gave none, or if `note` says what
            was wrong with them.
        by_hand: a person's reason for `met`, which overrides the judge's `judged`.
    """

    met: Met
    reason: str | None = None
    quote: str | None = None
    span: tuple[int, int] | None = None
    note: str | None = None
    votes: Mapping[str, int] = {}
    by_hand: str | None = None
    judged: Met | None = None


Checks = list[Check]  # in the criteria's order


class Criteria(Metric):
    """The answer meets each criterion: criteria that are met / criteria.

    The judge decides from the answer alone whether each statement is true of it: YES, NO, or
    UNCLEAR if the answer does not settle it, which counts as not met.

    Args:
        criteria: statements about the answer in your own words, such as "names the refund period"
            or "doesn't promise a date". Default: the case's `criteria`.
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_criteria`, or else
            1.
        models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError: the score is below `min`.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `answer`, or `criteria` if the call names none.
        ValueError: a criterion is blank, not a text, or repeated.
    """

    name = "criteria"
    requires = ("answer", "criteria")
    needs = "`answer`, and `criteria` of the case or the call"
    default_min = 1.0
    says_right = False
    asserted_by = (Assertion("assert_criteria", "the answer meets criteria in your own words"),)
    evaluate_only = ("criteria",)
    asks_only = True
    refuses_blank = True

    def expected(
        self, case: EvalCase, *criteria: str, min: float | None = None, **options: Any
    ) -> Expectation:
        return super().expected(case, min=min, criteria=list(criteria) or None, **options)

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        return {"check_criteria": "alike"}

    def findings(self, row: Printed) -> list[Finding]:
        return [EachCriterion()]

    async def measure(
        self,
        case: EvalCase,
        ask: Ask,
        *,
        criteria: str | Sequence[str] | None = None,
        aggregate: Aggregate = "mean",
    ) -> MetricResult:
        """Criteria that the answer meets / criteria."""
        check_aggregate(aggregate)
        answer = need_text(case, self.name, "answer", case.answer)
        texts = _criteria_of(case, criteria)
        input = {
            **question_of(case),
            "answer": answer,
            "criteria": [{"id": number, "text": text} for number, text in enumerate(texts, 1)],
        }
        by_model = await _checked(ask, input)
        checks = _majority(by_model)
        value, scores = scored(by_model, checks, _share, aggregate)
        ids = map(criterion_id, CHECK_CRITERIA.judgement_inputs(input))
        return MetricResult(
            metric=self.name,
            score=value,
            reason=_summary(checks),
            by_model=scores,
            details={
                "criteria": list(map(_listed, texts, ids, checks)),
                "unclear": sum(check.met is Met.UNCLEAR for check in checks),
            },
        )


def _criteria_of(case: EvalCase, given: str | Sequence[str] | None) -> list[str]:
    """The criteria of the call; without any, those of the case.

    Raises:
        ValueError: a criterion is invalid, or there are none.
    """
    given = case.criteria if given is None else given
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list | tuple):
        raise ValueError(f"case {case.name}: criteria is {given!r:.80}; it takes a list of texts")
    try:
        criteria = checked_criteria(listed)
    except ValueError as error:
        raise ValueError(f"case {case.name}: criteria: {error}") from None
    if not criteria:
        raise ValueError(f"case {case.name}: criteria is empty; name one, or leave it out")
    return criteria


async def _checked(ask: Ask, input: Json) -> dict[str, Checks]:
    """Each model's decision on each criterion, or the human override."""
    hand = list(map(ask.criterion_by_hand, CHECK_CRITERIA.judgement_inputs(input)))
    try:
        by_model = await _judged(ask, input)
    except ConfigurationError:
        # the judge can't decide one of the criteria; overridden ones need no judge
        rest = [one for one, by in zip(input["criteria"], hand, strict=True) if by is None]
        if len(rest) == len(hand):
            raise
        left = {**input, "criteria": rest}
        judged = await _judged(ask, left) if rest else {model: [] for model in ask.models}
        return {model: _with_those_by_hand(judged[model], hand) for model in ask.models}
    return {model: list(map(_corrected, checks, hand)) for model, checks in by_model.items()}


async def _judged(ask: Ask, input: Json) -> dict[str, Checks]:
    """Each model's decision on each criterion, by the majority of its votes."""
    by_model: dict[str, Checks] = {}
    for model, replies in (await each_vote(ask, CHECK_CRITERIA.name, input)).items():
        each = zip(*(reply["checks"] for reply in replies), strict=True)
        by_model[model] = [
            _by_majority([_check(said, criterion["text"], input["answer"]) for said in votes])
            for criterion, votes in zip(input["criteria"], each, strict=True)
        ]
    counts = {model: [check.votes for check in checks] for model, checks in by_model.items()}
    note(ask, CHECK_CRITERIA.name, input, counts)
    return by_model


def _with_those_by_hand(judged: Checks, hand: Sequence[Override | None]) -> Checks:
    """The judge's checks in order, together with the overridden ones."""
    rest = iter(judged)
    return [next(rest) if by is None else Check(Met(by.verdict), by_hand=by.reason) for by in hand]


def _check(said: Json, criterion: str, answer: str) -> Check:
    """The decision of one sample, with its quote if the answer contains it."""
    met, reason, quote = Met(said["met"]), said["reason"], said["quote"]
    if quote is None:
        return Check(met, reason)
    found = find_evidence(quote, 0, [(0, answer)], criterion, proves=False)
    if found is None:
        return Check(met, reason, note="the judge's quote is not in the answer, so it is left out")
    corrected = "quote corrected" if found.corrected else None
    return Check(met, reason, found.quote, found.span, corrected)


def _by_majority(votes: Checks) -> Check:
    shown = majority_of(votes, _met, MET_BY_FAULT, better=lambda check: check.quote is not None)
    return shown._replace(votes=counted([check.met.value for check in votes]))


def _corrected(check: Check, hand: Override | None) -> Check:
    if hand is None:
        return check
    return check._replace(met=Met(hand.verdict), by_hand=hand.reason, judged=check.met)


def _majority(by_model: dict[str, Checks]) -> Checks:
    """For each criterion the decision of most models; if they tie, the worse one."""
    voted = []
    for each in zip(*by_model.values(), strict=True):
        shown = majority_of(each, _met, MET_BY_FAULT)
        voted.append(shown._replace(votes=together(check.votes for check in each)))
    return voted


def _met(check: Check) -> Met:
    return check.met


def _share(checks: Checks) -> float:
    return sum(check.met is Met.YES for check in checks) / len(checks)


def _summary(checks: Checks) -> str:
    """`3 criteria: 1 not met, 1 unclear, 1 met`"""
    counts = Counter(map(_met, checks))
    said = ", ".join(f"{counts[met]} {met.words}" for met in MET_BY_FAULT if counts[met])
    return f"{plural(len(checks), 'criterion', 'criteria')}: {said}"


def _listed(criterion: str, id: str, check: Check) -> dict[str, Any]:
    """The details of a criterion; empty values are left out."""
    said = check._asdict()
    rest = {name: said[name] for name in said if said[name] and name not in ("met", "judged")}
    if check.judged is not None:
        rest["judged"] = check.judged.value
    return {"criterion": criterion, "met": check.met.value, "id": id, **rest}
