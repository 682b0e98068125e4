"""The pytest plugin: hooks only. Everything behind them is imported when it is first needed.

PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from ..printed import printable
from ..text import ci_log
from .collected import MARKER
from .given import add_options
from .printing import make_printable, without_secrets
from .project_hooks import check_in_time, check_workers_in_time
from .recording import fields_of
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
    config.add_cleanup(ci_log.decide(os.environ))
    config.addinivalue_line(
        "markers",
        f"{MARKER}(cases, metrics=()): cases for the rag_case fixture: a .jsonl or .json file, "
        "relative to the test file or to rootdir, or a list of cases; metrics that the test is "
        "known to measure, as evaluate takes them",
    )
    config.addinivalue_line(
        "markers",
        "rag_xfail(metric, reason, cases, strict): a failure of the metric that is known, of all "
        "cases or those of the ids; it fails no test, and passing is reported",
    )
    config.stash[RUN] = run = Run(config)
    config.pluginmanager.register(run.recorder, "ragassert-recorder")
    completeness = None
    if run.updates == "prune" or run.is_told_of_the_whole:
        from .complete import Completeness

        completeness = Completeness(run)
        config.pluginmanager.register(completeness, "ragassert-completeness")
    if run.plans:
        from .planning import PLANNER, Planner

        # whoever distributes tests has none to distribute
        config.option.dist = "no"
        config.pluginmanager.register(Planner(config, run), PLANNER)
    if not run.is_worker:
        from .reporting import Reporter

        config.pluginmanager.register(Reporter(config, run, completeness), "ragassert-reporter")


def pytest_sessionstart(session: pytest.Session) -> None:
    # not when configuring, for --help and --markers; nor where no test is run
    run = session.config.stash[RUN]
    run.start()
    if run.lists_only:
        return
    if not run.is_worker:
        run.check_outputs()
    run.check_judge()
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not run.is_worker and getattr(reporter, "isatty", False):
        from .progress import PROGRESS, progress_of

        with run.reporting("show progress"):
            progress = progress_of(session.config, run)
            if progress is not None:
                session.config.pluginmanager.register(progress, PROGRESS)
                progress.begin()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    run = config.stash[RUN]
    check_in_time(run, items)
    if "sample" in run.chosen:
        from .sampling import deselect

        deselect(run, items)


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    result = yield
    check_workers_in_time(session.config.stash[RUN])
    return result


def pytest_unconfigure(config: pytest.Config) -> None:
    run = config.stash.get(RUN, None)
    if run is not None:
        try:
            run.close()
        except Exception as error:
            # nobody prints any more
            from ..report.trouble import trouble_lines

            print(*map(printable, trouble_lines("end the run", error)), sep="\n", file=sys.stderr)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """xdist: the workers share the controller's run."""
    run = node.config.stash[RUN]
    node.workerinput.update(run.for_worker())
    if run.heard is not None:
        # somebody looks at how far they are
        node.workerinput["ragassert_tells_as"] = node.gateway.id


def pytest_report_header(config: pytest.Config) -> list[str]:
    from .header import header_lines

    try:
        lines = header_lines(config.stash[RUN])
    except Exception as error:
        from ..report.trouble import trouble_lines

        lines = trouble_lines("write the header", error, verbose=config.get_verbosity() > 1)
    return list(map(printable, lines))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    # without the marker, a fixture of that name may be the project's own
    definition = metafunc.definition
    marker = definition.get_closest_marker(MARKER)
    wanted = "rag_case" in metafunc.fixturenames
    if marker in definition.own_markers and not wanted:
        pytest.fail(f"{definition.nodeid}: marked rag_cases, but takes no rag_case", pytrace=False)
    if marker is not None and wanted:
        from .case_marker import parametrize

        parametrize(metafunc, marker)


@pytest.fixture
def rag_case(request: pytest.FixtureRequest) -> EvalCase:
    """One case of `@pytest.mark.rag_cases(…)`, a copy of its own for each test."""
    from .case_marker import case_of

    return case_of(request)


@pytest.fixture(scope="session")
def ragassert() -> RagAssert:
    """All assertions and `evaluate`."""
    from ..assertions import RagAssert

    return RagAssert()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    run = item.config.stash[RUN]
    with run.reporting(f"look ahead of {item.nodeid}"):
        run.tests.begin(item, nextitem)
    try:
        return (yield)
    finally:
        with run.reporting(f"look ahead of {item.nodeid}"):
            run.tests.end(item)


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(
    session: pytest.Session, exitstatus: int
) -> Generator[None, object, object]:
    # a worker says that it is done when this has run
    run = session.config.stash[RUN]
    with run.reporting("let come what was asked ahead"):
        run.tests.finish(exitstatus)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    recorder = item.config.stash[RUN].recorder
    _unawaited()
    recorder.in_call = True
    try:
        outcome = yield
        if names := _unawaited():
            called = ", ".join(f"aio.{name}" for name in dict.fromkeys(names))
            pytest.fail(
                f"{called} was called but not awaited, so nothing was measured", pytrace=False
            )
    except BaseException as error:
        recorder.error = error
        raise
    finally:
        recorder.in_call = False
    return outcome


def _unawaited() -> list[str]:
    # loaded only by those who use it
    aio = sys.modules.get("pytest_ragassert.aio")
    return [] if aio is None else aio.taken_unawaited()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    # however a test is repeated, this is called for each attempt
    run = item.config.stash[RUN]
    run.recorder.begin(item)
    if item.get_closest_marker("rag_xfail") is not None:
        from .quarantine import check_marks, quarantines_of

        check_marks(item, run.session().registry)
        run.recorder.quarantines = quarantines_of(item)


@pytest.hookimpl(specname="pytest_runtest_makereport")
def pytest_skip_outages(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    # its name begins as pytest wants it; it runs before pytest makes the report, and after unittest
    # has put a TestCase's error into the call
    run = item.config.stash[RUN]
    if call.excinfo is not None and run.skips_outages:
        from .outages import skip_for_outage

        with run.reporting(f"tell whether {item.nodeid} met an outage"):
            skip_for_outage(call)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    run = item.config.stash[RUN]
    recorder = run.recorder
    begun = recorder.attempt
    report = yield
    with run.reporting(f"tell what {item.nodeid} measured"):
        whole = report.when == "call" and not recorder.in_call
        if run.tests.lookahead is not None and whole and report.passed:
            run.tests.lookahead.passed(item)
        rows = recorder.put_on(report)
        if rows and recorder.quarantines:
            from .quarantine import applied

            applied(report, rows, recorder.quarantines)
        error = call.excinfo.value if call.excinfo is not None else None
        if recorder.attempt != begun:
            # plugins that repeat a test while its report is made put the last attempt's into it
            error = recorder.error
        if error is not None:
            from .outages import end_of

            fields = fields_of(report)
            fields["met"] = _is_ours(error)
            fields["end"] = end_of(report, error, rows)
    if report.failed and call.excinfo is not None and _ends_judging(call.excinfo.value):
        # every test of the run says the same: one line each, no traceback
        report.longrepr = call.excinfo.getrepr(style="value")
    _make_shown(report, run)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_internalerror(excrepr: Any) -> None:
    without_secrets(excrepr)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _make_shown(report, collector.config.stash[RUN])
    return report


def _make_shown(report: pytest.TestReport | pytest.CollectReport, run: Run) -> None:
    """Make what a report says of a failure short, and such as may be printed."""
    with run.reporting(f"show how {report.nodeid} failed"):
        if report.longrepr is not None:
            from .short_names import shorten

            shorten(report)
        make_printable(report)
        return
    # it may hold what must not be printed
    report.longrepr = None if report.longrepr is None else "the failure can't be shown"


def _is_ours(error: BaseException) -> bool:
    """Whether it was to be measured, and the settings did not fit together."""
    from ..errors import ConfigurationError

    return isinstance(error, ConfigurationError)


def _ends_judging(error: BaseException) -> bool:
    from ..errors import JudgeError

    return isinstance(error, JudgeError) and error.ends_judging
