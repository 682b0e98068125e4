"""Scores in the reports of pytest and of other plugins: JUnit, pytest-html, JSON, Allure."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import junitparser
import pytest

from .projects import PASSING, Project, new_project
from .test_repeats import REPEATS, SUBTESTS, repeated, subtests
from .test_score_display import MANY

project = pytest.fixture(new_project)

WORKERS = pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
VALUE = "evals.scores.faithfulness.value"


def properties(one: Any) -> dict[str, str]:
    found = one.child(junitparser.Properties)
    return {each.name: each.value for each in found or ()}


def junit(path: Path) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """The properties of the suite, and those of each test."""
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    return properties(suite), {test.name: properties(test) for test in suite}


def claims(supported: int, *, contradicted: int = 0, unproven: int = 0) -> str:
    return (
        f"CONTRADICTORY={contradicted} NO_EVIDENCE={unproven} PARTIALLY_SUPPORTED=0 "
        f"FULLY_SUPPORTED={supported}"
    )


@WORKERS
@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
def test_junit(project: Project, workers: tuple[str, ...], family: str) -> None:
    project.test(MANY)
    project.run(*workers, "--junitxml=junit.xml", "-o", f"junit_family={family}")
    suite, tests = junit(project.path / "junit.xml")
    assert suite == {
        "evals.scores.factual_f1.mean": "1.0",
        "ragassert.factual_f1.n": "1",
        "evals.scores.faithfulness.mean": str(6.5 / 11),
        "ragassert.faithfulness.n": "11",
    }
    assert tests["test_two_metrics"] == {
        "evals.scores.faithfulness.value": "1.0",
        "ragassert.faithfulness.minimum": "0.8",
        "evals.scores.factual_f1.value": "1.0",
        "ragassert.factual_f1.minimum": "0.7",
        "ragassert.case": "both",
        "ragassert.claims": claims(3),
    }
    assert tests["test_three_cases"] == {
        "evals.scores.faithfulness.value": "0.5",
        "ragassert.faithfulness.minimum": "0.5",
        "ragassert.faithfulness.case": "half",
        "ragassert.case": "half",
        "ragassert.claims": claims(3, unproven=1),
    }
    assert tests["test_fails"] == {
        "evals.scores.faithfulness.value": "0.0",
        "ragassert.faithfulness.minimum": "0.8",
        "ragassert.case": "bad",
        "ragassert.claims": claims(0, contradicted=1),
    }
    assert tests["test_others"] == {}
    values = {name: found.get(VALUE) for name, found in tests.items()}
    assert values.pop("test_two_metrics") == "1.0"
    assert values == {
        "test_three_cases": "0.5",
        "test_fails": "0.0",
        "test_xpass": "1.0",
        "test_xfail": "0.0",
        "test_known": "0.0",
        "test_in_setup": "1.0",
        "test_error": "0.0",
        "test_skipped": "1.0",
        "test_others": None,
    }


# One worker: with two the order of tests is a matter of time.
WORKER = pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])


def timeless(path: Path) -> str:
    return re.sub(r' (time|timestamp)="[^"]*"', "", path.read_text(encoding="utf-8"))


@WORKER
def test_without_them_junit_is_as_pytest_writes_it(
    project: Project, workers: tuple[str, ...]
) -> None:
    project.test(
        PASSING
        + """

def test_own(record_property, record_testsuite_property):
    record_property("own", 1)
    record_testsuite_property("suite", "own")
    assert_faithful(case("own"))
"""
    )
    args = (*workers, "--junitxml=junit.xml", "-o", "junit_logging=all")
    project.run(*args)
    assert "ragassert" in timeless(project.path / "junit.xml")
    project.run(*args, "--ragassert-junit-properties=off")
    ours = timeless(project.path / "junit.xml")
    # the assertions work without the plugin
    args = ("-W", "default", *args)
    if workers:
        with project.forking():
            project.pytester.runpytest_inprocess("-p", "xdist", *args)
    else:
        project.pytester.runpytest_inprocess(*args)
    assert timeless(project.path / "junit.xml") == ours


@pytest.mark.parametrize("by", REPEATS)
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_the_last_attempt_is_told(project: Project, by: str, workers: tuple[str, ...]) -> None:
    repeated(project, by, *workers, "--junitxml=junit.xml")
    _, tests = junit(project.path / "junit.xml")
    assert tests == {
        "test_flaky": {
            VALUE: "1.0",
            "ragassert.faithfulness.minimum": "0.8",
            "ragassert.case": "flaky",
            "ragassert.claims": claims(1),
        }
    }


# Prints what a plugin finds that reads the properties when a test's function has run.
READER = """
def pytest_runtest_logreport(report):
    if report.when == "call" and report.outcome == "passed":
        print("\\nREAD", dict(report.user_properties).get("evals.scores.faithfulness.value"))
"""


@pytest.mark.parametrize("by", REPEATS)
def test_the_report_of_the_call_tells_it_too(project: Project, by: str) -> None:
    project.pytester.makeconftest(READER)
    assert "READ 1.0" in repeated(project, by).outlines


def test_what_was_measured_after_the_report_was_made_is_told(project: Project) -> None:
    project.pytester.makeconftest(
        """
        import pytest
        from ferry import case
        from pytest_ragassert import assert_faithful

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if call.when == "call":
                assert_faithful(case("late"))
            return report
        """
        + READER.replace("\n", "\n        ")
    )
    project.test("def test_late(): pass")
    assert "READ 1.0" in project.run().outlines


def test_an_attempt_that_measures_nothing_tells_nothing(project: Project) -> None:
    source = """
        import pytest
        from ferry import BAD, case
        from pytest_ragassert import assert_faithful

        tries = []

        MARK
        def test_flaky(record_property):
            record_property("own", len(tries))
            tries.append(1)
            if len(tries) == 1:
                assert_faithful(case("flaky", BAD))
    """
    repeated(project, "rerunfailures", "--junitxml=junit.xml", source=source)
    _, tests = junit(project.path / "junit.xml")
    assert tests == {"test_flaky": {"own": "1"}}


@WORKERS
def test_a_test_of_subtests_tells_its_lowest(project: Project, workers: tuple[str, ...]) -> None:
    project.test(SUBTESTS)
    project.run(*workers, "--junitxml=junit.xml", use=subtests(SUBTESTS))
    _, tests = junit(project.path / "junit.xml")
    (found,) = (one for one in tests.values() if VALUE in one)
    assert (found[VALUE], found["ragassert.case"]) == ("0.0", "bad")
    assert found["ragassert.claims"] == claims(1, contradicted=2, unproven=2)


def test_what_is_measured_in_teardown_is_told_too(project: Project) -> None:
    project.test(
        """
        import pytest
        from ferry import ODD, GOOD, case
        from pytest_ragassert import assert_faithful

        @pytest.fixture
        def later():
            yield
            assert_faithful(case("later", GOOD + " " + ODD), min=0)

        def test_times(later):
            assert_faithful(case("times"))
        """
    )
    project.run("--junitxml=junit.xml")
    _, tests = junit(project.path / "junit.xml")
    assert tests["test_times"][VALUE] == "0.5"
    assert tests["test_times"]["ragassert.case"] == "later"


HOSTILE = r"""
import pytest
from ferry import BAD, CONTEXTS, GOOD, case
from pytest_ragassert import assert_faithful, evaluate

EVIL = "]]> <a b='c'>&amp;\"\x00\x1b[2J\x07\r\n\t\ud800\ufffe\uffff\x85\u2028\U0001f600"

def test_passes():
    assert_faithful(case(EVIL, question=EVIL))

def test_fails():
    assert_faithful(case(EVIL, BAD + EVIL, question=EVIL, retrieved_contexts=[*CONTEXTS, EVIL]))

def test_name():
    evaluate(case(EVIL), ["mine" + EVIL])
"""
MINE = r"""
import pytest
from pytest_ragassert import Metric, MetricResult
from test_it import EVIL

class Mine(Metric):
    name = "mine" + EVIL

    async def measure(self, case, ask):
        return MetricResult(metric=self.name, score=0.25)

def pytest_ragassert_metrics():
    return [Mine()]
"""


@WORKERS
def test_junit_is_well_formed_whatever_texts_hold(
    project: Project, workers: tuple[str, ...]
) -> None:
    project.test(HOSTILE)
    project.pytester.makeconftest(MINE)
    result = project.run(*workers, "--junitxml=junit.xml", "-v", "-rA")
    assert result.parseoutcomes() == {"passed": 2, "failed": 1}
    assert {"\x00", "\x07", "\x1b", "\x85", "\u2028"}.isdisjoint(result.stdout.str())
    suite, tests = junit(project.path / "junit.xml")
    assert tests["test_passes"][VALUE] == "1.0"
    (value,) = (tests["test_name"][one] for one in tests["test_name"] if one.endswith(".value"))
    assert value == "0.25"
    assert tests["test_name"]["ragassert.case"].startswith("]]> <a b='c'>&amp;\"\\x00\\x1b[2J")
    assert sorted(suite.values()) == ["0.25", "0.5", "1", "2"]


def html_rows(path: Path) -> tuple[list[str], dict[str, Mapping[str, Any]]]:
    """The table's columns, and each test's entry, of a file of pytest-html."""
    text = path.read_text(encoding="utf-8")
    blob = re.search(r'data-jsonblob="(.*?)"', text, re.DOTALL)
    assert blob is not None
    rows = json.loads(html.unescape(blob[1]))["tests"]
    return re.findall(r"<th[^>]*>(.*?)</th>", text), {
        name.partition("::")[2]: one for name, (one, *_) in rows.items()
    }


HTML = ("metadata", "html")


@WORKERS
def test_pytest_html(project: Project, workers: tuple[str, ...]) -> None:
    pytest.importorskip("pytest_html")
    project.test(MANY)
    project.run(*workers, "--html=out.html", "--self-contained-html", use=HTML)
    heads, rows = html_rows(project.path / "out.html")
    assert heads == ["Result", "Test", "Scores", "Duration", "Links"]
    cells = {name: one["resultsTableRow"][2] for name, one in rows.items()}
    assert cells["test_two_metrics"] == (
        '<td class="col-scores">faithfulness 1.00, factual_f1 1.00</td>'
    )
    assert cells["test_fails"] == '<td class="col-scores">faithfulness 0.00</td>'
    assert cells["test_others"] == '<td class="col-scores"></td>'
    # by which the table is sorted
    assert rows["test_fails"]["scores"] == "faithfulness 0.00"
    log = rows["test_three_cases"]["log"]
    assert "case half  How often does the ferry run?\nfaithfulness 0.50 &gt;= 0.50" in log
    assert rows["test_fails"]["log"].count("faithfulness 0.00 &lt; 0.80   1 claim") == 1
    assert "display: none" not in _styles(project.path / "out.html")


def _styles(path: Path) -> str:
    return "".join(re.findall(r"<style>\.col-scores.*?</style>", path.read_text(encoding="utf-8")))


def test_pytest_html_of_a_project_that_measures_nothing(project: Project) -> None:
    pytest.importorskip("pytest_html")
    project.test("def test_plain(): pass")
    project.run("--html=out.html", "--self-contained-html", use=HTML)
    assert "display: none" in _styles(project.path / "out.html")


def test_rows_that_a_project_removes_from_pytest_html_stay_away(project: Project) -> None:
    pytest.importorskip("pytest_html")
    project.test(MANY)
    project.pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_html_results_table_row(report, cells):
            if report.passed:
                del cells[:]
            else:
                cells.pop()

        @pytest.hookimpl(tryfirst=True)
        def pytest_html_results_table_header(cells):
            cells.pop()
        """
    )
    project.run("--html=out.html", "--self-contained-html", use=HTML)
    heads, rows = html_rows(project.path / "out.html")
    assert heads == ["Result", "Test", "Scores", "Duration"]
    assert "test_two_metrics" not in rows
    assert {len(one["resultsTableRow"]) for one in rows.values()} == {4}


def test_names_are_no_markup_in_pytest_html(project: Project) -> None:
    pytest.importorskip("pytest_html")
    project.test(HOSTILE)
    project.pytester.makeconftest(MINE)
    project.run("--html=out.html", "--self-contained-html", use=HTML)
    _, rows = html_rows(project.path / "out.html")
    cell = rows["test_name"]["resultsTableRow"][2]
    assert cell.startswith('<td class="col-scores">mine]]&gt; &lt;a b=&#x27;c&#x27;&gt;')


@WORKERS
def test_json_report(project: Project, workers: tuple[str, ...]) -> None:
    pytest.importorskip("pytest_jsonreport")
    project.test(MANY)
    args = ("--json-report", "--json-report-file=out.json")
    project.run(*workers, *args, use=("metadata", "pytest_jsonreport"))
    told = json.loads((project.path / "out.json").read_text(encoding="utf-8"))
    found = {
        one["nodeid"].partition("::")[2]: {
            name: value for each in one.get("user_properties", ()) for name, value in each.items()
        }
        for one in told["tests"]
    }
    assert found["test_three_cases"][VALUE] == 0.5
    assert found["test_three_cases"]["ragassert.case"] == "half"
    assert found["test_others"] == {}
    assert told["summary"]["passed"] == 4


@WORKERS
@pytest.mark.parametrize("properties", ["on", "off"])
def test_allure(project: Project, workers: tuple[str, ...], properties: str) -> None:
    pytest.importorskip("allure_pytest")
    project.test(MANY)
    args = ("--alluredir=out", f"--ragassert-junit-properties={properties}")
    project.run(*workers, *args, use=("allure_pytest",))
    results = [
        json.loads(file.read_text(encoding="utf-8"))
        for file in (project.path / "out").glob("*-result.json")
    ]
    found = {one["name"]: one for one in results}
    assert found["test_two_metrics"]["parameters"] == [
        {"name": "faithfulness", "value": "1.0", "excluded": True},
        {"name": "factual_f1", "value": "1.0", "excluded": True},
    ]
    assert found["test_three_cases"]["parameters"][0]["value"] == "0.5"
    (attached,) = found["test_three_cases"]["attachments"]
    text = (project.path / "out" / attached["source"]).read_text(encoding="utf-8")
    assert "case half  How often does the ferry run?\nfaithfulness 0.50 >= 0.50" in text
    assert "parameters" not in found["test_others"]
    assert found["test_fails"]["status"] == "failed"
