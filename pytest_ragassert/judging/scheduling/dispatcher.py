"""How questions reach a judge.

Known answers never come here: the asker looks for them first, in committed verdicts, in the store,
and among this run's answers. It passes the rest to the session's dispatcher and stores its answers.
"""

from __future__ import annotations

from typing import Protocol

from ...storage.answers import Answer
from ...storage.keys import Question
from ..judges.judge import Judge
from .conversation import Conversations
from .live_dispatcher import LiveDispatcher
from .scheduler import Scheduler


class Dispatcher(Protocol):
    """Brings answers to questions.

    All calls come on the session's event loop, many at a time. A question asks for the judgements
    that are not known. None of these is in flight elsewhere, in this process or in another process
    of the run.

    - Order: requests that a test waits for (`running_flight().waited`, which may become true at any
      time) are sent before prefetched ones. `running_flight().mark_sent()` is called when a request
      is sent, because the end of a prefetch may cancel what was not sent.
    - Limits: requests in flight, requests per minute, and the run's budgets apply to all processes
      of the run together. `Scheduler.send` enforces them.
    - End of judging: after an error with `ends_judging`, nothing more is sent, and all waiting and
      later questions raise that error. `Scheduler.send` takes care of this too.
    - Cancellation: a question whose call is cancelled is not sent if that is still possible, and
      does not affect other questions.
    """

    async def answer(self, question: Question) -> Answer:
        """Return the judge's answer with its cost.

        Raises:
            JudgeError: there is no answer; its `usage` is what was spent.
        """
        ...

    def forget(self) -> None:
        """Drop everything that belongs to the parent process, after a fork."""
        ...

    async def close(self) -> None: ...


def dispatcher_of(judge: Judge, conversations: Conversations, scheduler: Scheduler) -> Dispatcher:
    """Return the dispatcher of a session.

    Args:
        conversations: turns a question into messages, and the replies into an answer.
        scheduler: sends requests when they may be sent.
    """
    return LiveDispatcher(judge, conversations, scheduler)
