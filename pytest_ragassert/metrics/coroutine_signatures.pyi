# Written by `python -m tests.metric_files`; change the metric's file, and run it again.

from collections.abc import Mapping, Sequence
from typing import Literal

from pytest_ragassert.case import EvalCase
from pytest_ragassert.judgements import Grade
from pytest_ragassert.metrics.assertion import NoClaims
from pytest_ragassert.metrics.ensemble import Aggregate
from pytest_ragassert.results import MetricResult

async def assert_faithful(
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
) -> MetricResult:
    """The answer says only what the retrieved contexts say.

    Score: Σ weight / n over the answer's claims, clamped to [0, 1]; weights 1 (fully supported),
    0.5 (partly supported), 0 (no evidence), -1 (contradicted), as in the axion metric of this name.

    Args:
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_faithfulness`, or
            else 0.8.
        strict_mode: whether "no evidence" weighs -1 instead of 0.
        verdict_scores: weights by verdict, instead of the default ones.
        scoring: `"ratio"`: fully supported claims / n, ragas' formula.
        no_claims: what happens if the answer makes no claims: `"fail"`, `"pass"` or `"warn"`.
            Default: `ragassert_no_claims`, or else `"fail"`.
        models: the models that judge; the first one extracts the claims, all verify them. Default:
            all configured models.
        votes: how many samples of each verdict each model gives; the majority counts, and the
            worse verdict wins a tie. Default: `ragassert_votes`, or else 1.
        aggregate: how the models' scores are combined.

    Raises:
        RagAssertionError: the score is below `min`, or there is nothing to check.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `answer` or `retrieved_contexts`.
    """

async def assert_factual_f1(
    case: EvalCase,
    *,
    min: float | None = None,
    mode: Literal["f1", "precision", "recall"] = "f1",
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The answer says what the reference says: harmonic mean of factual precision and recall.

    Args:
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_factual_f1`, or else
            0.7.
        mode: `"precision"` or `"recall"` measures that alone, and reports it under that name.
        no_claims, models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_faithful`.
        MissingFieldError: the case lacks `answer`, or both `ground_truth_answer` and
            `ground_truth_claims`.
    """

async def assert_factual_precision(
    case: EvalCase,
    *,
    min: float | None = None,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """What the answer claims is right: supported answer claims / answer claims, by the reference.

    Arguments and errors as in `assert_factual_f1`.
    """

async def assert_factual_recall(
    case: EvalCase,
    *,
    min: float | None = None,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The answer leaves nothing out: supported reference claims / reference claims, by the answer.

    A case's `ground_truth_claims` replace the claims that the judge finds in the reference, and
    count by their weights. Arguments and errors as in `assert_factual_f1`.
    """

async def assert_context_relevance(
    case: EvalCase,
    *,
    min: float | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The retrieved contexts are relevant to the question: relevant contexts / contexts.

    Args:
        min: in [0, 1]. Default: the case's own minimum, or else
            `ragassert_min_context_relevance`, or else 0.5.
        models: the models that judge. Default: all configured models.
        votes: as in `assert_faithful`.
        aggregate: how the models' scores are combined.

    Raises:
        RagAssertionError: the score is below `min`.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `question` or `retrieved_contexts`.
    """

async def assert_context_recall(
    case: EvalCase,
    *,
    min: float | None = None,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The retrieved contexts contain what the reference says: supported reference claims / all.

    Default minimum 0.8. Needs `retrieved_contexts`, and `ground_truth_answer` or
    `ground_truth_claims`, which replace the claims of the reference and count by their weights.
    Arguments and errors as in `assert_faithful`.
    """

async def assert_context_precision(
    case: EvalCase,
    *,
    min: float | None = None,
    ranked: bool = True,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """Relevant contexts come first: average precision of the ranking.

    Args:
        ranked: if False, relevant contexts / contexts, regardless of their order.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.

    Raises:
        MissingFieldError: the case lacks `retrieved_contexts`; or it lacks `ground_truth_contexts`
            and also `question` or `ground_truth_answer`.
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_context_relevance`.
    """

async def assert_citations(
    case: EvalCase,
    *,
    min: float | None = None,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The passages that a sentence cites support its claims, and each citation supports a claim.

    Measures `citation_recall` and `citation_precision`; both must reach `min`, and the lower result
    is returned. `docs/how-to/citations.md` describes how marks such as "[1]", "[doc 2]" and "[^3]"
    are read.

    Args:
        min: the minimum of both. Default: each metric's own, 0.8.
        no_claims, models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError: a score is below `min`, or there is nothing to check. `result` is the
            lower result.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `answer` or `retrieved_contexts`.
    """

async def assert_criteria(
    case: EvalCase,
    *criteria: str,
    min: float | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The answer meets each criterion: criteria that are met / criteria.

    The judge decides from the answer alone whether each statement is true of it: YES, NO, or
    UNCLEAR if the answer does not settle it, which counts as not met.

    Args:
        criteria: statements about the answer in your own words, such as "names the refund period"
            or "doesn't promise a date". Default: the case's `criteria`.
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_criteria`, or else
            1.
        models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError: the score is below `min`.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `answer`, or `criteria` if the call names none.
        ValueError: a criterion is blank, not a text, or repeated.
    """

async def assert_answer_relevancy(
    case: EvalCase,
    *,
    min: float | None = None,
    method: Literal["auto", "questions", "direct"] = "auto",
    n: int = 3,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The answer answers the question.

    Args:
        method: `"questions"`: the similarity of the question to questions generated from the
            answer, by the configured embedder; `"direct"`: the judge's rating, which also takes
            `history` into account; `"auto"`: `"questions"` if an embedder is configured, else
            `"direct"`.
        n: how many questions to generate, at least 1; they are generated once, regardless of
            `votes`.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.

    Raises:
        ConfigurationError: `method="questions"` without an embedder.
        MissingFieldError: the case lacks `question` or `answer`.
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_context_relevance`.
    """

async def assert_answer_correctness(
    case: EvalCase,
    *,
    min: float | None = None,
    weights: Sequence[float] | None = None,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The answer says what the reference says and means the same: 0.75 · F1 + 0.25 · similarity.

    Args:
        weights: the weights of F1 and similarity, two numbers from 0 with a positive sum.
        min, no_claims, models, votes, aggregate: as in `assert_factual_f1`; default minimum 0.7.

    Raises:
        ConfigurationError: similarity is needed and no embedder is configured.
        RagAssertionError, JudgeError, VerdictMissing, MissingFieldError: as in
            `assert_factual_f1`.
    """

async def assert_factual_accuracy(
    case: EvalCase,
    *,
    min: float | None = None,
    min_grade: Grade | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The answer is accurate: 0.5 correctness + 0.3 completeness + 0.2 consistency, as judged.

    Args:
        min_grade: instead of `min`: A (0.8), B (0.6), C (0.4), D (0.2) or E (0).
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.6.

    Raises:
        ValueError: both `min` and `min_grade` are given, or `min_grade` is not a grade.
        MissingFieldError: the case lacks `question`, `answer` or `ground_truth_answer`.
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_context_relevance`.
    """

async def assert_semantic_similarity(
    case: EvalCase,
    *,
    min: float | None = None,
) -> MetricResult:
    """Answer and reference mean the same: max(0, cos) of their embeddings. Default minimum 0.8.

    Raises:
        ConfigurationError: no embedder is configured.
        MissingFieldError: the case lacks `answer` or `ground_truth_answer`.
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_context_relevance`.
    """

async def assert_bert_score(
    case: EvalCase,
    *,
    min: float | None = None,
    model: str | None = None,
    num_layers: int | None = None,
) -> MetricResult:
    """Answer and reference say the same in other words: F1 of BERTScore, by a local model.

    Needs `pip install "pytest-ragassert[bert-score]"`.

    Args:
        model: a name on the Hugging Face hub or a local folder. Default:
            `microsoft/deberta-xlarge-mnli`.
        num_layers: the layer whose embeddings are compared. Default: the library's choice for a
            model's name, the last layer for a folder.
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_bert_score`, or else
            0.7.

    Raises:
        RagAssertionError: the score is below `min`.
        ConfigurationError: the package is not installed, or the model has no such layer.
        JudgeError: the model can't be loaded.
        MissingFieldError: the case lacks `answer` or `ground_truth_answer`.
    """

async def assert_correct(
    case: EvalCase,
    *,
    models: Sequence[str] | None = None,
    votes: int | None = None,
) -> MetricResult:
    """The answer is CORRECT by the reference, neither WRONG nor DONT_KNOW.

    Raises:
        RagAssertionError: the label is another one.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `question`, `answer` or `ground_truth_answer`.
    """

async def assert_not_evasive(
    case: EvalCase,
    *,
    models: Sequence[str] | None = None,
    votes: int | None = None,
) -> MetricResult:
    """The answer is CORRECT or WRONG, not DONT_KNOW.

    Raises:
        RagAssertionError: the label is DONT_KNOW.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `question`, `answer` or `ground_truth_answer`.
    """

async def assert_ragas_score(
    case: EvalCase,
    *,
    min: float | None = None,
    weights: Mapping[str, float] | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The composite: .30 faithfulness, .20 context precision, .20 recall, .30 answer relevancy.

    Parts whose fields the case lacks are left out, and the result names them.

    Args:
        weights: weights by part, instead of the default ones.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.

    Raises:
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_context_relevance`.
        MissingFieldError: for every part, the case lacks a field.
    """

async def assert_evidence(
    case: EvalCase,
    *,
    min: float | None = None,
    uncertain_weight: float = 0.5,
    require_evidence_for_correct: bool = False,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The retrieved contexts support the answer's sentences; only a proven error counts as wrong.

    Score: the mean over sentences with claims of 1 (correct), `uncertain_weight` (uncertain) and 0
    (incorrect). A claim is incorrect only if a verified quote or a person's override proves it. The
    most relevant passages are checked first, the others only for claims that are still without
    evidence. `EvidenceDetails.model_validate(result.details)` has the sentences, and the spans of
    those that are not correct.

    Args:
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_evidence`, or else
            0.8.
        uncertain_weight: the score, in [0, 1], of a sentence that is neither correct nor incorrect.
        require_evidence_for_correct: whether a claim needs a verified quote to be correct.
        no_claims, models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_faithful`.
        MissingFieldError: the case lacks `answer` or `retrieved_contexts`.
    """

async def assert_retrieval_recall(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """The retriever finds the relevant contexts: retrieved relevant ids / relevant ids.

    No judge is asked. The score equals trec_eval's `recall_k`. An id that is retrieved twice counts
    at its first rank.

    Args:
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_retrieval_recall`,
            or else 0.8.
        k: how many ranks count, at least 1. Default: all.

    Raises:
        RagAssertionError: the score is below `min`.
        MissingFieldError: the case lacks `retrieved_context_ids` or `ground_truth_context_ids`, or
            the latter is empty.
        ValueError: `k` is not a whole number from 1.
    """

async def assert_retrieval_precision(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """The retriever finds little else: relevant ids / retrieved ids, or relevant ids / `k`.

    The score equals trec_eval's `P_k`, which counts a rank without a retrieved id as a miss;
    without `k` it equals `set_P`. Default minimum 0.5. Arguments and errors as in
    `assert_retrieval_recall`.
    """

async def assert_hit_rate(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """The retriever finds at least one relevant context: 1 if it does, else 0.

    The score equals trec_eval's `success_k`. Default minimum 1. Arguments and errors as in
    `assert_retrieval_recall`.
    """

async def assert_mrr(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """A relevant context comes early: 1 / the rank of the first relevant id, 0 if there is none.

    The score equals trec_eval's `recip_rank`; its mean over the cases of a run is the mean
    reciprocal rank, MRR. Default minimum 0.5. Arguments and errors as in `assert_retrieval_recall`.
    """

async def assert_ndcg(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """The best contexts come first: discounted cumulative gain / that of the ideal ranking.

    The score equals trec_eval's `ndcg_cut_k`, or its `ndcg` without `k`: the gain is the grade, the
    discount log2(rank + 1). Default minimum 0.7. Arguments and errors as in
    `assert_retrieval_recall`.
    """

async def assert_map(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """Relevant contexts come before others: the mean precision at the ranks of relevant ids.

    The score equals trec_eval's `map_cut_k`, or its `map` without `k`: the sum of precisions is
    divided by the number of relevant ids, found or not. Default minimum 0.5. Arguments and errors
    as in `assert_retrieval_recall`.
    """
