"""What each assertion on claims expects, by name and signature.

Performed by `assertions` and `aio`; see `expectations_of_cases` for the assertions on contexts, on
whole answers, and on several metrics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..case import EvalCase

NoClaims = Literal["fail", "warn", "pass"]
Aggregate = Literal["mean", "median", "min", "majority"]


@dataclass(frozen=True)
class Expectation:
    """A metric of a case shall reach a minimum."""

    case: EvalCase
    metric: str
    minimum: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    # labels that pass, in place of a minimum
    labels: tuple[str, ...] = ()


def assert_faithful(
    case: EvalCase,
    *,
    min: float | None = None,
    strict_mode: bool = False,
    verdict_scores: Mapping[str, float] | None = None,
    scoring: Literal["weighted", "ratio"] = "weighted",
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """The answer says only what the retrieved contexts say.

    Score: Σ weight / n over the answer's claims, clamped to [0, 1]; weights 1 (fully supported),
    0.5 (partly), 0 (no evidence), -1 (contradicted), as in the axion metric of this name.

    Args:
        min: in [0, 1]; default: the case's own, else `ragassert_min_faithfulness`, else 0.8.
        strict_mode: no evidence weighs -1.
        verdict_scores: weights by verdict in place of the default ones.
        scoring: `ratio`: fully supported claims / n, ragas' formula.
        no_claims: what an answer without claims does; default `ragassert_no_claims`, else fail.
        models: who judges; the first extracts, all verify. Default: all configured.
        votes: samples of each verdict by each model, of which the majority counts, where they tie
            the worse. Default: `ragassert_votes`, else 1.
        aggregate: how the models' scores become one.

    Raises:
        RagAssertionError: measured and below `min`, or nothing to check.
        JudgeError, VerdictMissing: it could not be measured.
        MissingFieldError: the case lacks `answer` or `retrieved_contexts`.
    """
    options = {
        "strict_mode": strict_mode,
        "verdict_scores": verdict_scores,
        "scoring": scoring,
        "no_claims": no_claims,
        "models": models,
        "votes": votes,
        "aggregate": aggregate,
    }
    return Expectation(case, "faithfulness", min, options)


def assert_evidence(
    case: EvalCase,
    *,
    min: float | None = None,
    uncertain_weight: float = 0.5,
    require_evidence_for_correct: bool = False,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """The answer's sentences are borne out by the retrieved contexts; what is wrong is proven.

    Score: mean over sentences with claims of 1 (correct), `uncertain_weight` and 0 (incorrect), as
    in the factuality agent of the German source document. A claim is incorrect only with a verified
    quote against it. The passages that bear most on the claims are looked at first, the rest for
    claims still without evidence. `EvidenceDetails.model_validate(result.details)` has the
    sentences, and the spans of those that are not correct.

    Args:
        min: in [0, 1]; default: the case's own, else `ragassert_min_evidence`, else 0.8.
        uncertain_weight: of a sentence that is neither correct nor incorrect, in [0, 1].
        require_evidence_for_correct: a claim is correct only with a verified quote for it.
        no_claims, models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_faithful`.
        MissingFieldError: the case lacks `answer` or `retrieved_contexts`.
    """
    options = {
        "uncertain_weight": uncertain_weight,
        "require_evidence_for_correct": require_evidence_for_correct,
        "no_claims": no_claims,
        "models": models,
        "votes": votes,
        "aggregate": aggregate,
    }
    return Expectation(case, "evidence", min, options)


def assert_factual_f1(
    case: EvalCase,
    *,
    min: float | None = None,
    mode: Literal["f1", "precision", "recall"] = "f1",
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """The answer says what the reference says: harmonic mean of factual precision and recall.

    Args:
        min: in [0, 1]; default: the case's own, else `ragassert_min_factual_f1`, else 0.7.
        mode: `precision` or `recall` alone; reported under that name.
        no_claims, models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_faithful`.
        MissingFieldError: the case lacks `answer` or `ground_truth_answer`.
    """
    if not isinstance(mode, str) or mode.lower() not in ("f1", "precision", "recall"):
        raise ValueError(f"mode is {mode!r}; valid are f1, precision, recall")
    options = {"no_claims": no_claims, "models": models, "votes": votes, "aggregate": aggregate}
    return Expectation(case, f"factual_{mode.lower()}", min, options)


def assert_factual_precision(
    case: EvalCase,
    *,
    min: float | None = None,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """What the answer claims is right: supported answer claims / answer claims, by the reference.

    Arguments and errors as in `assert_factual_f1`.
    """
    options = {"no_claims": no_claims, "models": models, "votes": votes, "aggregate": aggregate}
    return Expectation(case, "factual_precision", min, options)


def assert_factual_recall(
    case: EvalCase,
    *,
    min: float | None = None,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """The answer leaves nothing out: supported reference claims / reference claims, by the answer.

    Arguments and errors as in `assert_factual_f1`.
    """
    options = {"no_claims": no_claims, "models": models, "votes": votes, "aggregate": aggregate}
    return Expectation(case, "factual_recall", min, options)
