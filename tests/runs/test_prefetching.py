"""Look-ahead: coming cases are judged while earlier ones are asserted, and nothing else changes."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.engine import current_run as current
from pytest_ragassert.storage.run_state.run_folder import JUDGING
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .forked_runs import forked_run
from .projects import Project, new_project, section
from .test_interrupts import running, wait_for

project = pytest.fixture(new_project)

FAITHFUL = """
import pytest
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case):
    assert_faithful(rag_case)
"""


def trams(project: Project, count: int, changed: dict[int, dict[str, Any]] | None = None) -> None:
    """Cases of two questions each: what the answer claims, and whether the context says it."""
    lines = []
    for n in range(count):
        text = f"Tram {n} runs."
        fields = {
            "id": f"c{n}",
            "question": f"Does tram {n} run?",
            "answer": text,
            "retrieved_contexts": [text],
        }
        lines.append(json.dumps({**fields, **(changed or {}).get(n, {})}) + "\n")
    Path(project.path, "cases.jsonl").write_text("".join(lines), encoding="utf-8")


def tram_of(request: Recorded) -> int:
    """Which case a request is about."""
    found = re.search(r"Tram (\d+)", json.dumps(request.data))
    assert found is not None
    return int(found[1])


def unused(result: pytest.RunResult) -> int:
    """How many questions the summary says were asked ahead and not used."""
    lines = [line for line in section(result) if line.startswith("prefetched but not used: ")]
    return int(lines[0].split()[4]) if lines else 0


def a_test_waits() -> bool:
    """Whether a request that a test waits for is to go out."""
    session = current.session()
    assert session is not None
    return any(session.asker.scheduler._semaphores[JUDGING]._queue._waited.values())


def test_a_serial_run_asks_for_coming_cases(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAITHFUL)
    trams(project, 12)
    project.judged_by(judge)
    judge.gather(10)
    result = project.run()
    result.assert_outcomes(passed=12)
    assert judge.count() == 24
    assert judge.max_in_flight >= 10
    # nothing is sent beside the first question before it is answered
    first, *others = judge.requests
    assert tram_of(first) == 0
    assert all(other.at >= (first.ended or 0) for other in others)
    assert unused(result) == 0
    assert "judgements: 24 asked, 0 stored, 0 carried" in "\n".join(section(result))


@pytest.mark.parametrize(
    "args",
    [
        ("--ragassert-prefetch=off",),
        ("-o", "ragassert_prefetch=off"),
        ("--ragassert-max-calls=100",),
        ("--ragassert-max-tokens-total=100000",),
        ("--pdb",),
    ],
    ids=" ".join,
)
def test_it_is_off_where_tests_or_requests_are_counted(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    project.test(FAITHFUL)
    trams(project, 4)
    project.judged_by(judge)
    judge.latency = 0.05
    project.run(*args).assert_outcomes(passed=4)
    assert judge.max_in_flight == 1
    assert [tram_of(r) for r in judge.requests] == [0, 0, 1, 1, 2, 2, 3, 3]


def test_it_is_off_where_one_steps_from_failure_to_failure(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(FAITHFUL)
    trams(project, 4)
    project.judged_by(judge)
    judge.latency = 0.05
    # it needs the cache, which other runs are without
    project.pytester.runpytest_inprocess("-W", "default", "-p", "ragassert", "--stepwise")
    assert (judge.count(), judge.max_in_flight) == (8, 1)


def test_the_environment_turns_it_off(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAITHFUL)
    trams(project, 4)
    project.judged_by(judge)
    judge.latency = 0.05
    project.set(RAGASSERT_PREFETCH="off")
    project.run().assert_outcomes(passed=4)
    assert judge.max_in_flight == 1
    judge.reset()
    project.run("--ragassert-prefetch=on", "--ragassert-cache-dir=other")
    assert judge.max_in_flight > 1


@pytest.mark.parametrize("option", ["-x", "--maxfail=1"])
def test_where_the_first_failure_ends_the_run_little_is_asked_ahead(
    project: Project, judge: LoopbackJudge, option: str
) -> None:
    project.test(FAITHFUL)
    trams(project, 20, {3: {"retrieved_contexts": ["Buses run."]}})
    project.judged_by(judge)
    judge.latency = 0.1
    result = project.run(option)
    result.assert_outcomes(passed=3, failed=1)
    # four were asserted; two more, and as many as have passed
    assert {tram_of(r) for r in judge.requests} <= set(range(4 + 2 + 3))
    assert judge.max_in_flight > 1
    assert unused(result) == judge.count() - 4 * 2


def test_with_passed_tests_more_is_asked_ahead(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAITHFUL)
    trams(project, 24)
    project.judged_by(judge)
    judge.latency = 0.1
    project.run("-x").assert_outcomes(passed=24)
    assert judge.count() == 48
    assert judge.max_in_flight > 4


SOME = """
import pytest
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case):
    if int(rag_case.id[1:]) not in range(1, 13):
        assert_faithful(rag_case)
"""


def test_after_an_unused_one_nothing_more_is_asked_ahead(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(SOME)
    trams(project, 18)
    project.judged_by(judge)

    def used_comes() -> bool:
        return a_test_waits() or any(tram_of(r) > 12 for r in judge.requests)

    # no more is asked ahead before the next test comes that asserts something
    judge.on(lambda r: {"until": used_comes} if 3 < tram_of(r) < 13 else None)
    updating = ("--ragassert-verdicts=v.jsonl", "--ragassert-update-verdicts")
    result = project.run("--ragassert-concurrency=1", *updating)
    result.assert_outcomes(passed=18)
    assert judge.stats()["duplicates"] == 0
    # those that were begun when the second test was over
    assert 1 <= unused(result) <= 8
    assert judge.count() == 2 * 6 + unused(result)
    # no committed verdict, but paid for and stored
    committed = Path(project.path, "v.jsonl").read_text(encoding="utf-8")
    assert len(committed.splitlines()) == 2 * 6
    project.test(FAITHFUL, "test_all")
    judge.reset(replies=True)
    project.run("test_all.py").assert_outcomes(passed=18)
    assert judge.count() == 2 * 12 - unused(result)


IN_GROUPS = """
from xdist.scheduler import LoadScopeScheduling

class ByNumber(LoadScopeScheduling):
    def _split_scope(self, nodeid):
        return "asserts" if int(nodeid.rpartition("[c")[2][:-1]) < 7 else "does not"

def pytest_xdist_make_scheduler(config, log):
    return ByNumber(config, log)
"""
BY_ONE_WORKER = """
import pathlib
import time
import pytest
from pytest_ragassert import EvalCase, assert_faithful

def wait_for(name):
    end = time.monotonic() + 30
    while not pathlib.Path(name).exists() and time.monotonic() < end:
        time.sleep(0.01)

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case):
    n = int(rag_case.id[1:])
    if n == 6:
        wait_for("over")
        time.sleep(2)
    if n < 7:
        assert_faithful(rag_case)
    if n == 7:
        wait_for("prepared")
        USES
    if n == 8:
        pathlib.Path("over").touch()
"""


@pytest.mark.parametrize(
    "uses",
    ["pass", 'assert_faithful(EvalCase(answer="Hello!", retrieved_contexts=["Hi."]), min=0)'],
    ids=["measures nothing", "measures another"],
)
def test_workers_heed_what_another_found_unused(
    project: Project, judge: LoopbackJudge, uses: str
) -> None:
    pytest.importorskip("xdist")
    project.pytester.makeconftest(IN_GROUPS)
    project.test(
        BY_ONE_WORKER.replace("USES", uses.replace(", min=0)", ', min=0, no_claims="pass")'))
    )
    trams(project, 40)
    project.judged_by(judge)
    judge.latency = 0.1

    def tell(recorded: Recorded) -> None:
        # the other worker's first case was prepared
        if "Tram 10 " in json.dumps(recorded.data):
            Path(project.path, "prepared").touch()

    judge.on(tell)
    result = project.run("-n", "2", "--ragassert-concurrency=1")
    result.assert_outcomes(passed=40)
    assert 4 <= unused(result) <= 16


CHANGING = """
import pytest
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case):
    n = int(rag_case.id[1:])
    if n >= FROM:
        rag_case.answer = f"Tram {n} runs often."
        rag_case.retrieved_contexts = [rag_case.answer]
    assert_faithful(rag_case)
"""


def test_changed_cases_are_not_asked_ahead(project: Project, judge: LoopbackJudge) -> None:
    project.test(CHANGING.replace("FROM", "0"))
    trams(project, 6)
    project.judged_by(judge)
    judge.latency = 0.05
    result = project.run()
    result.assert_outcomes(passed=6)
    assert (judge.count(), judge.max_in_flight, unused(result)) == (12, 1, 0)


def test_cases_that_are_changed_later_on_end_it(project: Project, judge: LoopbackJudge) -> None:
    project.test(CHANGING.replace("FROM", "3"))
    trams(project, 20)
    project.judged_by(judge)

    def changed_comes() -> bool:
        return a_test_waits() or any("often" in json.dumps(r.data) for r in judge.requests)

    # no more is asked ahead before the first test comes that changes its case
    judge.on(lambda r: {"until": changed_comes} if tram_of(r) > 5 else None)
    result = project.run("--ragassert-concurrency=2")
    result.assert_outcomes(passed=20)
    assert judge.stats()["duplicates"] == 0
    assert judge.count() == 40 + unused(result)
    # of 40: how many begin before that depends on who is faster
    assert 1 <= unused(result) <= 16


def test_an_error_met_ahead_is_the_tests_own(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAITHFUL)
    trams(project, 6)
    project.judged_by(judge)
    judge.latency = 0.05
    judge.on(lambda r: r.step == "verify_claims" and tram_of(r) == 4, "no JSON")
    # all others are over before its test comes
    judge.on(lambda r: r.step == "verify_claims" and tram_of(r) == 0, {"latency": 1})
    on = project.run("--ragassert-cache-dir=on")
    assert judge.max_in_flight > 1
    # asked, and once more for a reply that can be read
    assert judge.count() == 13
    judge.reset()
    off = project.run("--ragassert-cache-dir=off", "--ragassert-prefetch=off")
    assert judge.count() == 13
    on.assert_outcomes(passed=5, failed=1)
    told = [line for line in on.outlines if line.startswith("FAILED")]
    assert told == [line for line in off.outlines if line.startswith("FAILED")]
    # what the failed question cost is counted as ever
    assert section(on) == section(off)


def test_bad_credentials_cost_one_request(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAITHFUL)
    trams(project, 12)
    project.judged_by(judge)
    judge.script([{"status": 401, "latency": 0.1}], repeat_last=True)
    project.run().assert_outcomes(failed=12)
    assert judge.count() == 1


def test_where_the_judge_is_away_nothing_is_asked_ahead(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(FAITHFUL)
    trams(project, 24)
    project.judged_by(judge)
    judge.latency = 0.05
    # so long a wait is not waited
    away = {"status": 429, "headers": {"retry-after": "600"}}
    judge.on(lambda r: tram_of(r) > 0, away)
    result = project.run("--ragassert-concurrency=4")
    result.assert_outcomes(passed=1, failed=23)
    assert judge.count() == 25
    # what was under way ahead when that was known goes out before these
    last = sorted(judge.requests, key=lambda r: r.at)[-6:]
    assert [tram_of(r) for r in last] == list(range(18, 24))
    assert all(b.at >= (a.ended or 0) for a, b in itertools.pairwise(last))


def test_when_it_is_there_again_coming_cases_are_asked_for(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(FAITHFUL)
    trams(project, 36)
    project.judged_by(judge)
    judge.latency = 0.1
    away = {"status": 429, "headers": {"retry-after": "600"}}
    judge.on(lambda r: tram_of(r) == 1, away)
    result = project.run("--ragassert-concurrency=4")
    result.assert_outcomes(passed=35, failed=1)
    assert judge.count() == 71
    late = [r for r in judge.requests if tram_of(r) > 24]
    assert any(b.at < (a.ended or 0) for a, b in itertools.pairwise(late))


TWO = """
import pytest
from pytest_ragassert import assert_context_relevance, assert_faithful

@pytest.mark.rag_cases("cases.jsonl", metrics=METRICS)
def test_tram(rag_case):
    assert_faithful(rag_case)
    assert_context_relevance(rag_case, min=0)
"""


@pytest.mark.parametrize(
    "metrics", ['["faithfulness", "context_relevance"]', '{"context_relevance": {"votes": 1}}']
)
def test_a_marker_may_declare_what_is_measured(
    project: Project, judge: LoopbackJudge, metrics: str
) -> None:
    project.test(TWO.replace("METRICS", metrics))
    trams(project, 10)
    project.judged_by(judge)
    # both metrics' first questions of all cases at once, once the first one is answered
    judge.gather(18)
    result = project.run("--ragassert-concurrency=40")
    result.assert_outcomes(passed=10)
    assert judge.count() == 30
    assert judge.max_in_flight >= 18
    assert unused(result) == 0


def test_each_metric_is_learned_where_it_is_first_called(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(TWO.replace("METRICS", "()"))
    trams(project, 10)
    project.judged_by(judge)
    # the first test's is answered when all were asked
    judge.on("judge_passages", {"until": lambda: judge.count("judge_passages") == 10})
    project.run().assert_outcomes(passed=10)
    assert judge.count() == 30
    relevance = [r for r in judge.requests if r.step == "judge_passages"]
    assert max(r.at for r in relevance) <= min(r.ended or 0 for r in relevance)


def test_what_a_test_waits_for_goes_first(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAITHFUL)
    trams(project, 8)
    project.judged_by(judge)

    def asked() -> list[tuple[int, str]]:
        return [(tram_of(r), r.step) for r in judge.requests]

    # one case is in flight when the first test asks once more
    held = {"until": lambda: a_test_waits() or (0, "verify_claims") in asked()}
    judge.on(lambda request: held if tram_of(request) else None)
    project.run("--ragassert-concurrency=1").assert_outcomes(passed=8)
    order = asked()
    assert order.index((0, "verify_claims")) <= 2


ANSWERING = """
import asyncio, threading

running, most = [], 0

@ASYNC
def pytest_ragassert_answer(case):
    global most
    print("ANSWERED", case.id, threading.current_thread() is threading.main_thread())
    if case.id == "c3":
        raise RuntimeError("no answer")
    running.append(case.id)
    most = max(most, len(running))
    WAIT
    running.remove(case.id)
    return {"answer": f"Tram {case.id[1:]} runs."}

def pytest_unconfigure():
    print("MOST", most)
"""


def answering(project: Project, *, ahead: bool) -> None:
    wait = "await asyncio.sleep(0.2)" if ahead else "pass"
    source = ANSWERING.replace("WAIT", wait).replace("@ASYNC\ndef", "async def" if ahead else "def")
    project.pytester.makeconftest(source)
    project.test(FAITHFUL)
    trams(project, 6, {n: {"answer": None} for n in range(6)})


def test_an_async_answer_hook_is_run_ahead(project: Project, judge: LoopbackJudge) -> None:
    answering(project, ahead=True)
    project.judged_by(judge)
    judge.latency = 0.1
    result = project.run("-s")
    result.assert_outcomes(passed=5, errors=1)
    assert any("RuntimeError: no answer" in line for line in result.outlines)
    assert "MOST 4" in result.outlines
    # once a case, that one too which failed
    answered = re.findall(r"ANSWERED (c\d)", result.stdout.str())
    assert sorted(answered) == [f"c{n}" for n in range(6)]
    assert judge.count() == 10
    assert judge.max_in_flight > 1


def test_a_sync_answer_hook_is_never_run_ahead(project: Project, judge: LoopbackJudge) -> None:
    answering(project, ahead=False)
    project.judged_by(judge)
    judge.latency = 0.05
    result = project.run("-s")
    result.assert_outcomes(passed=5, errors=1)
    answered = re.findall(r"ANSWERED (c\d) (\w+)", result.stdout.str())
    assert answered == [(f"c{n}", "True") for n in range(6)]
    assert judge.max_in_flight == 1


def test_workers_prepare_and_none_asks_twice(project: Project, judge: LoopbackJudge) -> None:
    pytest.importorskip("xdist")
    project.test(FAITHFUL)
    trams(project, 24)
    project.judged_by(judge)
    judge.latency = 0.3
    result = project.run("-n", "2")
    result.assert_outcomes(passed=24)
    assert judge.count() == 48
    assert judge.stats()["duplicates"] == 0
    assert judge.max_in_flight > 8
    assert unused(result) == 0


FORKING = """
import os
import pytest
from _pytest.runner import runtestprotocol

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    child = os.fork()
    if not child:
        failed = any(r.failed for r in runtestprotocol(item, log=False, nextitem=nextitem))
        os._exit(failed)
    print("ENDED", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return True
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_test_in_a_process_of_its_own_prepares_nothing(
    project: Project, judge: LoopbackJudge
) -> None:
    project.pytester.makeconftest(FORKING)
    project.test(FAITHFUL)
    trams(project, 4)
    project.judged_by(judge)
    judge.latency = 0.05
    assert project.process("-s").outlines.count("ENDED 0") == 4
    assert (judge.count(), judge.max_in_flight) == (8, 1)


def test_an_interrupt_keeps_what_was_asked_ahead(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAITHFUL)
    trams(project, 40)
    project.judged_by(judge)
    temporary = project.temporary()
    judge.latency = 0.1
    interrupted = threading.Event()
    judge.on(lambda r: {"until": interrupted.is_set} if judge.count() > 2 else None)
    with running(project) as run:
        wait_for(judge, 2, 16)
        run.send_signal(signal.SIGINT)
        interrupted.set()
        output, errors = run.communicate(timeout=90)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in output + errors, output + errors
    assert "never" not in errors
    assert list(temporary.glob("ragassert*")) == []
    answered = {r.digest for r in judge.requests if r.status == 200}
    asked = {r.digest for r in judge.requests}
    # but for the one that the interrupted test waited for, all in flight came and were stored
    assert len(asked) < 2 * 40
    assert len(asked - answered) <= 1
    judge.reset()
    judge.latency = 0
    project.run().assert_outcomes(passed=40)
    assert not answered.intersection(r.digest for r in judge.requests)


def test_workers_ask_no_more_after_an_interrupt(project: Project, judge: LoopbackJudge) -> None:
    """Also where the controller alone hears of it, as of those who cancel a build."""
    pytest.importorskip("xdist")
    project.test(FAITHFUL)
    trams(project, 40)
    project.judged_by(judge)
    # the next ones would go out in a second, when the workers know long since
    judge.latency = 1
    with forked_run(project, "-n", "2", "--ragassert-concurrency=4") as run:
        wait_for(judge, 4, 8)
        run.signal_controller(signal.SIGINT)
        before = judge.count()
        output = run.output()
    # what was in flight, and what each worker's test began in the same moment
    assert judge.count() - before <= 4 + 2, output
    assert "prefetched but not used: " in output


def test_an_interrupt_before_the_first_result_tells_what_was_spent(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(FAITHFUL)
    trams(project, 40)
    project.judged_by(judge)
    # the first case's verification comes late, when others were asked for
    judge.on(
        lambda r: r.step == "verify_claims" and "Tram 0 " in json.dumps(r.data), {"latency": 20}
    )
    with forked_run(project) as run:
        wait_for(judge, 6, 16)
        run.signal_controller(signal.SIGINT)
        output = run.output()
    assert run.client.returncode == pytest.ExitCode.INTERRUPTED
    told = re.search(r"prefetched but not used: (\d+) questions", output)
    assert told is not None, output
    assert int(told[1]) >= 4
    assert "ragassert-outcome: failed-by=none" in output
