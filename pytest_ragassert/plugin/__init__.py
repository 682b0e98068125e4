"""The pytest plugin: hooks, options, markers, fixtures, and the recorder of results.

This module defines the hooks; everything behind them is imported on first use.

May import `aio` and the layers below it.

PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from .collected_tests import MARKER
from .pytest_options import add_options
from .run import RUN, Run

if TYPE_CHECKING:
    from ..assertions import RagAssert
    from ..case import EvalCase


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from . import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    if ci_log := sys.modules.get("pytest_ragassert.runtime.ci_log"):
        # an outer run loaded it; if not, it decides from this run's environment on import
        config.add_cleanup(ci_log.decide(os.environ))
    if "pyfakefs" in sys.modules:
        from ..runtime.fake_files import stay_real

        stay_real()
    config.addinivalue_line(
        "markers",
        f"{MARKER}(cases, metrics=()): cases for the rag_case fixture: a file of cases, relative "
        "to the test file or to rootdir, or a list of cases; metrics: what the test measures, as "
        "for evaluate",
    )
    config.addinivalue_line(
        "markers",
        "rag_xfail(metric, reason, cases, strict): a known failure of the metric, for all cases or "
        "those with the given ids; it does not fail the test, and passing is reported",
    )
    config.stash[RUN] = run = Run(config)
    completeness = None
    if run.must_know_whether_whole or run.verdicts is not None:
        from .completeness import Completeness

        completeness = Completeness(run)
        config.pluginmanager.register(completeness, "ragassert-completeness")
    if run.plans:
        from .planner import PLANNER, Planner

        # no test runs, so there is nothing to distribute
        config.option.dist = "no"
        config.pluginmanager.register(Planner(config, run), PLANNER)
    if run.lists_only:
        return
    from . import around_tests
    from .current_test import TESTS, RunningTests

    config.stash[TESTS] = tests = RunningTests(run)
    run.at_session = tests.start_prefetching
    config.pluginmanager.register(around_tests, "ragassert-tests")
    config.pluginmanager.register(run.recorder, "ragassert-recorder")
    if not run.is_worker:
        from .reporter import Reporter

        reporter = Reporter(config, run, completeness)
        config.pluginmanager.register(reporter, "ragassert-reporter")
        listed = not {"p", "A"}.isdisjoint(config.getoption("reportchars", None) or "")
        if listed or config.get_verbosity(config.VERBOSITY_TEST_CASES) > 0:
            from .score_display import ScoreDisplay

            config.pluginmanager.register(ScoreDisplay(), "ragassert-scores")
        if config.getoption("htmlpath", None):
            from .html_scores import HtmlScores

            config.pluginmanager.register(HtmlScores(), "ragassert-html-scores")
        if run.reports_to_github:
            from .github_annotations import GithubAnnotations

            annotations = GithubAnnotations(run, lambda: reporter.record)
            config.pluginmanager.register(annotations, "ragassert-annotations")
        if "answers" in run.chosen:
            from .answers_report import AnswersReporter

            # the rest is configured when the session starts
            config.pluginmanager.register(AnswersReporter(run, completeness), "ragassert-answers")


def pytest_sessionstart(session: pytest.Session) -> None:
    # not while configuring, because of --help and --markers; and not if no test runs
    run = session.config.stash[RUN]
    run.start()
    if run.lists_only:
        return
    from .checks import check_start

    check_start(run)
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not run.is_worker and getattr(reporter, "isatty", False):
        from .progress_display import PROGRESS, progress_of

        with run.reporting("show progress"):
            progress = progress_of(session.config, run)
            if progress is not None:
                session.config.pluginmanager.register(progress, PROGRESS)
                progress.begin()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    run = config.stash[RUN]
    if run.has_late_hooks or (items and not run.lists_only and run.has_custom_names):
        from .checks import check_hooks

        check_hooks(run, items)
    if "sample" in run.chosen:
        from .case_sampling import deselect

        deselect(run, items)


def pytest_unconfigure(config: pytest.Config) -> None:
    run = config.stash.get(RUN, None)
    if run is not None:
        try:
            run.close()
        except Exception as error:
            # nothing prints after this point
            from ..report.trouble_lines import trouble_lines
            from ..runtime.printable import printable

            print(*map(printable, trouble_lines("end the run", error)), sep="\n", file=sys.stderr)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """xdist: the workers share the controller's run."""
    run = node.config.stash[RUN]
    node.workerinput.update(run.for_worker())
    if run.on_progress is not None:
        # their progress is displayed
        node.workerinput["ragassert_progress_as"] = node.gateway.id


def pytest_report_header(config: pytest.Config) -> list[str]:
    from ..runtime.printable import printable
    from .header import header_lines

    try:
        lines = header_lines(config.stash[RUN])
    except Exception as error:
        from ..report.trouble_lines import trouble_lines

        lines = trouble_lines("write the header", error, verbose=config.get_verbosity() > 1)
    return list(map(printable, lines))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    # without the marker, the project may define its own fixture of that name
    definition = metafunc.definition
    marker = definition.get_closest_marker(MARKER)
    wanted = "rag_case" in metafunc.fixturenames
    if marker in definition.own_markers and not wanted:
        pytest.fail(
            f"{definition.nodeid}: marked with rag_cases, but does not take the fixture rag_case",
            pytrace=False,
        )
    if marker is not None and wanted:
        from .rag_cases import parametrize

        parametrize(metafunc, marker)


@pytest.fixture
def rag_case(request: pytest.FixtureRequest) -> EvalCase:
    """One case of `@pytest.mark.rag_cases(…)`; each test gets its own copy."""
    from .rag_cases import case_of

    return case_of(request)


@pytest.fixture(scope="session")
def ragassert() -> RagAssert:
    """All assertions and `evaluate`."""
    from ..assertions import RagAssert

    return RagAssert()


@pytest.hookimpl(tryfirst=True)
def pytest_internalerror(excrepr: Any) -> None:
    from .failure_reports import without_secrets

    without_secrets(excrepr)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.longrepr is not None or report.sections:
        from .failure_reports import show

        show(report, collector.config.stash[RUN].reporting)
    return report
