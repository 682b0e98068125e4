"""Tracks the test that runs in this process; after the first measurement, prefetches for the next
ones.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from .collected_tests import MARKER

if TYPE_CHECKING:
    from ..engine.session import Session
    from .prefetching import Prefetching
    from .run import Run

TESTS = pytest.StashKey["RunningTests"]()


class RunningTests:
    """The tests of a process, one after another.

    Attributes:
        prefetching: None if this run does not prefetch, or nothing was measured yet.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._pid = os.getpid()
        self._here: tuple[pytest.Item, pytest.Item | None] | None = None
        self.prefetching: Prefetching | None = None

    def begin(self, item: pytest.Item, following: pytest.Item | None) -> None:
        """A test begins.

        Args:
            following: the next test of this process.
        """
        self._here = item, following
        self._run.recorder.begin(item)
        session = self._run.made_session
        if self.prefetching is not None:
            self.prefetching.begin(item, following)
        elif session is not None and session.prefetching is None:
            self.start_prefetching(session)

    def start_prefetching(self, session: Session) -> None:
        """Prefetch for coming tests with the run's session, if this run prefetches."""
        if self._here is None or os.getpid() != self._pid:
            # no test is running yet, or this one runs in its own process, which ends with it
            return
        from .prefetching import Prefetching, does_prefetch

        if does_prefetch(self._run, session):
            item, following = self._here
            self.prefetching = session.prefetching = Prefetching(
                self._run, session, item.session.items
            )
            self.prefetching.begin(item, following)

    def end(self, item: pytest.Item) -> None:
        """It is over."""
        run = self._run
        self._here = None
        run.recorder.end()
        if self.prefetching is not None:
            self.prefetching.end(item)
        elif run.is_worker and run.path.exists() and item.get_closest_marker(MARKER):
            # this test measured nothing, but another worker may have prefetched for it
            from .prefetching import heed_unused

            heed_unused(run.run_folder(), item)

    def finish(self, exitstatus: int) -> None:
        """All tests are over: wait for replies in flight before anything is counted."""
        if self.prefetching is not None:
            whole = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
            self.prefetching.finish(broken_off=not whole)
