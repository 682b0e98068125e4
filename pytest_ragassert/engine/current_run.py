"""Which run is going on in this process.

Only the standard library: it is imported in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from ..runtime import environment
from ..runtime.environment import Environment

if TYPE_CHECKING:
    from .session import Session


class CurrentRun(Protocol):
    """A pytest run: its environment is that of its start, whatever its tests make of it."""

    environ: Environment

    def session(self) -> Session:
        """The run's session, made at first use."""
        ...


def enter(run: CurrentRun) -> None:
    """`run` goes on in this process, until `leave`."""
    environment.runs.append(run)


def leave(run: CurrentRun) -> None:
    environment.runs[:] = [one for one in environment.runs if one is not run]


def session() -> Session | None:
    """The session of the innermost run; None outside pytest."""
    if not environment.runs:
        return None
    # `enter` alone adds to them
    return cast("CurrentRun", environment.runs[-1]).session()
