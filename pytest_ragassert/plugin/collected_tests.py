"""Collected tests: a test's case, and the metrics that its marker declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..case import EvalCase

MARKER = "rag_cases"


def collected_case(item: pytest.Item) -> EvalCase | None:
    """The case that the test was collected with; None if it has none."""
    from ..case import EvalCase

    case = getattr(getattr(item, "callspec", None), "params", {}).get("rag_case")
    return case if isinstance(case, EvalCase) else None


def function_of(item: pytest.Item) -> str:
    """The node id of the test function, without the case."""
    parent = "" if item.parent is None else item.parent.nodeid
    return f"{parent}::{getattr(item, 'originalname', item.name)}"


def is_skipped(item: pytest.Item) -> bool:
    """Whether a marker skips the test."""
    return item.get_closest_marker("skip") is not None


def declared_by(item: pytest.Item) -> Mapping[str, Mapping[str, Any]]:
    """The metrics that the marker says the test measures, with their options."""
    marker = item.get_closest_marker(MARKER)
    return {} if marker is None else declared_metrics(marker)


def declared_metrics(marker: pytest.Mark) -> dict[str, Mapping[str, Any]]:
    """The metrics that the marked function says it measures, with their options.

    Raises:
        TypeError: neither a list of names nor a dict of options by name.
    """
    declared = marker.kwargs.get("metrics", ())
    if isinstance(declared, Mapping):
        for name, options in declared.items():
            if not isinstance(options, Mapping):
                from ..language.escaping import visible

                raise TypeError(
                    f"metrics: the options of {visible(str(name))} must be a dict, "
                    f"not {options!r:.60}"
                )
        return dict(declared)
    if isinstance(declared, str) or not isinstance(declared, list | tuple):
        raise TypeError(
            f"metrics must be a list of names or a dict of options, not {declared!r:.60}"
        )
    return {name: {} for name in declared}
