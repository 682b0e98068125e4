"""What every judge is: something that answers one message with one text."""

from __future__ import annotations

from contextvars import Context
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from ...runtime.canonical_json import Json
from ...steps.step import Step
from ...usage import Usage


class Truncated(Exception):
    """The reply stops in the middle; fewer claims per request may help.

    Attributes:
        usage: what it cost.
    """

    def __init__(self, usage: Usage | None = None) -> None:
        super().__init__("the reply was cut off")
        self.usage = usage or Usage()


class TooLong(Exception):
    """The endpoint takes no request of this length; its words are the message.

    Attributes:
        usage: what it cost.
    """

    def __init__(self, words: str, usage: Usage | None = None) -> None:
        super().__init__(words)
        self.usage = usage or Usage()


class Malformed(Exception):
    """The endpoint itself rejected its model's reply; its words are the message.

    Attributes:
        usage: what it cost.
    """

    def __init__(self, words: str, usage: Usage) -> None:
        super().__init__(words)
        self.usage = usage


@dataclass(frozen=True)
class Reply:
    """A reply's text as it came, and what it cost.

    Attributes:
        served: the model's name as the endpoint gave it.
        cut: the endpoint says that the reply may be cut off; it is, where it can't be read.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    served: str | None = None
    cut: bool = False


class Lesson(NamedTuple):
    """What an endpoint was found to refuse.

    Attributes:
        loud: it changes what is measured, so that everybody should hear of it.
    """

    text: str
    loud: bool = False


class Judge(Protocol):
    """A judge as the asking room sees it.

    Attributes:
        id: stands in the keys of stored verdicts.
        uses_model: whether `model` chooses what answers.
    """

    id: str
    uses_model: bool

    async def reply(self, step: Step, message: Json, model: str, sample: int) -> Reply:
        """One answer to one message.

        Raises:
            JudgeError: it can't be had.
            Truncated: it was cut off.
            TooLong: the message is longer than what the endpoint takes.
            Malformed: the endpoint refuses the judge's reply.
        """
        ...

    def forget(self) -> None:
        """Drop what belongs to the parent process, after a fork."""
        ...

    async def close(self) -> None: ...


class Unconnected:
    """A judge or embedder that holds nothing which a fork or the end concerns."""

    def forget(self) -> None:
        return None

    async def close(self) -> None:
        return None


class LocalJudge(Unconnected):
    """The offline judge, behind the same door."""

    uses_model = False

    def __init__(self, judge: Any) -> None:
        self._judge = judge
        self.id: str = judge.id

    async def reply(self, step: Step, message: Json, model: str, sample: int) -> Reply:
        # what a test changed in its context, as the precision of decimals, changes no verdict
        return Reply(Context().run(self._judge.run, step, message))
