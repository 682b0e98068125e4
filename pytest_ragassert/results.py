"""What measuring a case gives: a score, and the verdict on each claim with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .judgements import BY_MERIT, Verdict

EvidenceLabel = Literal["correct", "uncertain", "incorrect"]


class Quote(BaseModel):
    """Words of a passage that a verdict rests on.

    Attributes:
        quote: the passage's own words; as the judge wrote them while `verified` is false.
        passage: 0-based index into the case's contexts (or the texts the claim was held against).
        span: half-open offsets of the quote in that passage.
        verified: whether the quote stands in the passage.
    """

    model_config = ConfigDict(extra="forbid")

    quote: str
    passage: int | None = None
    span: tuple[int, int] | None = None
    verified: bool = False


class ClaimVerdict(BaseModel):
    """A claim and what became of it.

    Attributes:
        text: the claim, in the language of its text.
        verdict: the verdict that counts, after the evidence gate.
        label_raw: the verdict as the judge gave it.
        gate_reason: why the gate changed the label or the passage, where it did.
        reason: the judge's own words.
        evidence: up to three quotes that the judge gave, the deciding one first. Where one of them
            proves the verdict, those that stand nowhere come last; `proven` says whether one does.
        quote, passage, quote_span: those of the first quote, None where there is none.
        quote_verified: whether there are quotes, and all of them stand in their passages.
        sentence: 0-based index of the claim's sentence in its text.
        span: half-open offsets of that sentence in the answer or reference.
        confidence: the judge's own, in [0, 1]; enters no score.
        source: the text the claim was taken from.
        weight: what it counts in recall, of the case's `ground_truth_claims` where their weights
            differ; None: all count alike.
        conflict: another passage says the opposite, both with a verified quote.
        carried: the key of the judgement that the verdict was carried over from, made against other
            passages; None: it was made against these.
        by_hand: a person's reason for `verdict`, which goes before the judge's; None: the judge's
            stands.
        judged: the judge's verdict after the gate, where a person's goes before it.
        votes: how many samples gave each verdict, by its name, of all models together; empty where
            each model had one vote. The fields above are those of a sample that voted for
            `verdict`: of the lowest with a verified quote, else of the lowest.
        label_final: the metric `evidence`, as all that follow, which are None elsewhere: what the
            claim counts as there.
        selection_reason: which passages were looked at for the claim, and why these.
        looked_at: 0-based indices of these passages, of long ones a stretch. Of `citation_recall`
            those that the claim's sentence cites.
        coverage_ok: whether the verified quotes together have the claim's numbers, names, negation
            and two thirds of its content words, of which four those that contradict may lack one;
            where not, `confidence` is at most 0.5.
        coverage_note: what they lack.
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
        """The list and the first quote's fields say the same, whichever of them was given."""
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
        """A quote stands in its passage and proves the verdict, whatever the others do."""
        return any(one.verified for one in self.evidence)

    @property
    def unproven_contradiction(self) -> bool:
        """The judge said contradicted, without a quote that proves it."""
        return self.label_raw is Verdict.CONTRADICTORY and not self.proven

    @property
    def judge_agrees_with_hand(self) -> bool:
        """The judge says what a person had to say in its place."""
        return self.judged is self.verdict


class MetricResult(BaseModel):
    """One metric of one case.

    Attributes:
        metric: its name, as in `evaluate` and the reports.
        score: in [0, 1], never NaN. Where there is an `interval`, the end of it that decides.
        interval: of an assertion that is decided though a replay lacks verdicts: the lowest and the
            highest score that there may be. `claims` and `details` are those that are known.
        minimum: what `passed` was held against.
        passed: `score >= minimum - 1e-9` and something was there to check.
        claims: every claim that was asked, in text order.
        reason: one line for people.
        vacuous: nothing was there to check; left out of means and gates.
        grade: a letter, for metrics that have grades.
        label: a word, for metrics that have bands or classes.
        by_model: score of each model, where several judged.
        details: the metric's own figures.
        judge: who judged.
        requests: questions of this result that were not wholly answered before this run began.
        stored: all of them were, whichever process asked.
        votes: samples of each judgement by each model; 1 where none was judged more than once.
        judgements: claims, passages and labels that were voted on, each model's apart; 0 where
            `votes` is 1.
        split: of these, those in which not all votes agree.
    """

    model_config = ConfigDict(extra="forbid", validate_assignment=True)
    # the report's function, by `report.pretty`
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


# Whoever unpickles a result imports the package, which knows how it is shown.
MetricResult.__module__ = __package__


def verdicts_in_words(verdicts: Sequence[Verdict]) -> str:
    """`3 claims: 1 contradicted, 2 supported`, worst first."""
    counts = ((verdicts.count(verdict), verdict.words) for verdict in reversed(BY_MERIT))
    said = ", ".join(f"{count} {words}" for count, words in counts if count)
    return f"{len(verdicts)} claim{'' if len(verdicts) == 1 else 's'}: {said}"
