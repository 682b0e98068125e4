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
        min: in [0, 1]; default: the case's own, else `ragassert_min_factual_f1`, else 0.7.
        mode: `precision` or `recall` alone; reported under that name.
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

    A case's `ground_truth_claims` take the place of those that the judge finds in the reference,
    and count by their weights. Arguments and errors as in `assert_factual_f1`.
    """

async def assert_context_relevance(
    case: EvalCase,
    *,
    min: float | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
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

async def assert_context_recall(
    case: EvalCase,
    *,
    min: float | None = None,
    no_claims: NoClaims | None = None,
    models: Sequence[str] | None = None,
    votes: int | None = None,
    aggregate: Aggregate = "mean",
) -> MetricResult:
    """The retrieved contexts hold what the reference says: its claims that they support / all.

    Default minimum 0.8. Needs `retrieved_contexts`, and `ground_truth_answer` or
    `ground_truth_claims`, which take the place of the reference's claims and count by their
    weights. Arguments and errors as in `assert_faithful`.
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
        ranked: False: relevant contexts / contexts, in any order.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.

    Raises:
        MissingFieldError: the case lacks `retrieved_contexts`, or both `ground_truth_contexts` and
            one of `question` and `ground_truth_answer`. Else as in `assert_context_relevance`.
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
    """Each claim stands in what its sentence cites, and each citation supports a claim.

    Measures `citation_recall` and `citation_precision`; both must reach `min`, and the lower result
    is returned. How marks such as "[1]", "[doc 2]" and "[^3]" are read says `docs/citations.md`.

    Args:
        min: of both; default: each metric's own, 0.8.
        no_claims, models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError: one is below `min`, or nothing to check. `result` is the lower one.
        JudgeError, VerdictMissing: one could not be measured.
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

    A judge decides from the text of the answer alone whether each statement holds of it: YES, NO,
    or UNCLEAR where the answer can't decide it, which counts as not met.

    Args:
        criteria: statements about the answer in your own words, such as "names the refund period"
            or "doesn't promise a date". Default: the case's `criteria`.
        min: in [0, 1]; default: the case's own, else `ragassert_min_criteria`, else 1.
        models, votes, aggregate: as in `assert_faithful`.

    Raises:
        RagAssertionError: measured and below `min`.
        JudgeError, VerdictMissing: it could not be measured.
        MissingFieldError: the case lacks `answer`, or `criteria` where the call names none.
        ValueError: a criterion is blank, no text, or there twice.
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
        method: `questions`: similarity of the question to questions generated from the answer, by
            the configured embedder; `direct`: the judge rates, and sees `history` too; `auto`:
            questions where an embedder is configured, else direct.
        n: questions to generate, from 1; they are generated once, whatever `votes`.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.

    Raises:
        ConfigurationError: `method="questions"` without an embedder. Else as in
            `assert_context_relevance`, for `question` and `answer`.
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
        weights: of F1 and similarity, two numbers from 0 with a positive sum.
        min, no_claims, models, votes, aggregate: as in `assert_factual_f1`; default minimum 0.7.

    Raises:
        ConfigurationError: similarity is needed and no embedder is configured. Else as in
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
        min_grade: in place of `min`: A (0.8), B (0.6), C (0.4), D (0.2) or E (0).
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.6.

    Raises:
        ValueError: `min` and `min_grade` both, or no grade. Else as in `assert_context_relevance`,
            for `question`, `answer` and `ground_truth_answer`.
    """

async def assert_semantic_similarity(
    case: EvalCase,
    *,
    min: float | None = None,
) -> MetricResult:
    """Answer and reference mean the same: max(0, cos) of their embeddings. Default minimum 0.8.

    Raises:
        ConfigurationError: no embedder is configured.
        RagAssertionError, JudgeError, VerdictMissing, MissingFieldError: as in
            `assert_context_relevance`, for `answer` and `ground_truth_answer`.
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

async def assert_correct(
    case: EvalCase,
    *,
    models: Sequence[str] | None = None,
    votes: int | None = None,
) -> MetricResult:
    """The answer is CORRECT by the reference, neither WRONG nor DONT_KNOW.

    Raises:
        RagAssertionError: it is not. JudgeError, VerdictMissing: it could not be judged.
        MissingFieldError: the case lacks `question`, `answer` or `ground_truth_answer`.
    """

async def assert_not_evasive(
    case: EvalCase,
    *,
    models: Sequence[str] | None = None,
    votes: int | None = None,
) -> MetricResult:
    """The answer is an answer, right or wrong, and not that it is not known.

    Raises: as `assert_correct`.
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
        weights: by part, in place of the default ones.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.
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

async def assert_retrieval_recall(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """The retriever finds the right contexts: relevant ids that were retrieved / relevant ids.

    No judge is asked. Equal to trec_eval's `recall_k`. An id that is retrieved twice counts at its
    first rank.

    Args:
        min: in [0, 1]; default: the case's own, else `ragassert_min_retrieval_recall`, else 0.8.
        k: the ranks that count, from 1. Default: all.

    Raises:
        RagAssertionError: measured and below `min`.
        MissingFieldError: the case lacks `retrieved_context_ids`, or `ground_truth_context_ids`
            lacks or is empty.
        ValueError: `k` is no whole number from 1.
    """

async def assert_retrieval_precision(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """The retriever finds little else: relevant ids / ids that were retrieved, or / `k`.

    Equal to trec_eval's `P_k`, which counts a rank at which nothing was retrieved as a miss, and
    without `k` to its `set_P`. Default minimum 0.5. Arguments and errors as in
    `assert_retrieval_recall`.
    """

async def assert_hit_rate(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """The retriever finds one right context at least: 1 where it does, else 0.

    Equal to trec_eval's `success_k`. Default minimum 1. Arguments and errors as in
    `assert_retrieval_recall`.
    """

async def assert_mrr(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """A right context comes early: 1 / the rank of the first relevant id, 0 where there is none.

    Equal to trec_eval's `recip_rank`; its mean over the cases of a run is the mean reciprocal rank,
    MRR. Default minimum 0.5. Arguments and errors as in `assert_retrieval_recall`.
    """

async def assert_ndcg(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """The best contexts come first: discounted cumulative gain / that of the ideal ranking.

    Equal to trec_eval's `ndcg_cut_k`, and to its `ndcg` without `k`: the gain is the grade, the
    discount log2(rank + 1). Default minimum 0.7. Arguments and errors as in
    `assert_retrieval_recall`.
    """

async def assert_map(
    case: EvalCase,
    *,
    min: float | None = None,
    k: int | None = None,
) -> MetricResult:
    """Right contexts come before others: the mean precision at the ranks of relevant ids.

    Equal to trec_eval's `map_cut_k`, and to its `map` without `k`: the sum of precisions is divided
    by the number of relevant ids, found or not. Default minimum 0.5. Arguments and errors as in
    `assert_retrieval_recall`.
    """
