"""RAG regression tests for pytest: claims judged one by one, every verdict with its evidence.

PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .analysis.records.calibration_file import CalibrationFile
    from .analysis.records.claim_lines import DebugClaim, ErrorCase
    from .analysis.records.results_file import ResultsFile
    from .assertions import (
        assert_answer_correctness,
        assert_answer_relevancy,
        assert_bert_score,
        assert_context_precision,
        assert_context_recall,
        assert_context_relevance,
        assert_correct,
        assert_evidence,
        assert_factual_accuracy,
        assert_factual_f1,
        assert_factual_precision,
        assert_factual_recall,
        assert_faithful,
        assert_no_regression,
        assert_not_evasive,
        assert_rag,
        assert_ragas_score,
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
    from .metrics.metric import Metric
    from .results import ClaimVerdict, MetricResult
    from .steps.evidence.evidence_details import EvidenceDetails, IssueSpan, SentenceVerdict

# pytest imports this module in every run, used or not: what is heavy loads on first use.
_HOMES = {
    "engine.applicable": ("Applicable", "applicable_metrics"),
    "assertions": (
        "assert_answer_correctness",
        "assert_answer_relevancy",
        "assert_bert_score",
        "assert_context_precision",
        "assert_context_recall",
        "assert_context_relevance",
        "assert_correct",
        "assert_evidence",
        "assert_factual_accuracy",
        "assert_factual_f1",
        "assert_factual_precision",
        "assert_factual_recall",
        "assert_faithful",
        "assert_no_regression",
        "assert_not_evasive",
        "assert_rag",
        "assert_ragas_score",
        "assert_semantic_similarity",
    ),
    "analysis.records.claim_lines": ("DebugClaim", "ErrorCase"),
    "analysis.records.calibration_file": ("CalibrationFile",),
    "case": ("EvalCase",),
    "datasets.loading": ("load_cases",),
    "errors": (
        "ConfigurationError",
        "JudgeError",
        "MissingFieldError",
        "RagAssertWarning",
        "RagAssertionError",
        "VerdictMissing",
    ),
    "evaluation": ("Evaluation", "evaluate"),
    "steps.evidence.evidence_details": ("EvidenceDetails", "IssueSpan", "SentenceVerdict"),
    "metrics.metric": ("Metric",),
    "report.pretty": ("MetricResult",),
    "results": ("ClaimVerdict",),
    "analysis.records.results_file": ("ResultsFile",),
    "config.settings": ("Settings",),
    "judgements": ("Verdict",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Applicable",
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
    "RagAssertWarning",
    "RagAssertionError",
    "ResultsFile",
    "SentenceVerdict",
    "Settings",
    "Verdict",
    "VerdictMissing",
    "applicable_metrics",
    "assert_answer_correctness",
    "assert_answer_relevancy",
    "assert_bert_score",
    "assert_context_precision",
    "assert_context_recall",
    "assert_context_relevance",
    "assert_correct",
    "assert_evidence",
    "assert_factual_accuracy",
    "assert_factual_f1",
    "assert_factual_precision",
    "assert_factual_recall",
    "assert_faithful",
    "assert_no_regression",
    "assert_not_evasive",
    "assert_rag",
    "assert_ragas_score",
    "assert_semantic_similarity",
    "evaluate",
    "load_cases",
]


class _OwnModules:
    """Lets Python load the package's modules as any other's.

    pytest rewrites all modules of a plugin, and where no bytecode is written it does so at each
    start. They hold no assert statements, so there is nothing to rewrite.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, _target: Any = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path) if name.startswith(f"{__name__}.") else None


if "_pytest.assertion.rewrite" in sys.modules:
    # before the finder by which pytest rewrites
    sys.meta_path.insert(0, _OwnModules)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
