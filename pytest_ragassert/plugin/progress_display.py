"""Shows the judge's progress in a line of the terminal below pytest's own output.

The line is visible only while nothing else writes to the terminal: in a single process, while
pytest captures a test's output; under xdist, until the controller writes.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from ..judging.scheduling.in_flight import RequestCounts
from ..report.progress_line import ProgressLine
from ..report.remaining_requests import SeenTests
from ..runtime.clock import Clock
from ..runtime.printable import printable

if TYPE_CHECKING:
    from .run import Run

PROGRESS = "ragassert-progress"
_TICK_SECONDS = 0.2
# Make room below (in the last row the screen scrolls), save the cursor, and write there.
_BELOW = "\x1bD\x1b[A\x1b7\x1b[B\r"
_REST, _BACK = "\x1b[K", "\x1b8"


def progress_of(config: pytest.Config, run: Run) -> ProgressDisplay | None:
    """The writer of the line; None if there is no terminal, or another plugin draws on it."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    writer = getattr(reporter, "_tw", None)
    # reporters of other plugins draw their own bars
    if writer is None or type(reporter).__module__ != "_pytest.terminal":
        return None
    quiet = any(run.environ.get(name) for name in ("CI", "BUILD_NUMBER"))
    if quiet or run.environ.get("TERM", "dumb") == "dumb":
        return None
    if sys.platform == "win32" and "WT_SESSION" not in run.environ:
        return None
    # output of tests goes straight to the terminal, perhaps in the middle of a line
    if config.getoption("capture") != "fd" or run.lists_only:
        return None
    try:
        descriptor = writer._file.fileno()
        if not os.isatty(descriptor):
            return None
        # while a test runs, pytest's own stream is captured
        return ProgressDisplay(config, run, os.dup(descriptor), writer)
    except (AttributeError, OSError, ValueError):
        return None


class ProgressDisplay:
    """A pytest plugin that shows the line; registered if there is a terminal."""

    def __init__(self, config: pytest.Config, run: Run, terminal: int, writer: Any) -> None:
        self._config = config
        self._run = run
        self._terminal = terminal
        self._writer = writer
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._free = self._shown = False
        self._standing: RequestCounts | None = None
        self._tests = SeenTests()
        self._line = ProgressLine()
        self._gone: set[str] = set()
        self._thread: threading.Thread | None = None
        self._end = threading.Event()
        self._undo: list[Callable[[], None]] = []

    # -- what it shows ----------------------------------------------------------------------------

    def show(self, standing: RequestCounts) -> None:
        """Show the progress of this process; called in the thread that asks."""
        self._standing = standing
        self._start()

    def begin(self) -> None:
        self._run.on_progress = self.show
        if self._config.pluginmanager.has_plugin("dsession"):
            self._free = True
            self._give_way_to(self._writer, "write", stays_free=True, flush=True)
            return
        capture = self._config.pluginmanager.get_plugin("capturemanager")
        self._give_way_to(capture, "suspend_global_capture", stays_free=False)
        self._come_after(capture, "resume_global_capture")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items:
            self._tests.collect(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """The controller does not collect; each worker collects all tests."""
        self._tests.collect(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "teardown":
            return
        with self._run.reporting("show progress"):
            rows = self._run.tally.rows_of(report.nodeid) if self._run.has_rows else []
            self._tests.end(report.nodeid, rows)

    def pytest_runtest_logstart(self) -> None:
        if self._free and self._standing is None:
            # workers run the tests and write their progress to the run folder
            self._start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """xdist: when a worker ends, its requests in flight end too."""
        self._gone.add(node.gateway.id)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        self._stop()

    def pytest_unconfigure(self) -> None:
        self._stop()
        if self._terminal >= 0:
            os.close(self._terminal)
            self._terminal = -1

    # -- who may write ---------------------------------------------------------------------------

    def _give_way_to(self, who: Any, name: str, *, stays_free: bool, **more: Any) -> None:
        """Clear the line before another object's method runs; `more` are extra arguments for it."""
        method = getattr(who, name)

        def called(*args: Any, **kwargs: Any) -> Any:
            if os.getpid() != self._pid:
                return method(*args, **kwargs)
            with self._lock:
                self._clear()
                self._free = stays_free
                return method(*args, **{**kwargs, **more})

        self._replace(who, name, called)

    def _come_after(self, who: Any, name: str) -> None:
        method = getattr(who, name)

        def called(*args: Any, **kwargs: Any) -> Any:
            result = method(*args, **kwargs)
            self._free = True
            return result

        self._replace(who, name, called)

    def _replace(self, who: Any, name: str, called: Callable[..., Any]) -> None:
        setattr(who, name, called)
        # the method is defined on the class: deleting ours restores it
        self._undo.append(lambda: vars(who).pop(name, None))

    # -- the line --------------------------------------------------------------------------------

    def _start(self) -> None:
        if self._thread is None and not self._end.is_set() and os.getpid() == self._pid:
            self._thread = threading.Thread(
                target=self._run_ticks, name="ragassert progress", daemon=True
            )
            self._thread.start()

    def _stop(self) -> None:
        self._end.set()
        if self._thread is not None and os.getpid() == self._pid:
            self._thread.join()
        for undo in self._undo:
            undo()
        self._undo = []
        with self._lock:
            self._clear()

    def _run_ticks(self) -> None:
        with self._run.reporting("show progress"):
            self._tick()

    def _tick(self) -> None:
        last = ""
        while not self._end.wait(_TICK_SECONDS):
            text = self._text()
            with self._lock:
                if text and self._free and (text != last or not self._shown):
                    self._shown = self._write(_BELOW + self._cut(text) + _REST + _BACK)
                    last = text

    def _text(self) -> str:
        from ..storage.run_state.process_progress import read_progress

        standing = self._standing
        asked, in_flight = (0, 0) if standing is None else standing
        if standing is None:
            for process, numbers in read_progress(self._run.path):
                if len(numbers) == len(RequestCounts._fields):
                    asked += numbers[0]
                    in_flight += 0 if process in self._gone else numbers[1]
        if not asked and not in_flight:
            return ""
        return self._line.text(Clock.now(), asked, in_flight, self._tests.outlook())

    def _cut(self, line: str) -> str:
        text = printable(line)
        try:
            columns = os.get_terminal_size(self._terminal).columns
        except OSError:
            columns = 0
        return text[: (columns or 80) - 1]

    def _clear(self) -> None:
        if self._shown:
            self._shown = False
            self._write(_BELOW + _REST + _BACK)

    def _write(self, text: str) -> bool:
        try:
            os.write(self._terminal, text.encode())
        except OSError:
            self._end.set()  # the terminal is gone
            return False
        return True
