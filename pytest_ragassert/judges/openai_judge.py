"""The judge behind an OpenAI-compatible endpoint, through the `openai` client."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING, Any

from ..errors import JudgeError
from ..settings import Settings
from ..steps.canonical import readable_json
from ..steps.step import Json, Step
from .judge import Reply, Truncated, Usage
from .openai_failures import asked_wait, refusal_of

if TYPE_CHECKING:
    import openai

RETRIES = 4
RETRY_SECONDS = 120.0
_SHORTEST_SECRET = 8
_FILTERED = {"content_filter", "safety", "prohibited_content", "recitation", "blocklist"}
# Other servers' words for a reply that was cut off; some say them of whole ones too.
_CUT = {"max_tokens", "model_length", "max_length", "max_output_tokens"}
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0


class OpenAIJudge:
    """One client for the process, made at the first request."""

    uses_model = True

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.id = settings.judge_id or f"openai {settings.endpoint}"
        self._client: openai.AsyncOpenAI | None = None
        self._answered = False

    async def reply(self, step: Step, message: Json, model: str, sample: int) -> Reply:
        body = self._body(step, message, model)
        end = time.monotonic() + RETRY_SECONDS
        for retry in range(RETRIES + 1):
            try:
                completion = await self._opened().chat.completions.create(**body)
            except Exception as error:
                failure, wait = self._failure(error, model, retry)
                if wait is None or retry == RETRIES or time.monotonic() + wait > end:
                    raise failure from None
                await asyncio.sleep(wait)
            else:
                return self._reply(completion, retry + 1)
        raise AssertionError("the last retry returns or raises")

    def forget(self) -> None:
        """Drop the client without closing it: after a fork it is the parent's."""
        self._client = None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _opened(self) -> openai.AsyncOpenAI:
        if self._client is None:
            import openai

            self._client = openai.AsyncOpenAI(
                api_key=self._settings.key,
                base_url=self._settings.base_url,
                timeout=self._settings.timeout,
                max_retries=0,
            )
        return self._client

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

    def _failure(self, error: Exception, model: str, retry: int) -> tuple[JudgeError, float | None]:
        """What to tell, and how many seconds to wait before another try; None: not again."""
        import openai

        tries = f" ({retry + 1} requests)" if retry else ""
        endpoint = self._settings.endpoint
        if isinstance(error, openai.APITimeoutError):
            return (
                JudgeError(
                    f"no reply from {endpoint} within {self._settings.timeout:g} s{tries}; "
                    "--ragassert-timeout sets how long to wait",
                    kind="timeout",
                ),
                _wait(retry),
            )
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__
            told = f"no connection to {endpoint}: {self._told(str(cause or error))}{tries}"
            # nobody was ever there: the next question would wait as long for the same
            unreachable = type(cause).__name__ == "ConnectError" and not self._answered
            return JudgeError(told, kind="connection", ends_judging=unreachable), _wait(retry)
        if isinstance(error, openai.APIStatusError):
            return self._refused(error, model, retry, tries)
        told = self._told(f"{type(error).__name__}: {error}")
        return JudgeError(f"the reply of {endpoint} can't be used: {told}", kind="malformed"), None

    def _refused(
        self, error: openai.APIStatusError, model: str, retry: int, tries: str
    ) -> tuple[JudgeError, float | None]:
        refusal = refusal_of(error, model, answered=self._answered)
        told = f"{error.status_code} {self._told(refusal.told).rstrip('.')}"
        told += f"; {refusal.advice}" if refusal.advice else tries
        failure = JudgeError(told, kind=refusal.kind, ends_judging=refusal.ends_judging)
        if not refusal.again:
            return failure, None
        wait = asked_wait(error)
        return failure, _wait(retry) if wait is None else wait

    def _told(self, text: str) -> str:
        """An endpoint's words on one line, without the key."""
        line = " ".join(self._without_key(text).split())
        return line if len(line) <= 300 else line[:299] + "…"

    def _without_key(self, text: str) -> str:
        key = self._settings.key
        # a shorter one is a placeholder such as "x", which a text may well hold
        return text.replace(key, "***") if key and len(key) >= _SHORTEST_SECRET else text

    def _reply(self, completion: Any, requests: int) -> Reply:
        choices: Any = getattr(completion, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = getattr(choice, "message", None)
        if message is None:
            told = getattr(completion, "error", None)
            detail = f": {self._told(str(told))}" if told else ""
            raise JudgeError(f"the reply has no choices{detail}", kind="malformed")
        content = getattr(message, "content", None)
        reason = getattr(choice, "finish_reason", None)
        finish = str(reason or "").casefold()
        if refusal := getattr(message, "refusal", None) or _refusal_in(content):
            raise JudgeError(f"the judge refused: {self._told(str(refusal))}", kind="refusal")
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
        self._answered = True
        return Reply(
            self._without_key(text),
            _usage(completion, requests),
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


def _usage(completion: Any, requests: int) -> Usage:
    usage = getattr(completion, "usage", None)
    cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None)
    return Usage(
        requests=requests,
        prompt_tokens=_count(getattr(usage, "prompt_tokens", None)),
        cached_tokens=_count(cached),
        completion_tokens=_count(getattr(usage, "completion_tokens", None)),
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _wait(retry: int) -> float:
    """Seconds before the next try: doubling, with jitter."""
    return float(min(_FIRST_WAIT * 2**retry, _LONGEST_WAIT) * random.uniform(0.75, 1.25))
