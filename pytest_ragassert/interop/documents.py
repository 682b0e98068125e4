"""Finds text, source and id of a retrieved document of LangChain (Python and JavaScript),
LlamaIndex or Haystack.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

_TEXTS = ("page_content", "pageContent", "text", "content")
_METADATA = ("metadata", "meta")
# in the metadata, the best first: LlamaIndex' file_path is absolute, its file_name is not
_SOURCES = ("source", "file_name", "file_path", "filename", "path", "url", "doc_uri", "title")
_IDS = ("id", "node_id", "id_", "doc_id")
_METADATA_IDS = ("id", "chunk_id", "doc_id")  # used if the document itself has no id


def text_of(document: Any) -> Any:
    """The text of a document; any other value is returned unchanged."""
    if document is None or isinstance(document, str):
        return document
    if isinstance(document, dict):
        document = _inner(document)
    else:
        method = getattr(document, "get_content", None)
        if callable(method):
            return method()
    texts = (_value(document, name) for name in _TEXTS)
    return next((text for text in texts if isinstance(text, str)), document)


def sources_of(documents: Any) -> list[str | None] | None:
    """The source of each document, such as a file name or a URL; None if no document has one."""
    return _of_each(documents, _source)


def ids_of(documents: Any) -> list[str | None] | None:
    """The id of each document; None if no document has one."""
    return _of_each(documents, _id)


def names_after(
    names: Sequence[str | None] | None, before: Sequence[str | None] | None, now: Any
) -> Sequence[str | None] | None:
    """The names of contexts after the contexts are replaced by others without names.

    Texts that were there before keep their names, as after `contexts[:3]`. Names are kept if there
    were no contexts before, or another number of them, because they belong to none of these.
    """
    if names is None or before is None or len(names) != len(before):
        return names
    if not isinstance(now, list | tuple):
        return None
    # if a text is repeated, its first position
    known = {text: name for text, name in reversed([*zip(before, names, strict=True)]) if text}
    kept = [known.get(one) if isinstance(one, str) else None for one in now]
    return kept if any(kept) else None


def _of_each(documents: Any, name_of: Callable[[Any], str | None]) -> list[str | None] | None:
    if not isinstance(documents, list | tuple):
        return None
    names = [_name(one, name_of) for one in documents]
    return names if any(names) else None


def _name(document: Any, name_of: Callable[[Any], str | None]) -> str | None:
    if document is None or isinstance(document, str):
        return None
    try:
        return name_of(_inner(document))
    except Exception:
        # a property of a user's class raised; only the text is needed
        return None


def _source(document: Any) -> str | None:
    metadata = _metadata(document)
    # in a search result, it may be beside the text
    record = document if isinstance(document, dict) else {}
    found = (place.get(name) for place in (metadata, record) for name in _SOURCES)
    texts = (os.fspath(one) for one in found if isinstance(one, str | os.PathLike))
    return next((text for text in texts if isinstance(text, str) and text.strip()), None)


def _id(document: Any) -> str | None:
    own = _first_id(_value(document, name) for name in _IDS)
    if own is not None:
        return own
    metadata = _metadata(document)
    return _first_id(metadata.get(name) for name in _METADATA_IDS)


def _first_id(values: Iterable[Any]) -> str | None:
    for value in values:
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    return None


def _metadata(document: Any) -> Mapping[Any, Any]:
    kept = (_value(document, name) for name in _METADATA)
    return next((one for one in kept if isinstance(one, Mapping)), {})


def _inner(document: Any) -> Any:
    """The inner record of a scored node, or the fields that LangChain's `dumps` wrote."""
    if not isinstance(document, dict):
        return document
    inner = document.get("kwargs" if "lc" in document else "node")
    return inner if isinstance(inner, dict) else document


def _value(document: Any, name: str) -> Any:
    if isinstance(document, dict):
        return document.get(name)
    return getattr(document, name, None)


# Fields of a case that name its retrieved contexts, and how each finds a context's own name.
CONTEXT_NAMES = {"retrieved_context_sources": sources_of, "retrieved_context_ids": ids_of}
