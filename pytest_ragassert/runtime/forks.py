"""Stops the threads of this package while the process forks.

A child process gets the locks of all threads in their present state, but none of the threads. A
lock of ours, of SQLite or of an import in progress that is held at that moment is held forever.
"""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401  # it holds a lock at forks, which is to come after us
import os
import threading
import weakref
from collections.abc import Callable

# Longer than an import takes. A judge's coroutine that blocks the loop can't be waited for.
_PATIENCE = 5.0


class Worker:
    """A thread that runs functions one after another.

    Args:
        thread: the thread.
        give: makes it call a function when it has finished what came before.
    """

    def __init__(
        self, thread: threading.Thread, give: Callable[[Callable[[], None]], object]
    ) -> None:
        self._thread = thread
        self._give = give
        self._held: list[threading.Event] = []
        _workers.append(weakref.ref(self))

    def hold(self) -> None:
        """Return when the thread is idle between two functions."""
        if self._thread is threading.current_thread() or not self._thread.is_alive():
            return
        stands, go_on = threading.Event(), threading.Event()
        self._held.append(go_on)

        def stand() -> None:
            stands.set()
            go_on.wait()

        try:
            self._give(stand)
        except RuntimeError:
            return  # a loop that was closed
        stands.wait(_PATIENCE)

    def go_on(self) -> None:
        while self._held:
            self._held.pop().set()


# In the order in which they are stopped: first those that give work to others.
_workers: list[weakref.ref[Worker]] = []


def _hold() -> None:
    _workers[:] = [known for known in _workers if known() is not None]
    for known in _workers:
        if (worker := known()) is not None:
            worker.hold()


def _go_on() -> None:
    for known in _workers:
        if (worker := known()) is not None:
            worker.go_on()


def lock_across_forks() -> threading.RLock:
    """Return a lock that, in a child process, only the forking thread can have held."""
    lock = threading.RLock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
        )
    return lock


if hasattr(os, "register_at_fork"):
    # the child has none of these threads
    os.register_at_fork(before=_hold, after_in_parent=_go_on, after_in_child=_workers.clear)
