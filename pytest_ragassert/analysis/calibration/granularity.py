"""Measures granularity: how evenly a judge splits the same answers into claims."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from ...case import EvalCase
from ...engine.jobs import Measured
from ...engine.runner import measure_on_loop
from ...engine.session import Session
from ...errors import ConfigurationError
from ...judging.calls.event_loop import all_done
from ...language.folding import fold
from ...metrics.claims import claims_of
from ...metrics.metric import Ask, Metric
from ...results import MetricResult
from ...storage.files.records import Record
from ..stats.intervals import bootstrap_interval, mean

WRONG = "wrong"  # the metadata key of a list of details that are declared false
FEWEST, DEFAULT, MOST = 2, 3, 50  # extractions of one answer
_NOT_ASKED = "it was not asked: judging had ended"


class Extractions(Metric):
    """Extracts an answer's claims several times; used only by this measurement."""

    name = "extractions"
    requires = ("answer",)

    async def measure(
        self, case: EvalCase, ask: Ask, *_: Any, times: int = DEFAULT, **options: Any
    ) -> MetricResult:
        texts = [
            [claim.text for claim in claims]
            for claims in await ask.together(
                claims_of(ask, case, case.answer or "", "answer", sample=sample)
                for sample in range(times)
            )
        ]
        return MetricResult(metric=self.name, score=1.0, details={"texts": texts})


class AnswerSplits(Record):
    """The extractions of one answer.

    Attributes:
        id: the case's id.
        claims: for each extraction, the texts of its claims.
        spread: the standard deviation of the number of claims (with n - 1) divided by its mean;
            None if no extraction has a claim.
        scores: for each extraction, the share of its claims, in [0, 1], without any detail that is
            declared false; empty if none is declared, or if an extraction has no claim.
        score_spread: the standard deviation of `scores` (with n - 1).
        error: why the answer could not be measured.
    """

    id: str
    claims: list[list[str]] = Field(default_factory=list)
    spread: float | None = None
    scores: list[float] = Field(default_factory=list)
    score_spread: float | None = None
    error: str | None = None


class MeanSpread(Record):
    """The mean over answers, with the limits of its 95 % bootstrap interval if it has one."""

    answers: int
    mean: float
    low: float | None = None
    high: float | None = None


class GranularityFile(Record):
    """The file that the command `granularity` writes with `--output`.

    Attributes:
        judge: the judge that extracted, by its name in reports.
        spread: the spread of the number of claims, relative to its mean.
        score_spread: the spread of the score, in points of [0, 1].
    """

    schema_version: Literal[1] = 1
    made: AwareDatetime
    tool_version: str
    judge: str
    extractions: int
    answers: list[AnswerSplits]
    spread: MeanSpread | None = None
    score_spread: MeanSpread | None = None

    def to_text(self) -> str:
        """Return the file's text in ASCII, so that a lone surrogate is preserved."""
        data = {**self.model_dump(mode="python"), "made": self.made.isoformat()}
        return json.dumps(data, ensure_ascii=True, indent=1) + "\n"


def check_details(cases: Sequence[EvalCase]) -> None:
    """Check that the details declared false appear in their answers.

    Raises:
        ConfigurationError: a detail does not; the message names the case and the detail.
    """
    for case in cases:
        details = (case.metadata or {}).get(WRONG, [])
        if not isinstance(details, list) or not all(
            isinstance(text, str) and text.strip() for text in details
        ):
            raise ConfigurationError(
                f'case {case.name}: metadata["{WRONG}"] must be a list of texts'
            )
        for text in details:
            if not holds_detail(case.answer or "", text):
                raise ConfigurationError(
                    f'case {case.name}: {text!r} in metadata["{WRONG}"] is not in its answer'
                )


def extracted(
    session: Session,
    cases: Sequence[EvalCase],
    times: int,
    on_answer: Callable[[int], None] = lambda _: None,
) -> list[AnswerSplits]:
    """Extract the claims of each answer several times.

    Args:
        session: a session with the metric `Extractions`.
        on_answer: called after each answer with the number of answers so far.

    Raises:
        ConfigurationError: the judge can't be asked at all.
    """
    made: dict[int, Measured] = {}

    async def ask(waiting: Iterator[int]) -> None:
        for number in waiting:
            if session.asker.ended() is not None:
                return
            job = session.job(cases[number], Extractions.name, {"times": times}, 0.0)
            made[number] = await measure_on_loop(job, session.asker)
            error = made[number].error
            if isinstance(error, ConfigurationError):
                raise error  # the same for every answer
            on_answer(len(made))

    async def ask_all() -> None:
        waiting = iter(range(len(cases)))
        await all_done(ask(waiting) for _ in range(session.settings.concurrency))

    session.wait_for(ask_all())
    return [_splits(case, made.get(number)) for number, case in enumerate(cases)]


def _splits(case: EvalCase, measured: Measured | None) -> AnswerSplits:
    if measured is None or measured.result is None:
        why = _NOT_ASKED if measured is None else str(measured.error)
        return AnswerSplits(id=case.name, error=why)
    texts = measured.result.details["texts"]
    counts = list(map(len, texts))
    wrong = (case.metadata or {}).get(WRONG, [])
    scores = [_score(claims, wrong) for claims in texts] if wrong and all(counts) else []
    return AnswerSplits(
        id=case.name,
        claims=texts,
        spread=statistics.stdev(counts) / statistics.fmean(counts) if any(counts) else None,
        scores=scores,
        score_spread=statistics.stdev(scores) if scores else None,
    )


def _score(claims: Sequence[str], wrong: Sequence[str]) -> float:
    """The share of the claims that contain no false detail: their factual precision."""
    right = [claim for claim in claims if not any(holds_detail(claim, detail) for detail in wrong)]
    return len(right) / len(claims)


def holds_detail(text: str, detail: str) -> bool:
    """Whether a text contains a detail, but not as part of another number: "5" is not in "1.5"."""
    wanted = fold(detail.strip()).text.casefold()
    before = r"(?<!\d)(?<!\d[.,])" if wanted[0].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if wanted[-1].isdigit() else ""
    found = re.search(before + re.escape(wanted) + after, fold(text).text.casefold())
    return found is not None


def mean_spread(values: Sequence[float]) -> MeanSpread | None:
    """The mean of the answers' spreads; None if there are none."""
    if not values:
        return None
    if len(values) < 2:
        return MeanSpread(answers=1, mean=values[0])
    found = bootstrap_interval(values, mean)
    return MeanSpread(answers=len(values), mean=found.estimate, low=found.low, high=found.high)
