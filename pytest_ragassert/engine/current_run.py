"""Keeps track of the run that is active in this process.

This module is imported in every run, so it imports only the standard library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from ..runtime import environment
from ..runtime.environment import Environment

if TYPE_CHECKING:
    from .session import Session


class CurrentRun(Protocol):
    """A pytest run, with the environment of its start, whatever its tests change in it."""

    environ: Environment

    def session(self) -> Session:
        """The run's session, made at first use."""
        ...


def enter(run: CurrentRun) -> None:
    """Make `run` the active run of this process, until `leave`."""
    environment.runs.append(run)


def leave(run: CurrentRun) -> None:
    environment.runs[:] = [one for one in environment.runs if one is not run]


def session() -> Session | None:
    """The session of the innermost run; None outside pytest."""
    if not environment.runs:
        return None
    # only `enter` adds to them
    return cast("CurrentRun", environment.runs[-1]).session()
