"""A judge from a hook: any object with `id` and `run(step, input)`."""

from __future__ import annotations

from typing import Any

from ...errors import JudgeError
from ...runtime.canonical_json import Json
from ...steps.step import Step
from ..calls.user_calls import HookCalls, checked_id
from .custom_calls import CustomCalls
from .judge import Reply, Unconnected


class CustomJudge(Unconnected):
    """A judge that calls `run(step, input) -> str`, sync or async."""

    uses_model = False

    def __init__(self, judge: Any, name: str, calls: HookCalls, seconds: float) -> None:
        self.id = checked_id(judge, "judge", name, "run(step, input)")
        self._calls = CustomCalls(calls, f"judge {self.id}", judge.run, seconds)

    async def reply(self, step: Step, message: Json, model: str, sample: int) -> Reply:
        text, usage = await self._calls.result(step, message)
        if not isinstance(text, str):
            error = JudgeError(
                f"judge {self.id}: run() must return the reply's text, not {type(text).__name__}",
                kind="malformed",
            )
            error.usage = usage
            raise error
        return Reply(text, usage)
