"""Reads Phoenix exports: spans, and its tables of questions and documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..language.escaping import is_blank
from .inputs_and_outputs import documents_in
from .otel_spans import otel_spans
from .spans import Span, about_trace, plain_metadata
from .written_values import parsed

_TRACE = "context.trace_id"
_SPAN = "context.span_id"
# Earlier releases call the documents `reference`, as in `get_qa_with_reference`.
_ANSWERED = (
    frozenset({"input", "output", "context"}),
    frozenset({"input", "output", "reference"}),
)
_RETRIEVED = (
    frozenset({"input", "document", "document_score"}),
    frozenset({"input", "reference", "document_score"}),
)


def phoenix_spans(row: Mapping[str, Any]) -> list[Span] | None:
    """The spans of a row; None if it is not one of Phoenix.

    A row of `get_input_output_context` is a trace, whose documents are one text. A row of
    `get_retrieved_documents` is one document of a trace. If a row has no id of its trace, the id of
    the root span or of the retriever identifies the trace.
    """
    trace = row.get(_TRACE) or row.get(_SPAN)
    if trace and any(row.keys() >= names for names in (*_ANSWERED, *_RETRIEVED)):
        return list(_of_table(row, str(trace)))
    inside = parsed(row.get("spans"))
    if isinstance(inside, list) and inside and all(isinstance(one, Mapping) for one in inside):
        # a trace from the command line tool
        found = [otel_spans(one) for one in inside]
        return None if None in found else [span for one in found for span in one or ()]
    return otel_spans(row)


def _of_table(row: Mapping[str, Any], trace: str) -> Iterator[Span]:
    given, output = (_text(row.get(one)) for one in ("input", "output"))
    about = about_trace(**plain_metadata(row.get("metadata")))
    yield Span(trace, "", None, "other", "", None, given, output, about=about)
    name = next(one for one in ("document", "context", "reference") if one in row)
    text, metadata, id = _text(row[name]), None, "documents"
    if any(row.keys() >= names for names in _RETRIEVED):
        metadata = row.get("document_metadata")
        # documents have no ids of their own
        id = f"document {row.get(_SPAN)} {row.get('document_position')} {text}"
    documents = [] if text is None else documents_in([{"content": text, "metadata": metadata}])
    yield Span(trace, id, "", "retriever", "", None, None, None, documents)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and not is_blank(value) else None
