"""What the assertions on contexts, whole answers and several metrics expect, by signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..case import EvalCase
from ..judgements import CORRECT, GRADES, WRONG
from .expectations import Aggregate, Expectation, NoClaims

Grade = Literal["A", "B", "C", "D", "E"]
DEFAULT_METRICS = ("faithfulness", "context_relevance", "answer_relevancy")


def assert_context_relevance(
    case: EvalCase,
    *,
    min: float | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """The retrieved contexts bear on the question: relevant contexts / contexts.

    Args:
        min: in [0, 1]; default: the case's own, else `ragassert_min_context_relevance`, else 0.5.
        models: who judges. Default: all configured.
        votes: as in `assert_faithful`.
        aggregate: how the models' scores become one.

    Raises:
        RagAssertionError: measured and below `min`.
        JudgeError, VerdictMissing: it could not be measured.
        MissingFieldError: the case lacks `question` or `retrieved_contexts`.
    """
    return Expectation(
        case, "context_relevance", min, {"models": models, "votes": votes, "aggregate": aggregate}
    )


def assert_context_recall(
    case: EvalCase,
    *,
    min: float | None = None,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """The retrieved contexts hold what the reference says: its claims that they support / all.

    Default minimum 0.8. Needs `ground_truth_answer` and `retrieved_contexts`. Arguments and errors
    as in `assert_faithful`.
    """
    options = {"no_claims": no_claims, "models": models, "votes": votes, "aggregate": aggregate}
    return Expectation(case, "context_recall", min, options)


def assert_context_precision(
    case: EvalCase,
    *,
    min: float | None = None,
    ranked: bool = True,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """Relevant contexts come first: average precision of the ranking.

    Args:
        ranked: False: relevant contexts / contexts, in any order.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.

    Raises:
        MissingFieldError: the case lacks `retrieved_contexts`, or both `ground_truth_contexts` and
            one of `question` and `ground_truth_answer`. Else as in `assert_context_relevance`.
    """
    options = {"ranked": ranked, "models": models, "votes": votes, "aggregate": aggregate}
    return Expectation(case, "context_precision", min, options)


def assert_answer_relevancy(
    case: EvalCase,
    *,
    min: float | None = None,
    method: Literal["auto", "questions", "direct"] = "auto",
    n: int = 3,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """The answer answers the question.

    Args:
        method: `questions`: similarity of the question to questions generated from the answer, by
            the configured embedder; `direct`: the judge rates; `auto`: questions where an embedder
            is configured, else direct.
        n: questions to generate, from 1; they are generated once, whatever `votes`.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.

    Raises:
        ConfigurationError: `method="questions"` without an embedder. Else as in
            `assert_context_relevance`, for `question` and `answer`.
    """
    options = {"method": method, "n": n, "models": models, "votes": votes, "aggregate": aggregate}
    return Expectation(case, "answer_relevancy", min, options)


def assert_answer_correctness(
    case: EvalCase,
    *,
    min: float | None = None,
    weights: Sequence[float] | None = None,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """The answer says what the reference says and means the same: 0.75 · F1 + 0.25 · similarity.

    Args:
        weights: of F1 and similarity, two numbers from 0 with a positive sum.
        min, no_claims, models, votes, aggregate: as in `assert_factual_f1`; default minimum 0.7.

    Raises:
        ConfigurationError: similarity is needed and no embedder is configured. Else as in
            `assert_factual_f1`.
    """
    options = {
        "weights": weights,
        "no_claims": no_claims,
        "models": models,
        "votes": votes,
        "aggregate": aggregate,
    }
    return Expectation(case, "answer_correctness", min, options)


def assert_factual_accuracy(
    case: EvalCase,
    *,
    min: float | None = None,
    min_grade: Grade | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """The answer is accurate: 0.5 correctness + 0.3 completeness + 0.2 consistency, as judged.

    Args:
        min_grade: in place of `min`: A (0.8), B (0.6), C (0.4), D (0.2) or E (0).
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.6.

    Raises:
        ValueError: `min` and `min_grade` both, or no grade. Else as in `assert_context_relevance`,
            for `question`, `answer` and `ground_truth_answer`.
    """
    if min_grade is not None:
        if min is not None:
            raise ValueError("min and min_grade are two words for one thing; give one")
        if min_grade not in GRADES:
            raise ValueError(f"min_grade is {min_grade!r}; valid are {', '.join(GRADES)}")
        min = GRADES[min_grade]
    return Expectation(
        case, "factual_accuracy", min, {"models": models, "votes": votes, "aggregate": aggregate}
    )


def assert_semantic_similarity(case: EvalCase, *, min: float | None = None) -> Expectation:
    """Answer and reference mean the same: max(0, cos) of their embeddings. Default minimum 0.8.

    Raises:
        ConfigurationError: no embedder is configured.
        RagAssertionError, JudgeError, VerdictMissing, MissingFieldError: as in
            `assert_context_relevance`, for `answer` and `ground_truth_answer`.
    """
    return Expectation(case, "semantic_similarity", min)


def assert_bert_score(
    case: EvalCase,
    *,
    min: float | None = None,
    model: str | None = None,
    num_layers: int | None = None,
) -> Expectation:
    """Answer and reference say the same in other words: F1 of BERTScore, by a local model.

    Needs `pip install "pytest-ragassert[bert-score]"`.

    Args:
        model: a name on the hub or a local folder. Default: `microsoft/deberta-xlarge-mnli`.
        num_layers: the layer that is compared. Default: the library's choice for a name, the last
            for a folder.
        min: in [0, 1]; default: the case's own, else `ragassert_min_bert_score`, else 0.7.

    Raises:
        RagAssertionError: measured and below `min`.
        ConfigurationError: the package is not installed, or model and `num_layers` do not fit.
        JudgeError: the model can't be loaded.
        MissingFieldError: the case lacks `answer` or `ground_truth_answer`.
    """
    return Expectation(case, "bert_score", min, {"model": model, "num_layers": num_layers})


def assert_ragas_score(
    case: EvalCase,
    *,
    min: float | None = None,
    weights: Mapping[str, float] | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> Expectation:
    """The composite: .30 faithfulness, .20 context precision, .20 recall, .30 answer relevancy.

    Parts whose fields the case lacks are left out, and the result names them.

    Args:
        weights: by part, in place of the default ones.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.
    """
    options = {"weights": weights, "models": models, "votes": votes, "aggregate": aggregate}
    return Expectation(case, "ragas_score", min, options)


def assert_correct(
    case: EvalCase, *, models: Sequence[str] | None = None, votes: int | None = None
) -> Expectation:
    """The answer is CORRECT by the reference, neither WRONG nor DONT_KNOW.

    Raises:
        RagAssertionError: it is not. JudgeError, VerdictMissing: it could not be judged.
        MissingFieldError: the case lacks `question`, `answer` or `ground_truth_answer`.
    """
    return Expectation(case, "answer_class", None, {"models": models, "votes": votes}, (CORRECT,))


def assert_not_evasive(
    case: EvalCase, *, models: Sequence[str] | None = None, votes: int | None = None
) -> Expectation:
    """The answer is an answer, right or wrong, and not that it is not known.

    Raises: as `assert_correct`.
    """
    return Expectation(
        case, "answer_class", None, {"models": models, "votes": votes}, (CORRECT, WRONG)
    )


def assert_rag(
    case: EvalCase,
    *,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    **thresholds: float,
) -> list[Expectation]:
    """Several metrics of a case, measured side by side; all that fail stand in one report.

    Args:
        thresholds: minimum by metric: `faithfulness=0.8, factual_f1=0.7`. Without any:
            faithfulness, context_relevance and answer_relevancy at their defaults.
        models, votes: as in `assert_faithful`.

    Raises:
        TypeError: an unknown metric.
        RagAssertionError: `results` are those below their minimum.
        JudgeError, VerdictMissing, MissingFieldError: one could not be measured.
    """
    wanted: dict[str, Any] = dict(thresholds) or dict.fromkeys(DEFAULT_METRICS)
    return [
        Expectation(case, name, minimum, {"models": models, "votes": votes})
        for name, minimum in wanted.items()
    ]
