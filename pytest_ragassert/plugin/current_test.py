"""Which test runs in this process; coming ones are prepared from the first measurement on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from .collected import MARKER

if TYPE_CHECKING:
    from ..engine.session import Session
    from .prefetching import Lookahead
    from .run import Run

TESTS = pytest.StashKey["RunningTests"]()


class RunningTests:
    """
    Attributes:
        lookahead: None: not in this run, or nothing was measured yet.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._pid = os.getpid()
        self._here: tuple[pytest.Item, pytest.Item | None] | None = None
        self.lookahead: Lookahead | None = None

    def begin(self, item: pytest.Item, following: pytest.Item | None) -> None:
        """A test begins.

        Args:
            following: the next one of this process.
        """
        self._here = item, following
        self._run.recorder.begin(item)
        session = self._run.made_session
        if self.lookahead is not None:
            self.lookahead.begin(item, following)
        elif session is not None and session.lookahead is None:
            self.look_ahead(session)

    def look_ahead(self, session: Session) -> None:
        """Prepare coming tests with the run's session, where this run does."""
        if self._here is None or os.getpid() != self._pid:
            # no test is running yet; or this one runs in a process of its own, which ends with it
            return
        from .prefetching import Lookahead, looks_ahead

        if looks_ahead(self._run, session):
            item, following = self._here
            self.lookahead = session.lookahead = Lookahead(self._run, session, item.session.items)
            self.lookahead.begin(item, following)

    def end(self, item: pytest.Item) -> None:
        """It is over."""
        run = self._run
        self._here = None
        run.recorder.end()
        if self.lookahead is not None:
            self.lookahead.end(item)
        elif run.is_worker and run.path.exists() and item.get_closest_marker(MARKER):
            # nothing was measured here, but another worker may have asked ahead for it
            from .prefetching import heed_unused

            heed_unused(run.run_folder(), item)

    def finish(self, exitstatus: int) -> None:
        """All are over: let what was asked for them come, before anyone counts what was asked."""
        if self.lookahead is not None:
            whole = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
            self.lookahead.finish(broken_off=not whole)
