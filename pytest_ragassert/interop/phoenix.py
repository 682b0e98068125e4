"""Phoenix: spans, and the tables of questions and documents that it makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..language.escaping import is_blank
from .inputs_and_outputs import documents_in
from .otel_spans import otel_spans
from .spans import Span, about_trace, plain_metadata
from .written_values import parsed

_TRACE = "context.trace_id"
_ANSWERED = frozenset({_TRACE, "input", "output", "context"})
_RETRIEVED = frozenset({_TRACE, "input", "document", "document_score"})


def phoenix_spans(row: Mapping[str, Any]) -> list[Span] | None:
    """The spans of a row; None where it is none of Phoenix'.

    A row of `get_input_output_context` is a trace, whose documents are one text; a row of
    `get_retrieved_documents` is one document of a trace.
    """
    if row.get(_TRACE) and (row.keys() >= _ANSWERED or row.keys() >= _RETRIEVED):
        return list(_of_table(row, str(row[_TRACE])))
    inside = parsed(row.get("spans"))
    if isinstance(inside, list) and inside and all(isinstance(one, Mapping) for one in inside):
        # a trace of the command line's
        found = [otel_spans(one) for one in inside]
        return None if None in found else [span for one in found for span in one or ()]
    return otel_spans(row)


def _of_table(row: Mapping[str, Any], trace: str) -> Iterator[Span]:
    given, output = (_text(row.get(one)) for one in ("input", "output"))
    about = about_trace(**plain_metadata(row.get("metadata")))
    yield Span(trace, "", None, "other", "", None, given, output, about=about)
    if "document" in row:
        text, metadata = _text(row["document"]), row.get("document_metadata")
        # a document has no id of its own
        id = f"document {row.get('context.span_id')} {row.get('document_position')} {text}"
    else:
        text, metadata, id = _text(row["context"]), None, "documents"
    documents = [] if text is None else documents_in([{"content": text, "metadata": metadata}])
    yield Span(trace, id, "", "retriever", "", None, None, None, documents)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and not is_blank(value) else None
