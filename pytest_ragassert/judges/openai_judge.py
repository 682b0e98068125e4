"""The judge behind an OpenAI-compatible endpoint, through the `openai` client."""

from __future__ import annotations

from typing import Any

from ..errors import JudgeError
from ..settings import Settings
from ..steps.canonical import readable_json
from ..steps.step import Json, Step
from .judge import Reply, Truncated
from .openai_client import OpenAIClient, usage_of

_FILTERED = {"content_filter", "safety", "prohibited_content", "recitation", "blocklist"}
# Other servers' words for a reply that was cut off; some say them of whole ones too.
_CUT = {"max_tokens", "model_length", "max_length", "max_output_tokens"}


class OpenAIJudge:
    """Asks chat completions; `model` chooses what answers."""

    uses_model = True

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.id = settings.judge_id or f"openai {settings.endpoint}"
        self._client = OpenAIClient(settings)

    async def reply(self, step: Step, message: Json, model: str, sample: int) -> Reply:
        body = self._body(step, message, model)
        completion, requests = await self._client.send(
            lambda client: client.chat.completions.create(**body), model
        )
        return self._reply(completion, requests)

    def forget(self) -> None:
        self._client.forget()

    async def close(self) -> None:
        await self._client.close()

    def _body(self, step: Step, message: Json, model: str) -> dict[str, Any]:
        optional = {
            "top_p": self._settings.top_p,
            "seed": self._settings.seed,
            "max_tokens": self._settings.max_tokens,
        }
        return {
            "model": model,
            "messages": [
                {"role": "system", "content": step.system_message},
                {"role": "user", "content": readable_json(message)},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": step.name, "strict": True, "schema": step.schema},
            },
            "temperature": self._settings.temperature,
            **{name: value for name, value in optional.items() if value is not None},
        }

    def _reply(self, completion: Any, requests: int) -> Reply:
        choices: Any = getattr(completion, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = getattr(choice, "message", None)
        if message is None:
            told = getattr(completion, "error", None)
            detail = f": {self._client.told(str(told))}" if told else ""
            raise JudgeError(f"the reply has no choices{detail}", kind="malformed")
        content = getattr(message, "content", None)
        reason = getattr(choice, "finish_reason", None)
        finish = str(reason or "").casefold()
        if refusal := getattr(message, "refusal", None) or _refusal_in(content):
            raise JudgeError(
                f"the judge refused: {self._client.told(str(refusal))}", kind="refusal"
            )
        if finish in _FILTERED:
            raise JudgeError(
                f"the reply was stopped by a content filter ({reason})", kind="content filter"
            )
        if finish == "length":
            raise Truncated
        text = _text_of(content)
        if not text.strip():
            called = "tool_calls" if getattr(message, "tool_calls", None) else "empty content"
            raise JudgeError(
                f"the judge gave no text but {called} (finish_reason {reason})", kind="malformed"
            )
        served = getattr(completion, "model", None)
        self._client.has_answered()
        return Reply(
            self._client.without_key(text),
            usage_of(completion, requests),
            served if isinstance(served, str) else None,
            cut=finish in _CUT,
        )


def _refusal_in(content: Any) -> Any:
    """A refusal that stands among the content's parts."""
    parts = content if isinstance(content, list) else ()
    return next((part["refusal"] for part in parts if _has(part, "refusal")), None)


def _has(part: Any, name: str) -> bool:
    return isinstance(part, dict) and bool(part.get(name))


def _text_of(content: Any) -> str:
    """The content's text, also where a server sends it as a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") if isinstance(part, dict) else part for part in content)
    return "".join(part for part in parts if isinstance(part, str))
