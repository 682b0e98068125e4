"""How questions reach a judge.

Answers that are known never come here: the asker looks for them first, in committed verdicts, in
the store, and among what this run was answered. It hands what is left to the session's dispatcher,
and stores what that answers.
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
    that are not known: none of them is in flight meanwhile, in this process or in another one of
    the run.

    - Order: what a test waits for (`running_flight().waited`, which may become true meanwhile) is
      sent before what is only prefetched. Where a request is sent, `running_flight().mark_sent()`
      is called: what was not sent may be cancelled by the end of its prefetch.
    - Limits: requests in flight, requests a minute, and the run's budgets hold for all processes of
      the run together. Whatever is sent by `Scheduler.send` keeps to them.
    - End of judging: after an error with `ends_judging` nothing is sent any more; the questions
      that wait, and those that come later, raise that error. `Scheduler.send` sees to this too.
    - Cancellation: a question whose call is cancelled is not sent, where that is still possible,
      and takes nothing from the others.
    """

    async def answer(self, question: Question) -> Answer:
        """The judge's answer, with what it cost.

        Raises:
            JudgeError: it can't be had; its `usage` is what was spent.
        """
        ...

    def forget(self) -> None:
        """Drop what belongs to the parent process, after a fork."""
        ...

    async def close(self) -> None: ...


def dispatcher_of(judge: Judge, conversations: Conversations, scheduler: Scheduler) -> Dispatcher:
    """The dispatcher of a session.

    Args:
        conversations: turns a question into messages, and the replies into an answer.
        scheduler: sends requests when they may go out.
    """
    return LiveDispatcher(judge, conversations, scheduler)
