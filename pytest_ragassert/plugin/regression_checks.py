"""Checks the configuration of gates and baseline before anything is asked."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..metrics.registry import Registry
from .pytest_options import usage_error
from .regression import Regression

if TYPE_CHECKING:
    from .run import Run


def regression_of(run: Run) -> Regression:
    """The gates and the baseline of the run.

    Raises:
        pytest.UsageError: as for `Regression.check`.
    """
    regression = Regression(run)
    with _as_usage_error():
        regression.check()
    return regression


def check_metrics(run: Run, regression: Regression) -> None:
    """
    Raises:
        pytest.UsageError: a gate names a metric that does not exist.
    """
    with _as_usage_error():
        try:
            registry = Registry(run.hooks.metrics())
        except ConfigurationError:
            raise
        except Exception:
            return  # the hook's own error, which each test that measures shows
        regression.check_names([metric.name for metric in registry])


@contextlib.contextmanager
def _as_usage_error() -> Iterator[None]:
    try:
        yield
    except ConfigurationError as error:
        raise usage_error(error) from None
