"""The interface of all judges, which answer one message with one text."""

from __future__ import annotations

from contextvars import Context
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from ...runtime.canonical_json import Json
from ...steps.step import Step
from ...usage import Usage


class Truncated(Exception):
    """The reply stops in the middle. Fewer claims in a request may help.

    Attributes:
        usage: what it cost.
    """

    def __init__(self, usage: Usage | None = None) -> None:
        super().__init__("the reply was cut off")
        self.usage = usage or Usage()


class TooLong(Exception):
    """The endpoint rejects a request of this length. The message is the endpoint's.

    Attributes:
        usage: what it cost.
    """

    def __init__(self, words: str, usage: Usage | None = None) -> None:
        super().__init__(words)
        self.usage = usage or Usage()


class Malformed(Exception):
    """The endpoint itself rejected its model's reply. The message is the endpoint's.

    Attributes:
        usage: what it cost.
    """

    def __init__(self, words: str, usage: Usage) -> None:
        super().__init__(words)
        self.usage = usage


@dataclass(frozen=True)
class Reply:
    """The text of a reply as received, and its cost.

    Attributes:
        served: the model's name as the endpoint reported it.
        cut: the endpoint says that the reply may be cut off; if it can't be read, it is cut off.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    served: str | None = None
    cut: bool = False


class Lesson(NamedTuple):
    """Something that an endpoint was found to reject.

    Attributes:
        loud: it changes what is measured, so that users should know about it.
    """

    text: str
    loud: bool = False


class Judge(Protocol):
    """A judge.

    Attributes:
        id: part of the keys of stored verdicts.
        uses_model: whether `model` chooses what answers.
    """

    id: str
    uses_model: bool

    async def reply(self, step: Step, message: Json, model: str, sample: int) -> Reply:
        """Return the answer to one message.

        Raises:
            JudgeError: there is no answer.
            Truncated: the answer was cut off.
            TooLong: the message is longer than the endpoint allows.
            Malformed: the endpoint rejects its model's reply.
        """
        ...

    def forget(self) -> None:
        """Drop everything that belongs to the parent process, after a fork."""
        ...

    async def close(self) -> None: ...


class Unconnected:
    """A judge or embedder without resources that a fork or the end of the run affects."""

    def forget(self) -> None:
        return None

    async def close(self) -> None:
        return None


class LocalJudge(Unconnected):
    """The offline judge behind the common interface."""

    uses_model = False

    def __init__(self, judge: Any) -> None:
        self._judge = judge
        self.id: str = judge.id

    async def reply(self, step: Step, message: Json, model: str, sample: int) -> Reply:
        # changes that a test makes to its context, such as decimal precision, do not change a
        # verdict
        return Reply(Context().run(self._judge.run, step, message))
