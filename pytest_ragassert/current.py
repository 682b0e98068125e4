"""Which run is going on in this process, and where it keeps what its processes share.

Only the standard library: it is imported in every run.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .session import Session

RUN_FOLDER_PREFIX = "ragassert-"


class Clock:
    """Seconds by the system's clocks, the same in all its processes.

    Taken before any test runs, and in a class, where what freezes a test's time does not look.
    """

    now = staticmethod(time.monotonic)
    since_1970 = staticmethod(time.time)
    nanoseconds = staticmethod(time.time_ns)  # since 1970 too


# A run nested in another's process (a plugin's tests) stands behind it and goes first.
_providers: list[Callable[[], Session]] = []


def run_folder_path(run_id: str) -> Path:
    """The private folder that the processes of a run share; made at first use."""
    try:
        temporary = tempfile.gettempdir()
    except OSError:
        # none can be written: that is told when something is to be kept there
        temporary = os.environ.get("TMPDIR", "/tmp")
    return Path(temporary, f"{RUN_FOLDER_PREFIX}{run_id}")


def enter(provider: Callable[[], Session]) -> None:
    """`provider` makes the run's session at first use."""
    _providers.append(provider)


def leave(provider: Callable[[], Session]) -> None:
    if provider in _providers:
        _providers.remove(provider)


def session() -> Session | None:
    """The session of the innermost run; None outside pytest."""
    return _providers[-1]() if _providers else None
