"""Gates over a run: where they may stand, when they fail it, and what it prints."""

from __future__ import annotations

import json
import re

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import PASSING, Project, new_project, section

project = pytest.fixture(new_project)

TESTS = """
import pytest
from ferry import BAD, GOOD, case
from pytest_ragassert import evaluate

@pytest.mark.parametrize("n", range(6))
def test_case(n):
    answer = GOOD if n else GOOD + " " + BAD
    kind = {"question_type": "multi-hop" if n < 2 else "factoid"}
    evaluate(case(f"c{n}", answer, metadata=kind), ["faithfulness"])
"""
MEAN = "mean(faithfulness) >= 0.9"


def gates(result: pytest.RunResult) -> list[str]:
    """The lines about gates."""
    lines = section(result)
    begins = next(n for n, line in enumerate(lines) if re.match(r"\d+ (of \d+ )?gate", line))
    others = ("note: ", "ragassert-outcome:")
    return [line for line in lines[begins:] if not line.startswith(others)]


def errors(result: pytest.RunResult) -> str:
    assert result.ret == pytest.ExitCode.USAGE_ERROR, result.stdout.str()
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    return result.stderr.str()


def test_a_failing_gate_fails_a_run_of_passing_tests(project: Project) -> None:
    project.test(TESTS)
    held = project.run("--ragassert-gate", "mean(faithfulness) >= 0.8")
    assert held.ret == 0
    assert gates(held) == ["1 gate holds", "  ✓ mean(faithfulness) >= 0.8: 0.83 over 6 cases"]
    failed = project.run("--ragassert-gate", MEAN)
    assert failed.ret == pytest.ExitCode.TESTS_FAILED
    assert failed.parseoutcomes() == {"failed": 1, "passed": 6}
    assert gates(failed) == [
        "1 of 1 gate fails, so the run fails",
        "  ✗ mean(faithfulness) >= 0.9: 0.83 over 6 cases",
        "      pulled down by: c0 0.00",
    ]
    last = section(failed)[-1]
    assert last.startswith("ragassert-outcome: failed-by=gates assertions=0 ")
    assert last.endswith(" budget=ok gates=failed")


def test_gates_are_counted_once_whatever_the_workers(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    args = ["--ragassert-gate", MEAN, "--ragassert-gate", "min(faithfulness, n=6) >= 0"]
    alone = project.run(*args)
    shared = project.run("-n", "2", *args)
    assert (alone.ret, shared.ret) == (1, 1)
    assert gates(alone) == gates(shared)


def test_ini_and_environment_have_several(project: Project) -> None:
    project.test(TESTS)
    project.pytester.makeini(
        "[pytest]\nragassert_gates =\n    mean(faithfulness) >= 0.8\n"
        '    mean(faithfulness, question_type="multi-hop") >= 0.7\n'
    )
    result = project.run()
    assert result.ret == 1
    assert '  ✗ mean(faithfulness, question_type="multi-hop") >= 0.7: 0.50 over 2 cases' in gates(
        result
    )
    project.set(RAGASSERT_GATES="min(faithfulness) >= 0; max(faithfulness) >= 1")
    assert gates(project.run())[0] == "2 gates hold"


def test_a_case_that_several_tests_measure_counts_once(project: Project) -> None:
    project.test(TESTS + TESTS.replace("test_case", "test_again"))
    result = project.run("--ragassert-gate", "mean(faithfulness, n=6) >= 0.8")
    assert "  ✓ mean(faithfulness, n=6) >= 0.8: 0.83 over 6 cases" in gates(result)


def test_a_run_that_measured_nothing_does_not_pass(project: Project) -> None:
    project.test("def test_other(): pass")
    result = project.run("--ragassert-gate", MEAN)
    assert (result.ret, result.parseoutcomes()) == (1, {"failed": 1, "passed": 1})
    assert gates(result)[1:] == [f"  ✗ {MEAN}: nothing measured"]
    assert project.run("--collect-only", "--ragassert-gate", MEAN).ret == 0
    none = project.run("--ragassert-gate", MEAN, "-k", "nothing")
    assert none.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_what_fails_otherwise_keeps_its_exit_status(project: Project) -> None:
    project.test("def test_stop(): raise KeyboardInterrupt")
    result = project.process("--ragassert-gate", MEAN)
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_a_broken_gate_is_a_usage_error_that_points_at_the_character(project: Project) -> None:
    project.test(PASSING)
    said = errors(project.run("--ragassert-gate", "mean(faithfulness >= 0.9"))
    assert "--ragassert-gate: 'mean(faithfulness >= 0.9' is not a gate: ')' is expected, " in said
    assert "\n  mean(faithfulness >= 0.9\n                    ^" in said
    project.pytester.makeini("[pytest]\nragassert_gates =\n    min(f) > 0\n    avg(f) > 0\n")
    said = errors(project.run())
    assert "ragassert_gates: " in said
    assert "no function 'avg'" in said
    assert "\n  avg(f) > 0\n  ^" in said


def test_a_gate_on_drops_needs_a_baseline(project: Project) -> None:
    project.test(PASSING)
    said = errors(project.run("--ragassert-gate", "drop(faithfulness) <= 0.02"))
    assert (
        "the gate 'drop(faithfulness) <= 0.02' needs a baseline to compare with: "
        "--ragassert-baseline FILE" in said
    )


def test_the_results_file_tells_it(project: Project) -> None:
    project.test(TESTS)
    project.run("--ragassert-artifacts=out", "--ragassert-gate", MEAN)
    (file,) = (project.path / "out").glob("results_*.json")
    data = json.loads(file.read_text())
    assert data["outcome"]["gates"] == "failed"
    assert data["exit_status"] == 1
    assert data["settings"]["gates"] == [MEAN]


@pytest.mark.parametrize("form", ["linelist", "toml"])
def test_a_run_of_other_tests_takes_the_gates_back(project: Project, form: str) -> None:
    project.test(TESTS)
    if form == "toml":
        table = "[tool.pytest.ini_options]\nragassert_gates = ['mean(faithfulness) >= 0.9']\n"
        project.pytester.makepyprojecttoml(table)
    else:
        project.pytester.makeini(f"[pytest]\nragassert_gates =\n    {MEAN}\n")
    assert project.run("-k", "nothing_of_it", "-o", "ragassert_gates=").ret == 5
    assert project.run().ret == 1
    assert project.run("-o", "ragassert_gates=").ret == 0
