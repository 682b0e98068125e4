"""Takes the judge's text from a chat completion, or says why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....errors import JudgeError
from ....usage import Usage
from ..judge import Reply, Truncated
from .error_body import ServerError

_FILTERED = {"content_filter", "safety", "prohibited_content", "recitation", "blocklist"}
# Other servers' reasons for a reply that was cut off; some give them for complete replies too.
_CUT = {"max_tokens", "model_length", "max_length", "max_output_tokens"}


def reply_of(completion: Any, usage: Usage, as_one_line: Callable[[str], str]) -> Reply:
    """Return the reply in a completion.

    Args:
        usage: what it cost.
        as_one_line: shortens a server's words for a message.

    Raises:
        Truncated: it was cut off.
        JudgeError: it has no text.
    """
    choices: Any = getattr(completion, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(choice, "message", None)
    if message is None:
        reported = getattr(completion, "error", None)
        if not reported:
            # some servers explain in other members why there are none
            reported = ServerError(200, getattr(completion, "model_extra", None)).words
        detail = f": {as_one_line(str(reported))}" if reported else ""
        raise JudgeError(f"the reply has no choices{detail}", kind="malformed")
    content = getattr(message, "content", None)
    reason = getattr(choice, "finish_reason", None)
    finish = str(reason or "").casefold()
    if refusal := getattr(message, "refusal", None) or _refusal_in(content):
        raise JudgeError(f"the judge refused: {as_one_line(str(refusal))}", kind="refusal")
    if finish in _FILTERED:
        raise JudgeError(
            f"the reply was stopped by a content filter ({reason})", kind="content filter"
        )
    if finish == "length":
        raise Truncated(usage)
    text = _text_of(content)
    if not text.strip():
        called = "tool_calls" if getattr(message, "tool_calls", None) else "empty content"
        raise JudgeError(
            f"the judge gave no text but {called} (finish_reason {reason})", kind="malformed"
        )
    served = getattr(completion, "model", None)
    return Reply(
        text,
        usage,
        served if isinstance(served, str) else None,
        cut=finish in _CUT,
    )


def _refusal_in(content: Any) -> Any:
    """Return a refusal that is one of the content's parts."""
    parts = content if isinstance(content, list) else ()
    return next((part["refusal"] for part in parts if _has(part, "refusal")), None)


def _has(part: Any, name: str) -> bool:
    return isinstance(part, dict) and bool(part.get(name))


def _text_of(content: Any) -> str:
    """Return the content's text, including content that a server sends as a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") if isinstance(part, dict) else part for part in content)
    return "".join(part for part in parts if isinstance(part, str))
