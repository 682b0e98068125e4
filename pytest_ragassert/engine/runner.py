"""Measures a metric of a case: at once if all answers are stored, otherwise on the event loop."""

from __future__ import annotations

import asyncio
import numbers
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ConfigurationError, JudgeError, MissingFieldError, VerdictMissing, warn_caller
from ..judging.calls.event_loop import all_done
from ..judging.calls.user_calls import error_text
from ..judging.scheduling.asker import Asker
from ..language.escaping import is_blank, visible
from ..language.number_format import TOLERANCE
from ..metrics.registry import OWN
from ..results import MetricResult
from .asking import AskAtOnce, AskOnLoop, NotStored
from .jobs import Asked, Job, Measured

_NOT_MEASURED = (MissingFieldError, JudgeError, VerdictMissing, ConfigurationError)


def measure_at_once(job: Job, asker: Asker) -> Measured | None:
    """Measure the job with stored answers alone; None if that is not possible."""
    ask = AskAtOnce(asker, job.models, job.votes)
    try:
        check_fields(job)
        if not job.metric.asks_only:
            return None
        draft = job.drafted(ask)
        return _finished(job, draft, ask, asker)
    except NotStored:
        return None
    except VerdictMissing as error:
        return _without_verdicts(job, error, ask, asker)
    except _NOT_MEASURED as error:
        return not_measured(job, error, ask.asked)


async def measure_on_loop(
    job: Job, asker: Asker, unknown: Callable[[], None] | None = None
) -> Measured:
    ask = AskOnLoop(asker, job.models, job.votes, characters=job.characters, unknown=unknown)
    try:
        draft = await _drafted(job, ask)
        return _finished(job, draft, ask, asker)
    except VerdictMissing as error:
        return _without_verdicts(job, error, ask, asker)
    except _NOT_MEASURED as error:
        return not_measured(job, error, ask.asked)


def _without_verdicts(
    job: Job, error: VerdictMissing, ask: AskAtOnce | AskOnLoop, asker: Asker
) -> Measured:
    """The result of an assertion that is decided without the missing verdicts, or the error."""
    from .bounds.bounds import Bounds

    bounds = Bounds(job, asker, error)
    if bounds.decided is not None:
        return bounds.result(judge_label(asker, job.models))
    return not_measured(job, bounds.error(), ask.asked)


async def _drafted(job: Job, ask: AskOnLoop) -> Any:
    """Return what the metric gives.

    Raises:
        RuntimeError: it raised an exception that would end the task or the loop.
    """
    try:
        return await job.measuring(ask)
    except asyncio.CancelledError as error:
        # from Python 3.11 on, `cancelling` shows whether somebody cancelled the task
        if getattr(asyncio.current_task(), "cancelling", lambda: True)():
            raise
        raise RuntimeError(f"{job.called}: measure() raised CancelledError") from error
    except (GeneratorExit, SystemExit) as error:
        raise RuntimeError(f"{job.called}: measure() raised {error_text(error)}") from error


async def measure_all_on_loop(
    jobs: Sequence[Job], asker: Asker, unknown: Sequence[Callable[[], None] | None] = ()
) -> list[Measured]:
    """Measure several jobs concurrently; return the outcomes in order.

    Args:
        unknown: for each job, what to call when it meets a question that is not known yet.
    """
    calls = unknown or [None] * len(jobs)
    # jobs with more rounds of questions begin, and so ask, first
    begun = {
        number: asyncio.ensure_future(measure_on_loop(job, asker, calls[number]))
        for number, job in sorted(enumerate(jobs), key=lambda one: -one[1].metric.rounds)
    }
    return await all_done(begun[number] for number in range(len(jobs)))


def check_fields(job: Job) -> None:
    """Check the fields of the case, and warn about blank contexts.

    Raises:
        MissingFieldError: the case lacks a field that the metric needs.
    """
    for name in job.missing:
        value = getattr(job.case, name)
        fill = f"EvalCase({name}=…)"
        lacks = f"needs the field {name}, which is None"
        if value is not None or (name == "ground_truth_answer" and job.case.references):
            lacks = f"can't be measured: the {name} is empty"
        elif other := job.metric.in_place_of.get(name):
            lacks = f"needs the field {name} or {other}; each is empty or None"
            fill += f" or EvalCase({other}=…)"
        ways = f"fill {fill} or leave the case out"
        if name == "answer":
            ways = f"fill {fill}, implement the hook pytest_ragassert_answer, or leave the case out"
        raise MissingFieldError(f"{visible(job.name)} {lacks} in case {job.case.name}; {ways}")
    for name in job.metric.requires:
        value = getattr(job.case, name)
        if isinstance(value, list) and (blank := sum(map(is_blank, value))):
            # ranks after an unknown id do not change
            then = "count as not relevant" if name == "retrieved_context_ids" else "are left out"
            warn_caller(
                f"case {job.case.name}: {blank} of {len(value)} {name} are blank and {then}"
            )


def not_measured(job: Job, error: Exception, asked: Sequence[Asked] = ()) -> Measured:
    if isinstance(error, JudgeError | VerdictMissing):
        error = error.about(f"{job.called} not measured")
        error.args = (visible(error.message),)
    missed = error.question if isinstance(error, VerdictMissing) else None
    return Measured(job, error=error, asked=list(asked), missed=missed)


def _finished(job: Job, draft: Any, ask: AskAtOnce | AskOnLoop, asker: Asker) -> Measured:
    if isinstance(draft, numbers.Real) and not isinstance(draft, bool):
        draft = MetricResult(metric=job.metric.name, score=_score(job, draft))
    if not isinstance(draft, MetricResult):
        raise TypeError(
            f"metric {visible(job.metric.name)}: measure() must return a MetricResult or a number, "
            f"not {type(draft).__name__}"
        )
    # among the built-in metrics, factual_f1 reports precision or recall with `mode`
    if draft.metric != job.metric.name and job.metric not in OWN:
        raise TypeError(
            f"metric {visible(job.metric.name)}: measure() returned a MetricResult of the metric "
            f"{visible(draft.metric)}; write MetricResult(metric=self.name, …)"
        )
    to_check = not draft.vacuous or job.no_claims != "fail"
    reached = draft.score >= job.minimum - TOLERANCE
    if job.labels:
        reached = draft.label in job.labels
    # a question may have several new judgements; texts share requests, which are counted by vectors
    new = {a.question: a for a in ask.asked if not a.stored}
    # assigning each field separately would validate each separately
    result = draft.model_copy(
        update={
            "minimum": None if job.labels else job.minimum,
            "passed": reached and to_check,
            "judge": judge_label(asker, job.models),
            "requests": sum(a.answer.usage.requests if a.embedding else 1 for a in new.values()),
            "stored": not new,
            "votes": 1 + max((a.sample for a in ask.asked), default=0),
            "judgements": len(ask.splits),
            "split": sum(ask.splits.values()),
        }
    )
    job.case.results[job.name] = result
    return Measured(job, result, asked=ask.asked, splits=ask.splits, by_hands=ask.by_hands)


def _score(job: Job, value: numbers.Real) -> float:
    """The score, with rounding errors removed.

    Raises:
        JudgeError: it is not in [0, 1].
    """
    score = float(value)
    if not -TOLERANCE <= score <= 1 + TOLERANCE:
        raise JudgeError(f"measure() gave {score}, not a number from 0 to 1", kind="malformed")
    return min(1.0, max(0.0, score))


def judge_label(asker: Asker, models: tuple[str, ...]) -> str:
    """The judge's name in reports: the models, or the judge's id if it uses none."""
    return ", ".join(models) if asker.judge.uses_model else asker.judge.id
