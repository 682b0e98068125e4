"""RAG regression tests for pytest: claims judged one by one, each verdict with its evidence.

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


class _OwnModules:
    """Lets Python load this package's modules without pytest's assertion rewriting.

    pytest rewrites all modules of a plugin, on each start if no bytecode is written. These modules
    have no assert statements, so there is nothing to rewrite.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, _target: Any = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path) if name.startswith(f"{__name__}.") else None


if "_pytest.assertion.rewrite" in sys.modules:
    # before pytest's own finder, which rewrites
    sys.meta_path.insert(0, _OwnModules)

from .config.metric_table import ASSERTIONS  # noqa: E402 - found by the finder above

# pytest imports this module in every run, used or not, so heavy modules are loaded on first use.
_HOMES = {
    "engine.applicable": ("Applicable", "applicable_metrics"),
    "assertions": (*ASSERTIONS, "assert_no_regression", "assert_rag"),
    "analysis.records.artifact_lines": ("DebugClaim", "ErrorCase"),
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
    "metrics.metric": ("Ask", "Metric"),
    "report.pretty": ("MetricResult",),
    "steps.own_step": ("Step",),
    "results": ("ClaimVerdict", "Quote"),
    "analysis.records.results_file": ("ResultsFile",),
    "config.settings": ("Settings",),
    "judgements": ("Verdict",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
