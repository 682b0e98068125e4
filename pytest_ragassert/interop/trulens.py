"""Reads TruLens records of `get_records_and_feedback`, and events of `get_events`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .inputs_and_outputs import documents_in
from .otel_spans import otel_span
from .spans import Document, Span, about_trace
from .written_values import json_in, parsed, value_or_none

_RECORD = frozenset({"record_id", "app_id", "input", "output"})
_COLUMNS = frozenset(
    {
        *("latency", "total_tokens", "total_cost", "eval_cost", "eval_cost_snowflake"),
        *("num_events", "sampled", "sample_rate", "is_match", "app_json", "record_json"),
        *("cost_json", "perf_json", "ts", "type", "conversation_id", "input_id", "cost_currency"),
        *("eval_decision_reason", "app_id", "record_id", "input", "output", "tags", "app_name"),
        "app_version",
    }
)
# Suffixes of columns that accompany a column of scores.
_NO_SCORES = (" cost in USD", " direction", "_calls")


def trulens_spans(row: Mapping[str, Any]) -> list[Span] | None:
    """The spans of a record or an event; None if the row is neither."""
    if row.keys() >= {"record_attributes", "trace", "record"}:
        return _of_event(row)
    if {"record_id", "app_id", "main_input", "main_output"} <= row.keys():
        # a record as an object; in the table it is record_json
        row = {**row, "input": row["main_input"], "output": row["main_output"], "record_json": row}
    if not row.keys() >= _RECORD or not row.keys() & {"record_json", "app_version"}:
        return None
    id, name = str(row["record_id"]), str(row.get("app_name") or "")
    scores = {
        name: value
        for name, value in row.items()
        if name not in _COLUMNS and _is_score(value) and not name.endswith(_NO_SCORES)
    }
    about = about_trace(
        **{
            "name": name,
            "app_version": row.get("app_version"),
            "tags": row.get("tags"),
            "scores": {name: float(value) for name, value in scores.items()},
        }
    )
    given, output = (_value(row.get(one)) for one in ("input", "output"))
    own = Span(id, "", None, "other", name, None, given, output, about=about)
    contexts = _called(row.get("record_json"))
    if contexts is None:
        return [own]
    return [own, Span(id, "calls", "", "retriever", "", None, None, None, contexts)]


def _of_event(row: Mapping[str, Any]) -> list[Span] | None:
    record, context = parsed(row["record"]), parsed(row["trace"])
    if not isinstance(record, Mapping) or not isinstance(context, Mapping):
        return None
    span = otel_span(
        {
            "name": record.get("name"),
            "context": context,
            "parent_id": context.get("parent_id") or record.get("parent_span_id"),
            "attributes": row["record_attributes"],
            "start_timestamp": row.get("start_timestamp"),
        }
    )
    return None if span is None else [span]


def _called(record_json: Any) -> list[Document] | None:
    """What retrieval methods returned, in records from before TruLens used OpenTelemetry."""
    record = json_in(record_json) if isinstance(record_json, str) else record_json
    calls = record.get("calls") if isinstance(record, Mapping) else None
    for call in calls if isinstance(calls, list) else []:
        stack = call.get("stack") if isinstance(call, Mapping) else None
        last = stack[-1] if isinstance(stack, list) and stack else None
        method = last.get("method") if isinstance(last, Mapping) else None
        called = str(method.get("name") if isinstance(method, Mapping) else "").lower()
        if "retriev" in called or "relevant_documents" in called:
            found = documents_in(call.get("rets"))
            if found is not None:
                return found
    return None


def _value(value: Any) -> Any:
    value = json_in(value) if isinstance(value, str) and value.startswith('"') else value
    return value_or_none(value)


def _is_score(value: Any) -> bool:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return False
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
