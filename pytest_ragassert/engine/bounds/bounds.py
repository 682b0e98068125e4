"""Decides an assertion although judgements are missing, if none of them could change it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ...errors import ConfigurationError, JudgeError, MissingFieldError, VerdictMissing
from ...judging.scheduling.asker import Asker
from ...language.number_format import TOLERANCE, plural
from ...metrics.claims import reference_texts
from ...results import MetricResult
from ...steps.evidence.evidence_check import passages_of
from ...steps.evidence.passage_hashes import text_hash
from ...storage.keys import Question
from ...storage.overrides import Use
from ..asking import NotStored
from ..jobs import Asked, Job, Measured
from .agreement import Agreement
from .grouping import Group, Groups, groups_of
from .worlds import CHOICES, AskInWorld, CannotAssume, Survey, World

# Limits the time that a test takes; a world takes a millisecond or two.
MOST_WORLDS = 512
_FEW = 16  # up to this many worlds, all are measured, so that the bounds are known
# A world that raises one of these has no score.
_NO_SCORE = (
    CannotAssume,
    ConfigurationError,
    JudgeError,
    MissingFieldError,
    NotStored,
    VerdictMissing,
)
_COUNTED = {
    "verify_claims": ("claim",),
    "judge_passages": ("passage",),
    "check_criteria": ("criterion", "criteria"),
    "extract_claims": ("sentence",),
}


class Bounds:
    """A measurement that lacks judgements, and the bounds of its score.

    Args:
        error: the error that it ended with.

    Attributes:
        decided: whether the assertion passes regardless of what is missing; None: that depends on
            what is missing.
        interval: the lowest and the highest possible score; None if they are not known.
    """

    def __init__(self, job: Job, asker: Asker, error: VerdictMissing) -> None:
        self._job = job
        self._asker = asker
        self._error = error
        self._movements = job.metric.moved_by(job.case)
        self._survey = Survey(asker, self._movements)
        self._agreed = Agreement()
        self._by_hands: list[Use] = []
        self.decided: bool | None = None
        self.interval: tuple[float, float] | None = None
        # a metric that does not say how judgements move its score is not measured again
        if self._movements:
            ask = self._measured(lambda one: CHOICES[one.step.name][0])
            # a run that writes a baseline needs scores
            decides = job.asserted and not job.labels and asker.settings.update_baseline is None
            if ask is not None and decides:
                self._look_through(ask)

    def result(self, judge: str) -> Measured:
        """The outcome of an assertion that is decided.

        Args:
            judge: the judge's name in reports.
        """
        job, agreed = self._job, self._agreed
        result = MetricResult(
            metric=agreed.metric,
            score=agreed.low if self.decided else agreed.high,
            interval=self.interval,
            minimum=job.minimum,
            passed=self.decided,
            claims=agreed.claims,
            reason=agreed.reason,
            details=agreed.details,
            judge=judge,
            stored=True,
            votes=job.votes,
        )
        job.case.results[job.name] = result
        asked = [
            Asked(
                key,
                self._asker.name_of(question),
                question.model,
                answer,
                question.sample,
                question.step,
            )
            for key, (question, answer) in self._survey.known.items()
        ]
        return Measured(job, result, asked=asked, by_hands=self._by_hands, missed=self._missed())

    def error(self) -> VerdictMissing:
        """The error of a measurement that is not decided, with everything that is missing."""
        missed = self._missed()
        said = _counts(missed)
        if self.interval not in (None, (0.0, 1.0)):
            low, high = self.interval
            said += f" (score {low:.2f} to {high:.2f})"
        message = f"{said}: {self._error.message}" if said else self._error.message
        return VerdictMissing(message, missed)

    # -- worlds ----------------------------------------------------------------------------------

    def _measured(self, world: World) -> AskInWorld | None:
        """Measure in a world, and note the result; None if the world has no score."""
        ask = AskInWorld(self._asker, self._job, self._survey, world)
        try:
            draft = self._job.drafted(ask)
        except _NO_SCORE:
            return None
        if not isinstance(draft, MetricResult) or draft.vacuous:
            return None
        self._agreed.add(draft)
        return ask

    def _look_through(self, first: AskInWorld) -> None:
        """Measure in worlds until their outcomes differ, or all have been measured."""
        self._by_hands = first.by_hands
        groups = groups_of(self._survey.votes, self._movements)
        # if nothing is missing, another process has stored it meanwhile
        if not groups.of or groups.worlds > MOST_WORLDS:
            return
        several = self._job.votes > 1 or len(self._job.models) > 1
        for chosen in groups.decisions():
            if groups.worlds > _FEW and self._outcome() is None:
                return
            ask = self._measured(partial(_decision, groups, chosen))
            if ask is None:
                return
            # if questions follow from votes, there may be worlds that groups do not cover
            if several and ask.questions != first.questions:
                return
        self.interval = self._agreed.low, self._agreed.high
        self.decided = self._outcome()

    def _outcome(self) -> bool | None:
        """Whether the assertion passes in all measured worlds; None if they differ."""
        least = self._job.minimum - TOLERANCE
        if self._agreed.low >= least:
            return True
        return False if self._agreed.high < least else None

    # -- what is missing -------------------------------------------------------------------------

    def _missed(self) -> dict[str, Any]:
        """Everything that is missing, each judgement once, and hashes of the case's contents."""
        errors = [*self._survey.missing, self._error]
        told = [error.question for error in errors if error.question is not None]
        missing = {one["key"]: one for each in told for one in each["missing"]}
        known: dict[str, dict[str, None]] = {}
        for key, (question, _) in self._survey.known.items():
            known.setdefault(question.step.name, {})[key] = None
        for each in told:
            for step, keys in each["known"].items():
                known.setdefault(step, {}).update(dict.fromkeys(keys))
        case = self._job.case
        return {
            "missing": list(missing.values()),
            "known": {step: list(keys) for step, keys in known.items()},
            "alone": any(each["alone"] for each in told),
            "answer": None if case.answer is None else text_hash(case.answer),
            "references": list(map(text_hash, reference_texts(case))),
            "contexts": [text_hash(text) for _, text in passages_of(case.retrieved_contexts)],
        }


def _decision(groups: Groups, chosen: Mapping[Group, Any], judgement: Question) -> Any:
    return chosen[groups.of[judgement.key]]


def _counts(missed: Mapping[str, Any]) -> str:
    """`2 of 5 claims not judged`; empty if what is missing is not counted."""
    said = []
    for step, thing in _COUNTED.items():
        missing = sum(one["step"] == step for one in missed["missing"])
        known = len(missed["known"].get(step, ()))
        if missing:
            said.append(f"{missing} of {plural(missing + known, *thing)}")
    return f"{', '.join(said)} not judged" if said else ""
