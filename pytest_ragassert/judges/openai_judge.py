"""The judge behind an OpenAI-compatible endpoint, through the `openai` client."""

from __future__ import annotations

import asyncio
import email.utils
import math
import random
import time
from typing import TYPE_CHECKING, Any

from ..errors import JudgeError
from ..options import KEY_VARIABLE
from ..settings import Settings
from ..steps.canonical import readable_json
from ..steps.step import Json, Step
from .judge import Reply, Truncated, Usage

if TYPE_CHECKING:
    import openai

RETRIES = 4
RETRY_SECONDS = 120.0
_SHORTEST_SECRET = 8
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 30.0


class OpenAIJudge:
    """One client for the process, made at the first request."""

    label = "openai"
    uses_model = True

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.id = settings.judge_id or f"openai {settings.endpoint}"
        self._client: openai.AsyncOpenAI | None = None

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
            cause = self._told(str(error.__cause__ or error))
            return (
                JudgeError(f"no connection to {endpoint}: {cause}{tries}", kind="connection"),
                _wait(retry),
            )
        if isinstance(error, openai.APIStatusError):
            return self._status_failure(error, model, retry, tries)
        told = self._told(f"{type(error).__name__}: {error}")
        return JudgeError(f"the reply of {endpoint} can't be used: {told}", kind="malformed"), None

    def _status_failure(
        self, error: openai.APIStatusError, model: str, retry: int, tries: str
    ) -> tuple[JudgeError, float | None]:
        status, code = error.status_code, _code_of(error)
        told = f"{status} {self._told(_message_of(error)).rstrip('.')}"
        if status in (401, 403):
            advice = f"check the API key in {KEY_VARIABLE}"
            return JudgeError(f"{told}; {advice}", kind="credentials", ends_judging=True), None
        if code == "insufficient_quota":
            return JudgeError(f"{told} (quota used up)", kind="quota", ends_judging=True), None
        if status == 404:
            advice = f"check --ragassert-model ({model}) and --ragassert-base-url"
            return JudgeError(f"{told}; {advice}", kind="model", ends_judging=True), None
        if code == "content_filter":
            return JudgeError(f"{told} (content filter)", kind="content filter"), None
        if status in (408, 409, 429) or status >= 500:
            kind = "rate limit" if status == 429 else "server"
            wait = _retry_after(error)
            return JudgeError(f"{told}{tries}", kind=kind), _wait(retry) if wait is None else wait
        return JudgeError(told, kind="request"), None

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
        reason = getattr(choice, "finish_reason", None)
        finish = str(reason or "").lower()
        if refusal := getattr(message, "refusal", None):
            raise JudgeError(f"the judge refused: {self._told(str(refusal))}", kind="refusal")
        if finish == "content_filter":
            raise JudgeError("the reply was stopped by a content filter", kind="content filter")
        if finish == "length":
            raise Truncated
        text = _text_of(getattr(message, "content", None))
        if not text.strip():
            called = "tool_calls" if getattr(message, "tool_calls", None) else "empty content"
            raise JudgeError(
                f"the judge gave no text but {called} (finish_reason {reason})", kind="malformed"
            )
        served = getattr(completion, "model", None)
        return Reply(
            self._without_key(text),
            _usage(completion, requests),
            served if isinstance(served, str) else None,
        )


def _text_of(content: Any) -> str:
    """The content's text, also where a server sends it as a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") if isinstance(part, dict) else None for part in content)
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


def _code_of(error: openai.APIStatusError) -> str | None:
    return error.code if isinstance(error.code, str) else None


def _message_of(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])
    return str(body or error.message)


def _wait(retry: int) -> float:
    """Seconds before the next try: doubling, with jitter."""
    return float(min(_FIRST_WAIT * 2**retry, _LONGEST_WAIT) * random.uniform(0.75, 1.25))


def _retry_after(error: openai.APIStatusError) -> float | None:
    """Seconds that the server asks to wait: a number, milliseconds, or a date."""
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        if not math.isnan(seconds):
            return max(0.0, seconds)
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
