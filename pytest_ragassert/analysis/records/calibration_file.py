"""What the command `calibrate` writes with `--output`: schema version 1, to be read back."""

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
        resamples: 0 of `wilson`.
        contexts: how many different ones there are.
        method: `percentile` where BCa has no answer; `wilson` where all resamples are alike, as of
            a judge that is always right, so that only the number of contexts limits what is known.
    """

    low: float
    high: float
    level: float
    resamples: int
    contexts: int
    method: Literal["bca", "percentile", "wilson"]


class Contradictions(Record):
    """What was called contradicted, against what people call so.

    Attributes:
        said: claims called contradicted.
        right: of these, those labelled so.
        wrong: of these, those labelled `supported` or `neutral`.
        unsupported: of these, those labelled so: nobody knows whether they are contradicted.
        precision: right / (right + wrong); None where no claim is labelled `contradicted`.
        recall: right / those labelled so.
    """

    said: int
    right: int
    wrong: int = 0
    unsupported: int = 0
    precision: float | None = None
    recall: float | None = None


class AgreementFigures(Record):
    """A judge's verdicts on some claims, or on criteria: of these "yes" is met, and decided what is
    not unclear.

    Attributes:
        n: claims with a verdict.
        labels: how many have each label.
        verdicts: by label, how many have each verdict, after the gate.
        supported: "yes" is FULLY_SUPPORTED, and the label `supported`.
        interval: of the balanced accuracy; None where it is not defined.
        kappa_of_three: Cohen's kappa of supported, neutral and contradicted, over claims with one
            of these labels; partly supported and no evidence are neutral. None where not all three
            labels occur.
        decided: share of claims that the evidence gate calls correct or incorrect, not uncertain:
            FULLY_SUPPORTED, or CONTRADICTORY with a verified quote.
        decided_right: of these, the share for which supported-or-not is right.
        decided_verified: of these, the share with a verified quote.
        contradicted_raw, contradicted: before and after the gate; None where neither people nor
            the judge call a claim so.
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
    """What one model's answers cost.

    Attributes:
        questions, stored: judgements asked for in this run, and known from the store.
        requests, prompt_tokens, completion_tokens: of this run.
        ever_requests, ever_prompt_tokens, ever_completion_tokens: of all answers used, whenever
            they were asked.
        cost, ever_cost: in the prices' currency; None where the model's price is not given.
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
    """One judge.

    Attributes:
        judge: its models, or its id.
        settings: those that verdicts depend on: judge, and where it takes them models, sampling,
            votes.
        errors: claims without verdict, by what went wrong; `not asked` after what ended judging.
        by: the figures by each name asked for and each value of it.
    """

    judge: str
    settings: dict[str, Any]
    errors: dict[str, int] = Field(default_factory=dict)
    all: AgreementFigures
    by: dict[str, dict[str, AgreementFigures]] = Field(default_factory=dict)
    cost: list[ModelCost] = Field(default_factory=list)


class JudgeComparison(Record):
    """The first judge against the second, on claims that both have a verdict on.

    Attributes:
        difference: of balanced accuracy, first - second.
        interval: of the difference; None where it is not defined.
        both_right, first_right, second_right, neither_right: claims, supported or not.
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

    Or whether a criterion is met, with words of the answer as its quote.

    Attributes:
        reason: None where reasons are not kept (`ragassert_store_reasons`).
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
        """A quote stands in its passage, or in the answer."""
        return any(one.verified for one in self.evidence)


class CalibratedClaim(Record):
    """A labelled claim.

    Attributes:
        id: its own, else file and line.
        verdicts: one of each judge, in order; None where there is none.
        disagree: two judges differ in whether it is supported.
    """

    id: str
    label: str
    verdicts: list[ClaimOfJudge | None]
    disagree: bool = False


class CalibrationFile(Record):
    """A calibration. `CalibrationFile.model_validate_json(text)` reads a file's text.

    Attributes:
        files: names of the data files, with the number of claims of each.
        judges: one, or two with their comparison.
    """

    schema_version: Literal[1] = 1
    made: AwareDatetime
    tool_version: str
    files: dict[str, int]
    judges: list[JudgeFigures]
    comparison: JudgeComparison | None = None
    claims: list[CalibratedClaim]

    def to_text(self) -> str:
        """The file's text: ASCII, so that a lone surrogate stays what it is."""
        data = {**self.model_dump(mode="python"), "made": self.made.isoformat()}
        return json.dumps(data, ensure_ascii=True, indent=1) + "\n"
