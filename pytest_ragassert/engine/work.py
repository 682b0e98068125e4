"""Runs work that asks the judge but measures no case: many pieces of it concurrently, or none of it
for a plan.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ..errors import JudgeError, RagAssertWarning, VerdictMissing
from ..judging.calls.event_loop import all_done, without_loop
from ..metrics.metric import Ask
from .asking import AskOnLoop
from .jobs import Asked
from .request_estimate import AskForPlan, Plan, Unfollowed
from .session import Session

Thing = TypeVar("Thing")
Value = TypeVar("Value")
# Begins a piece of work, which awaits nothing except what it asks for.
Begin = Callable[[Ask], Coroutine[Any, Any, Value]]

# How many pieces are begun beyond those in flight, so that requests can always be sent.
_AHEAD = 2


@dataclass
class Done(Generic[Value]):
    """The outcome of a piece of work: its value, or why there is none.

    Attributes:
        asked: the judgements that it used.
    """

    value: Value | None = None
    error: JudgeError | VerdictMissing | None = None
    asked: list[Asked] = field(default_factory=list)

    @property
    def ends_judging(self) -> bool:
        """Whether nothing more can be asked in this run."""
        if isinstance(self.error, VerdictMissing):
            return True  # of a replay, which asks nothing
        return self.error is not None and self.error.ends_judging


def work_through(
    session: Session,
    pieces: Sequence[Begin[Value]],
    on_done: Callable[[Done[Value]], None] = lambda _: None,
    *,
    at_once: int | None = None,
) -> list[Done[Value] | None]:
    """Do all pieces concurrently, and return their outcomes in order.

    After an error that ends judging, the rest is not begun; its outcomes are None.

    Args:
        on_done: called after each piece, on the session's loop.
        at_once: the maximum number of pieces that are begun and not done; default: as many as keep
            the session's requests in flight.

    Raises:
        ConfigurationError: the judge can't be asked, or the session is closed.
    """
    outcomes: list[Done[Value] | None] = [None] * len(pieces)

    async def take(number: int) -> bool:
        outcomes[number] = done = await _done(session, pieces[number])
        on_done(done)
        return done.ends_judging

    in_turns(session, range(len(pieces)), take, at_once)
    return outcomes


def in_turns(
    session: Session,
    things: Sequence[Thing],
    take: Callable[[Thing], Coroutine[Any, Any, bool]],
    at_once: int | None = None,
) -> None:
    """Take the things in order on the session's loop, several at a time.

    Args:
        take: returns whether it was the last one: then no more are taken, as after an error.
        at_once: as in `work_through`.
    """
    ended: list[bool] = []

    async def take_from(waiting: Iterator[Thing]) -> None:
        for thing in waiting:
            if ended:
                return
            try:
                ends = await take(thing)
            except BaseException:
                ended.append(True)
                raise
            if ends:
                ended.append(True)

    async def take_all() -> None:
        waiting = iter(things)
        most = _AHEAD * session.settings.concurrency
        takers = most if at_once is None else min(most, at_once)
        await all_done(take_from(waiting) for _ in range(takers))

    if things:
        session.wait_for(take_all())


async def _done(session: Session, begin: Begin[Value]) -> Done[Value]:
    ask = AskOnLoop(session.asker, session.settings.model[:1])
    try:
        return Done(await begin(ask), asked=ask.asked)
    except (JudgeError, VerdictMissing) as error:
        return Done(error=error, asked=ask.asked)


def plan_through(
    session: Session,
    plan: Plan,
    pieces: Sequence[Begin[Value]],
    on_done: Callable[[Done[Value]], None] = lambda _: None,
) -> list[Done[Value] | None]:
    """Add to the plan what the pieces would ask, and return their outcomes on likely replies.

    Nobody is asked. The outcome of a piece is None if it depends on a reply that can't be guessed.

    Args:
        on_done: as in `work_through`.
    """
    return [_planned(session, plan, begin, on_done) for begin in pieces]


def _planned(
    session: Session, plan: Plan, begin: Begin[Value], on_done: Callable[[Done[Value]], None]
) -> Done[Value] | None:
    ask = AskForPlan(session.asker, session.settings.model[:1], 1, plan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagAssertWarning)
        try:
            done = Done(without_loop(begin(ask)))
        except (Unfollowed, JudgeError):
            return None
    on_done(done)
    return done
