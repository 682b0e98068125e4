"""The judge behind an OpenAI-compatible endpoint, through the `openai` client."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import JudgeError
from ..settings import Settings
from ..steps.step import Json, Step
from .judge import Lesson, Reply, TooLong, Truncated
from .openai_client import OpenAIClient, RefusedRequest, usage_of
from .request_shape import RequestShape, refused_part

if TYPE_CHECKING:
    import openai

_FILTERED = {"content_filter", "safety", "prohibited_content", "recitation", "blocklist"}
# Other servers' words for a reply that was cut off; some say them of whole ones too.
_CUT = {"max_tokens", "model_length", "max_length", "max_output_tokens"}


class OpenAIJudge:
    """Asks chat completions; `model` chooses what answers.

    Args:
        learned: hears of what the endpoint refuses.
    """

    uses_model = True

    def __init__(self, settings: Settings, learned: Callable[[Lesson], None]) -> None:
        self._settings = settings
        self.id = settings.judge_id or f"openai {settings.endpoint}"
        self._client = OpenAIClient(settings)
        self._shapes: defaultdict[str, RequestShape] = defaultdict(RequestShape)
        self._learned = learned

    async def reply(self, step: Step, message: Json, model: str, sample: int) -> Reply:
        """As `Judge.reply`; what the endpoint refuses of a request is left out of the next ones."""
        shape = self._shapes[model]
        refused = 0
        while True:
            body = shape.body(self._settings, step, message, model, sample)
            try:
                completion, requests = await self._client.send(partial(_create, body), model)
                return self._reply(completion, refused + requests)
            except RefusedRequest as refusal:
                if refusal.error.is_too_long:
                    raise TooLong(str(refusal), refused + refusal.requests) from None
                part = _refused_part(refusal, body)
                if part is None:
                    raise
                refused += refusal.requests
                known = len(shape.lessons)
                shape.learn(part, body)
                for lesson in shape.lessons[known:]:
                    self._learned(_told(model, lesson, part))

    def forget(self) -> None:
        self._client.forget()

    async def close(self) -> None:
        await self._client.close()

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
            raise Truncated(usage_of(completion, requests))
        text = _text_of(content)
        if not text.strip():
            called = "tool_calls" if getattr(message, "tool_calls", None) else "empty content"
            raise JudgeError(
                f"the judge gave no text but {called} (finish_reason {reason})", kind="malformed"
            )
        served = getattr(completion, "model", None)
        self._client.has_answered()
        return Reply(
            text,
            usage_of(completion, requests),
            served if isinstance(served, str) else None,
            cut=finish in _CUT,
        )


async def _create(body: dict[str, Any], client: openai.AsyncOpenAI) -> Any:
    from openai.types.chat import ChatCompletion

    # `chat.completions.create` would look for what to convert in each message and all of the
    # schema, which costs as much time as sending them
    return await client.post("/chat/completions", cast_to=ChatCompletion, body=body)


def _told(model: str, lesson: str, part: str) -> Lesson:
    if part != "temperature":
        return Lesson(f"{model} {lesson}")
    return Lesson(f"{model} {lesson}: asked anew, it may judge otherwise", loud=True)


def _refused_part(refusal: RefusedRequest, body: dict[str, Any]) -> str | None:
    error = refusal.error
    # one that names no parameter may be of another kind: a filter, a model that is not there
    if error.parameter is None and refusal.kind != "request":
        return None
    return refused_part(error.status, error.parameter, error.words, body)


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
