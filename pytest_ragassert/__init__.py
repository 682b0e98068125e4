"""RAG regression tests for pytest: claims judged one by one, every verdict with its evidence."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .assertions import (
        assert_factual_f1,
        assert_factual_precision,
        assert_factual_recall,
        assert_faithful,
    )
    from .case import EvalCase
    from .case_files import load_cases
    from .errors import (
        ConfigurationError,
        JudgeError,
        MissingFieldError,
        RagAssertionError,
        RagAssertWarning,
        VerdictMissing,
    )
    from .evaluation import Evaluation, evaluate
    from .metrics.metric import Metric
    from .results import ClaimVerdict, MetricResult
    from .settings import Settings
    from .verdict import Verdict

# pytest imports this module in every run, used or not: what is heavy loads on first use.
_HOMES = {
    "assertions": (
        "assert_factual_f1",
        "assert_factual_precision",
        "assert_factual_recall",
        "assert_faithful",
    ),
    "case": ("EvalCase",),
    "case_files": ("load_cases",),
    "errors": (
        "ConfigurationError",
        "JudgeError",
        "MissingFieldError",
        "RagAssertWarning",
        "RagAssertionError",
        "VerdictMissing",
    ),
    "evaluation": ("Evaluation", "evaluate"),
    "metrics.metric": ("Metric",),
    "results": ("ClaimVerdict", "MetricResult"),
    "settings": ("Settings",),
    "verdict": ("Verdict",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ClaimVerdict",
    "ConfigurationError",
    "EvalCase",
    "Evaluation",
    "JudgeError",
    "Metric",
    "MetricResult",
    "MissingFieldError",
    "RagAssertWarning",
    "RagAssertionError",
    "Settings",
    "Verdict",
    "VerdictMissing",
    "assert_factual_f1",
    "assert_factual_precision",
    "assert_factual_recall",
    "assert_faithful",
    "evaluate",
    "load_cases",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
