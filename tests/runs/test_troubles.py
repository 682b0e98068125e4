"""Whatever goes wrong while the plugin reports costs a line, never the run."""

from __future__ import annotations

import pytest

from pytest_ragassert.config.options import OFFLINE_ID
from tests.loopback.server import LoopbackJudge

from .projects import FAILING, Project, new_project, section

project = pytest.fixture(new_project)

BREAK = """
import pytest
from importlib import import_module

class Broken(Exception):
    pass

def broken(*args, **kwargs):
    raise Broken("it is broken\\nhere")

@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    patch.setattr(import_module("pytest_ragassert.MODULE"), "NAME", broken)
"""
# A function, what its line says it could not do, and what is there without it.
BROKEN = [
    ("plugin.header", "header_lines", "write the header", f"judge {OFFLINE_ID}"),
    (
        "analysis.records.result_rows",
        "to_text",
        "report what test_it.py::test_price measured",
        "1 passed",
    ),
    ("plugin.outages", "end_of", "report what test_it.py::test_price measured", "measured=2"),
    (
        "analysis.records.result_rows",
        "from_text",
        "report the result of test_it.py::test_times",
        "",
    ),
    (
        "plugin.rerun_hints",
        "rerun_command",
        "report the result of test_it.py::test_price",
        "measured=2",
    ),
    (
        "report.failure_report",
        "failure_lines",
        "report the result of test_it.py::test_price",
        "measured=2",
    ),
    (
        "plugin.failure_reports",
        "shorten",
        "show the failure of test_it.py::test_price",
        "measured=2",
    ),
    ("analysis.regression.gates", "_evaluated", "check gates and baseline", "gates=failed"),
    ("plugin.record_making", "usage_figures", "sum up the results", "gates=ok"),
    ("plugin.record_making", "record_of_run", "record the run", "FAILED test_it.py::test_price"),
    ("report.artifacts", "results_file", "write the results file", "gates=ok"),
    (
        "analysis.records.claims_jsonl",
        "debug_claims",
        "write debug_claims.jsonl",
        "note: results in ",
    ),
    (
        "analysis.records.claims_jsonl",
        "error_cases",
        "write error_cases.jsonl",
        "note: results in ",
    ),
    ("analysis.records.history_file", "append", "write the run's line in the history", "gates=ok"),
    ("plugin.lookup_records", "now", "keep the failed claims", "gates=ok"),
    ("report.summary", "figures", "report the metrics", "gates=ok"),
    ("report.summary", "override_lines", "report overrides", "faithfulness             2"),
    ("report.gate_lines", "held_lines", "report gates and baseline", "faithfulness             2"),
    ("report.summary", "unused_lines", "report what was asked ahead", "gates=ok"),
    ("report.summary", "summary_lines", "write the summary", "FAILED test_it.py::test_price"),
    ("report.outcome", "run_outcome", "report how the run ended", "FAILED test_it.py::test_price"),
]


@pytest.fixture(autouse=True)
def _offline(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")


def broken_run(project: Project, module: str, name: str, *args: str) -> pytest.RunResult:
    project.pytester.makeconftest(BREAK.replace("MODULE", module).replace("NAME", name))
    project.test(FAILING)
    return project.run(
        "--ragassert-gate=mean(faithfulness) >= 0",
        "--ragassert-artifacts=out",
        "--ragassert-history=h.jsonl",
        "--ragassert-verdicts=v.jsonl",
        *args,
    )


@pytest.mark.parametrize(("module", "name", "what", "still"), BROKEN)
def test_a_line_is_lost_and_the_run_is_not(
    project: Project, module: str, name: str, what: str, still: str
) -> None:
    result = broken_run(project, module, name)
    said = result.stdout.str()
    assert "INTERNALERROR" not in said
    assert result.ret == 1
    # of what was not measured, the gate does not hold
    lost = name in ("to_text", "from_text")
    assert result.parseoutcomes() == {"failed": 1 + lost, "passed": 1}
    assert f"ragassert: could not {what}: Broken: it is broken here" in result.outlines
    assert still in said
    assert "Traceback" not in said


def test_an_output_that_fails_costs_no_other(project: Project) -> None:
    broken_run(project, "report.artifacts", "results_file")
    assert not list((project.path / "out").glob("results_*"))
    assert (project.path / "out/debug_claims.jsonl").read_text()
    assert (project.path / "out/error_cases.jsonl").exists()
    assert len((project.path / "h.jsonl").read_text().splitlines()) == 1


def test_committed_verdicts_cost_no_more(project: Project, judge: LoopbackJudge) -> None:
    project.unset("RAGASSERT_JUDGE")
    project.judged_by(judge)
    result = broken_run(project, "plugin.update_verdicts", "uses_of")
    assert result.parseoutcomes() == {"failed": 1, "passed": 1}
    told = "ragassert: could not write the committed verdicts: Broken: it is broken here"
    assert told in section(result)
    assert "gates=ok" in result.stdout.str()


@pytest.mark.parametrize("name", ["to_text", "from_text"])
def test_workers_lose_no_more(project: Project, name: str) -> None:
    result = broken_run(project, "analysis.records.result_rows", name, "-n", "1")
    # the gate too, which finds nothing measured
    assert result.parseoutcomes() == {"failed": 2, "passed": 1}
    lines = [line for line in result.outlines if line.startswith("ragassert: could not report ")]
    assert {line.partition(": Broken: ")[2] for line in lines} == {"it is broken here"}


def test_where_more_is_wanted_there_is_a_traceback(project: Project) -> None:
    lines = section(broken_run(project, "report.artifacts", "results_file", "-vv"))
    at = lines.index("ragassert: could not write the results file: Broken: it is broken here")
    assert lines[at + 1] == "  Traceback (most recent call last):"
    assert '", line ' in lines[at + 2]


def test_a_hook_of_the_project_s_fails_its_test_alone(project: Project) -> None:
    project.pytester.makeconftest(
        """
        def pytest_ragassert_result(item, result):
            if item.name == "test_times":
                raise ZeroDivisionError("in the project's hook")
        """
    )
    project.test(FAILING)
    result = project.run()
    assert result.parseoutcomes() == {"failed": 2}
    assert "ZeroDivisionError: in the project's hook" in result.stdout.str()
    assert "measured=2" in section(result)[-1]
    project.test(
        """
        from ferry import case
        from pytest_ragassert import evaluate

        def test_times():
            evaluate(case("times"), ["faithfulness", "context_relevance"])
        """
    )
    result = project.run()
    assert result.parseoutcomes() == {"failed": 1}
    assert "measured=2" in section(result)[-1]
