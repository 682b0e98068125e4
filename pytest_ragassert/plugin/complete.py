"""Whether a run shows which committed verdicts are unused: all of its tests ran to their end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from ..store.run_folder import RunFolder

if TYPE_CHECKING:
    from .run import Run

_DESELECTED = "deselected"
_COLLECTING = (
    "testpaths",
    "norecursedirs",
    "python_files",
    "python_classes",
    "python_functions",
    "collect_imported_tests",
)


class Completeness:
    """Registered where unused verdicts are to be removed, on xdist's workers too: tests are
    deselected there."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._counts: Counter[str] = Counter()
        self._ran: set[str] = set()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item]
    ) -> Generator[None, object, object]:
        before = len(items)
        outcome = yield
        if len(items) < before:
            # whoever removes some tells `pytest_deselected`, or forgets it
            RunFolder(self._run.path).mark(_DESELECTED, str(before - len(items)))
        return outcome

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._counts["not collected"] += 1
        elif report.skipped:
            self._counts["skipped"] += 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._ran.add(report.nodeid)
        if report.failed:
            self._counts["failed" if report.when == "call" else "errored"] += 1
        elif report.skipped:
            self._counts["skipped"] += 1

    def why_not(self, session: pytest.Session) -> str | None:
        """Why the run does not show it, in words; None: every test of the project ran."""
        config = session.config
        if session.exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return "the run was interrupted"
        counts = dict(self._counts)
        deselected = RunFolder(self._run.path).marked(_DESELECTED)
        if deselected is not None:
            counts[_DESELECTED] = int(deselected)
        left = session.testscollected - len(self._ran)
        if left > 0:
            counts["not run"] = left
        if counts:
            each = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
            return f"not every test ran to its end: {each}"
        if session.shouldstop or session.shouldfail:
            return "the run was stopped"
        return _part_asked_for(config)


def _part_asked_for(config: pytest.Config) -> str | None:
    """What of the command line leaves tests out before they are collected."""
    for name in ("ignore", "ignore_glob"):
        if config.getoption(name, None):
            return f"--{name.replace('_', '-')} leaves tests out"
    for given in config.getoption("override_ini", None) or ():
        if given.partition("=")[0].strip() in _COLLECTING:
            return f"-o {given} may leave tests out"
    here, root = config.invocation_params.dir.resolve(), config.rootpath.resolve()
    if config.args_source is pytest.Config.ArgsSource.INVOCATION_DIR and here != root:
        return f"only the tests in {here} were run; run it in {root}"
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        given = {(here / arg).resolve() for arg in config.args}
        whole = {(root / path).resolve() for path in config.getini("testpaths")}
        if root not in given and not (whole and whole <= given):
            return f"only {' '.join(config.args)} was run; run it without naming tests"
    return None
