"""The requests and tokens of the summary are those that the endpoint got, whatever it answered."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from pytest_ragassert.judging.calls import retries
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section
from .test_budgets import BOTH, MANY, SIDE_BY_SIDE
from .test_outages import BOAT, named

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

COUNTED = re.compile(r"judgements: (\d+) asked, 0 stored, 0 carried(?: \((\d+) requests\))?(.*)")
AWAY: dict[str, dict[str, Any]] = {"status": {"status": 503}, "connection": {"reset": True}}
# The same in workers, which know nothing of this process.
QUICK = """
from pytest_ragassert.judging.calls import retries

retries._FIRST_WAIT = 0.001
"""


@pytest.fixture(autouse=True)
def _quick(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.001)
    project.pytester.makeconftest(QUICK)


def check_counts(result: pytest.RunResult, judge: LoopbackJudge) -> None:
    """The summary's requests and prompt tokens are those that the judge's server got."""
    (found,) = [match for line in section(result) if (match := COUNTED.fullmatch(line))]
    asked, requests, tokens = found.groups()
    assert int(requests or asked) == judge.count()
    paid = sum(r.prompt_tokens for r in judge.requests if r.status == 200)
    assert f"tokens: {paid} prompt" in tokens


def fail_between(judge: LoopbackJudge, first: int, last: int, reply: dict[str, Any]) -> None:
    """Fail the requests of these numbers, so that an outage takes no time."""
    judge.on(lambda _: reply if first <= judge.count() <= last else None)


@BOTH
@pytest.mark.parametrize("reply", AWAY.values(), ids=AWAY)
@pytest.mark.parametrize("source", [MANY, SIDE_BY_SIDE], ids=["one by one", "side by side"])
def test_an_outage_that_passes(
    project: Project,
    judge: LoopbackJudge,
    workers: tuple[str, ...],
    reply: dict[str, Any],
    source: str,
) -> None:
    # of those that are in flight together, more fail before the run waits
    fail_between(judge, 9, 18 if source is MANY else 24, reply)
    project.test(source)
    project.judged_by(judge)
    result = project.run(*workers)
    assert result.parseoutcomes() == {"passed": 12 if source is MANY else 1}
    assert any(line.endswith("; the run waited") for line in section(result))
    check_counts(result, judge)


def test_an_answer_is_paid_once_over_an_outage(project: Project, judge: LoopbackJudge) -> None:
    fail_between(judge, 9, 16, {"status": 503})
    project.test(MANY)
    project.judged_by(judge)
    result = project.run()
    assert result.parseoutcomes() == {"passed": 12}
    answered = Counter(r.digest for r in judge.requests if r.status == 200)
    assert set(answered.values()) == {1}
    check_counts(result, judge)


@BOTH
def test_a_budget_that_an_outage_spends(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    fail_between(judge, 9, 16, {"status": 503})
    project.test(MANY)
    project.judged_by(judge)
    result = project.run(*workers, "--ragassert-max-calls=21")
    assert result.parseoutcomes()["failed"]
    assert judge.count() == 21
    check_counts(result, judge)


@BOTH
def test_an_outage_that_ends_judging(
    project: Project,
    judge: LoopbackJudge,
    workers: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fail_between(judge, 9, 10_000, {"status": 503})
    # in workers too
    limit = "\nretries.RETRY_SECONDS = 0.5\n"
    project.pytester.makeconftest(QUICK + limit)
    monkeypatch.setattr(retries, "RETRY_SECONDS", 0.5)
    project.test(MANY)
    project.judged_by(judge)
    result = project.run(*workers)
    assert "nothing more is asked" in result.stdout.str()
    check_counts(result, judge)


REFUSED = {"message": {"role": "assistant", "content": None, "refusal": "No boats."}}
FAILURES: dict[str, dict[str, Any]] = {
    "server": {"status": 500},
    "connection": {"reset": True},
    "request": {"status": 400, "body": {"error": {"message": "no boats"}}},
    "refusal": REFUSED,
    "empty": {"content": ""},
}
SOME_LOST = f"""
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(4))
def test_fine(n):
    assert_faithful(case(f"c{{n}}", f"Boat number {{n}} is new."), min=0)

@pytest.mark.parametrize("n", range(2))
def test_lost(n):
    assert_faithful(case(f"lost {{n}}", f"Boat number {{n}} is called {BOAT}."))

def test_same():
    assert_faithful(case("lost", "Boat number 0 is called {BOAT}."))
"""


@BOTH
@pytest.mark.parametrize("reply", FAILURES.values(), ids=FAILURES)
def test_measurements_that_fail(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...], reply: dict[str, Any]
) -> None:
    judge.on(named, reply)
    project.test(SOME_LOST)
    project.judged_by(judge)
    result = project.run(*workers)
    assert result.parseoutcomes() == {"passed": 4, "failed": 3}
    check_counts(result, judge)
