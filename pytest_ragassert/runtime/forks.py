"""Stops the threads of this package while the process forks.

A child has the locks of all threads as they were, and none of the threads: one that was held then,
of ours, of SQLite or of an import under way, is held for ever.
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
    """A thread that runs functions, one after the other.

    Args:
        thread: it.
        give: has it call a function, when it has done what came before.
    """

    def __init__(
        self, thread: threading.Thread, give: Callable[[Callable[[], None]], object]
    ) -> None:
        self._thread = thread
        self._give = give
        self._held: list[threading.Event] = []
        _workers.append(weakref.ref(self))

    def hold(self) -> None:
        """Return when the thread stands still, between two things to do."""
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


# In the order in which they are held: one that gives others to do before those.
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
    """Return a lock that no thread but the one that forks holds in a child."""
    lock = threading.RLock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
        )
    return lock


if hasattr(os, "register_at_fork"):
    # the child has none of these threads
    os.register_at_fork(before=_hold, after_in_parent=_go_on, after_in_child=_workers.clear)
