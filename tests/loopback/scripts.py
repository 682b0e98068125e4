"""What the loopback judge records of a request, and what it is told to answer."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .embeddings import STEP as EMBED_STEP
from .embeddings import read_input
from .judge import Json, read_question, texts

Reply = Mapping[str, Any]
Rule = Callable[["Recorded"], "Reply | str | bool | None"]

ALIASES = {"claims": "extract_claims", "verdicts": "verify_claims"}
DEFAULT: Reply = {}


@dataclass
class Recorded:
    """One request as it came; `ended` and `status` stay None until it is answered.

    `completion_tokens` are those that the reply says it took.

    One for embeddings is of the step `embed_text`, its data `{"input": [texts]}`.
    """

    step: str
    body: Json
    headers: dict[str, str]
    data: Json
    at: float
    digest: str = ""
    prompt_chars: int = 0
    target: str = ""
    ended: float | None = None
    status: int | None = None
    completion_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        return self.prompt_chars // 4


@dataclass
class Script:
    """Answers in call order; an answer for another step is left for that step."""

    entries: list[Reply]
    repeat_last: bool
    used: set[int] = field(default_factory=set)

    def take(self, step: str) -> Reply | None:
        fitting = [i for i, entry in enumerate(self.entries) if is_for(entry, step)]
        for index in fitting:
            if index not in self.used:
                self.used.add(index)
                return self.entries[index]
        return self.entries[fitting[-1]] if fitting and self.repeat_last else None


def record(headers: dict[str, str], body: Json, content: bytes) -> Recorded:
    step, data, asked = *read_question(body), texts(body)
    if "input" in body:
        asked = read_input(body)
        step, data = EMBED_STEP, {"input": asked}
    canonical = json.dumps(body, sort_keys=True).encode() if body else content
    digest, chars = hashlib.sha256(canonical).hexdigest(), sum(map(len, asked))
    return Recorded(step, body, headers, data, time.time(), digest, chars)


def is_for(entry: Reply, step: str) -> bool:
    wanted = entry.get("step")
    return wanted is None or ALIASES.get(wanted, wanted) == step


def as_reply(entry: Reply | str) -> Reply:
    if isinstance(entry, str):
        return DEFAULT if entry == "ok" else {"content": entry}
    return entry


def rule_of(when: str | Rule, reply: Any) -> Rule:
    def answered(recorded: Recorded) -> Reply | str | bool | None:
        found = is_for({"step": when}, recorded.step) if isinstance(when, str) else when(recorded)
        if reply is None or not found:
            return found
        chosen: Reply | str | None = reply(recorded) if callable(reply) else reply
        return chosen

    return answered
