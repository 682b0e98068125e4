"""Reads conversations in records of other tools: the last question, and the turns before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_ROLES = {
    "human": "user",
    "user": "user",
    "HumanMessage": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "AIMessage": "assistant",
}
_OTHER_ROLES = ("tool", "system", "function", "developer")
# Names of a question, which may be a conversation.
_QUESTIONS = ("question", "user_input", "input", "query")
_ANSWERS = ("answer", "response", "actual_output")
_CONTEXTS = ("retrieved_contexts", "retrieval_context", "retrieved_content")


def turns_of(fields: dict[str, Any]) -> None:
    """Split a question that is a list of messages into question, history and answer, and convert
    the messages of a history to turns; all in place.

    Messages of others than the user and the assistant (tools, the system) are left out. A list with
    anything else is unchanged. The contexts in the message of an answer become the retrieved
    contexts. A history that is a mapping with `messages` also has the last question and its answer.
    """
    history = fields.get("history")
    if isinstance(_field(history, "messages"), list | tuple):
        _end_before_question(fields, _field(history, "messages"))
    elif isinstance(history, list | tuple):
        turns = messages_of(history, strict=True)
        fields["history"] = history if turns is None else turns
    for name in _QUESTIONS:
        messages = fields.get(name)
        if not isinstance(messages, list | tuple) or "history" in fields:
            continue
        turns = messages_of(messages, strict=True)
        if turns is not None and (asked := _last_question(turns)) is not None:
            fields[name] = turns[asked]["content"]
            fields["history"] = turns[:asked]
            _take_answer(fields, turns[asked + 1 :], messages[-1])


def _end_before_question(fields: dict[str, Any], messages: Any) -> None:
    turns = messages_of(messages, strict=True)
    if turns is None:
        return
    asked = _last_question(turns)
    fields["history"] = turns[:asked]
    if asked is not None:
        if not any(fields.get(one) for one in _QUESTIONS):
            fields["question"] = turns[asked]["content"]
        _take_answer(fields, turns[asked + 1 :], messages[-1])


def _last_question(turns: Sequence[Mapping[str, str]]) -> int | None:
    """The index of the user's last turn; None: there is none."""
    places = (place for place in reversed(range(len(turns))) if turns[place]["role"] == "user")
    return next(places, None)


def _take_answer(fields: dict[str, Any], said: Sequence[Mapping[str, str]], last: Any) -> None:
    """Take the last message after the question as the answer, and the last message's contexts."""
    if said and not any(fields.get(one) for one in _ANSWERS):
        fields["answer"] = said[-1]["content"]
        contexts = _field(last, "retrieval_context")
        if isinstance(contexts, list | tuple) and not any(one in fields for one in _CONTEXTS):
            fields["retrieved_contexts"] = list(contexts)


def messages_of(value: Any, *, strict: bool = False) -> list[dict[str, str]] | None:
    """The turns of user and assistant in messages as traces have them; None: some are not messages.

    Messages may be LangChain's JSON. If the content is a list of parts, its texts are read.
    Messages without a text, such as tool calls, are left out.

    Args:
        strict: whether a message of the user must have a text, and one of the assistant a text or
            nothing.
    """
    if not isinstance(value, list | tuple) or not value:
        return None
    turns = []
    for message in value:
        if isinstance(message, Mapping):
            inner = (message.get(name) for name in ("kwargs", "data", "message"))
            message = {**message, **next((one for one in inner if isinstance(one, Mapping)), {})}
        role = str(_field(message, "role") or _field(message, "type"))
        if role in _OTHER_ROLES:
            continue
        if role not in _ROLES:
            return None
        content = _field(message, "content")
        # the format of OpenTelemetry
        content = _field(message, "parts") if content is None else content
        called = _ROLES[role] == "assistant" and content is None
        if strict and not called and not isinstance(content, str | list | tuple):
            return None
        content = _content_text(content)
        if content.strip() or (strict and _ROLES[role] == "user"):
            turns.append({"role": _ROLES[role], "content": content})
    return turns


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else [content]
    texts = (part if isinstance(part, str) else _part_text(part) for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))


def _part_text(part: Any) -> Any:
    text = _field(part, "text")
    return _field(part, "content") if text is None and _field(part, "type") == "text" else text


def _field(message: Any, name: str) -> Any:
    value = message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)
    # roles may be enumerations
    return getattr(value, "value", value)
