"""Asks another judge about the answers in a results file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...case import EvalCase
from ...engine.jobs import Job, Measured
from ...engine.session import Session
from ...errors import ConfigurationError
from ..records.measurement import MeasuredClaim, Measurement, measurements_of
from ..records.read_results import rows_of
from ..records.result_record import ResultRecord
from ..records.results_file import ResultsFile, UsageFigures
from .comparison import Comparison, compared

_CHARACTERS = 4  # estimated characters per token, if no tokens were counted


@dataclass(frozen=True)
class RejudgeCase:
    """A result to judge again.

    Attributes:
        before: the former judge's result.
    """

    before: Measurement
    record: ResultRecord
    case: EvalCase

    def job(self, session: Session) -> Job:
        """Make the job that measures it with the session.

        Raises:
            TypeError, ValueError: the project has no such metric, or the metric rejects an option.
        """
        options = {**self.record.options, "no_claims": "pass"}
        labels = tuple(self.record.labels)
        minimum = self.record.minimum
        return session.job(self.case, self.record.metric, options, minimum, labels=labels)


@dataclass(frozen=True)
class Rejudged:
    """The other judge's results.

    Attributes:
        failing: assertions that passed before and fail now, with the score before.
        passing: assertions that failed before and pass now, with the score before.
        unmeasured: what could not be measured, in words.
    """

    comparison: Comparison
    failing: tuple[tuple[Measurement, Measurement], ...]
    passing: tuple[tuple[Measurement, Measurement], ...]
    unmeasured: tuple[str, ...]


def questions_of(results: ResultsFile, judge: str) -> list[RejudgeCase]:
    """The results of one judge, each measurement once.

    Raises:
        ConfigurationError: there are none, or the file has no texts.
    """
    rows = rows_of(results)
    records = {(r.identity, r.metric): r for r in results.results}
    found = []
    for one in measurements_of(rows):
        record = records.get((one.identity, one.metric))
        if record is None or one.judge != judge or one.score is None:
            continue
        texts = results.cases.get(record.texts or "")
        if texts is None:
            raise ConfigurationError(
                "the results file has no texts to ask about; write it again with this release: "
                "--ragassert-artifacts=DIR"
            )
        case = EvalCase(id=record.case, metadata=record.metadata, **texts.model_dump())
        found.append(RejudgeCase(one, record, case))
    if not found:
        known = ", ".join(sorted({r.judge for r in results.results if r.judge})) or "nobody"
        raise ConfigurationError(
            f"the file has no results of judge {judge}; it has those of {known}"
        )
    return found


def estimated(results: ResultsFile, questions: Sequence[RejudgeCase]) -> UsageFigures:
    """The maximum cost: what the former judge's answers cost, or an estimate from the texts."""
    if results.usage is not None and results.usage.prompt:
        return results.usage
    asked = results.usage.questions if results.usage is not None else 2 * len(questions)
    characters = sum(len(q.case.model_dump_json(exclude={"results"})) for q in questions)
    each = characters // max(1, len(questions))
    return UsageFigures(questions=asked, prompt=asked * each // _CHARACTERS)


def rejudged(questions: Sequence[RejudgeCase], session: Session) -> Rejudged:
    """Judge the same answers with the session's judge.

    Raises:
        TypeError, ValueError: as in `RejudgeCase.job`.
    """
    jobs = [question.job(session) for question in questions]
    measured = session.measure(jobs)
    pairs = [
        (question.before, _after(question.before, one))
        for question, one in zip(questions, measured, strict=True)
    ]
    asserted = [
        (before, after, question.record.passed, bool(one.result and one.result.passed))
        for (before, after), question, one in zip(pairs, questions, measured, strict=True)
        if question.record.asserted and after.counts
    ]
    return Rejudged(
        comparison=compared(
            (before for before, _ in pairs), (after for _, after in pairs), judges_too=False
        ),
        failing=tuple((b, a) for b, a, was, now in asserted if was and not now),
        passing=tuple((b, a) for b, a, was, now in asserted if now and not was),
        unmeasured=tuple(str(one.error) for one in measured if one.error is not None),
    )


def _after(before: Measurement, measured: Measured) -> Measurement:
    result = measured.result
    if result is None:
        return replace(before, score=None, claims=(), vacuous=False, judge="")
    return replace(
        before,
        judge=result.judge,
        score=result.score,
        label=result.label,
        vacuous=result.vacuous,
        claims=tuple(
            MeasuredClaim(
                c.source, c.text, c.verdict.value, c.by_hand is not None, c.carried is not None
            )
            for c in result.claims
        ),
    )
