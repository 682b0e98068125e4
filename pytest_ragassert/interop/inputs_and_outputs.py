"""Finds question, history, answer and documents in the input and output of a span."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..language.escaping import is_blank
from .chat_records import messages_of
from .documents import ids_of, sources_of, text_of
from .spans import Document, Kind
from .written_values import json_in, parsed

_OBJECT = re.compile(r"<?[A-Z]\w*\(\w+=")  # an object as Python prints it: `Document(id=7, …`
_DOCUMENTS = (
    *("documents", "contexts", "context", "retrieved_contexts", "source_documents"),
    *("source_nodes", "nodes", "output", "result", "results", "return"),
)
_QUESTIONS = (
    *("question", "input", "query", "user_input", "user_query", "messages", "prompt"),
    *("query_str", "str_or_query_bundle", "message", "text", "content"),
)
_ANSWERS = (
    *("answer", "output", "response", "result", "final_answer", "message", "messages"),
    *("choices", "generations", "replies", "answers", "text", "content", "data"),
)
_DEEPEST = 6


def found_documents(kind: Kind, output: Any) -> list[Document] | None:
    """The documents that a retriever or reranker returned; None if its output has none."""
    if kind == "other":
        return None
    value = parsed(output)
    if isinstance(value, str):
        # only the output of a retriever is certain to be a passage
        return None if kind == "search" or is_blank(value) else [Document(value)]
    return documents_in(value)


def documents_in(value: Any) -> list[Document] | None:
    """The documents in a list, or in a dict with one such list; None if there are none."""
    value = parsed(value)
    if isinstance(value, Mapping):
        found = [value[name] for name in _DOCUMENTS if isinstance(parsed(value.get(name)), list)]
        return documents_in(found[0]) if found else None
    if not isinstance(value, list | tuple):
        return None
    documents = list(map(_document, value))
    known = [one for one in documents if one is not None]
    return known if known or not documents else None


def _document(value: Any) -> Document | None:
    if isinstance(value, str):
        written = parsed(value)
        document = _document(written) if isinstance(written, Mapping) else None
        # a text may be JSON that is not a document
        return document or (None if _OBJECT.match(value) else Document(value))
    if not isinstance(value, Mapping):
        return None
    for inner in ("document", "kwargs", "node"):  # OpenInference, LangChain's own JSON, LlamaIndex
        if isinstance(value.get(inner), Mapping):
            value = value[inner]
            break
    record = {str(name).removeprefix("document."): one for name, one in value.items()}
    record["metadata"] = parsed(record.get("metadata"))
    text = text_of(record)
    if not isinstance(text, str):
        return None
    ids, sources = ids_of([record]), sources_of([record])
    return Document(text, ids[0] if ids else None, sources[0] if sources else None)


def question_in(value: Any) -> Any:
    """The question in a span's input, as a text or as messages; None if it is not found."""
    return _said(parsed(value), _QUESTIONS, _asked_messages)


def answer_in(value: Any) -> str | None:
    """The answer in a span's output; None if it is not found."""
    said: Any = _said(parsed(value), _ANSWERS, _last_message)
    # an answer may be JSON; then its text is the answer
    return said if said is not None or not isinstance(value, str) or is_blank(value) else value


def _said(value: Any, names: Iterable[str], of_messages: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        unquoted = json_in(value) if value.startswith('"') else None
        text = unquoted if isinstance(unquoted, str) else value
        return None if is_blank(text) else text
    if depth > _DEEPEST:
        return None
    if isinstance(value, list | tuple):
        messages = of_messages(value)
        if messages is not None or len(value) != 1:
            return messages
        return _said(value[0], names, of_messages, depth + 1)
    if not isinstance(value, Mapping):
        return None
    arguments = value.get("kwargs")
    if isinstance(arguments, Mapping):
        # Langfuse's format for a function call
        given = [arguments, *(value.get("args") or ())]
        found = (_said(one, names, of_messages, depth + 1) for one in given)
        return next((one for one in found if one is not None), None)
    for name in names:
        said = _said(parsed(value.get(name)), names, of_messages, depth + 1)
        if said is not None:
            return said
    texts = [one for one in value.values() if isinstance(one, str) and not is_blank(one)]
    others = [one for one in value.values() if isinstance(one, Mapping | list | tuple)]
    if len(texts) == 1 and not others:
        return texts[0]
    # Haystack's format, by component
    inner = [one for one in others if isinstance(one, Mapping)]
    found = (_said(one, names, of_messages, depth + 1) for one in inner)
    said = [one for one in found if one is not None]
    return said[0] if said and all(one == said[0] for one in said) else None


def history_in(value: Any) -> list[dict[str, str]] | None:
    """The turns before the question, if a span's input has them separately."""
    value = parsed(value)
    if not isinstance(value, Mapping):
        return None
    found = (messages_of(parsed(value.get(name))) for name in ("chat_history", "history"))
    return next((turns for turns in found if turns), None)


def _asked_messages(value: Any) -> list[dict[str, str]] | None:
    """A list of messages as plain turns; None: it is not one, or no message is from the user."""
    messages = messages_of(value)
    asked = messages and any(one["role"] == "user" for one in messages)
    return messages if asked else None


def _last_message(value: Any) -> str | None:
    messages = messages_of(value)
    return messages[-1]["content"] if messages and messages[-1]["role"] == "assistant" else None
