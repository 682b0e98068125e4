"""A failed gate is a failed test, for pytest's counts and for the writers of results alone.

There is no item, so that pytest's hooks for reports are not called: whoever remembers failed tests
(`--lf`, `--sw`), stops at them (`-x`), counts them as progress or measures them is not told.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal, cast

import pytest

from ..report.run_failures import RunFailure
from ..runtime.printable import printable

_FILE = "ragassert"
# The packages of the writers of results. What the plugins in them are registered as, and what
# their classes are called, has changed between releases, and the package has not: it is what
# people name in their requirements.
_WRITERS = frozenset({"_pytest.junitxml", "pytest_html", "pytest_jsonreport", "pytest_reportlog"})
_ALLURE = "allure_pytest"


def report_failures(
    session: pytest.Session,
    failures: Sequence[RunFailure],
    reporting: Callable[[str], AbstractContextManager[None]],
) -> None:
    """Let each count as a failed test in the session, on the terminal, and in written results.

    Args:
        reporting: gives a context in which an error becomes a notice, and ends nothing.
    """
    # in place of the session's hook, which would stop a run with `-x` as well
    session.testsfailed += len(failures)
    for failure in failures:
        nodeid = f"{_FILE}::{failure.name}"
        crash = Crash(nodeid, printable(failure.message))
        text = FailureText(crash, [printable(line) for line in failure.lines])
        with reporting("show on the terminal what fails the run"):
            _show(session.config, _report(nodeid, "call", text))
        with reporting("write what fails the run into the results of other plugins"):
            _write(session.config, nodeid, text)


@dataclass(frozen=True)
class Crash:
    """Where and what, as the list of failed tests and the writers of results ask for it."""

    nodeid: str
    message: str
    path: str = _FILE
    lineno: int = 0

    def __str__(self) -> str:
        # with `--tb=line`; there is none to go to
        return f"{self.nodeid}: {self.message}"


@dataclass(frozen=True)
class FailureText:
    """What pytest asks of a failure, without the traceback that this one does not have."""

    reprcrash: Crash
    lines: Sequence[str]
    sections: list[tuple[str, str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def toterminal(self, writer: Any) -> None:
        for number, line in enumerate(self.lines):
            writer.line(line, **({} if number else {"red": True, "bold": True}))


def _report(
    nodeid: str, when: Literal["setup", "call", "teardown"], failure: FailureText | None
) -> pytest.TestReport:
    now = time.time()
    return pytest.TestReport(
        nodeid,
        (_FILE, None, nodeid),
        {},
        "passed" if failure is None else "failed",
        cast(Any, failure),
        when,
        start=now,
        stop=now,
    )


def _show(config: pytest.Config, report: pytest.TestReport) -> None:
    # other plugins' reporters may be less than pytest's
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    stats = getattr(terminal, "stats", None)
    if stats is None:
        return
    # pytest lists as a slow test whatever has a duration here
    shown = copy.copy(report)
    del shown.duration
    stats.setdefault("failed", []).append(shown)
    # the last line has its colour from what had been there
    if settle := getattr(terminal, "_set_main_color", None):
        settle()
    verbosity = config.get_verbosity(pytest.Config.VERBOSITY_TEST_CASES)
    write: Any = getattr(terminal, "write_ensure_prefix", None)
    if verbosity > 0 and write is not None:
        write(f"{report.nodeid} ", "FAILED", red=True)


def _write(config: pytest.Config, nodeid: str, failure: FailureText) -> None:
    manager = config.pluginmanager
    writers = [one for one in manager.get_plugins() if not _packages(one).isdisjoint(_WRITERS)]
    if writers:
        others = [one for one in manager.get_plugins() if one not in writers]
        hook: Any = manager.subset_hook_caller("pytest_runtest_logreport", others)
        # all phases: some write a test when its teardown is over
        hook(report=_report(nodeid, "setup", None))
        hook(report=_report(nodeid, "call", failure))
        hook(report=_report(nodeid, "teardown", None))
    if any(_ALLURE in _packages(one) for one in manager.get_plugins()):
        from .allure_results import write_result

        write_result(config, nodeid, failure.reprcrash.message, str(failure))


def _packages(plugin: object) -> set[str]:
    """The packages, and the modules of pytest's, that a plugin is made of."""
    if isinstance(plugin, ModuleType):
        modules: Iterable[str] = [plugin.__name__]
    else:
        # a project's own may be made from the class of another
        modules = [each.__module__ for each in type(plugin).__mro__]
    return {one if one.startswith("_pytest.") else one.partition(".")[0] for one in modules}
