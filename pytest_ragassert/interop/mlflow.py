"""Reads MLflow traces with their spans, as `search_traces` and `Trace.to_json` return them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .inputs_and_outputs import answer_in
from .otel_spans import otel_span
from .spans import Span, about_trace, plain_metadata
from .written_values import dict_in, list_in, parsed, value_or_none

_METADATA = ("trace_metadata", "request_metadata")
_OWN = "mlflow."


def mlflow_spans(row: Mapping[str, Any]) -> list[Span] | None:
    """The spans of a trace; None if the row is not one."""
    info, data = parsed(row.get("info")), parsed(row.get("data"))
    if isinstance(info, Mapping) and isinstance(data, Mapping) and "spans" in data:
        row = {**info, **data}
    elif not {"request", "response"} <= row.keys() or not row.keys() & {*_METADATA, "spans"}:
        return None
    id = row.get("trace_id") or row.get("request_id")
    return list(_spans(row, str(id))) if id else None


def _spans(row: Mapping[str, Any], id: str) -> Iterator[Span]:
    tags = dict_in(row.get("tags"))
    name = str(tags.get("mlflow.traceName") or "")
    given, output = (value_or_none(row.get(one)) for one in ("request", "response"))
    yield Span(id, "", None, "other", name, None, given, output, about=_about(row, tags, name))
    for one in list_in(row.get("spans")):
        span = otel_span(one, trace=id) if isinstance(one, Mapping) else None
        if span is not None:
            yield span._replace(about={})


def _about(row: Mapping[str, Any], tags: Mapping[str, Any], name: str) -> dict[str, Any]:
    metadata = next(filter(None, (dict_in(row.get(one)) for one in _METADATA)), {})
    scores, expected = _assessed(row.get("assessments"))
    reference = answer_in(expected.pop("expected_response", None))
    facts = expected.get("expected_facts")
    has_facts = isinstance(facts, list) and all(isinstance(one, str) for one in facts)
    if has_facts:
        del expected["expected_facts"]
    fields = about_trace(
        **{
            "name": name,
            "user": metadata.get("mlflow.trace.user"),
            "session": metadata.get("mlflow.trace.session"),
            **_others(metadata),
            **_others(tags),
            "scores": scores,
            "expectations": expected,
        }
    )
    if reference is not None:
        fields["ground_truth_answer"] = reference
    if has_facts:
        fields["ground_truth_claims"] = facts
    return fields


def _others(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in plain_metadata(values).items() if not name.startswith(_OWN)
    }


def _assessed(assessments: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The feedback and the expectations of a trace, by name."""
    scores: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    for one in list_in(assessments):
        if not isinstance(one, Mapping) or one.get("valid") is False:
            continue
        name = str(one.get("assessment_name") or one.get("name") or "")
        score = dict_in(one.get("feedback")).get("value")
        if isinstance(score, str | int | float):
            scores[name] = score
        expectation = dict_in(one.get("expectation"))
        # lists and dicts are written as JSON
        value = expectation.get("value", dict_in(expectation.get("serialized_value")).get("value"))
        if value is not None:
            expected[name] = parsed(value)
    return scores, expected
