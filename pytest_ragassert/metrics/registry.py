"""The metrics by name: ours, and those that plugins add."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from ..errors import ConfigurationError
from .factual import MODES, FactualCorrectness
from .faithfulness import Faithfulness
from .metric import Metric

OWN: tuple[Metric, ...] = (Faithfulness(), *(FactualCorrectness(mode) for mode in MODES))


class Registry:
    """Metrics by name; a plugin's metric must not take a name that is taken."""

    def __init__(self, added: Iterable[Metric] = ()) -> None:
        self._metrics = {metric.name: metric for metric in OWN}
        for metric in added:
            if not isinstance(metric, Metric) or not getattr(metric, "name", ""):
                raise ConfigurationError(
                    f"pytest_ragassert_metrics returned {metric!r:.80}; "
                    "it must return instances of pytest_ragassert.Metric with a name"
                )
            if metric.name in self._metrics:
                raise ConfigurationError(f"two metrics are called {metric.name!r}")
            self._metrics[metric.name] = metric

    def __getitem__(self, name: str) -> Metric:
        if name not in self._metrics:
            raise TypeError(f"unknown metric {name!r}; known are {', '.join(self._metrics)}")
        return self._metrics[name]


def check_options(metric: Metric, options: Mapping[str, Any]) -> None:
    """Raises TypeError where the metric does not take an option of that name."""
    for name in options:
        if not takes(metric, name):
            raise TypeError(
                f"{metric.name} takes no option {name!r}; "
                f"it takes {', '.join(options_of(metric)) or 'none'}"
            )


def takes(metric: Metric, option: str) -> bool:
    named, any_name = _options(type(metric))
    return any_name or option in named


def options_of(metric: Metric) -> tuple[str, ...]:
    return _options(type(metric))[0]


@lru_cache(maxsize=256)
def _options(metric: type[Metric]) -> tuple[tuple[str, ...], bool]:
    """The options that a kind of metric names, and whether it takes any others."""
    parameters = inspect.signature(metric.measure).parameters
    named = tuple(name for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY)
    return named, any(p.kind is p.VAR_KEYWORD for p in parameters.values())
