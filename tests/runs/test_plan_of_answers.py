"""Plans of cases that are answered when their tests run: by the last run, by recorded answers, or
by the application, which is asked for the plan."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.storage.keys import now
from pytest_ragassert.storage.last_run import NAME
from tests.loopback.server import LoopbackJudge

from .applications import APPLICATION, CONFTEST, FILE, Application, cases
from .projects import Project, new_project, section
from .test_plan import asked, counts, planned

project = pytest.fixture(new_project)

TESTS = """
import pytest
from pytest_ragassert import assert_context_relevance, assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_faithful(rag_case):
    assert_faithful(rag_case, min=0)

@pytest.mark.rag_cases("cases.jsonl")
def test_relevant(rag_case):
    assert_context_relevance(rag_case, min=0)
"""
PLAN = "--ragassert-plan"
PLAN_ANSWERS = "--ragassert-plan-answers"
BY_HOOK = (
    "their answers come from pytest_ragassert_answer, which a plan does not call (use "
    "--ragassert-plan-answers)"
)
MANY = "2 tests (test_it.py::test_faithful, test_it.py::test_relevant)"


@pytest.fixture
def application(project: Project, judge: LoopbackJudge) -> Application:
    project.pytester.makepyfile(application=APPLICATION.replace(", None", ""))
    project.pytester.makeconftest(CONFTEST)
    project.test(TESTS)
    project.judged_by(judge)
    return Application(project)


def line(result: pytest.RunResult, start: str) -> str:
    [found] = [one for one in planned(result) if one.startswith(start)]
    return found


def last_run(project: Project) -> list[dict[str, Any]]:
    lines = Path(project.path, ".ragassert", NAME).read_text().splitlines()
    return [json.loads(one) for one in lines]


def test_the_last_run_says_what_a_plan_can_not_know(
    project: Project, application: Application, judge: LoopbackJudge
) -> None:
    cases(project, "a")
    first = project.run(PLAN)
    assert counts(first) == (0, 0)
    assert line(first, "not known: ") == (f"not known: {MANY}: {BY_HOOK}")
    run = project.run()
    run.assert_outcomes(passed=2)
    paid = sum(request.prompt_tokens for request in judge.requests)
    requests = judge.count()
    assert application.asked() == ["a"]
    judge.reset()
    plan = project.run(PLAN)
    assert counts(plan) == (0, asked(run))
    today = now().partition("T")[0]
    assert planned(plan)[2:] == [f"by the last run, of {today}: {MANY}: {BY_HOOK}"]
    # as another model would be asked the same, so many tokens
    other = project.run(PLAN, "--ragassert-model=other")
    assert counts(other) == (asked(run), 0)
    assert f" ({requests} requests)" in line(other, "judgements: ")
    assert line(other, "tokens: ").startswith(f"tokens: about {paid} prompt, ")
    assert judge.count() == 0
    again = project.run("--ragassert-model=other")
    assert asked(again) == asked(run)
    assert application.asked() == ["a"]


def test_what_is_asked_otherwise_is_not_stored(project: Project, application: Application) -> None:
    cases(project, "a", "b")
    run = project.run()
    for option in (
        "--ragassert-temperature=1",
        "--ragassert-judge-id=another",
        "--ragassert-record-mode=all",
        "--ragassert-record-mode=off",
    ):
        assert counts(project.run(PLAN, option)) == (asked(run), 0), option
    # another run's store
    shutil.move(project.path / ".ragassert", project.path / "moved")
    assert counts(project.run(PLAN, "--ragassert-cache-dir=moved")) == (0, asked(run))
    for file in Path(project.path, "moved").glob("cache.db*"):
        file.unlink()
    assert counts(project.run(PLAN, "--ragassert-cache-dir=moved")) == (asked(run), 0)


def test_a_changed_case_is_to_be_asked(project: Project, application: Application) -> None:
    cases(project, "a", "b")
    project.run()
    cases(project, "a", "b", a={"question": "Something else?"})
    # two sentences, what they claim, and two passages; the answer may turn out to be the same
    assert counts(project.run(PLAN)) == (6, 6)
    assert asked(project.run()) == 4
    assert counts(project.run(PLAN)) == (0, 11)


FILLED = """
import pytest
from application import answered
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.fixture
def ready(rag_case):
    for name, value in answered(rag_case).items():
        setattr(rag_case, name, value)
    return rag_case

@pytest.mark.rag_cases("cases.jsonl")
def test_by_fixture(rag_case, ready):
    assert_faithful(rag_case, min=0)

def test_without_case():
    assert_faithful(case("own", "It is red."), min=0)
"""


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_fixtures_and_tests_without_cases_are_planned_too(
    project: Project, application: Application, args: tuple[str, ...]
) -> None:
    Path(project.path, "conftest.py").unlink()
    project.test(FILLED)
    cases(project, "a", "b")
    assert counts(project.run(PLAN)) == (0, 0)
    run = project.run(*args)
    run.assert_outcomes(passed=3)
    plan = project.run(PLAN)
    assert counts(plan) == (0, asked(run))
    told = [one for one in planned(plan) if one.startswith("by the last run, of ")]
    assert [one.partition(": ")[2].partition(": ")[0] for one in told] == [
        "2 tests (test_it.py::test_by_fixture)",
        "1 test (test_it.py::test_without_case)",
    ]
    assert not [one for one in planned(plan) if one.startswith("not known")]
    # recorded answers are none of theirs
    assert counts(project.run(PLAN, FILE, PLAN_ANSWERS)) == (0, asked(run))


def test_a_run_keeps_what_its_own_tests_asked_for(
    project: Project, application: Application
) -> None:
    pytest.importorskip("xdist")
    cases(project, "a", "b", "c")
    run = project.run()
    serial = last_run(project)
    assert [one["nodeid"] for one in serial] == sorted(
        f"test_it.py::test_{name}[{id}]" for id in "abc" for name in ("faithful", "relevant")
    )
    shutil.rmtree(project.path / ".ragassert")
    project.run("-n", "2").assert_outcomes(passed=6)

    def without(records: list[dict[str, Any]]) -> list[Any]:
        # who of two asks for what they have in common is not settled
        return [
            (one["nodeid"], one["case"], one["models"], [part["keys"] for part in one["asked"]])
            for one in records
        ]

    assert without(last_run(project)) == without(serial)
    file = Path(project.path, ".ragassert", NAME)
    assert file.stat().st_mode & 0o777 == 0o600
    # an earlier day's
    file.write_text(re.sub(r'"when":"[^"]*"', '"when":"2026-01-31"', file.read_text()))
    project.run("test_it.py::test_faithful[a]").assert_outcomes(passed=1)
    assert [one["when"] for one in last_run(project)].count("2026-01-31") == 5
    plan = project.run(PLAN)
    assert counts(plan) == (0, asked(run))
    assert line(plan, "by the last ").startswith("by the last runs, of 2026-01-31 to 20")
    # a test that measures no more is forgotten, one that is not run is not
    project.test(TESTS.replace("    assert_faithful(rag_case, min=0)", "    pass"))
    project.run("test_it.py::test_faithful[a]", "test_it.py::test_relevant[a]")
    assert [one["nodeid"] for one in last_run(project)] == [
        one["nodeid"] for one in serial if one["nodeid"] != "test_it.py::test_faithful[a]"
    ]


def test_a_run_that_could_not_ask_leaves_what_was_known(
    project: Project, application: Application, judge: LoopbackJudge
) -> None:
    cases(project, "a")
    run = project.run()
    before = last_run(project)
    project.run("--ragassert-record-mode=none", "--ragassert-model=other")
    judge.script([{"status": 401}], repeat_last=True)
    project.run("--ragassert-model=third")
    assert last_run(project) == before
    assert counts(project.run(PLAN)) == (0, asked(run))


def test_a_record_that_can_not_be_read_is_none(project: Project, application: Application) -> None:
    cases(project, "a", "b")
    run = project.run()
    file = Path(project.path, ".ragassert", NAME)
    lines = file.read_text().splitlines()
    file.write_text("\n".join(["{", '{"nodeid": 1}', "[]", '{"asked": [1]}', *lines[1:]]))
    to_ask, stored = counts(project.run(PLAN))
    assert to_ask == 0
    assert 0 < stored < asked(run)
    file.unlink()
    file.symlink_to(project.path / "elsewhere")
    Path(project.path, "elsewhere").write_text("\n".join(lines))
    assert counts(project.run(PLAN)) == (0, 0)
    project.run().assert_outcomes(passed=4)
    assert Path(project.path, "elsewhere").read_text() == "\n".join(lines)


def test_a_replay_is_planned_by_committed_verdicts(
    project: Project, application: Application
) -> None:
    cases(project, "a")
    verdicts = "--ragassert-verdicts=v.jsonl"
    run = project.run(verdicts, "--ragassert-update-verdicts")
    replay = (verdicts, "--ragassert-record-mode=none")
    assert counts(project.run(PLAN, *replay)) == (0, asked(run))
    file = Path(project.path, "v.jsonl")
    file.write_text("".join(file.read_text().splitlines(keepends=True)[2:]))
    assert counts(project.run(PLAN, *replay)) == (2, asked(run) - 2)
    assert counts(project.run(PLAN, *replay, "--ragassert-model=other")) == (asked(run), 0)


def test_recorded_answers_are_planned_exactly(project: Project, application: Application) -> None:
    cases(project, "a", "b")
    run = project.run(FILE)
    assert application.asked() == ["a", "b"]
    Path(project.path, ".ragassert", NAME).unlink()
    cases(project, "a", "b", "new")
    plan = project.run(PLAN, FILE)
    assert counts(plan) == (0, asked(run))
    assert planned(plan)[1] == "answers: 2 cases recorded in answers.jsonl"
    assert line(plan, "not known: ").startswith(f"not known: {MANY}: {BY_HOOK}")
    other = project.run(PLAN, FILE, "--ragassert-model=other", "-k", "not new")
    assert counts(other) == (asked(run), 0)
    assert asked(project.run(FILE, "--ragassert-model=other", "-k", "not new")) == asked(run)
    assert application.asked() == []


@pytest.mark.parametrize("kind", ["", "async "])
@pytest.mark.parametrize("kept", [True, False])
def test_the_application_may_answer_for_the_plan(
    project: Project, application: Application, judge: LoopbackJudge, kind: str, kept: bool
) -> None:
    project.pytester.makeconftest(CONFTEST.replace("def ", f"{kind}def "))
    cases(project, "a", "b", "c")
    project.unset("OPENAI_API_KEY")
    args = (FILE,) if kept else ()
    plan = project.run(PLAN_ANSWERS, "--ragassert-judge=openai", *args)
    assert plan.ret == pytest.ExitCode.OK
    assert application.asked() == ["a", "b", "c"]
    assert judge.count() == 0
    assert planned(plan)[0].endswith("; it is asked nothing, and no test is run")
    assert planned(plan)[1] == (
        "answers: the application answered 3 cases; answers.jsonl keeps its answers"
        if kept
        else "answers: the application answered 3 cases; its answers are not recorded, so the run "
        "asks again (use --ragassert-answers=FILE to record them)"
    )
    assert not [one for one in planned(plan) if one.startswith("not known")]
    project.judged_by(judge)
    run = project.run(*args)
    run.assert_outcomes(passed=6)
    assert counts(plan) == (asked(run), 0)
    assert application.asked() == ([] if kept else ["a", "b", "c"])
    if kept:
        again = project.run(PLAN_ANSWERS, *args)
        assert planned(again)[1] == "answers: 3 cases recorded in answers.jsonl"
        assert application.asked() == []


TOGETHER = """
import asyncio
import pathlib

RUNNING, MOST = 0, 0

async def pytest_ragassert_answer(case):
    global RUNNING, MOST
    RUNNING += 1
    MOST = max(MOST, RUNNING)
    await asyncio.sleep(0.2)
    RUNNING -= 1
    pathlib.Path("most.txt").write_text(str(MOST))
    return {"answer": "Yes.", "retrieved_contexts": ["No."]}
"""


def test_async_hooks_answer_several_cases_at_a_time(
    project: Project, application: Application
) -> None:
    project.pytester.makeconftest(TOGETHER)
    cases(project, *(f"c{n}" for n in range(8)))
    project.run(PLAN_ANSWERS, "--ragassert-concurrency=4")
    assert Path(project.path, "most.txt").read_text() == "4"


@pytest.mark.parametrize("kind", ["", "async "])
def test_an_application_that_fails_leaves_its_case_unknown(
    project: Project, application: Application, kind: str
) -> None:
    project.pytester.makeconftest(
        CONFTEST.replace("def ", f"{kind}def ").replace(
            "    return", "    if case.id == 'b': raise KeyError('gone')\n    return"
        )
    )
    cases(project, "a", "b", "c")
    plan = project.run(PLAN_ANSWERS)
    assert plan.ret == pytest.ExitCode.OK
    assert line(plan, "answers: ").startswith("answers: the application answered 2 cases")
    assert line(plan, "not known: ") == (
        f"not known: {MANY}: their cases have no answer: KeyError: 'gone'"
    )


def test_a_replay_asks_no_application(project: Project, application: Application) -> None:
    cases(project, "a")
    plan = project.run(PLAN_ANSWERS, FILE, "--ragassert-record-mode=none")
    assert "their cases have no answer: AnswerMissing: no recorded answer for case a" in line(
        plan, "not known: "
    )
    assert application.asked() == []


def test_damaged_recorded_answers_end_the_plan(project: Project, application: Application) -> None:
    cases(project, "a")
    Path(project.path, "answers.jsonl").write_text("{}\n")
    plan = project.run(PLAN, FILE)
    assert plan.ret == pytest.ExitCode.USAGE_ERROR
    assert "line 1: a recorded answer must have case" in "\n".join(plan.errlines)
    assert section(plan, "ragassert plan") == []
