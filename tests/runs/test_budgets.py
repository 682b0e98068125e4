"""Budgets and the rate limit of a run: exact over its workers, and never green once spent."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from pytest_ragassert.judging.calls import retries
from pytest_ragassert.runtime import environment
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

MANY = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(12))
def test_many(n):
    assert_faithful(case(f"c{n}", f"Boat number {n} is new."), min=0)
"""
SIDE_BY_SIDE = """
from ferry import case
from pytest_ragassert import evaluate

def test_many():
    many = [case(f"c{n}", f"Boat number {n} is new.") for n in range(12)]
    evaluate(many, ["faithfulness"], on_error="collect")
"""
WORKERS = [(), ("-n", "2")]
BOTH = pytest.mark.parametrize("workers", WORKERS, ids=["serial", "workers"])


def outcome(result: pytest.RunResult) -> dict[str, str]:
    """The section's last line."""
    lines = [line for line in section(result) if line.startswith("ragassert-outcome: ")]
    assert lines == section(result)[-1:]
    return dict(pair.split("=") for pair in lines[0].split()[1:])


def reasons(result: pytest.RunResult) -> list[str]:
    """What errors that end judging say where else a traceback stands."""
    return [line for line in result.outlines if line.startswith("faithfulness of case c")]


@BOTH
@pytest.mark.parametrize("most", [1, 7])
def test_a_run_makes_as_many_calls_as_it_may(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...], most: int
) -> None:
    project.test(MANY)
    project.judged_by(judge)
    temporary = project.temporary()
    judge.latency = 0.05
    result = project.run(*workers, f"--ragassert-max-calls={most}")
    assert judge.count() == most
    ran = result.parseoutcomes()
    assert ran["passed" if most > 1 else "failed"] >= 2
    assert sum(ran.values()) == 12
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    told = reasons(result)
    assert len(told) == ran["failed"]
    for line in told:
        assert f"(--ragassert-max-calls={most})" in line
        assert line.startswith("faithfulness of case ")
    assert f"judge errors (not measured): {ran['failed']}: {ran['failed']} budget" in section(
        result
    )
    (spent,) = [line for line in section(result) if line.startswith("budget spent")]
    assert f"{ran['failed']} not measured" in spent
    assert f"--ragassert-max-calls={most}" in spent
    assert outcome(result) == {
        "failed-by": "judge-errors",
        "assertions": "0",
        "judge-errors": str(ran["failed"]),
        "skipped": "0",
        "other": "0",
        "measured": str(ran.get("passed", 0)),
        "budget": "spent",
    }
    assert list(temporary.glob("ragassert*")) == []

    # what was answered was kept: the rest costs what is left of it
    judge.latency = 0
    rest = 24 - most
    again = project.run(*workers, f"--ragassert-max-calls={rest}")
    again.assert_outcomes(passed=12)
    assert judge.count() == 24
    assert judge.stats()["duplicates"] == 0
    assert outcome(again)["budget"] == "ok"
    stored = project.run(*workers, "--ragassert-max-calls=1")
    stored.assert_outcomes(passed=12)
    assert outcome(stored)["failed-by"] == "none"
    assert judge.count() == 24


def test_retries_are_calls(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.001)
    judge.script([{"status": 503, "headers": {"retry-after": "0"}}], repeat_last=True)
    project.test(MANY)
    project.judged_by(judge)
    result = project.run("--ragassert-max-calls=3")
    assert judge.count() == 3
    assert result.parseoutcomes() == {"failed": 12}
    assert all("--ragassert-max-calls=3" in line for line in reasons(result))
    assert outcome(result)["judge-errors"] == "12"


def test_calls_side_by_side_are_counted_before_they_are_sent(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(
        """
        from ferry import case
        from pytest_ragassert import Settings, evaluate

        def test_many():
            many = [case(f"c{n}", f"Boat number {n} is new.") for n in range(12)]
            got = evaluate(many, ["faithfulness"], on_error="collect")
            # the run's budget is the run's, whatever the settings
            more = evaluate(many, ["faithfulness"], on_error="collect",
                            settings=Settings(model="another"))
            assert {one.errors["faithfulness"].kind for one in more} == {"budget"}
        """
    )
    project.judged_by(judge)
    judge.latency = 0.05
    result = project.run("--ragassert-max-calls=20")
    # the test passes, and the run, which does not, says so
    result.assert_outcomes(passed=1, failed=1)
    assert "FAILED ragassert::budget - budget spent, " in result.stdout.str()
    assert judge.count() == 20
    assert judge.max_in_flight > 1
    # a test may collect errors and pass; the run must not
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert outcome(result)["failed-by"] == "judge-errors"
    assert outcome(result)["budget"] == "spent"


@BOTH
def test_skipped_for_a_spent_budget_is_not_green(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    project.test(MANY)
    project.judged_by(judge)
    judge.latency = 0.02
    result = project.run(*workers, "--ragassert-max-calls=7", "--ragassert-on-judge-error=skip")
    ran = result.parseoutcomes()
    assert set(ran) == {"passed", "skipped"}
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert f"skipped because of judge errors: {ran['skipped']}" in section(result)
    assert sum(line.startswith("budget spent") for line in section(result)) == 1
    assert not any("nothing was measured" in line for line in section(result))
    last = outcome(result)
    assert last["skipped"] == str(ran["skipped"])
    assert (last["failed-by"], last["judge-errors"]) == ("judge-errors", "0")


@BOTH
def test_tokens_end_a_run_by_what_was_answered(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    project.test(MANY)
    project.judged_by(judge)
    judge.on(lambda recorded: {"usage": {"prompt_tokens": 60, "completion_tokens": 40}})
    result = project.run(*workers, "--ragassert-max-tokens-total=450")
    # the fifth reaches it; another worker has one more in flight at most
    assert 5 <= judge.count() <= 5 + (len(workers) > 0)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert all("(--ragassert-max-tokens-total=450)" in line for line in reasons(result))
    assert outcome(result)["budget"] == "spent"
    # a reply that is worth nothing used its tokens too
    judge.reset(replies=True)
    lost = {"content": "", "usage": {"prompt_tokens": 300, "completion_tokens": 0}}
    judge.script([lost], repeat_last=True)
    project.run("--ragassert-max-tokens-total=450", "--ragassert-record-mode=all")
    assert judge.count() == 2


@BOTH
def test_tokens_that_nobody_tells_are_told_once(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    project.test(MANY)
    project.judged_by(judge)
    judge.on(lambda recorded: {"usage": None})
    told = section(project.run(*workers, "--ragassert-max-tokens-total=10"))
    assert sum("does not report the tokens of a reply" in line for line in told) == 1


def test_a_judge_of_a_hook_has_a_budget_too(project: Project) -> None:
    project.pytester.makeconftest(
        """
        asked = []

        class Judge:
            id = "mine"

            def run(self, step, input):
                asked.append(step.name)
                if step.name == "extract_claims":
                    return '{"claims": [{"sentence": 1, "text": "Boats are new."}]}'
                return '{"verdicts": [{"id": 1, "verdict": "supported"}]}'

        def pytest_ragassert_make_judge(config, name):
            return Judge()

        def pytest_terminal_summary(terminalreporter):
            terminalreporter.section(f"ASKED {len(asked)}")
        """
    )
    project.test(MANY)
    result = project.run("--ragassert-judge=mine", "--ragassert-max-calls=5")
    result.stdout.fnmatch_lines(["*= ASKED 5 =*"])
    assert outcome(result)["budget"] == "spent"


def test_embeddings_are_no_calls_to_the_judge(project: Project, judge: LoopbackJudge) -> None:
    project.test(
        """
        from ferry import GOOD, case
        from pytest_ragassert import assert_semantic_similarity

        def test_near():
            assert_semantic_similarity(case("one", ground_truth_answer=GOOD))

        def test_nearer():
            assert_semantic_similarity(case("two", "Ferries run.", ground_truth_answer=GOOD), min=0)
        """
    )
    project.judged_by(judge)
    result = project.run("--ragassert-embedder=openai", "--ragassert-max-calls=1")
    result.assert_outcomes(passed=2)
    assert judge.count() == 2


def test_calls_that_cant_be_counted_are_not_made(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.test(MANY)
    project.judged_by(judge)
    monkeypatch.setattr(environment, "tempfile", SimpleNamespace(gettempdir=lambda: "/dev/null"))
    result = project.run("--ragassert-max-calls=5", "--ragassert-on-judge-error=skip")
    assert result.parseoutcomes() == {"failed": 12}
    assert judge.count() == 0
    lines = [line for line in result.outlines if line.startswith("E ")]
    assert all("can't be counted" in line and "--ragassert-max-calls" in line for line in lines)
    assert outcome(result)["failed-by"] == "other"
    # without a limit it costs no test
    assert project.run().parseoutcomes() == {"passed": 12}


@BOTH
def test_requests_a_minute_hold_at_the_server(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    project.test(MANY.replace("range(12)", "range(8)"))
    project.judged_by(judge)
    result = project.run(*workers, "--ragassert-requests-per-minute=300")
    result.assert_outcomes(passed=8)
    times = sorted(r.at for r in judge.requests)
    assert len(times) == 16
    allowed = 300 / 60
    in_a_second = [sum(at <= other < at + 1 for other in times) for at in times]
    assert max(in_a_second) <= allowed


def test_credentials_end_the_waiting_for_a_turn(project: Project, judge: LoopbackJudge) -> None:
    body = {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}
    project.test(SIDE_BY_SIDE)
    project.judged_by(judge)
    judge.script(["ok", {"status": 401, "body": body}], repeat_last=True)
    result = project.run("--ragassert-requests-per-minute=30")
    result.assert_outcomes(passed=1)
    assert "judge errors (not measured): 12: 12 credentials" in section(result)
    assert judge.count() == 2


def test_a_counted_request_waits_for_its_turn_when_the_budget_is_spent(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(SIDE_BY_SIDE)
    project.judged_by(judge)
    # the wait for a turn is not the endpoint's: the timeout is shorter
    result = project.run(
        "--ragassert-requests-per-minute=60", "--ragassert-max-calls=3", "--ragassert-timeout=1.5"
    )
    assert judge.count() == 3
    assert "judge errors (not measured): 12: 12 budget" in section(result)


def test_frozen_time_stops_no_waiting(project: Project, judge: LoopbackJudge) -> None:
    project.test(
        """
        import time
        from ferry import case
        from pytest_ragassert import assert_faithful

        def test_frozen(monkeypatch):
            for name in ("time", "monotonic", "perf_counter"):
                frozen = getattr(time, name)()
                monkeypatch.setattr(time, name, lambda frozen=frozen: frozen)
            assert_faithful(case("frozen"))
            assert_faithful(case("more", "Dogs are not allowed on board."))
        """
    )
    project.judged_by(judge)
    project.process("--ragassert-requests-per-minute=60").assert_outcomes(passed=1)
    times = [r.at for r in judge.requests]
    assert times[3] - times[1] > 1.5


def test_the_line_for_machines_has_one_form(project: Project, judge: LoopbackJudge) -> None:
    project.test(MANY)
    result = project.run()
    (line,) = [line for line in result.outlines if "ragassert-outcome" in line]
    assert re.fullmatch(
        r"ragassert-outcome: failed-by=(none|assertions|judge-errors|both|other) "
        r"assertions=\d+ judge-errors=\d+ skipped=\d+ other=\d+ measured=\d+ budget=(ok|spent)",
        line,
    )
