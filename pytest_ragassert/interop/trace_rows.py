"""Recognises rows of trace exports by their names, and finds the spans in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .langfuse import data_set_item, langfuse_spans
from .langsmith import langsmith_spans
from .mlflow import mlflow_spans
from .phoenix import phoenix_spans
from .spans import Span
from .traces import Traces
from .trulens import trulens_spans

# Every row that is recognised here has one of these names.
_MARKS = frozenset(
    {
        *(
            "context",
            "context.trace_id",
            "context.span_id",
            "trace_id",
            "traceId",
            "resourceSpans",
            "scopeSpans",
        ),
        *("resource_spans", "scope_spans", "record_attributes", "record_id", "run_type"),
        *("observations", "bookmarked", "spans", "info", "request", "expectedOutput"),
        "expected_output",
    }
)
# By the name in `format=`.
_TOOLS: dict[str, Callable[[Mapping[str, Any]], list[Span] | None]] = {
    "mlflow": mlflow_spans,  # before Phoenix, whose traces also have spans
    "phoenix": phoenix_spans,
    "langfuse": langfuse_spans,
    "langsmith": langsmith_spans,
    "trulens": trulens_spans,
}


def may_be_of_a_trace(row: Mapping[str, Any]) -> bool:
    """Whether to look closer; fast, because it is called for every row of every file."""
    return not _MARKS.isdisjoint(row)


def spans_of_row(row: Mapping[str, Any], tool: str | None = None) -> list[Span] | None:
    """The spans of a row of a tool's export; None if the row is not one.

    Args:
        tool: the tool's name in `format=`; None: any tool.
    """
    tools = _TOOLS.values() if tool is None else filter(None, [_TOOLS.get(tool)])
    found = (spans_of(row) for spans_of in tools)
    return next((spans for spans in found if spans), None)


def item_of_row(row: Mapping[str, Any], tool: str | None = None) -> dict[str, Any] | None:
    """The fields of an item of a trace tool's data set; None if the row is not one.

    Args:
        tool: the tool's name in `format=`; None: any tool.
    """
    return data_set_item(row, is_said=tool is not None) if tool in (None, "langfuse") else None


def fields_of_trace(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of a row with a whole trace, or of an item of a trace tool's data set.

    None if the row is neither. A row with a single span has only the fields of that span.
    """
    if not may_be_of_a_trace(row):
        return None
    spans = spans_of_row(row)
    if spans is None:
        return item_of_row(row)
    traces = Traces()
    traces.add(spans)
    return next((record.fields for _, record in traces.records()), None)
