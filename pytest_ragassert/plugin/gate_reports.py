"""Reports a failed gate as a failed test, to pytest's counts and to writers of results only.

There is no test item, so pytest's report hooks are not called. Plugins that remember failed tests
(`--lf`, `--sw`), stop at them (`-x`), count them as progress or time them see nothing.
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
# The packages of the writers of results. Between releases, the names of their plugins and classes
# changed, but not the package name, which people list in their requirements.
_WRITERS = frozenset({"_pytest.junitxml", "pytest_html", "pytest_jsonreport", "pytest_reportlog"})
_ALLURE = "allure_pytest"


def report_failures(
    session: pytest.Session,
    failures: Sequence[RunFailure],
    reporting: Callable[[str], AbstractContextManager[None]],
) -> None:
    """Count each as a failed test in the session, on the terminal, and in written results.

    Args:
        reporting: returns a context manager that turns errors into notices.
    """
    # instead of the session's hook, which would also stop a run with `-x`
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
    """Place and message, as pytest's list of failed tests and writers of results read them."""

    nodeid: str
    message: str
    path: str = _FILE
    lineno: int = 0

    def __str__(self) -> str:
        # for `--tb=line`; there is no such place
        return f"{self.nodeid}: {self.message}"


@dataclass(frozen=True)
class FailureText:
    """The failure interface that pytest needs, without a traceback."""

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
    # reporters of other plugins may lack parts of pytest's
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    stats = getattr(terminal, "stats", None)
    if stats is None:
        return
    # pytest would list it as a slow test if it had a duration here
    shown = copy.copy(report)
    del shown.duration
    stats.setdefault("failed", []).append(shown)
    # the colour of the last line was computed from the earlier counts
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
        # all phases: some writers write a test after its teardown
        hook(report=_report(nodeid, "setup", None))
        hook(report=_report(nodeid, "call", failure))
        hook(report=_report(nodeid, "teardown", None))
    if any(_ALLURE in _packages(one) for one in manager.get_plugins()):
        from .allure_results import write_result

        write_result(config, nodeid, failure.reprcrash.message, str(failure))


def _packages(plugin: object) -> set[str]:
    """The packages, and the modules of pytest, that define a plugin."""
    if isinstance(plugin, ModuleType):
        modules: Iterable[str] = [plugin.__name__]
    else:
        # a project's plugin may subclass that of another package
        modules = [each.__module__ for each in type(plugin).__mro__]
    return {one if one.startswith("_pytest.") else one.partition(".")[0] for one in modules}
