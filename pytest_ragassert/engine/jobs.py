"""`Job`: a metric of a case to measure; `Measured`: the outcome."""

from __future__ import annotations

import inspect
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from ..case import EvalCase
from ..ground_truth import weights_of
from ..judging.calls.event_loop import NeedsLoop, without_loop
from ..language.escaping import visible
from ..metrics.metric import Ask, Metric
from ..results import MetricResult
from ..steps.step import Step
from ..storage.answers import Answer, Embedding
from ..storage.overrides import Use


@dataclass(frozen=True)
class Job:
    """A metric of a case to measure.

    Attributes:
        name: the name under which the metric was requested.
        minimum: in [0, 1].
        asserted: whether a score below the minimum fails a test.
        votes: the number of samples of each judgement.
        labels: the labels that pass, instead of a minimum; empty: the minimum decides.
        known_failure: why the assertion is expected to fail, so that its failure fails no test.
    """

    case: EvalCase
    name: str
    metric: Metric
    options: dict[str, Any]
    minimum: float
    no_claims: str
    models: tuple[str, ...]
    votes: int = 1
    asserted: bool = False
    labels: tuple[str, ...] = ()
    known_failure: str | None = None

    @property
    def called(self) -> str:
        return f"{visible(self.name)} of case {self.case.name}"

    @property
    def missing(self) -> tuple[str, ...]:
        """The fields that the metric needs and the case lacks; an option with a field's name
        replaces the field."""
        lacking = self.metric.missing(self.case)
        return tuple(name for name in lacking if self.options.get(name) is None)

    @property
    def characters(self) -> int:
        """The total length of the case's texts."""
        case = self.case
        stated = [*weights_of(case.ground_truth_claims or ()), *(case.criteria or ())]
        lists = (case.retrieved_contexts, case.ground_truth_contexts, case.references, stated)
        turns = (turn["content"] for turn in case.history)
        listed = (text for each in lists for text in each or ())
        texts = [*turns, case.question, case.answer, *listed]
        return sum(len(text) for text in texts if text is not None)

    def measuring(self, ask: Ask) -> Coroutine[Any, Any, Any]:
        """Begin to measure.

        Raises:
            TypeError: the metric's `measure` is not asynchronous; the message names the metric.
        """
        begun = self.metric.measure(self.case, ask, **self.options)
        if not inspect.isawaitable(begun):
            raise TypeError(
                f"metric {visible(self.name)}: measure() returned {type(begun).__name__} instead "
                "of something to await; write `async def measure`"
            )
        return begun

    def drafted(self, ask: Ask) -> Any:
        """Return what `measure` of a metric with `asks_only` gives, without an event loop.

        Raises:
            NeedsLoop: it awaits something other than `ask`; the message names the metric.
        """
        try:
            return without_loop(self.measuring(ask))
        except RuntimeError as error:
            # asyncio's own functions raise this error before they wait
            if not isinstance(error, NeedsLoop) and "no running event loop" not in str(error):
                raise
            raise NeedsLoop(
                f"metric {visible(self.name)}: measure() awaits something other than ask, but the "
                "metric has asks_only = True; set it to False"
            ) from error


@dataclass
class Asked:
    """A judgement, or a text's vector, that a measurement used.

    Attributes:
        question: `Asker.name_of` the whole question; the key itself for a vector.
        failed: whether there is no answer, although something was paid for it.
        claim: the claim that a verdict is on; None for other judgements.
    """

    key: str
    question: str
    model: str
    answer: Answer | Embedding
    sample: int = 0
    step: Step | None = None
    failed: bool = False
    claim: str | None = None

    @property
    def stored(self) -> bool:
        """Whether it was there before this run began, or was carried over from what was."""
        return self.answer.stored or self.source is not None

    @property
    def source(self) -> str | None:
        """The key of the judgement that it was carried over from; None: it was not carried over."""
        return None if isinstance(self.answer, Embedding) else self.answer.carried

    @property
    def embedding(self) -> bool:
        """Whether this is a text's vector, not a question to a judge."""
        return isinstance(self.answer, Embedding)


@dataclass
class Measured:
    """The outcome of a job: a result or an error, and the judgements it used.

    Attributes:
        splits: for each judgement with several votes, whether the votes differ.
        by_hands: claims of the result on which there is an override, for these passages or others.
        missed: the judgements that a replay lacks, as in `VerdictMissing.question`.
    """

    job: Job
    result: MetricResult | None = None
    error: Exception | None = None
    asked: list[Asked] = field(default_factory=list)
    splits: dict[str, bool] = field(default_factory=dict)
    by_hands: list[Use] = field(default_factory=list)
    missed: dict[str, Any] | None = None
