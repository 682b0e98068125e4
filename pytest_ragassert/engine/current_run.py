"""Which run is going on in this process.

Only the standard library: it is imported in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..runtime.environment import Environment, enter_environment, leave_environment

if TYPE_CHECKING:
    from .session import Session


class CurrentRun(Protocol):
    """A pytest run: its environment is that of its start, whatever its tests make of it."""

    environ: Environment

    def session(self) -> Session:
        """The run's session, made at first use."""
        ...


# A run nested in another's process, as in a plugin's tests, comes after it and ends first.
_runs: list[CurrentRun] = []


def enter(run: CurrentRun) -> None:
    """`run` goes on in this process, until `leave`."""
    _runs.append(run)
    enter_environment(run)


def leave(run: CurrentRun) -> None:
    if run in _runs:
        _runs.remove(run)
        leave_environment(run)


def session() -> Session | None:
    """The session of the innermost run; None outside pytest."""
    return _runs[-1].session() if _runs else None
