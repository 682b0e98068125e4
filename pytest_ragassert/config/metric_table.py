"""Names and minimums of the metrics, for runs that measure nothing."""

# Written by `python -m tests.metric_files`; change the metric's file, and run it again.

from __future__ import annotations

from collections.abc import Mapping

# Default minimum of each metric's score, in [0, 1]; settable by ini as ragassert_min_<metric>.
MINIMUMS: Mapping[str, float] = {
    "faithfulness": 0.8,
    "factual_f1": 0.7,
    "factual_precision": 0.7,
    "factual_recall": 0.7,
    "context_relevance": 0.5,
    "context_recall": 0.8,
    "context_precision": 0.7,
    "citation_recall": 0.8,
    "citation_precision": 0.8,
    "criteria": 1.0,
    "answer_relevancy": 0.7,
    "answer_correctness": 0.7,
    "factual_accuracy": 0.6,
    "semantic_similarity": 0.8,
    "bert_score": 0.7,
    "ragas_score": 0.7,
    "evidence": 0.8,
    "retrieval_recall": 0.8,
    "retrieval_precision": 0.5,
    "hit_rate": 1.0,
    "mrr": 0.5,
    "ndcg": 0.7,
    "map": 0.5,
}

ASSERTIONS = (
    "assert_faithful",
    "assert_factual_f1",
    "assert_factual_precision",
    "assert_factual_recall",
    "assert_context_relevance",
    "assert_context_recall",
    "assert_context_precision",
    "assert_citations",
    "assert_criteria",
    "assert_answer_relevancy",
    "assert_answer_correctness",
    "assert_factual_accuracy",
    "assert_semantic_similarity",
    "assert_bert_score",
    "assert_correct",
    "assert_not_evasive",
    "assert_ragas_score",
    "assert_evidence",
    "assert_retrieval_recall",
    "assert_retrieval_precision",
    "assert_hit_rate",
    "assert_mrr",
    "assert_ndcg",
    "assert_map",
)

# The texts whose claims a metric checks against another text.
SIDES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "faithfulness": (("answer", "contexts"),),
    "factual_f1": (("answer", "reference"), ("reference", "answer")),
    "factual_precision": (("answer", "reference"),),
    "factual_recall": (("reference", "answer"),),
    "context_recall": (("reference", "contexts"),),
    "citation_recall": (("answer", "cited"),),
    "answer_correctness": (("answer", "reference"), ("reference", "answer")),
    "ragas_score": (("answer", "contexts"), ("reference", "contexts")),
    "evidence": (("answer", "contexts"),),
}

# What the source documents call a metric's mean, and what they multiply it with.
DOCUMENT_NAMES: Mapping[str, tuple[str, float]] = {
    "faithfulness": ("ragas_faithfulness", 100),
    "context_recall": ("ragas_context_recall", 100),
    "context_precision": ("ragas_context_precision", 100),
    "answer_relevancy": ("ragas_answer_relevance", 100),
    "factual_accuracy": ("factual_accuracy_percentage", 100),
    "semantic_similarity": ("semantic_similarity_percentage", 100),
    "bert_score": ("bert_score_f1", 1),
    "ragas_score": ("ragas_score", 100),
}

# What a run counts beside a metric's mean.
COUNTS: Mapping[str, str] = {
    "factual_accuracy": "grades",
    "answer_class": "labels",
    "ragas_score": "methods",
    "evidence": "spans",
}

# They say nothing of whether the answer is right.
NOT_OF_TRUTH = frozenset(
    {
        "context_relevance",
        "context_recall",
        "context_precision",
        "citation_recall",
        "citation_precision",
        "criteria",
        "answer_relevancy",
        "retrieval_recall",
        "retrieval_precision",
        "hit_rate",
        "mrr",
        "ndcg",
        "map",
    }
)
