"""Clocks that stand still and sockets that are forbidden, for one test or for a whole run."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any

import pytest

from pytest_ragassert.analysis.records.results_file import ResultsFile
from tests.loopback.judge import answer, completion, http_bytes
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section
from .test_prefetching import FAITHFUL, tram_of, trams

pytest.importorskip("xdist")
pytest.importorskip("freezegun")
pytest.importorskip("pytest_socket")

project = pytest.fixture(new_project)
SERIAL, WORKERS, STRICT = (), ("-n", "2"), ("-W", "error")
CASES = 12


def needs_a_client_that_starts(fresh: bool) -> None:
    if fresh and int(version("openai").split(".")[0]) < 2:
        pytest.skip("openai before 2.0 can't be imported while the time stands still")


def answered(judge: LoopbackJudge) -> list[str]:
    return [request.digest for request in judge.requests if request.status == 200]


# -- clocks --------------------------------------------------------------------------------------

# freezegun reads each attribute of each module: of openai's, which load others when asked for
# them, that takes a process longer than all its tests. None of those is a clock.
FEWER_MODULES = """
import sys

for name, module in sys.modules.items():
    if name.startswith("openai") and "__getattr__" in vars(module):
        module.__dir__ = list
"""
FROZEN_TEST = """
import time
import pytest
from freezegun import freeze_time
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case):
    # every other test, so that one's requests meet the other's time
    frozen = int(rag_case.id[1:]) % 2
    with freeze_time("YEAR-01-14", tick=TICK) if frozen else freeze_time(tick=True):
        assert_faithful(rag_case)
    assert time.time() > 1.7e9
"""
FROZEN_FIXTURE = """
import pytest
from freezegun import freeze_time

@pytest.fixture(autouse=True, scope="SCOPE")
def frozen():
    with freeze_time("2012-01-14"):
        yield
"""
FROZEN_RUN = """
from freezegun import freeze_time

freeze_time("2050-01-14").start()
"""


def with_troubles(judge: LoopbackJudge) -> None:
    """Each fifth question or so fails once, and one is told in a date when to come again."""
    judge.latency = 0.05
    judge.error_rate = 0.2
    told: list[Recorded] = []

    def later(recorded: Recorded) -> dict[str, Any] | None:
        if told or tram_of(recorded) != 4:
            return None
        told.append(recorded)
        date = email.utils.formatdate(time.time() + 1, usegmt=True)
        return {"status": 429, "headers": {"retry-after": date}}

    judge.on(later)


def is_asked_once(judge: LoopbackJudge) -> None:
    """Every question has one answer, and was asked again after a failure alone."""
    assert len(answered(judge)) == len(set(answered(judge))) == 2 * CASES
    failed = [request for request in judge.requests if request.status in (429, 500)]
    assert judge.count() == 2 * CASES + len(failed)
    assert len(failed) > 1


@pytest.mark.parametrize(
    ("year", "tick", "fresh", "args"),
    [
        (2012, False, True, SERIAL),
        (2050, False, False, SERIAL),
        (2012, True, False, SERIAL),
        (2012, False, False, WORKERS),
    ],
)
def test_tests_whose_time_stands_still(
    project: Project,
    judge: LoopbackJudge,
    year: int,
    tick: bool,
    fresh: bool,
    args: Sequence[str],
) -> None:
    needs_a_client_that_starts(fresh)
    project.pytester.makeconftest(FEWER_MODULES)
    project.test(FROZEN_TEST.replace("YEAR", str(year)).replace("TICK", str(tick)))
    trams(project, CASES)
    project.judged_by(judge)
    with_troubles(judge)
    project.process(*args, fresh=fresh).assert_outcomes(passed=CASES)
    is_asked_once(judge)
    assert judge.max_in_flight > 2


@pytest.mark.parametrize(
    ("conftest", "fresh", "args"),
    [
        (FROZEN_FIXTURE.replace("SCOPE", "function"), False, SERIAL),
        (FROZEN_FIXTURE.replace("SCOPE", "session"), False, SERIAL),
        (FROZEN_RUN, True, SERIAL),
        (FROZEN_RUN, False, WORKERS),
    ],
    ids=["function", "session", "run", "run workers"],
)
def test_a_run_whose_time_stands_still(
    project: Project, judge: LoopbackJudge, conftest: str, fresh: bool, args: Sequence[str]
) -> None:
    needs_a_client_that_starts(fresh)
    project.pytester.makeconftest(FEWER_MODULES + conftest)
    project.test(FAITHFUL)
    trams(project, CASES)
    project.judged_by(judge)
    temporary = project.temporary()
    of_others = temporary / "ragassert-of-another-run"
    of_others.mkdir()
    with_troubles(judge)
    began = datetime.now(timezone.utc)
    artifacts = "--ragassert-artifacts=out"
    project.process(*args, artifacts, fresh=fresh).assert_outcomes(passed=CASES)
    is_asked_once(judge)
    assert judge.max_in_flight > 2
    # a run that is going on is no forgotten one
    assert list(temporary.glob("ragassert*")) == [of_others]
    (file,) = project.path.glob("out/results_*.json")
    run = ResultsFile.model_validate_json(file.read_text(encoding="utf-8"))
    assert began <= run.started <= run.ended <= datetime.now(timezone.utc)

    judge.reset(replies=True)
    project.process(*args, "--ragassert-record-mode=none").assert_outcomes(passed=CASES)
    assert judge.count() == 0


# -- sockets -------------------------------------------------------------------------------------

TELLS = """
import threading

def pytest_unconfigure(config):
    config.add_cleanup(lambda: print("THREADS", *[t.name for t in threading.enumerate()[1:]]))
"""


@pytest.mark.parametrize("args", [SERIAL, WORKERS], ids=["serial", "workers"])
def test_what_is_stored_needs_no_socket(
    project: Project, judge: LoopbackJudge, args: Sequence[str]
) -> None:
    project.test(FAITHFUL)
    project.pytester.makeconftest(TELLS)
    trams(project, CASES)
    project.judged_by(judge)
    project.run().assert_outcomes(passed=CASES)
    judge.reset()
    result = project.process("-s", *STRICT, "--disable-socket", *args, use=["pytest_socket"])
    result.assert_outcomes(passed=CASES)
    assert judge.count() == 0
    if not args:
        assert "THREADS" in result.outlines


UNIX = "--allow-unix-socket"


@pytest.mark.parametrize(
    ("args", "way_out"),
    [
        (SERIAL, UNIX),
        ((*STRICT, *WORKERS), UNIX),
        ((UNIX, *WORKERS), "--allow-hosts=127.0.0.1"),
        ((UNIX, *STRICT), "--allow-hosts=127.0.0.1"),
        ((UNIX, "--allow-hosts=10.0.0.1"), "--allow-hosts=127.0.0.1"),
    ],
    ids=["all", "all under -n", "hosts under -n", "hosts with -W error", "another host"],
)
def test_a_run_without_sockets_says_what_to_do(
    project: Project, judge: LoopbackJudge, args: Sequence[str], way_out: str
) -> None:
    project.test(FAITHFUL)
    trams(project, 4)
    project.judged_by(judge)
    skipping = "--ragassert-on-judge-error=skip"
    result = project.process("--disable-socket", skipping, *args, use=["pytest_socket"])
    # the project forbids it: no outage, which would skip the tests
    result.assert_outcomes(failed=4)
    text = result.stdout.str()
    for n in range(4):
        told = [
            line for line in text.splitlines() if f"faithfulness of case c{n} not measured" in line
        ]
        assert any("sockets are blocked" in line and way_out in line for line in told), text
    assert "Traceback" not in text + result.stderr.str()
    assert "4 blocked" in " ".join(section(result))
    assert judge.count() == 0


@pytest.mark.parametrize("args", [SERIAL, WORKERS], ids=["serial", "workers"])
def test_the_judges_host_may_be_allowed(
    project: Project, judge: LoopbackJudge, args: Sequence[str]
) -> None:
    project.test(FAITHFUL)
    trams(project, CASES)
    project.judged_by(judge)
    judge.latency = 0.1
    allowed = ("--disable-socket", UNIX, "--allow-hosts=127.0.0.1")
    project.process(*allowed, *STRICT, *args, use=["pytest_socket"]).assert_outcomes(passed=CASES)
    assert sorted(answered(judge)) == sorted(set(answered(judge)))
    assert judge.count() == 2 * CASES
    assert judge.max_in_flight > 2


AMONG_OTHERS = """
import socket, time
import pytest
from pytest_ragassert import EvalCase, JudgeError, assert_faithful

def no(*_):
    raise RuntimeError("no network")

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case, request):
    if rag_case.id in ("c1", "c4", "c7"):
        BLOCK
        # what is asked ahead meets the block
        time.sleep(0.5)
        with pytest.raises(JudgeError, match="of case own not measured: .*sockets are blocked"):
            text = f"Another tram, {rag_case.id}, runs."
            assert_faithful(EvalCase(id="own", answer=text, retrieved_contexts=[text]))
        return
    assert_faithful(rag_case)
"""
BLOCKS = {
    "fixture": 'request.getfixturevalue("socket_disabled")',
    "hosts": '__import__("pytest_socket").socket_allow_hosts(["10.0.0.1"])',
    "by hand": 'request.getfixturevalue("monkeypatch").setattr(socket.socket, "connect", no)',
}


def closing(judge: LoopbackJudge) -> None:
    """Each reply closes its connection, so that the next request needs a new one."""

    def reply(recorded: Recorded) -> dict[str, Any]:
        content = json.dumps(answer(recorded.step, recorded.data))
        body = completion(content, number=1, model="any", prompt_tokens=1, changes={})
        recorded.status = 200
        return {"raw": http_bytes(200, body, {"connection": "close"})}

    judge.on(reply)


@pytest.mark.parametrize(
    ("block", "args"),
    [("fixture", SERIAL), ("fixture", WORKERS), ("hosts", STRICT), ("by hand", SERIAL)],
    ids=["fixture", "fixture workers", "hosts", "by hand"],
)
def test_a_test_that_blocks_sockets_among_others(
    project: Project, judge: LoopbackJudge, block: str, args: Sequence[str]
) -> None:
    project.test(AMONG_OTHERS.replace("BLOCK", BLOCKS[block]))
    trams(project, CASES)
    project.judged_by(judge)
    judge.latency = 0.05
    closing(judge)
    result = project.process("--ragassert-concurrency=2", *args, use=["pytest_socket"])
    # what others' cases met meanwhile is no error of theirs
    result.assert_outcomes(passed=CASES)
    assert len(answered(judge)) == len(set(answered(judge)))
    asked = {tram_of(request) for request in judge.requests}
    assert asked >= set(range(CASES)) - {1, 4, 7}


ANSWERING = """
import asyncio

async def pytest_ragassert_answer(case):
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    writer.close()
    await asyncio.sleep(0.2)
    print("ANSWERED", case.id)
    return {"answer": f"Tram {case.id[1:]} runs."}
"""
BLOCKED_FIRST = """
import time
import pytest
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case, request):
    assert_faithful(rag_case)
    if rag_case.id == "c0":
        request.getfixturevalue("socket_disabled")
        # the next answers are fetched ahead
        time.sleep(1)
"""


def test_an_answer_that_was_fetched_ahead_where_sockets_are_blocked_is_fetched_again(
    project: Project, judge: LoopbackJudge
) -> None:
    port = judge.base_url.removesuffix("/v1").rpartition(":")[2]
    project.pytester.makeconftest(ANSWERING.replace("PORT", port))
    project.test(BLOCKED_FIRST)
    trams(project, CASES, {n: {"answer": None} for n in range(CASES)})
    project.judged_by(judge)
    result = project.process("-s", "--ragassert-concurrency=1", use=["pytest_socket"])
    result.assert_outcomes(passed=CASES)
    answered = [line.split()[-1] for line in result.outlines if "ANSWERED" in line]
    assert sorted(answered) == sorted(f"c{n}" for n in range(CASES))
    assert judge.count() == 2 * CASES


TWICE = """
import pytest
from pytest_ragassert import assert_faithful

@pytest.mark.disable_socket
@pytest.mark.rag_cases("cases.jsonl")
def test_blocked(rag_case):
    assert_faithful(rag_case)

@pytest.mark.rag_cases("cases.jsonl")
def test_tram(rag_case):
    assert_faithful(rag_case)
"""


@pytest.mark.parametrize("unix", [(), (UNIX,)], ids=["", "unix"])
def test_what_one_test_could_not_ask_another_asks(
    project: Project, judge: LoopbackJudge, unix: Sequence[str]
) -> None:
    project.test(TWICE)
    trams(project, 4)
    project.judged_by(judge)
    judge.latency = 0.05
    project.process(*unix, use=["pytest_socket"]).assert_outcomes(failed=4, passed=4)
    assert judge.count() == len(set(answered(judge))) == 8


BLOCKED_AT_FIRST = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful, evaluate

@pytest.mark.disable_socket
def test_blocked():
    assert_faithful(case("blocked"))

def test_together():
    evaluate([case(f"c{n}", f"Boat number {n} is new.") for n in range(6)], ["faithfulness"])
"""


def test_what_was_never_sent_is_no_first_answer(project: Project, judge: LoopbackJudge) -> None:
    project.test(BLOCKED_AT_FIRST)
    project.judged_by(judge)
    judge.script([{"status": 401, "latency": 0.1}], repeat_last=True)
    project.process(UNIX, use=["pytest_socket"]).assert_outcomes(failed=2)
    # bad credentials cost one request all the same
    assert judge.count() == 1
