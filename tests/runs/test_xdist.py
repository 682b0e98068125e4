"""Real workers: each question once, one summary, and no run that a worker's end spoils."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .projects import KEY, Project, new_project, section, table

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

SAME = """
import pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_factual_f1, assert_faithful

@pytest.mark.parametrize("n", range(8))
def test_same(n):
    assert_faithful(case("same"))

@pytest.mark.parametrize("n", range(4))
def test_other(n):
    assert_faithful(case(f"other-{n}", f"{GOOD} Boat number {n} is new."), min=0.5)

def test_bad():
    assert_faithful(case("bad", BAD))

def test_f1():
    assert_factual_f1(case("f1", GOOD, ground_truth_answer=GOOD + " " + ODD), min=0.6)
"""
# same 2, other 4 x 2, bad 2, f1: reference extracted, 2 verifications (its answer is `same`'s)
REQUESTS = 2 + 8 + 2 + 3
# the reference's two claims are checked in one request
JUDGEMENTS = REQUESTS + 1


def totals(result: pytest.RunResult) -> list[str]:
    """The section's figures; tokens are those of new answers."""
    return [line.partition(";")[0] for line in section(result)]


def test_workers_ask_each_question_once_and_count_the_same(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(SAME)
    project.judged_by(judge)
    temporary = project.temporary()
    judge.latency = 0.3
    three = project.run("-n", "3", "--ragassert-cache-dir=by-three")
    assert judge.count() == REQUESTS
    assert judge.stats()["duplicates"] == 0
    assert judge.max_in_flight > 1
    judge.latency = 0
    serial = project.run("--ragassert-cache-dir=by-one")
    assert judge.count() == 2 * REQUESTS
    assert three.parseoutcomes() == serial.parseoutcomes() == {"passed": 13, "failed": 1}
    assert totals(three) == totals(serial)
    asked = f"judgements: {JUDGEMENTS} asked, 0 stored, 0 carried ({REQUESTS} requests)"
    assert totals(three)[-2] == asked
    assert table(three) == table(serial)
    assert three.outlines.count(section_heading()) == 1

    # what three workers stored, nobody asks again
    judge.reset()
    *figures, _, outcome = totals(three)
    stored = [*figures, f"judgements: 0 asked, {JUDGEMENTS} stored, 0 carried", outcome]
    assert totals(project.run("--ragassert-cache-dir=by-three")) == stored
    assert totals(project.run("-n", "2", "--ragassert-cache-dir=by-one")) == stored
    assert judge.count() == 0
    assert list(temporary.glob("ragassert*")) == []


def section_heading() -> str:
    return " ragassert ".center(80, "=")


MANY = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(16))
def test_many(n):
    assert_faithful(case(f"c{n}", f"Boat number {n} is new."))
"""


def test_bad_credentials_cost_a_request_a_worker_at_most(
    project: Project, judge: LoopbackJudge
) -> None:
    message = f"Incorrect API key provided: {KEY}. You can find your key in your account."
    body = {"error": {"message": message, "code": "invalid_api_key"}}
    judge.script([{"status": 401, "body": body, "latency": 0.2}], repeat_last=True)
    project.test(MANY)
    project.judged_by(judge)
    project.set(CI="1")
    result = project.run("-n", "2", "-rA", "--junitxml=junit.xml")
    assert judge.count() <= 2
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes() == {"failed": 16}
    lines = result.outlines
    reasons = [
        line for line in lines if line.startswith("faithfulness of case c") and "401" in line
    ]
    assert len(reasons) == 16
    assert all("API key" in line for line in reasons)
    assert not any(line.startswith((">", "E ")) or "def test_many" in line for line in lines)
    # a heading, the worker's line and the reason for each, and its line in the short summary
    assert len(lines) < 16 * 4 + 30
    assert "judge errors (not measured): 16: 16 credentials" in lines
    junit = Path(project.path, "junit.xml").read_text(encoding="utf-8")
    folder = project.path / ".ragassert"
    stored = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for text in [result.stdout.str(), result.stderr.str(), junit, stored.decode("latin-1")]:
        assert KEY not in text


PLACES = """
import os
from ferry import GOOD, case
from pytest_ragassert import assert_faithful

def test_killed():
    open("pid", "w").write(str(os.getpid()))
    assert_faithful(case("killed", GOOD + " Boat 9 is slow."), min=0)

""" + "\n".join(
    f"def test_{n}(): assert_faithful(case('c{n}', GOOD + ' Boat {n} is new.'), min=0)\n"
    for n in range(6)
)


def test_a_killed_worker_takes_no_other_test_with_it(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(PLACES)
    project.judged_by(judge)
    pid = project.path / "pid"

    def kill(recorded: Recorded) -> dict[str, Any] | None:
        if "Boat 9" in str(recorded.data) and pid.exists():
            os.kill(int(pid.read_text()), signal.SIGKILL)
            pid.unlink()
            return {"latency": 0.5}
        return None

    judge.on(kill)
    result = project.run("-n", "2")
    assert result.parseoutcomes() == {"passed": 6, "failed": 1}
    result.stdout.fnmatch_lines(["worker 'gw*' crashed while running 'test_it.py::test_killed'"])
    (figures,) = [line for line in section(result) if line.startswith("faithfulness ")]
    assert figures.split()[1] == "6"
    judge.reset(replies=True)
    project.run().assert_outcomes(passed=7)
    assert {r.step for r in judge.requests} == {"extract_claims", "verify_claims"}
    assert judge.count() == 2
    assert all("Boat 9" in str(r.data) for r in judge.requests)


COLLECTED = """
import pytest
from pytest_ragassert import EvalCase, load_cases

@pytest.mark.rag_cases("cases")
def test_folder(rag_case): pass

@pytest.mark.rag_cases([
    EvalCase(question="Wie groß ist die Fähre? " * 40),
    {"question": "渡轮多久一班？"},
    {"id": "x" * 5},
])
def test_list(rag_case): pass

@pytest.mark.parametrize("case", load_cases("cases"), ids=lambda case: case.id)
def test_own(case): pass
"""


def test_ids_do_not_depend_on_the_process(project: Project) -> None:
    folder = project.pytester.mkdir("cases")
    for name in ("c", "a", "b"):
        folder.joinpath(f"{name}.jsonl").write_text('{"question": "?"}\n{"answer": "!"}\n')
    folder.joinpath("d.json").write_text(
        '[{"id": "größer"}, {"question": "' + "long " * 200 + '"}]'
    )
    project.test(COLLECTED)
    project.set(PYTHONHASHSEED="random")
    listed = [
        project.process("--co", "-q", fresh=True).outlines,
        project.run("--co", "-q").outlines,
    ]
    names = [[line for line in lines if "::" in line] for lines in listed]
    assert names[0] == names[1]
    assert names[0][:4] == [f"test_it.py::test_folder[{id}]" for id in ("a-1", "a-2", "b-1", "b-2")]
    assert max(map(len, names[0])) < 60
    assert all(name.isascii() for name in names[0])
    result = project.run("-n", "2")
    result.assert_outcomes(passed=len(names[0]))
