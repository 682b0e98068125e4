"""Reads OpenTelemetry spans, with its own attributes for generative AI, and with those of
OpenInference, MLflow and TruLens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .inputs_and_outputs import documents_in, found_documents
from .spans import Document, Span, about_trace, kind_of, plain_metadata, seconds
from .written_values import json_in, parsed

_KIND = (
    *("openinference.span.kind", "mlflow.spanType", "ai.observability.span_type"),
    "gen_ai.operation.name",
)
_INPUT = (
    *("input.value", "mlflow.spanInputs", "ai.observability.record_root.input"),
    "gen_ai.input.messages",
)
_OUTPUT = (
    *("output.value", "mlflow.spanOutputs", "ai.observability.record_root.output"),
    "gen_ai.output.messages",
)
_DOCUMENTS = (
    *("retrieval.documents", "ai.observability.retrieval.retrieved_contexts"),
    "gen_ai.retrieval.documents",
)
_RERANKED = ("reranker.output_documents", "ai.observability.reranking.output_context_texts")
_GIVEN = ("reranker.input_documents", "ai.observability.reranking.input_context_texts")
# for TruLens, a trace is a record; its feedback also refers to the record's id
_RECORD = ("ai.observability.record_id",)
_FIRST = frozenset(
    {
        *("openinference", "mlflow", "ai", "gen_ai", "input", "output", "retrieval", "reranker"),
        *("session", "user", "tag", "metadata"),
    }
)
_ANY_NAME = "attributes."
# A row is a span if it has one of these names besides its ids.
_ATTRIBUTES = frozenset({"attributes", _KIND[0], _INPUT[0], _OUTPUT[0]})
_OF_A_SPAN = _ATTRIBUTES | {"span_kind", "parent_id"}


_OTLP = (
    ("resourceSpans", "scopeSpans", "spans"),
    ("scopeSpans", "spans"),
    ("resource_spans", "scope_spans", "spans"),
    ("scope_spans", "spans"),
)


def otel_spans(row: Mapping[str, Any]) -> list[Span] | None:
    """The span of a row, or the spans of a row of an OTLP file; None if the row is not a span."""
    for names in _OTLP:
        if names[0] in row:
            return [span for one in _inside(row, names) if (span := otel_span(one)) is not None]
    span = otel_span(row)
    return None if span is None else [span]


def _inside(row: Any, names: tuple[str, ...]) -> Iterator[Mapping[str, Any]]:
    if not names:
        if isinstance(row, Mapping):
            yield row
        return
    inner = row.get(names[0]) if isinstance(row, Mapping) else None
    for one in inner if isinstance(inner, list) else []:
        yield from _inside(one, names[1:])


def otel_span(row: Mapping[str, Any], *, trace: str | None = None) -> Span | None:
    """The span of a row; None if it is not one.

    Args:
        trace: the id of its trace, if the row has another one.
    """
    ids = _ids(row)
    if ids is None:
        return None
    attributes = _Attributes(row)
    name = str(row.get("name") or "")
    kind = kind_of(attributes.first(_KIND) or row.get("span_kind"), name)
    given, output = attributes.first(_INPUT), attributes.first(_OUTPUT)
    documents = reranked = None
    if kind == "reranker":
        documents = attributes.documents(_RERANKED + _DOCUMENTS)
        reranked = attributes.documents(_GIVEN)
    elif kind == "retriever":
        documents = attributes.documents(_DOCUMENTS)
    if documents is None or not any(one.id for one in documents):
        # LangChain's instrumentation has ids only there
        found = found_documents(kind, output)
        if documents is None or (found and len(found) == len(documents)):
            documents = found if found is not None else documents
    return Span(
        str(trace or attributes.first(_RECORD) or ids[0]),
        ids[1],
        ids[2],
        kind,
        name,
        next(filter(None, map(seconds, map(row.get, _TIMES))), None),
        given,
        output,
        documents,
        reranked,
        {} if ids[2] is not None else attributes.about(name),
    )


_TIMES = ("start_time", "start_time_unix_nano", "startTimeUnixNano", "start_timestamp")


def _ids(row: Mapping[str, Any]) -> tuple[str, str, str | None] | None:
    """The ids of trace, span and parent; None if the row is not a span."""
    context = parsed(row.get("context"))
    if isinstance(context, Mapping) and {"trace_id", "span_id"} <= context.keys():
        if not row.keys() & _OF_A_SPAN:
            return None
        found = (context["trace_id"], context["span_id"], row.get("parent_id"))
    elif not (row.keys() & _OF_A_SPAN or any(one.startswith(_ANY_NAME) for one in row)):
        return None
    elif "context.trace_id" in row and "context.span_id" in row:
        found = (row["context.trace_id"], row["context.span_id"], row.get("parent_id"))
    elif not row.keys() & _ATTRIBUTES:
        return None
    elif "trace_id" in row and "span_id" in row:
        parents = ("parent_span_id", "parent_id", "parentSpanId")
        found = (row["trace_id"], row["span_id"], next(filter(None, map(row.get, parents)), None))
    elif "traceId" in row and "spanId" in row:
        found = (row["traceId"], row["spanId"], row.get("parentSpanId"))
    else:
        return None
    trace, span, parent = (None if one != one else one for one in found)
    if not trace or not span:
        return None
    return str(trace), str(span), str(parent) if parent else None


class _Attributes:
    """A span's attributes by their dotted names, regardless of how they are nested."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        given = parsed(row.get("attributes"))
        if isinstance(given, list):
            given = dict(filter(None, map(_otlp_pair, given)))
        if not isinstance(given, Mapping):
            given = {
                name.removeprefix(_ANY_NAME): value for name, value in row.items() if "." in name
            }
        self._tree: dict[str, Any] = {}
        for name, value in given.items():
            if str(name).partition(".")[0] in _FIRST:
                _put(self._tree, str(name), value)

    def first(self, names: tuple[str, ...]) -> Any:
        """The value of the first name that has one; JSON's quotes are removed."""
        found = (self._at(name) for name in names)
        value = next((one for one in found if one is not None and one == one), None)
        if isinstance(value, str) and value.startswith('"'):
            unquoted = json_in(value)
            return unquoted if isinstance(unquoted, str) else value
        return None if value == "" else value

    def documents(self, names: tuple[str, ...]) -> list[Document] | None:
        found = (documents_in(_as_list(self._at(name))) for name in names)
        return next((one for one in found if one is not None), None)

    def about(self, name: str) -> dict[str, Any]:
        return about_trace(
            _as_list(self._at("tag.tags")),
            **{
                "name": name,
                "user": self.first(("user.id",)),
                "session": self.first(("session.id",)),
                **plain_metadata(self._at("metadata")),
            },
        )

    def _at(self, name: str) -> Any:
        place: Any = self._tree
        for part in name.split("."):
            if not isinstance(place, Mapping) or part not in place:
                return None
            place = place[part]
        return place


def _put(tree: dict[str, Any], name: str, value: Any) -> None:
    *parts, last = name.split(".")
    for part in parts:
        inner = tree.setdefault(part, {})
        if not isinstance(inner, dict):
            return  # a name that is also a value
        tree = inner
    if isinstance(value, Mapping):
        inner = tree.setdefault(last, {})
        if isinstance(inner, dict):
            for key, one in value.items():
                _put(inner, str(key), one)
    else:
        tree[last] = value


def _as_list(value: Any) -> Any:
    """A list whose items have their indices as names: `documents.0`, `documents.1`."""
    value = parsed(value)
    if isinstance(value, Mapping) and value and all(str(key).isdigit() for key in value):
        return [value[key] for key in sorted(value, key=lambda key: int(str(key)))]
    return value


def _otlp_pair(pair: Any) -> tuple[str, Any] | None:
    if not isinstance(pair, Mapping) or not isinstance(pair.get("key"), str):
        return None
    return pair["key"], _otlp_value(pair.get("value"))


def _otlp_value(value: Any) -> Any:
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    ((kind, inner),) = value.items()
    if kind not in ("arrayValue", "kvlistValue"):
        return inner
    values = inner.get("values") if isinstance(inner, Mapping) else None
    values = values if isinstance(values, list) else []
    if kind == "arrayValue":
        return list(map(_otlp_value, values))
    return dict(filter(None, map(_otlp_pair, values)))
