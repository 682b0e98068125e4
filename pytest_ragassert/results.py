"""The results of a measurement: a score, and the verdict on each claim with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .judgements import BY_MERIT, Verdict

EvidenceLabel = Literal["correct", "uncertain", "incorrect"]


class Quote(BaseModel):
    """Words of a passage that a verdict is based on.

    Attributes:
        quote: the passage's own words; the judge's words while `verified` is false.
        passage: 0-based index into the case's contexts, or into the other texts that the claim was
            checked against.
        span: half-open offsets of the quote in that passage.
        verified: whether the quote was found in the passage.
    """

    model_config = ConfigDict(extra="forbid")

    quote: str
    passage: int | None = None
    span: tuple[int, int] | None = None
    verified: bool = False


class ClaimVerdict(BaseModel):
    """A claim and the verdict on it.

    Attributes:
        text: the claim, in the language of the text that it comes from.
        verdict: the verdict that counts, after the evidence check.
        label_raw: the verdict as the judge gave it.
        gate_reason: why the evidence check changed the verdict or the passage; None if it did not.
        reason: the judge's reason, in its own words.
        evidence: up to three quotes that the judge gave, the deciding one first. If one of them
            proves the verdict, quotes that were not found come last; see `proven`.
        quote, passage, quote_span: those of the first quote; None without a quote.
        quote_verified: whether there are quotes and all of them were found in their passages.
        sentence: 0-based index of the claim's sentence in its text.
        span: half-open offsets of that sentence in the answer or reference.
        confidence: the judge's own, in [0, 1]; no score depends on it.
        source: the text that the claim was taken from.
        weight: the weight of the claim in recall if the case's `ground_truth_claims` have different
            weights; None: all claims have the same weight.
        conflict: another passage says the opposite; both have a verified quote.
        carried: the key of the judgement on other passages that the verdict was carried over from;
            None: the judgement was made on these passages.
        by_hand: a person's reason for overriding the judge's verdict with `verdict`; None: no
            override.
        judged: the judge's verdict after the evidence check, if an override replaces it.
        votes: the number of samples that gave each verdict, by its name, over all models; empty if
            each model had one vote. The fields above come from a sample that voted for `verdict`:
            the lowest-numbered one with a verified quote, otherwise the lowest-numbered one.
        label_final: what the claim counts as in the metric `evidence`. This field and those below
            are None in other metrics.
        selection_reason: which passages were checked for the claim, and why.
        looked_at: 0-based indices of these passages; of a long passage, an excerpt was checked. In
            `citation_recall`, the passages that the claim's sentence cites.
        coverage_ok: whether the verified quotes together contain the claim's numbers, names,
            negation and two thirds of its content words. With four or more content words, a
            contradicting quote may lack one. If false, `confidence` is at most 0.5.
        coverage_note: what the quotes lack.
        raw_reply: the judge's verdict as it was read; its passages count from 1.
    """

    model_config = ConfigDict(extra="forbid")

    text: str
    verdict: Verdict
    label_raw: Verdict
    gate_reason: str | None = None
    reason: str | None = None
    evidence: list[Quote] = Field(default_factory=list)
    quote: str | None = None
    quote_verified: bool = False
    passage: int | None = None
    quote_span: tuple[int, int] | None = None
    sentence: int | None = None
    span: tuple[int, int] | None = None
    confidence: float | None = None
    source: Literal["answer", "reference"] = "answer"
    weight: float | None = None
    conflict: bool = False
    carried: str | None = None
    by_hand: str | None = None
    judged: Verdict | None = None
    votes: dict[str, int] = Field(default_factory=dict)
    label_final: EvidenceLabel | None = None
    selection_reason: str | None = None
    looked_at: list[int] | None = None
    coverage_ok: bool | None = None
    coverage_note: str | None = None
    raw_reply: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _one_evidence(self) -> ClaimVerdict:
        """Make the list and the fields of the first quote agree, whichever was given."""
        if not self.evidence and self.quote is not None:
            first = Quote(
                quote=self.quote,
                passage=self.passage,
                span=self.quote_span,
                verified=self.quote_verified,
            )
            self.evidence = [first]
        elif self.evidence:
            first = self.evidence[0]
            if (self.quote, self.passage, self.quote_span) != (
                first.quote,
                first.passage,
                first.span,
            ):
                self.quote, self.passage, self.quote_span = first.quote, first.passage, first.span
        verified = bool(self.evidence) and all(one.verified for one in self.evidence)
        if self.quote_verified is not verified:
            self.quote_verified = verified
        return self

    @property
    def proven(self) -> bool:
        """Whether a verified quote proves the verdict, regardless of the other quotes."""
        return any(one.verified for one in self.evidence)

    @property
    def unproven_contradiction(self) -> bool:
        """Whether the judge said contradicted without a quote that proves it."""
        return self.label_raw is Verdict.CONTRADICTORY and not self.proven

    @property
    def judge_agrees_with_hand(self) -> bool:
        """Whether the judge's verdict is the same as the override."""
        return self.judged is self.verdict


class MetricResult(BaseModel):
    """The result of one metric for one case.

    Attributes:
        metric: the metric's name, as in `evaluate` and the reports.
        score: in [0, 1], never NaN. If there is an `interval`, the end of it that decides whether
            the assertion passes.
        interval: the lowest and the highest possible score of an assertion that is decided although
            a replay lacks verdicts; `claims` and `details` then have only what is known.
        minimum: the minimum that `passed` depends on.
        passed: `score >= minimum - 1e-9`, and there was something to check.
        claims: all claims that were judged, in text order.
        reason: one line for people.
        vacuous: whether there was nothing to check; such a result is left out of means and gates.
        grade: a letter, for metrics with grades.
        label: a word, for metrics with bands or classes.
        by_model: the score of each model, if several judged.
        details: the metric's own figures.
        judge: the judge's name.
        requests: the number of questions of this result that were not fully answered before this
            run began.
        stored: whether all questions of this result were fully answered before this run began,
            by any process.
        votes: the number of samples of each judgement by each model; 1 without votes.
        judgements: the number of claims, passages and labels that were voted on, counted for each
            model; 0 if `votes` is 1.
        split: the number of these judgements on which the votes differ.
    """

    model_config = ConfigDict(extra="forbid", validate_assignment=True)
    # set by `report.pretty`
    as_text: ClassVar[Callable[[MetricResult], str]]

    metric: str
    score: float = Field(ge=0, le=1, allow_inf_nan=False)
    interval: tuple[float, float] | None = None
    minimum: float | None = None
    passed: bool | None = None
    claims: list[ClaimVerdict] = Field(default_factory=list)
    reason: str = ""
    vacuous: bool = False
    grade: str | None = None
    label: str | None = None
    by_model: dict[str, float] = Field(default_factory=dict)
    details: dict[str, Any] = Field(default_factory=dict)
    judge: str = ""
    requests: int = 0
    stored: bool = False
    votes: int = Field(default=1, ge=1)
    judgements: int = Field(default=0, ge=0)
    split: int = Field(default=0, ge=0)

    def pretty(self) -> str:
        """Return the claim table as text."""
        return type(self).as_text(self)


# Unpickling a result must import the package, which registers how results are shown.
MetricResult.__module__ = __package__


def verdicts_in_words(verdicts: Sequence[Verdict]) -> str:
    """The verdicts in words, worst first: `3 claims: 1 contradicted, 2 supported`."""
    counts = ((verdicts.count(verdict), verdict.words) for verdict in reversed(BY_MERIT))
    said = ", ".join(f"{count} {words}" for count, words in counts if count)
    return f"{len(verdicts)} claim{'' if len(verdicts) == 1 else 's'}: {said}"
