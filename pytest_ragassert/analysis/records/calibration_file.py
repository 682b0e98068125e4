"""The file that the command `calibrate` writes with `--output`, schema version 1."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import AwareDatetime, Field

from ...judgements import Met, Verdict
from ...results import Quote
from ...storage.files.records import Record
from .agreement_figures import ConfusionFigures


class BootstrapInterval(Record):
    """The limits of a figure, by BCa bootstrap of whole contexts.

    Attributes:
        level: in (0, 1).
        resamples: 0 with `wilson`.
        contexts: the number of different contexts.
        method: `percentile` if BCa is not defined; `wilson` if all resamples are equal, for example
            for a judge that is always right, so that only the number of contexts limits what is
            known.
    """

    low: float
    high: float
    level: float
    resamples: int
    contexts: int
    method: Literal["bca", "percentile", "wilson"]


class Contradictions(Record):
    """Claims that the judge calls contradicted, compared with people's labels.

    Attributes:
        said: claims that the judge calls contradicted.
        right: those of them labelled `contradicted`.
        wrong: those labelled `supported` or `neutral`.
        unsupported: those labelled `unsupported`: whether they are contradicted is unknown.
        precision: right / (right + wrong); None if no claim is labelled `contradicted`.
        recall: right / all claims labelled `contradicted`.
    """

    said: int
    right: int
    wrong: int = 0
    unsupported: int = 0
    precision: float | None = None
    recall: float | None = None


class AgreementFigures(Record):
    """A judge's verdicts on claims, or on criteria. For criteria, "yes" means met, and a check that
    is not unclear is decided.

    Attributes:
        n: claims with a verdict.
        labels: the number of claims with each label.
        verdicts: for each label, the number of claims with each verdict, after the evidence check.
        supported: "yes" is FULLY_SUPPORTED, and the label `supported`.
        interval: the interval of the balanced accuracy; None if it is not defined.
        kappa_of_three: Cohen's kappa of supported, neutral and contradicted, over claims with one
            of these labels; "partly supported" and "no evidence" are neutral. None if not all three
            labels occur.
        decided: the share of claims that the evidence check calls correct or incorrect, not
            uncertain: FULLY_SUPPORTED, or CONTRADICTORY with a verified quote.
        decided_right: the share of these for which supported-or-not is right.
        decided_verified: the share of these with a verified quote.
        contradicted_raw, contradicted: before and after the evidence check; None if neither people
            nor the judge call any claim contradicted.
    """

    n: int
    labels: dict[str, int]
    verdicts: dict[str, dict[str, int]]
    supported: ConfusionFigures
    interval: BootstrapInterval | None = None
    kappa_of_three: float | None = None
    decided: float | None = None
    decided_right: float | None = None
    decided_verified: float | None = None
    contradicted_raw: Contradictions | None = None
    contradicted: Contradictions | None = None


class ModelCost(Record):
    """What the answers of one model cost.

    Attributes:
        questions, stored: judgements asked for in this run, and judgements from the store.
        requests, prompt_tokens, completion_tokens: in this run.
        ever_requests, ever_prompt_tokens, ever_completion_tokens: for all answers used, whenever
            they were asked.
        cost, ever_cost: in the currency of the prices; None without a price for the model.
    """

    model: str
    questions: int = 0
    stored: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ever_requests: int = 0
    ever_prompt_tokens: int = 0
    ever_completion_tokens: int = 0
    cost: float | None = None
    ever_cost: float | None = None


class JudgeFigures(Record):
    """The figures of one judge.

    Attributes:
        judge: its models, or its id.
        settings: the settings that verdicts depend on: the judge, its models and sampling if it has
            them, and votes.
        errors: claims without a verdict, by kind of error; `not asked` after an error that ended
            judging.
        by: the figures for each requested column and each of its values.
    """

    judge: str
    settings: dict[str, Any]
    errors: dict[str, int] = Field(default_factory=dict)
    all: AgreementFigures
    by: dict[str, dict[str, AgreementFigures]] = Field(default_factory=dict)
    cost: list[ModelCost] = Field(default_factory=list)


class JudgeComparison(Record):
    """The first judge compared with the second, on claims for which both have a verdict.

    Attributes:
        difference: of balanced accuracy, first - second.
        interval: of the difference; None if it is not defined.
        both_right, first_right, second_right, neither_right: numbers of claims, supported or not.
    """

    n: int
    difference: float | None = None
    interval: BootstrapInterval | None = None
    both_right: int
    first_right: int
    second_right: int
    neither_right: int


class ClaimOfJudge(Record):
    """A judge's verdict on a claim, with fields as in `ClaimVerdict`.

    For a criterion: whether it is met, with words of the answer as the quote.

    Attributes:
        reason: None if reasons are not stored (`ragassert_store_reasons`).
    """

    verdict: Verdict | Met
    label_raw: Verdict | Met
    gate_reason: str | None = None
    reason: str | None = None
    evidence: list[Quote] = Field(default_factory=list)
    quote: str | None = None
    passage: int | None = None
    quote_verified: bool = False
    confidence: float | None = None

    @property
    def proven(self) -> bool:
        """Whether a quote was found in its passage, or in the answer."""
        return any(one.verified for one in self.evidence)


class CalibratedClaim(Record):
    """A labelled claim.

    Attributes:
        id: its own id, or else file and line.
        verdicts: one of each judge, in order; None if there is none.
        disagree: whether two judges differ on whether it is supported.
    """

    id: str
    label: str
    verdicts: list[ClaimOfJudge | None]
    disagree: bool = False


class CalibrationFile(Record):
    """A calibration. `CalibrationFile.model_validate_json(text)` reads a file's text.

    Attributes:
        files: the names of the data files, with the number of claims in each.
        judges: one judge, or two with their comparison.
    """

    schema_version: Literal[1] = 1
    made: AwareDatetime
    tool_version: str
    files: dict[str, int]
    judges: list[JudgeFigures]
    comparison: JudgeComparison | None = None
    claims: list[CalibratedClaim]

    def to_text(self) -> str:
        """Return the file's text in ASCII, so that a lone surrogate is preserved."""
        data = {**self.model_dump(mode="python"), "made": self.made.isoformat()}
        return json.dumps(data, ensure_ascii=True, indent=1) + "\n"
