"""Reads Langfuse exports: traces with or without observations, observations, items of data sets.

Names are those of the API and of exports from the UI (`traceId`), and those of exports to blob
storage (`trace_id`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .inputs_and_outputs import answer_in, found_documents, question_in
from .spans import Span, about_trace, kind_of, plain_metadata, seconds
from .written_values import list_in, parsed, value_or_none

_TYPES = frozenset(
    {
        *("SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR"),
        *("EMBEDDING", "GUARDRAIL"),
    }
)
# Names in the rows of exported traces, from which the other spellings are derived.
_TRACE_MARKS = frozenset({"id", "timestamp", "input", "output", "bookmarked", "public"})
# Columns of a trace in exports; any other column of numbers is a score.
_TRACE_COLUMNS = frozenset(
    {
        *("id", "timestamp", "name", "userId", "sessionId", "release", "version", "environment"),
        *("tags", "bookmarked", "public", "input", "output", "metadata", "latency", "usage"),
        *("inputCost", "outputCost", "totalCost", "level", "errorCount", "warningCount"),
        *("defaultCount", "debugCount", "observationCount", "inputTokens", "outputTokens"),
        *("totalTokens", "comments", "projectId", "createdAt", "updatedAt", "externalId"),
        *("htmlPath", "observations", "scores", "user_id", "session_id", "project_id"),
        *("created_at", "updated_at", "total_cost", "html_path"),
    }
)

_DATA_SETS = frozenset({"datasetId", "dataset_id", "datasetName", "dataset_name"})
# Columns of an item that become fields, or that are not kept.
_OF_AN_ITEM = frozenset(
    {
        *("id", "input", "expectedOutput", "expected_output", "metadata", "status"),
        *("sourceTraceId", "sourceObservationId", "createdAt", "updatedAt", "htmlSourcePath"),
        *("source_trace_id", "source_observation_id", "created_at", "updated_at"),
    }
)


def langfuse_spans(row: Mapping[str, Any]) -> list[Span] | None:
    """The spans of an observation or a trace; None if the row is neither."""
    # a trace that was downloaded has its observations beside it
    trace = row["trace"] if isinstance(row.get("trace"), Mapping) else row
    if trace.get("id") and (_has_observations(row) or row.keys() >= _TRACE_MARKS):
        return list(_of_trace(trace, list_in(row.get("observations"))))
    observation = _observation(row)
    return None if observation is None else [observation]


def _has_observations(row: Mapping[str, Any]) -> bool:
    """Whether a row has a trace and its observations, or their ids."""
    observations = parsed(row.get("observations"))
    if not isinstance(observations, list) or not row.keys() & {"input", "output", "trace"}:
        return False
    if not all(isinstance(one, Mapping) and "type" in one for one in observations):
        return "timestamp" in row and all(isinstance(one, str) for one in observations)
    return bool(observations) or "timestamp" in row


def _of_trace(trace: Mapping[str, Any], observations: Iterable[Any]) -> Iterator[Span]:
    id = str(trace["id"])
    scores = {
        **{name: _score(trace[name]) for name in trace if name not in _TRACE_COLUMNS},
        **_listed_scores(trace.get("scores")),
    }
    about = _about(trace, trace.get("tags"), trace.get("name"))
    scores = {name: value for name, value in scores.items() if value is not None}
    if scores:
        about.setdefault("metadata", {})["scores"] = scores
    given, output = value_or_none(trace.get("input")), value_or_none(trace.get("output"))
    name = str(trace.get("name") or "")
    yield Span(id, "", None, "other", name, None, given, output, about=about)
    for one in observations:
        if isinstance(one, Mapping):
            observation = _observation({"traceId": id, **one})
            if observation is not None:
                yield observation


def _observation(row: Mapping[str, Any]) -> Span | None:
    trace = row.get("traceId") or row.get("trace_id")
    if not trace or not row.get("id") or str(row.get("type")) not in _TYPES:
        return None
    if not row.keys() & {
        *("parentObservationId", "parent_observation_id", "startTime", "start_time"),
    }:
        return None
    parent = row.get("parentObservationId") or row.get("parent_observation_id")
    parent = str(parent) if parent and parent == parent else None
    name = str(row.get("name") or "")
    kind = kind_of(row["type"], name)
    given, output = value_or_none(row.get("input")), value_or_none(row.get("output"))
    about = {}
    if parent is None:
        trace_name = row.get("traceName") or row.get("trace_name")
        tags = row.get("traceTags") or row.get("tags")
        about = _about(row, tags, trace_name or name)
    return Span(
        str(trace),
        str(row["id"]),
        parent,
        kind,
        name,
        seconds(row.get("startTime") or row.get("start_time")),
        given,
        output,
        found_documents(kind, output),
        about=about,
    )


def _about(row: Mapping[str, Any], tags: Any, name: Any) -> dict[str, Any]:
    return about_trace(
        tags,
        **{
            "name": name,
            "user": row.get("userId") or row.get("user_id"),
            "session": row.get("sessionId") or row.get("session_id"),
            "environment": row.get("environment"),
            "release": row.get("release"),
            "version": row.get("version"),
            **plain_metadata(row.get("metadata")),
        },
    )


def _score(value: Any) -> Any:
    """A number, or the first value of a list; None if it is neither."""
    value = parsed(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, int | float) and value == value else None


def _listed_scores(scores: Any) -> dict[str, Any]:
    named = [one for one in list_in(scores) if isinstance(one, Mapping)]
    return {str(one["name"]): _score(one.get("value")) for one in named if one.get("name")}


def data_set_item(row: Mapping[str, Any], *, is_said: bool = False) -> dict[str, Any] | None:
    """The fields of an item of a data set; None if the row is not one.

    An item without the name of its data set has the same names as DeepEval's goldens, whose values
    are texts; it is recognised by a dict among the values.

    Args:
        is_said: whether the row is known to be Langfuse's.
    """
    expected = next((name for name in ("expectedOutput", "expected_output") if name in row), None)
    if expected is None or "input" not in row:
        return None
    question, reference = question_in(row["input"]), answer_in(row[expected])
    if not is_said and not (row.keys() >= {"id", "status"} and row.keys() & _DATA_SETS):
        has_dict = any(isinstance(parsed(row[one]), Mapping) for one in ("input", expected))
        if not has_dict or not row.keys() <= _OF_AN_ITEM or question is None:
            return None
        if reference is None and row[expected]:
            return None
    fields: dict[str, Any] = {"id": row["id"]} if row.get("id") is not None else {}
    if question is not None:
        fields["question"] = question
    if reference is not None:
        fields["ground_truth_answer"] = reference
    data_set = row.get("datasetName") or row.get("dataset_name")
    fields.update(about_trace(**{"data_set": data_set, **plain_metadata(row.get("metadata"))}))
    return fields
