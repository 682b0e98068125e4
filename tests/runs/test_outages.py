"""`on-judge-error = skip`: an outage skips a test, loudly; nothing else that is wrong does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_ragassert.analysis.records.results_file import ResultsFile
from pytest_ragassert.judging.calls import retries
from pytest_ragassert.judging.scheduling import circuit_breaker
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section
from .test_budgets import BOTH, outcome

project = pytest.fixture(new_project)

SKIP = "--ragassert-on-judge-error=skip"
# What the judge can't be asked about names this boat.
BOAT = "Bramble"
LOST = f'case("lost", GOOD + " The boat is called {BOAT}.")'


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.001)
    monkeypatch.setattr(circuit_breaker, "_ALONE_SECONDS", 0.1)


# The same in workers, which know nothing of this process.
QUICK = """
from pytest_ragassert.judging.scheduling import circuit_breaker
from pytest_ragassert.judging.calls import retries

retries._FIRST_WAIT = 0.001
circuit_breaker._ALONE_SECONDS = 0.1
"""


def named(recorded: Recorded) -> bool:
    return BOAT in str(recorded.data)


def fails(status: int, code: str | None = None, message: str = "any") -> dict[str, Any]:
    body = {"error": {"message": message, "code": code}}
    return {"status": status, "body": body, "headers": {"retry-after": "0"}}


MIXED = f"""
import pytest
from ferry import BAD, GOOD, case
from pytest_ragassert import aio, assert_factual_f1, assert_faithful, assert_rag, evaluate

def test_fine():
    assert_faithful(case("fine"))

def test_lost():
    assert_faithful(case("before"))
    assert_faithful({LOST}, min=0)
    assert_faithful(case("after", BAD))

def test_evaluated():
    evaluate([case("fine"), {LOST}], ["faithfulness"])

def test_awaited():
    import asyncio
    asyncio.run(aio.assert_faithful({LOST}))

@pytest.fixture(scope="module")
def measured():
    return evaluate({LOST}, ["faithfulness"])

def test_setup(measured): pass

def test_same_setup(measured): pass

def test_below():
    assert_faithful(case("below", BAD))

def test_field():
    assert_faithful(case("field", None))

def test_own():
    evaluate({LOST}, ["faithfulness"], on_error="collect")
    assert 1 == 2
"""


@BOTH
def test_an_outage_skips_and_failures_stay(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    judge.on(named, fails(503))
    project.pytester.makeconftest(QUICK)
    project.test(MIXED)
    project.judged_by(judge)
    result = project.run(SKIP, "-rs", *workers)
    assert result.parseoutcomes() == {"passed": 1, "skipped": 5, "failed": 3}
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    skips = [line for line in result.outlines if line.startswith("SKIPPED [")]
    assert len(skips) == 5
    for line in skips:
        for part in ("test_it.py:", "judge error (server)", "faithfulness of case lost", "503"):
            assert part in line
    lines = section(result)
    assert "skipped because of judge errors: 5" in lines
    assert outcome(result) == {
        "failed-by": "assertions",
        "assertions": "1",
        "judge-errors": "0",
        "skipped": "5",
        "other": "2",
        "measured": lines_of(lines)[1],
        "budget": "ok",
    }
    # asked for, it fails
    failing = project.run(*workers)
    assert failing.parseoutcomes() == {"passed": 1, "failed": 6, "errors": 2}
    last = outcome(failing)
    assert (last["failed-by"], last["judge-errors"], last["skipped"]) == ("both", "5", "0")
    assert not any(line.startswith("skipped for") for line in section(failing))


def lines_of(lines: list[str]) -> list[str]:
    (figures,) = [line for line in lines if line.startswith("faithfulness ")]
    return figures.split()


KINDS: dict[str, tuple[Any, bool]] = {
    "rate limit": (fails(429), True),
    "server": (fails(500), True),
    "connection": ({"reset": True}, True),
    "timeout": ({"latency": 3}, True),
    "quota": (fails(429, "insufficient_quota"), True),
    "refusal": (
        {"message": {"role": "assistant", "content": None, "refusal": "No boats."}},
        True,
    ),
    "content filter": (fails(400, "content_filter"), True),
    "truncated": ({"content": "{", "finish_reason": "length"}, True),
    "malformed": ({"content": "Fine!"}, True),
    # what passes by no waiting
    "credentials": (fails(401, "invalid_api_key"), False),
    "model": (fails(404, "model_not_found"), False),
    "request": (fails(400), False),
}


@pytest.mark.parametrize("kind", KINDS)
def test_which_errors_are_outages(project: Project, judge: LoopbackJudge, kind: str) -> None:
    reply, is_outage = KINDS[kind]
    judge.on(named, reply)
    project.test(f"""
from ferry import GOOD, case
from pytest_ragassert import assert_faithful

def test_fine():
    assert_faithful(case("fine"))

def test_lost():
    assert_faithful({LOST})
""")
    project.judged_by(judge)
    limit = ["--ragassert-timeout=1"] if kind == "timeout" else []
    result = project.run(SKIP, "-rs", *limit)
    assert result.parseoutcomes() == {"passed": 1, "skipped" if is_outage else "failed": 1}
    assert result.ret == (pytest.ExitCode.OK if is_outage else pytest.ExitCode.TESTS_FAILED)
    assert f"judge errors (not measured): 1: 1 {kind}" in section(result)
    last = outcome(result)
    assert last["failed-by"] == ("none" if is_outage else "judge-errors")
    assert last["skipped"] == str(int(is_outage))
    if is_outage:
        (line,) = [line for line in result.outlines if line.startswith("SKIPPED [1]")]
        assert f"judge error ({kind})" in line


@BOTH
def test_a_run_that_measured_nothing_is_not_green(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    judge.script([fails(500)], repeat_last=True)
    project.pytester.makeconftest(QUICK)
    project.test("""
from ferry import case
from pytest_ragassert import assert_faithful

def test_one():
    assert_faithful(case("one", "Boat 1 is new."))

def test_two():
    assert_faithful(case("two", "Boat 2 is new."))

def test_plain():
    pass
""")
    project.judged_by(judge)
    result = project.run(SKIP, "--ragassert-artifacts=out", *workers)
    assert result.parseoutcomes() == {"passed": 1, "skipped": 2}
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert sum("nothing was measured" in line for line in section(result)) == 1
    assert outcome(result)["failed-by"] == "judge-errors"
    (path,) = project.path.glob("out/results_*")
    file = ResultsFile.model_validate_json(path.read_text())
    assert file.exit_status == 1
    assert file.outcome is not None
    written = json.loads(path.read_text())["outcome"]
    told = {name: str(value) for name, value in written.items() if value is not None}
    assert told == {name.replace("-", "_"): value for name, value in outcome(result).items()}


def test_an_outage_hides_no_failure_beside_it(project: Project, judge: LoopbackJudge) -> None:
    judge.on(lambda r: r.step == "judge_passages", fails(503))
    project.test("""
from ferry import BAD, GOOD, case
from pytest_ragassert import assert_faithful, assert_rag, evaluate

def test_several():
    assert_rag(case("several", BAD), context_relevance=0.5, faithfulness=0.8)

def test_fine_but_for_it():
    assert_rag(case("fine"), context_relevance=0.5, faithfulness=0.8)

def test_mistake():
    evaluate(case("mistake"), ["context_relevance", "context_recall"])
""")
    project.judged_by(judge)
    result = project.run(SKIP)
    assert result.parseoutcomes() == {"failed": 2, "skipped": 1}
    told = [line for line in result.outlines if line.startswith("E  ")]
    assert "RagAssertionError: faithfulness 0." in told[0]
    assert "MissingFieldError: context_recall needs the field" in told[1]
    assert (outcome(result)["assertions"], outcome(result)["other"]) == ("1", "1")


def test_every_way_an_error_leaves_a_test(project: Project, judge: LoopbackJudge) -> None:
    judge.on(named, fails(503))
    project.test(f"""
import unittest
import pytest
from ferry import BAD, GOOD, case
from pytest_ragassert import JudgeError, RagAssertionError, assert_faithful

class Several(Exception):
    def __init__(self, *exceptions):
        self.exceptions = exceptions

def raised(case):
    with pytest.raises((JudgeError, RagAssertionError)) as info:
        assert_faithful(case)
    return info.value

class TestOld(unittest.TestCase):
    def test_unittest(self):
        assert_faithful({LOST})

@pytest.mark.xfail
def test_expected():
    assert_faithful({LOST})

@pytest.fixture
def late():
    yield
    assert_faithful({LOST})

def test_teardown(late):
    assert_faithful(case("fine"))

def test_group():
    raise Several(Several(raised({LOST})), raised({LOST}))

def test_mixed_group():
    raise Several(raised({LOST}), raised(case("below", BAD)))

def test_handled():
    raised({LOST})
""")
    project.judged_by(judge)
    result = project.run(SKIP, "-rA")
    assert result.parseoutcomes() == {"skipped": 4, "passed": 2, "failed": 1}
    assert any(line.startswith("FAILED test_it.py::test_mixed_group") for line in result.outlines)
    last = outcome(result)
    assert (last["skipped"], last["assertions"], last["judge-errors"]) == ("4", "1", "1")
    assert last["failed-by"] == "both"


@pytest.mark.parametrize(
    ("raised", "skips"),
    [
        ("ConnectionError('away')", True),
        ("TimeoutError('away')", True),
        ("APIConnectionError('away')", True),
        ("StatusError(529)", True),
        ("StatusError(429)", True),
        ("StatusError(401)", False),
        ("StatusError(404)", False),
        ("StatusError(400)", False),
        ("NameError('away')", False),
        ("AssertionError('away')", False),
    ],
)
def test_a_judge_of_a_hook_that_is_away_skips_and_one_that_is_wrong_fails(
    project: Project, raised: str, skips: bool
) -> None:
    project.pytester.makeconftest(f"""
class APIConnectionError(Exception): ...

class StatusError(Exception):
    def __init__(self, status_code): self.status_code = status_code

class Judge:
    id = "mine"

    def run(self, step, input):
        raise {raised}

def pytest_ragassert_make_judge(config, name):
    return Judge()
""")
    project.test("""
from ferry import case
from pytest_ragassert import assert_faithful

def test_one():
    assert_faithful(case("one"))
""")
    result = project.run("--ragassert-judge=mine", SKIP, "-rs")
    assert result.parseoutcomes() == {("skipped" if skips else "failed"): 1}
    if skips:
        result.stdout.fnmatch_lines(["SKIPPED*judge error (*): faithfulness of case one*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_an_unknown_judge_is_no_outage(project: Project) -> None:
    project.test("""
from ferry import case
from pytest_ragassert import assert_faithful

def test_one():
    assert_faithful(case("one"))
""")
    assert project.run("--ragassert-judge=mine", SKIP).ret == pytest.ExitCode.USAGE_ERROR


def test_reruns_count_their_last_try(project: Project, judge: LoopbackJudge) -> None:
    pytest.importorskip("pytest_rerunfailures")
    project.test("""
from ferry import BAD, GOOD, case
from pytest_ragassert import assert_faithful

tries = []

def test_flaky():
    tries.append(1)
    assert_faithful(case("flaky", BAD if len(tries) < 2 else GOOD))
""")
    project.judged_by(judge)
    result = project.run("--reruns=2", use=("rerunfailures",))
    assert result.parseoutcomes() == {"passed": 1, "rerun": 1}
    assert (outcome(result)["failed-by"], outcome(result)["assertions"]) == ("none", "0")


UNMADE = [
    ({"ALL_PROXY": "socks5://bob:hunter2secret@p:1"}, "ALL_PROXY names a SOCKS proxy", "socksio"),
    ({"https_proxy": "htp://bob:hunter2secret@p:1"}, "https_proxy names a proxy", "NO_PROXY"),
    ({"HTTPS_PROXY": "http://p:notaport"}, "HTTPS_PROXY names a proxy", "http://HOST:PORT"),
    ({"SSL_CERT_FILE": "/missing"}, "SSL_CERT_FILE names certificates", "unset it"),
]


@pytest.mark.parametrize(("environ", "named", "advice"), UNMADE)
def test_what_keeps_a_client_from_being_made_is_told_once(
    project: Project, environ: dict[str, str], named: str, advice: str
) -> None:
    project.set(OPENAI_API_KEY="sk-any-key-0123", OPENAI_BASE_URL="https://127.0.0.1:9/v1")
    project.set(**environ)
    project.test(
        """
        import pytest
        from ferry import case
        from pytest_ragassert import assert_faithful, evaluate

        @pytest.mark.parametrize("n", range(4))
        def test_it(n):
            assert_faithful(case(f"c{n}", f"Boat number {n} is new."))

        def test_collects():
            found = evaluate([case("a"), case("b")], ["faithfulness"], on_error="collect")
            assert [one.errors["faithfulness"].kind for one in found] == ["configuration"] * 2
        """
    )
    # a mistake is no outage
    result = project.run("--showlocals", "--ragassert-on-judge-error=skip")
    result.assert_outcomes(failed=4, passed=1)
    assert len(result.outlines) < 40
    told = [line for line in result.outlines if "faithfulness not measured: no client" in line]
    assert all(named in line and advice in line for line in told)
    assert "judge errors (not measured): 6: 6 configuration" in section(result)
    assert "hunter2secret" not in str(result.stdout)


@BOTH
@pytest.mark.parametrize("answered", [False, True], ids=["away", "one answered"])
def test_a_run_whose_judge_measured_nothing_is_not_green(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...], answered: bool
) -> None:
    if answered:
        judge.on(named, fails(503))
    else:
        judge.script([fails(500)], repeat_last=True)
    project.pytester.makeconftest(QUICK)
    project.test(f"""
from ferry import GOOD, case
from pytest_ragassert import EvalCase, assert_faithful, assert_mrr

def test_lost():
    assert_faithful({LOST})

def test_other():
    assert_faithful(case("other"))

def test_ids():
    assert_mrr(EvalCase(retrieved_context_ids=["a"], ground_truth_context_ids=["a"]), min=1)
""")
    project.judged_by(judge)
    result = project.run(SKIP, "--ragassert-markdown=out.md", *workers)
    lines, last = section(result), outcome(result)
    said = (
        "the judge measured nothing, so the run fails: each test that needs the judge was skipped "
        "because of a judge error"
    )
    page = (project.path / "out.md").read_text(encoding="utf-8")
    if answered:
        assert result.parseoutcomes() == {"passed": 2, "skipped": 1}
        assert (result.ret, last["failed-by"]) == (0, "none")
        assert said not in lines
        assert "judged" not in last
        return
    assert result.parseoutcomes() == {"passed": 1, "skipped": 2}
    assert (result.ret, last["failed-by"]) == (1, "judge-errors")
    assert said in lines
    assert (last["measured"], last["judged"]) == ("1", "0")
    assert "the judge measured nothing" in page
