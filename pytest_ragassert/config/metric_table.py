"""Names and minimums of the metrics, for runs that measure nothing."""

# Written by `python -m tools.metric_files`; change the metric's file, and run it again.

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
    "answer_relevancy": 0.7,
    "answer_correctness": 0.7,
    "factual_accuracy": 0.6,
    "semantic_similarity": 0.8,
    "bert_score": 0.7,
    "ragas_score": 0.7,
    "evidence": 0.8,
}

ASSERTIONS = (
    "assert_faithful",
    "assert_factual_f1",
    "assert_factual_precision",
    "assert_factual_recall",
    "assert_context_relevance",
    "assert_context_recall",
    "assert_context_precision",
    "assert_answer_relevancy",
    "assert_answer_correctness",
    "assert_factual_accuracy",
    "assert_semantic_similarity",
    "assert_bert_score",
    "assert_correct",
    "assert_not_evasive",
    "assert_ragas_score",
    "assert_evidence",
)
