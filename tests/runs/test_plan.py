"""`--ragassert-plan`: what a run would ask, while nothing is asked and no test is run."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section

project = pytest.fixture(new_project)

PLANNED = """
from pathlib import Path
import pytest
from ferry import case
from pytest_ragassert import assert_faithful, evaluate

CASES = [case(f"c{n}", f"Boat {n} is new. It is fast.", ground_truth_answer="It runs.")
         for n in range(5)]
METRICS = ["faithfulness", "context_relevance", "context_recall"]

@pytest.mark.rag_cases(CASES, metrics=METRICS)
def test_declared(rag_case):
    Path("ran").touch()
    evaluate(rag_case, METRICS)
"""
OTHERS = """
import pytest
from ferry import case
from pytest_ragassert import EvalCase, assert_faithful

def measure(given):
    assert_faithful(given)

@pytest.mark.rag_cases([case("undeclared")])
def test_undeclared(rag_case):
    measure(rag_case)

@pytest.mark.rag_cases([EvalCase(id="open", question="?")], metrics=["faithfulness"])
def test_incomplete(rag_case):
    pass

@pytest.mark.rag_cases([case("late")], metrics={"faithfulness": {"scoring": "odd"}})
def test_wrong(rag_case):
    pass

@pytest.mark.skip
@pytest.mark.rag_cases([case("skipped", "Nobody asks this.")], metrics=["faithfulness"])
def test_skipped(rag_case):
    pass

def test_without_case():
    assert_faithful(case("own"))

def test_another():
    pass
"""


def planned(result: pytest.RunResult) -> list[str]:
    return section(result, "ragassert plan")


def counts(result: pytest.RunResult) -> tuple[int, int]:
    line = next(line for line in planned(result) if line.startswith("judgements: "))
    found = re.match(r"judgements: (\d+) to ask, (\d+) stored, 0 carried", line)
    assert found is not None
    return int(found[1]), int(found[2])


def asked(result: pytest.RunResult) -> int:
    """How many judgements a run says that it asked for."""
    [line] = [line for line in section(result) if line.startswith("judgements: ")]
    return int(line.split()[1])


# of each of five cases two sentences and what the first claims; what the second claims, and the
# reference, are the same, and so are two passages
JUDGEMENTS = 5 * 2 + 5 + 1 + 1 + 1 + 2
REQUESTS = 5 * 2 + 1 + 1 + 1


def test_a_plan_counts_what_the_run_then_asks(project: Project, judge: LoopbackJudge) -> None:
    project.test(PLANNED)
    project.judged_by(judge)
    project.unset("OPENAI_API_KEY")
    plan = project.run("--ragassert-plan", "--ragassert-judge=openai")
    assert plan.ret == pytest.ExitCode.OK
    assert judge.count() == 0
    assert not (project.path / "ran").exists()
    assert counts(plan) == (JUDGEMENTS, 0)
    assert (
        f" carried ({REQUESTS} requests); 7 of those to ask are estimated, because "
        in planned(plan)[1]
    )
    project.judged_by(judge)
    part = project.run("-k", "c0 or c1")
    part.assert_outcomes(passed=2, deselected=3)
    assert judge.count() == 7
    rest = project.run("--ragassert-plan")
    assert counts(rest) == (JUDGEMENTS - asked(part), asked(part))
    assert " (6 requests)" in planned(rest)[1]
    whole = project.run()
    whole.assert_outcomes(passed=5)
    assert (asked(part) + asked(whole), judge.count()) == (JUDGEMENTS, REQUESTS)
    judge.reset()
    stored = project.run("--ragassert-plan")
    assert planned(stored)[1:] == [f"judgements: 0 to ask, {JUDGEMENTS} stored, 0 carried"]
    assert counts(project.run("--ragassert-plan", "--ragassert-record-mode=all")) == (JUDGEMENTS, 0)
    assert judge.count() == 0


def test_a_plan_says_what_it_estimates(project: Project, judge: LoopbackJudge) -> None:
    project.test(PLANNED)
    project.judged_by(judge)
    project.pytester.makeini("[pytest]\nragassert_prices =\n    gpt-4o-mini 1000 2000\n")
    lines = planned(project.run("--ragassert-plan", "--ragassert-concurrency=4"))
    tokens = re.fullmatch(r"tokens: about (\d+) prompt, (\d+) completion \(estimated\)", lines[2])
    assert tokens is not None
    cost = (int(tokens[1]) * 1000 + int(tokens[2]) * 2000) / 1e6
    assert lines[3] == f"cost: about {cost:.4f} (estimated)"
    assert re.fullmatch(r"time: about \d+ s with 4 in flight \(estimated: .*\)", lines[4])
    slow = planned(project.run("--ragassert-plan", "--ragassert-requests-per-minute=6"))
    assert slow[4].startswith("time: about 2 min 0 s with 16 in flight and 6 requests per minute")
    other = planned(project.run("--ragassert-plan", "--ragassert-model=llama"))
    assert other[3] == "cost: unknown, because ragassert_prices has no price for llama"
    project.run().assert_outcomes(passed=5)
    prompt = sum(request.prompt_tokens for request in judge.requests)
    # the loopback judge counts four characters a token, and no schema
    assert 0.5 < prompt / int(tokens[1]) < 1.5


def test_what_is_not_known_is_said(project: Project, judge: LoopbackJudge) -> None:
    project.test(OTHERS)
    project.judged_by(judge)
    result = project.run("--ragassert-plan")
    assert result.ret == pytest.ExitCode.OK
    assert counts(result) == (0, 0)
    told = [line for line in planned(result) if line.startswith("not known: ")]
    assert [line.partition(" (")[0] for line in told] == [
        "not known: 1 test",
        "not known: 1 test",
        "not known: 1 test",
        "not known: 2 tests",
    ]
    undeclared, incomplete, wrong, without = told
    assert "metrics=" in undeclared
    assert "lack fields that the metrics need" in incomplete
    assert "scoring is 'odd'" in wrong
    assert "do not use rag_case" in without
    assert "(test_it.py::test_without_case, test_it.py::test_another)" in without


def test_a_plan_needs_no_workers(project: Project, judge: LoopbackJudge) -> None:
    pytest.importorskip("xdist")
    project.test(PLANNED)
    project.judged_by(judge)
    result = project.run("--ragassert-plan", "-n", "2")
    assert result.ret == pytest.ExitCode.OK
    assert counts(result) == (JUDGEMENTS, 0)
    assert not any("workers" in line.split() for line in result.outlines)
    assert judge.count() == 0


def test_the_offline_judge_needs_no_plan(project: Project) -> None:
    project.test(PLANNED)
    (line,) = planned(project.run("--ragassert-plan"))
    assert line == "the offline judge answers without requests: there is nothing to plan"


def test_a_replay_is_told_what_is_missing(project: Project, judge: LoopbackJudge) -> None:
    project.test(PLANNED)
    project.judged_by(judge)
    lines = planned(project.run("--ragassert-plan", "--ragassert-record-mode=none"))
    assert lines[1].startswith("record-mode none asks nothing")
    assert lines[2].startswith(f"judgements: {JUDGEMENTS} to ask")


def test_a_plan_has_the_judge_that_the_committed_verdicts_are_by(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(PLANNED)
    committed = "--ragassert-verdicts=v.jsonl"
    project.judged_by(judge)
    project.run(committed, "--ragassert-update-verdicts").assert_outcomes(passed=5)
    shutil.rmtree(project.path / ".ragassert")
    project.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    project.set(CI="1")
    plan = planned(project.run(committed, "--ragassert-plan"))
    assert plan[2] == f"judgements: 0 to ask, {JUDGEMENTS} stored, 0 carried"


def test_errors_of_collecting_stay_errors(project: Project, judge: LoopbackJudge) -> None:
    project.test("import nothing_of_that_name\n")
    project.judged_by(judge)
    assert project.run("--ragassert-plan").ret == pytest.ExitCode.INTERRUPTED


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ('"faithfulness"', "metrics must be a list of names or a dict of options"),
        ('["faithfullness"]', "unknown metric 'faithfullness'; did you mean faithfulness? known"),
        ('{"faithfulness": 0.8}', "the options of faithfulness must be a dict, not 0.8"),
        ('{"faithfulness": {"mode": 1}}', "faithfulness takes no option 'mode'"),
    ],
)
def test_declared_metrics_are_checked(project: Project, given: str, said: str) -> None:
    project.test(PLANNED.replace("metrics=METRICS", f"metrics={given}"))
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert any("test_it.py::test_declared: rag_cases: " in line for line in result.outlines)
    assert said in result.stdout.str()


def test_a_plan_counts_the_turns_before_a_question(project: Project) -> None:
    project.test(
        """
        import pytest
        from ferry import case

        def chat(id, words):
            turns = [{"role": "user", "content": "boat " * words}] if words else []
            return case(id, "Yes.", question="And at night?", history=turns)

        CHATS = [chat("short", 0), chat("long", 400), chat("longer", 400)]

        @pytest.mark.rag_cases(CHATS, metrics=["context_relevance"])
        def test_it(rag_case):
            pass
        """
    )
    project.set(OPENAI_API_KEY="sk-none")

    def prompt(*args: str) -> int:
        plan = project.run("--ragassert-plan", "--ragassert-judge=openai", *args)
        [tokens] = re.findall(r"(\d+) prompt", "\n".join(planned(plan)))
        return int(tokens)

    plain, chats = prompt("-k", "short"), prompt("-k", "long")
    assert 400 < chats - plain < 600
    # two cases of one chat ask the same, another chat is another question
    assert prompt() == plain + chats


IN_COMMON = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

TEXTS = ["Boat 1 is new. It is fast.", "Boat 1 is new.", "Boat 1 is new. It is slow."]

@pytest.mark.rag_cases([case(f"c{n}", text) for n, text in enumerate(TEXTS)])
def test_it(rag_case):
    assert_faithful(rag_case, min=0)
"""


def test_sentences_that_texts_have_in_common_are_planned_once(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(IN_COMMON)
    project.judged_by(judge)
    plan = project.run("--ragassert-plan")
    assert counts(plan) == (6, 0)
    assert " carried (4 requests); " in planned(plan)[1]
    project.run("--ragassert-prefetch=off").assert_outcomes(passed=3)
    assert judge.count() == 4
    project.run("--ragassert-prefetch=off", "--ragassert-cache-dir=first", "-k", "c0")
    # of the second text nothing is left, of the third the sentence that is new and what it claims
    rest = project.run("--ragassert-plan", "--ragassert-cache-dir=first")
    assert counts(rest) == (2, 4)
    assert " requests" not in planned(rest)[1]
