"""All metrics by name: the built-in ones, and those that plugins add."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from ..errors import ConfigurationError
from ..language.escaping import is_blank, visible
from ..language.suggestions import did_you_mean, nearest, shown_value
from ..steps.own_step import Step
from .answer_class import AnswerClass
from .answer_quality import AnswerRelevancy, FactualAccuracy
from .assertion import Expect, expectation_factory
from .bert_score import BertScore
from .citations import CitationPrecision, CitationRecall
from .composite import RagasScore
from .contexts import ContextPrecision, ContextRecall, ContextRelevance
from .criteria import Criteria
from .evidence import Evidence
from .factual import FactualF1, FactualPrecision, FactualRecall
from .faithfulness import Faithfulness
from .metric import Metric
from .option_checks import check_minimum
from .retrieval import (
    HitRate,
    MeanAveragePrecision,
    Ndcg,
    ReciprocalRank,
    RetrievalPrecision,
    RetrievalRecall,
)
from .similarity import AnswerCorrectness, SemanticSimilarity

OWN: tuple[Metric, ...] = (
    Faithfulness(),
    FactualF1(),
    FactualPrecision(),
    FactualRecall(),
    ContextRelevance(),
    ContextRecall(),
    ContextPrecision(),
    CitationRecall(),
    CitationPrecision(),
    Criteria(),
    AnswerRelevancy(),
    AnswerCorrectness(),
    FactualAccuracy(),
    SemanticSimilarity(),
    BertScore(),
    AnswerClass(),
    RagasScore(),
    Evidence(),
    RetrievalRecall(),
    RetrievalPrecision(),
    HitRate(),
    ReciprocalRank(),
    Ndcg(),
    MeanAveragePrecision(),
)


@cache
def expectations() -> dict[str, Expect]:
    """The expectation factory of each assertion, by the assertion's name."""
    return {
        assertion.name: expectation_factory(metric, assertion)
        for metric in OWN
        for assertion in metric.asserted_by
    }


# Options that every metric takes.
EVERYWHERE = ("no_claims", "models", "votes")


class Registry:
    """Metrics by name; a plugin's metric must not reuse a name."""

    def __init__(self, added: Iterable[Metric] = ()) -> None:
        self._metrics = {metric.name: metric for metric in OWN}
        for metric in added:
            if not isinstance(metric, Metric) or not _is_name(getattr(metric, "name", "")):
                raise ConfigurationError(
                    f"pytest_ragassert_metrics returned {metric!r:.80}; "
                    "it must return instances of pytest_ragassert.Metric with a name"
                )
            _check_declared(metric)
            if metric.name in self._metrics:
                raise ConfigurationError(f"two metrics are called {metric.name!r}")
            self._metrics[metric.name] = metric
        self._check_steps()

    def _check_steps(self) -> None:
        """Check the steps that metrics list.

        Raises:
            ConfigurationError: an entry is not a `Step`, or two steps have the same name.
        """
        steps: dict[str, tuple[Step[Any], Metric]] = {}
        for metric in self:
            listed = metric.steps
            if not isinstance(listed, tuple | list) or not all(isinstance(s, Step) for s in listed):
                raise ConfigurationError(
                    f"steps of the metric {visible(metric.name)} must be a tuple of "
                    f"pytest_ragassert.Step, not {listed!r:.80}"
                )
            for step in listed:
                known, first = steps.setdefault(step.name, (step, metric))
                if known != step:
                    raise ConfigurationError(
                        f"two steps are called {step.name!r}, in the metrics "
                        f"{visible(first.name)} and {visible(metric.name)}; rename one"
                    )

    def __iter__(self) -> Iterator[Metric]:
        return iter(self._metrics.values())

    def __getitem__(self, name: str) -> Metric:
        if not isinstance(name, str) or name not in self._metrics:
            near = nearest(name, self._metrics)
            hint = f"did you mean {visible(near)}? " if near else ""
            known = ", ".join(map(visible, self._metrics))
            raise TypeError(f"unknown metric {shown_value(name)}; {hint}known are {known}")
        return self._metrics[name]

    def spelled(self, name: str) -> str:
        """The metric's real name, given the name of a variable, in which case is lost."""
        same = (known for known in self._metrics if known.lower() == name)
        return name if name in self._metrics else next(same, name)


def whole_options(metric: Metric, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, completed with the metric's defaults.

    Raises:
        TypeError: the metric does not take an option.
    """
    defaults, _ = _options(type(metric))
    for name in options:
        if not takes(metric, name):
            near = nearest(name, defaults)
            hint = f"did you mean {near}? " if near else ""
            raise TypeError(
                f"{visible(metric.name)} takes no option {name!r}; {hint}it takes "
                f"{', '.join(defaults) or 'none'}"
            )
    given = {
        name: value for name, value in defaults.items() if value is not inspect.Parameter.empty
    }
    return {**given, **options}


def _check_declared(metric: Metric) -> None:
    """Check the attributes of a metric.

    Raises:
        ConfigurationError: `requires` or `default_min` is invalid; the message names the metric.
    """
    from ..case import EvalCase

    called = f"metric {visible(metric.name)}"
    required, fields = metric.requires, EvalCase.model_fields
    if not isinstance(required, tuple | list):
        raise ConfigurationError(
            f"{called}: requires must be a tuple of fields of EvalCase, not {shown_value(required)}"
        )
    for name in required:
        if name not in fields:
            raise ConfigurationError(
                f"{called}: requires names {shown_value(name)}, which is not a field of EvalCase"
                f"{did_you_mean(name, fields)}; known are {', '.join(fields)}"
            )
    try:
        check_minimum(metric.default_min, "default_min")
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{called}: {error}") from None


def _is_name(name: object) -> bool:
    return isinstance(name, str) and not is_blank(name)


def takes(metric: Metric, option: str) -> bool:
    defaults, any_name = _options(type(metric))
    return any_name or option in defaults


@lru_cache(maxsize=256)
def _options(metric: type[Metric]) -> tuple[dict[str, Any], bool]:
    """The options of a metric class with their defaults, and whether it also takes others."""
    parameters = inspect.signature(metric.measure).parameters
    named = {name: p.default for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    return named, any(p.kind is p.VAR_KEYWORD for p in parameters.values())
