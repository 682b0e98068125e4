"""Hooks around the tests of a run; registered in processes that run tests."""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import Any

import pytest

from .checks import check_workers_hooks
from .collected_tests import MARKER, collected_case
from .current_test import TESTS
from .failure_reports import show
from .recorder import fields_of
from .run import RUN


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    result = yield
    check_workers_hooks(session.config.stash[RUN])
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    run, tests = item.config.stash[RUN], item.config.stash[TESTS]
    with run.reporting(f"ask ahead at {item.nodeid}"):
        tests.begin(item, nextitem)
    try:
        return (yield)
    finally:
        with run.reporting(f"ask ahead at {item.nodeid}"):
            tests.end(item)


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(
    session: pytest.Session, exitstatus: int
) -> Generator[None, object, object]:
    # a worker reports that it is done after this
    run = session.config.stash[RUN]
    with run.reporting("wait for what was asked ahead"):
        session.config.stash[TESTS].finish(exitstatus)
    with run.reporting("use the shared store for the last time"):
        run.settle_store()
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
    # loaded only if it is used
    aio = sys.modules.get("pytest_ragassert.aio")
    return [] if aio is None else aio.taken_unawaited()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    # called for each attempt, however a test is repeated
    run = item.config.stash[RUN]
    run.recorder.begin(item)
    if item.get_closest_marker("rag_xfail") is not None:
        from .xfail import check_xfails, xfails_of

        check_xfails(item, run.session().registry)
        run.recorder.xfails = xfails_of(item)


@pytest.hookimpl(specname="pytest_runtest_makereport")
def pytest_skip_outages(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    # pytest requires this name prefix; runs after unittest put a TestCase's error into the call,
    # and before pytest makes the report
    run = item.config.stash[RUN]
    if call.excinfo is not None and (run.skips_outages or run.skips_missing):
        from .outages import skip_unmeasured

        with run.reporting(f"check whether {item.nodeid} is skipped"):
            skip_unmeasured(call, outages=run.skips_outages, missing=run.skips_missing)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    run = item.config.stash[RUN]
    recorder = run.recorder
    begun = recorder.attempt
    with run.reporting(f"put the scores of {item.nodeid} among its properties"):
        recorder.put_on_item(item)
    report = yield
    with run.reporting(f"report what {item.nodeid} measured"):
        if run.answers is not None:
            _report_answer(item, report)
        whole = report.when == "call" and not recorder.in_call
        prefetching = item.config.stash[TESTS].prefetching
        if prefetching is not None and whole and report.passed:
            prefetching.passed(item)
        rows = recorder.put_on(report)
        if report.when == "teardown" and recorder.measured:
            _tell_others(item)
        if rows and item.get_closest_marker(MARKER) is not None:
            _report_case(item, report)
        if rows and recorder.xfails:
            from .xfail import applied

            if applied(report, rows, recorder.xfails):
                fields_of(report)["known"] = True
        error = call.excinfo.value if call.excinfo is not None else None
        if recorder.attempt != begun:
            # plugins that repeat a test while its report is made put the last attempt's outcome
            # into it
            error = recorder.error
        if error is not None:
            from .outages import end_of

            fields = fields_of(report)
            fields["met"] = _is_ours(error)
            fields["end"] = end_of(report, error, rows)
        # loaded only if it is used
        if (
            report.failed
            and call.excinfo is not None
            and "pytest_ragassert.engine.session" in sys.modules
        ):
            from .repeated_failures import cause_of

            fields_of(report)["cause"] = cause_of(call.excinfo)
    if report.longrepr is not None and call.excinfo is not None:
        _say_in_one_line(report, call.excinfo)
        _shorten_cases(report, call.excinfo)
    show(report, run.reporting)
    return report


def _tell_others(item: pytest.Item) -> None:
    """Pass the scores of a finished test to plugins that do not read pytest's reports."""
    if item.config.pluginmanager.has_plugin("allure_listener"):
        from .allure_scores import tell_allure

        tell_allure(item.config.stash[RUN].recorder.measured)


def _is_ours(error: BaseException) -> bool:
    """Whether something was to be measured and the settings were inconsistent."""
    from ..errors import ConfigurationError

    return isinstance(error, ConfigurationError)


def _say_in_one_line(report: pytest.TestReport, excinfo: pytest.ExceptionInfo[Any]) -> None:
    """Omit the traceback if every test of the run shows the same, or if the only failures are
    missing verdicts.
    """
    if report.skipped and not hasattr(report, "wasxfail"):
        return
    from ..errors import JudgeError, VerdictMissing
    from .outages import leaves

    errors = list(leaves(excinfo.value))
    if isinstance(excinfo.value, JudgeError) and excinfo.value.ends_judging:
        report.longrepr = excinfo.getrepr(style="value")
    elif all(isinstance(one, VerdictMissing) for one in errors):
        # of concurrent tasks, the first represents all
        first = (type(errors[0]), errors[0], excinfo.tb)
        report.longrepr = pytest.ExceptionInfo.from_exc_info(first).getrepr(
            style="value", chain=False
        )
        fields_of(report)["unjudged"] = True


def _shorten_cases(report: pytest.TestReport, excinfo: pytest.ExceptionInfo[Any]) -> None:
    """Shorten the case among the arguments if the failure's own lines show it."""
    from ..errors import RagAssertionError

    if isinstance(excinfo.value, RagAssertionError):
        from .case_arguments import shorten_cases

        shorten_cases(report)


def _report_case(item: pytest.Item, report: pytest.TestReport) -> None:
    """Note on the test's report which case gets its answer while the test runs."""
    case = collected_case(item)
    if case is not None and case.answer is None:
        from .recorded_answers import input_hash

        fields_of(report)["collected"] = input_hash(case)


def _report_answer(item: pytest.Item, report: pytest.TestReport) -> None:
    """Note on the test's report where the answer of its case comes from."""
    from .recorded_answers import ANSWERED

    answered = item.stash.get(ANSWERED, None)
    if answered is not None:
        del item.stash[ANSWERED]
        fields_of(report)["answered"] = answered
