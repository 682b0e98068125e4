"""Spans of a trace, independent of the tool that wrote them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ..language.escaping import is_blank
from .written_values import dict_in, parsed

# The output of `retriever` and `reranker` spans are the contexts. `search` spans have a name like a
# retriever's; they are used if the trace has no other.
Kind = Literal["retriever", "reranker", "search", "other"]


class Document(NamedTuple):
    text: str
    id: str | None = None
    source: str | None = None


class Span(NamedTuple):
    """One step of a trace, reduced to what a case needs.

    Attributes:
        id: empty for the trace itself, if a record has its input and output.
        parent: None if it has none.
        time: when it began, in seconds; None if unknown.
        documents: what a retriever or reranker returned; None if unknown.
        reranked: what a reranker was given; None if unknown.
        about: fields of the case other than question, answer and contexts, for a root span.
    """

    trace: str
    id: str
    parent: str | None
    kind: Kind
    name: str
    time: float | None
    input: Any
    output: Any
    documents: list[Document] | None = None
    reranked: list[Document] | None = None
    about: Mapping[str, Any] = {}


_KINDS: dict[str, Kind] = {
    "retriever": "retriever",
    "retrieval": "retriever",
    "reranker": "reranker",
    "reranking": "reranker",
    "rerank": "reranker",
}
_SEARCH = re.compile(r"retriev|rerank|vector.?(search|store)", re.IGNORECASE)
_LONGEST_PLAIN = 500  # characters of a text in the metadata


def kind_of(value: Any, name: str) -> Kind:
    """The kind of a span.

    Args:
        value: the span's type in the tool's words.
        name: the span's name.
    """
    kind = _KINDS.get(str(value).lower())
    return kind or ("search" if _SEARCH.search(name) else "other")


def seconds(value: Any) -> float | None:
    """A time in seconds, from the tools' formats: ISO texts, or integers since 1970."""
    try:
        if isinstance(value, datetime.datetime):
            return value.timestamp()
        if isinstance(value, str) and not value.strip().isdecimal():
            iso = value.strip().replace("Z", "+00:00")
            return datetime.datetime.fromisoformat(iso).timestamp()
        if not isinstance(value, str | int | float) or isinstance(value, bool) or value != value:
            return None
        number = float(value)
    except (ValueError, OverflowError):
        return None
    # nanoseconds, microseconds, milliseconds
    return next((number / unit for unit in (1e9, 1e6, 1e3) if number / unit > 1e8), number)


def plain_metadata(value: Any) -> dict[str, Any]:
    """The entries of a dict that are short texts or numbers."""
    return {str(name): one for name, one in dict_in(value).items() if _is_short(one)}


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return not is_blank(value) and len(value) <= _LONGEST_PLAIN
    return isinstance(value, int | float) and value == value


def about_trace(tags: Any = None, **named: Any) -> dict[str, Any]:
    """The fields of a case that a trace's record has besides its spans.

    Args:
        tags: the trace's tags, if they are texts.
        named: entries of the metadata by name; only short texts, numbers and dicts that are not
            empty are kept.
    """
    kept = {
        name: one
        for name, one in named.items()
        if _is_short(one) or (isinstance(one, Mapping) and one)
    }
    fields: dict[str, Any] = {"metadata": kept} if kept else {}
    tags = parsed(tags)
    if isinstance(tags, list | tuple) and tags and all(isinstance(one, str) for one in tags):
        fields["tags"] = list(tags)
    return fields
