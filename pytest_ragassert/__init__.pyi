# Written by `python -m tests.metric_files`; change the metric's file, and run it again.

from .analysis.records.artifact_lines import DebugClaim, ErrorCase
from .analysis.records.calibration_file import CalibrationFile
from .analysis.records.results_file import ResultsFile
from .assertions import (
    assert_answer_correctness,
    assert_answer_relevancy,
    assert_bert_score,
    assert_citations,
    assert_context_precision,
    assert_context_recall,
    assert_context_relevance,
    assert_correct,
    assert_criteria,
    assert_evidence,
    assert_factual_accuracy,
    assert_factual_f1,
    assert_factual_precision,
    assert_factual_recall,
    assert_faithful,
    assert_hit_rate,
    assert_map,
    assert_mrr,
    assert_ndcg,
    assert_no_regression,
    assert_not_evasive,
    assert_rag,
    assert_ragas_score,
    assert_retrieval_precision,
    assert_retrieval_recall,
    assert_semantic_similarity,
)
from .case import EvalCase
from .config.settings import Settings
from .datasets.loading import load_cases
from .engine.applicable import Applicable, applicable_metrics
from .errors import (
    ConfigurationError,
    JudgeError,
    MissingFieldError,
    RagAssertionError,
    RagAssertWarning,
    VerdictMissing,
)
from .evaluation import Evaluation, evaluate
from .judgements import Verdict
from .metrics.metric import Ask, Metric
from .report.pretty import MetricResult
from .results import ClaimVerdict, Quote
from .steps.evidence.evidence_details import EvidenceDetails, IssueSpan, SentenceVerdict
from .steps.own_step import Step

__all__ = [
    "Applicable",
    "Ask",
    "CalibrationFile",
    "ClaimVerdict",
    "ConfigurationError",
    "DebugClaim",
    "ErrorCase",
    "EvalCase",
    "Evaluation",
    "EvidenceDetails",
    "IssueSpan",
    "JudgeError",
    "Metric",
    "MetricResult",
    "MissingFieldError",
    "Quote",
    "RagAssertWarning",
    "RagAssertionError",
    "ResultsFile",
    "SentenceVerdict",
    "Settings",
    "Step",
    "Verdict",
    "VerdictMissing",
    "applicable_metrics",
    "assert_answer_correctness",
    "assert_answer_relevancy",
    "assert_bert_score",
    "assert_citations",
    "assert_context_precision",
    "assert_context_recall",
    "assert_context_relevance",
    "assert_correct",
    "assert_criteria",
    "assert_evidence",
    "assert_factual_accuracy",
    "assert_factual_f1",
    "assert_factual_precision",
    "assert_factual_recall",
    "assert_faithful",
    "assert_hit_rate",
    "assert_map",
    "assert_mrr",
    "assert_ndcg",
    "assert_no_regression",
    "assert_not_evasive",
    "assert_rag",
    "assert_ragas_score",
    "assert_retrieval_precision",
    "assert_retrieval_recall",
    "assert_semantic_similarity",
    "evaluate",
    "load_cases",
]

__version__: str
