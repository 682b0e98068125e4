"""One message to the judge and its reply, read, asked again where it falls short, and checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..errors import JudgeError
from ..judges.judge import Reply, Truncated, Usage
from ..steps.reply_json import reply_value
from ..steps.step import Json, Reading, ReplyError, Step, VoidReply

Send = Callable[[Json], Awaitable[Reply]]


class Exchange:
    """Asks messages of one step; counts what they cost.

    Args:
        send: sends one message to the judge.
    """

    def __init__(self, step: Step, send: Send) -> None:
        self._step = step
        self._send = send
        self.usage = Usage()
        self.served: str | None = None

    async def ask(self, message: Json) -> Json:
        """The whole reply to a message.

        Raises:
            JudgeError: it can't be had, or still falls short after asking again once.
        """
        try:
            return await self._whole(message)
        except Truncated:
            halves = self._step.halves(message)
            if halves is None:
                raise self._cut_off() from None
        try:
            return self._step.joined([await self._whole(half) for half in halves])
        except Truncated:
            raise self._cut_off() from None

    async def _whole(self, message: Json) -> Json:
        first = await self._read(message)
        if isinstance(first, VoidReply):
            second = await self._read(message)
            if isinstance(second, Reading) and not second.missing:
                return second.reply
            raise self._short(message, second)
        if not first.missing:
            return first.reply
        rest = await self._read(self._step.only(message, first.missing), message)
        if isinstance(rest, Reading) and not rest.missing:
            return self._step.joined([first.reply, rest.reply])
        raise self._short(message, rest if isinstance(rest, Reading) else first)

    async def _read(self, message: Json, whole: Json | None = None) -> Reading | VoidReply:
        """What the reply says; where `whole` was asked before, its other ids are passed over."""
        sent = await self._send(message)
        self.usage += sent.usage
        self.served = sent.served or self.served
        try:
            value: Any = reply_value(sent.text, self._step.key_of_reply)
            return self._step.read(message, value, whole or message)
        except VoidReply as void:
            return void
        except ReplyError as error:
            if sent.cut:
                raise Truncated from None
            raise JudgeError(f"{self._step.name}: {error}", kind="malformed") from None

    def _short(self, message: Json, last: Reading | VoidReply) -> JudgeError:
        if isinstance(last, VoidReply):
            return JudgeError(f"{self._step.name}: {last}, asked twice", kind="malformed")
        ids = ", ".join(map(str, last.missing))
        asked = len(self._step.asked(message))
        return JudgeError(
            f"{self._step.name}: {asked} asked, {len(last.missing)} missing: {ids}",
            kind="malformed",
        )

    def _cut_off(self) -> JudgeError:
        return JudgeError(
            f"{self._step.name}: the reply was cut off (finish_reason length); raise max_tokens "
            "(--ragassert-max-tokens), or leave it unset",
            kind="truncated",
        )
