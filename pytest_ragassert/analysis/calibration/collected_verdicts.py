"""Collects a judge's verdicts on labelled claims: stored ones at once, others concurrently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...case import EvalCase
from ...engine.jobs import Job, Measured
from ...engine.runner import judge_label, measure_at_once, measure_on_loop
from ...engine.session import Session
from ...engine.work import in_turns
from ...errors import JudgeError
from ...judgements import Met, Verdict
from ...metrics.claims import Claim, majority, verdicts_on
from ...metrics.criteria import Criteria
from ...metrics.metric import Ask, Metric
from ...results import ClaimVerdict, MetricResult, Quote
from ...steps.evidence.evidence_check import passages_of
from ...usage import Usage
from ..records.calibration_file import ClaimOfJudge
from .labelled_claims import Criterion, LabelledClaim, Text


class ClaimAsGiven(Metric):
    """Verifies a claim as it is, without extraction; used only by calibrations."""

    name = "labelled_claim"
    asks_only = True

    async def measure(self, case: EvalCase, ask: Ask, *_: Any, **options: Any) -> MetricResult:
        claim = Claim(case.answer or "", "answer", None, None)
        by_model = await verdicts_on(ask, [claim], passages_of(case.retrieved_contexts))
        claims = majority(by_model)
        supported = claims[0].verdict is Verdict.FULLY_SUPPORTED
        return MetricResult(metric=self.name, score=float(supported), claims=claims)


# A verdict on a claim, or on a criterion.
Said = ClaimVerdict | ClaimOfJudge


def _said(result: MetricResult) -> Said:
    """The verdict on a row."""
    if result.metric != Criteria.name:
        return result.claims[0]
    (check,) = result.details["criteria"]
    met = Met(check["met"])
    said = ClaimOfJudge(
        verdict=met, label_raw=met, reason=check.get("reason"), gate_reason=check.get("note")
    )
    if quote := check.get("quote"):
        said.evidence = [Quote(quote=quote, passage=0, span=check["span"], verified=True)]
        said.quote, said.passage, said.quote_verified = quote, 0, True
    return said


@dataclass
class Spent:
    """What a model's answers cost, each judgement once.

    Attributes:
        questions: judgements asked for in this run.
        stored: judgements from the store.
        paid: the cost of those asked in this run.
        ever: the cost of all, whenever they were asked.
    """

    questions: int = 0
    stored: int = 0
    paid: Usage = field(default_factory=Usage)
    ever: Usage = field(default_factory=Usage)


@dataclass
class Judged:
    """A judge's verdicts on rows.

    Attributes:
        judge: the judge's name in reports.
        verdicts: by the row's number; rows without a verdict are left out.
        errors: why there is no verdict, by the row's number.
        ended: the error that ended judging, after which no rows were asked.
        spent: the cost, by model.
        uses_model: whether the answers depend on the settings' model and sampling.
    """

    judge: str
    verdicts: dict[int, Said] = field(default_factory=dict)
    errors: dict[int, Exception] = field(default_factory=dict)
    ended: JudgeError | None = None
    spent: dict[str, Spent] = field(default_factory=dict)
    uses_model: bool = True
    _seen: set[str] = field(default_factory=set)

    def take(self, number: int, measured: Measured) -> None:
        for asked in measured.asked:
            if asked.key in self._seen:
                continue
            self._seen.add(asked.key)
            spent = self.spent.setdefault(asked.model, Spent())
            answer = asked.answer
            spent.ever += answer.usage
            if answer.stored:
                spent.stored += 1
            else:
                spent.questions += 1
                spent.paid += answer.usage
        if measured.result is not None:
            self.verdicts[number] = _said(measured.result)
        elif measured.error is not None:
            self.errors[number] = measured.error
            if isinstance(measured.error, JudgeError) and measured.error.ends_judging:
                self.ended = measured.error

    @property
    def done(self) -> int:
        return len(self.verdicts) + len(self.errors)


def judged(
    session: Session,
    rows: Sequence[LabelledClaim],
    text_of: Callable[[LabelledClaim], Text | Criterion],
    on_verdict: Callable[[Judged], None] = lambda _: None,
) -> Judged:
    """Collect the verdicts of the session's judge on every row.

    Args:
        session: a session with the metric `ClaimAsGiven`.
        on_verdict: called after each verdict with all verdicts so far.

    Raises:
        ConfigurationError: the judge can't be asked at all, or a row can't be read.
    """
    asker = session.asker
    models = session.settings.model
    judged = Judged(judge_label(asker, models), uses_model=asker.judge.uses_model)

    def job(number: int) -> Job:
        id, text = rows[number].id, text_of(rows[number])
        if isinstance(text, Criterion):
            case = EvalCase(id=id, question=text.question, answer=text.answer, criteria=[text.text])
            return session.job(case, Criteria.name, {}, 0.0)
        case = EvalCase(id=id, answer=text.claim, retrieved_contexts=text.contexts)
        return session.job(case, ClaimAsGiven.name, {}, 0.0)

    def take(number: int, measured: Measured) -> None:
        if isinstance(measured.error, ValueError):
            raise measured.error  # a mistake in the configuration, the same for every row
        judged.take(number, measured)
        on_verdict(judged)

    rest = []
    try:
        for number in range(len(rows)):
            measured = measure_at_once(job(number), asker)
            if measured is None:
                rest.append(number)
            else:
                take(number, measured)
    finally:
        asker.leave_thread()

    async def ask(number: int) -> bool:
        take(number, await measure_on_loop(job(number), asker))
        return judged.ended is not None

    if judged.ended is None:
        in_turns(session, rest, ask)
    return judged
