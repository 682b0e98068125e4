"""A replay that lacks verdicts decides the tests that no verdict could change, and no others."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pytest_ragassert.analysis.records.results_file import ResultsFile
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section, table
from .test_committed import UPDATE, recorded
from .test_unjudged_tests import WORKERS

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

DOGS = "Dogs are not allowed on board."
PRICE = "The crossing costs 9 euros."
BICYCLES = "Bicycles need reservations."
TESTS = f"""
from ferry import BAD, CONTEXTS, GOOD, ODD, case
from pytest_ragassert import assert_context_relevance, assert_faithful, assert_rag, evaluate

DOGS, PRICE = "{DOGS}", "{PRICE}"

def test_fails():
    assert_faithful(case("fails", " ".join([ODD, GOOD, BAD])), min=0.8)

def test_holds():
    result = assert_faithful(case("holds", " ".join([DOGS, GOOD, PRICE])), min=0.3)
    if result.interval is not None:
        assert result.passed
        assert result.score == result.interval[0] == 1 / 3
        assert result.interval[1] == 1
        assert [claim.text for claim in result.claims] == [DOGS, GOOD]

def test_open():
    assert_faithful(case("open", " ".join([GOOD, PRICE])), min=0.8)

def test_known():
    assert_faithful(case("known", GOOD))

def test_evaluated():
    evaluate(case("evaluated", " ".join([GOOD, PRICE])), ["faithfulness"])
"""


def lacking(project: Project, judge: LoopbackJudge, source: str, *claims: str) -> Path:
    """The project in CI, without the verdicts on some claims."""
    path = recorded(project, judge)
    project.test(source)
    project.judged_by(judge)
    project.run(UPDATE)
    project.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    lines = path.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not _is_on(json.loads(line), claims)]
    assert {json.loads(line)["about"] for line in set(lines) - set(kept)} == set(claims)
    path.write_text("".join(kept), "utf-8")
    project.set(CI="true")
    return path


def _is_on(line: dict[str, object], claims: tuple[str, ...]) -> bool:
    return line["step"] != "extract_claims" and line["about"] in claims


def results(project: Project) -> ResultsFile:
    (path,) = (project.path / "out").glob("results_*.json")
    return ResultsFile.model_validate_json(path.read_text("utf-8"))


@WORKERS
def test_what_no_verdict_could_change_is_decided(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    lacking(project, judge, TESTS, PRICE, BICYCLES)
    result = project.process("--junitxml=junit.xml", "--ragassert-artifacts=out", *workers)
    assert result.parseoutcomes() == {"passed": 2, "failed": 3}
    # an assertion, with what is known
    assert table(result) == [
        "case fails  How often does the ferry run?",
        "faithfulness 0.00 to 0.33 < 0.80   3 claims: 1 contradicted, 1 supported, 1 not…",
        "  judge gpt-4o-mini, stored",
        "  answer: Bicycles need reservations. The ferry runs every 40 minutes. ⟦The",
        "          crossing costs 5 euros.⟧",
        '  [1] "Dogs are not allowed on board."                                not quoted',
        '  [2] "The ferry runs every 40 minutes. The crossing costs 9 euros."      quoted',
        "  ✗ The crossing costs 5 euros.                                     contradicted",
        '      [2] "The crossing costs 9 euros."                             answer 61-88',
        "where it broke: the answer added 1 claim (contradicted); check the prompt",
    ]
    failures = {line.strip("_ ") for line in result.outlines if line.startswith("____")}
    assert failures == {"test_fails"}
    lines = [line for line in result.outlines if line.startswith("FAILED ")]
    assert sum(" - faithfulness 0.00 to 0.33 < 0.80: case " in line for line in lines) == 1
    assert sum(" - VerdictMissing: faithfulness of case " in line for line in lines) == 2
    told = section(result, "ragassert: no stored verdict")
    assert told[:5] == [
        "3 of 5 claims known, 2 not judged in 4 of 5 cases",
        "decided all the same, whatever is missing: 1 fails and 1 holds",
        "  evaluated: 1 of 2 claims not judged",
        "  fails: 1 of 3 claims not judged; faithfulness fails all the same",
        "  holds: 1 of 3 claims not judged; faithfulness holds all the same",
    ]
    assert outcome_of(result)["failed-by"] == "assertions"
    assert (outcome_of(result)["assertions"], outcome_of(result)["missing"]) == ("1", "2")
    # they enter no figure, and are no numbers
    (figures,) = (line for line in section(result) if line.startswith("faithfulness "))
    assert figures.split()[:5] == ["faithfulness", "1", "1.00", "1.00", "0"]
    read = results(project)
    found = {one.nodeid.partition("::")[2]: one for one in read.results}
    assert {name: one.score for name, one in found.items()} == {
        "test_fails": None,
        "test_holds": None,
        "test_open": None,
        "test_known": 1.0,
        "test_evaluated": None,
    }
    assert found["test_fails"].interval == pytest.approx((0, 1 / 3))
    assert found["test_holds"].interval == pytest.approx((1 / 3, 1))
    assert (found["test_fails"].passed, found["test_holds"].passed) == (False, True)
    assert found["test_open"].interval is None
    assert found["test_open"].error is not None
    assert read.metrics["faithfulness"].n == 1
    failed = {
        case.attrib["name"]: case.find("failure")
        for case in ElementTree.parse(project.path / "junit.xml").iter("testcase")
    }
    open_one = failed["test_open"]
    assert open_one is not None
    start = (
        "VerdictMissing: faithfulness of case open not measured: 1 of 2 claims not judged: no st"
    )
    assert open_one.attrib["message"].startswith(start)


def outcome_of(result: pytest.RunResult) -> dict[str, str]:
    (last,) = (line for line in section(result) if line.startswith("ragassert-outcome: "))
    return dict(pair.split("=") for pair in last.split()[1:])


GATED = f"""
from ferry import BAD, GOOD, case
from pytest_ragassert import assert_faithful, assert_no_regression

LONG = " ".join([GOOD, "{DOGS}", "{PRICE}"])

def test_known():
    assert_faithful(case("known", GOOD))

def test_holds():
    assert_faithful(case("holds", LONG), min=0)

def test_before():
    assert_no_regression(case("holds", LONG), "faithfulness", tolerance=0.5)
"""


def test_gates_and_baseline_get_no_number(project: Project, judge: LoopbackJudge) -> None:
    baseline = ("--ragassert-baseline=baseline.jsonl",)
    recorded(project, judge)
    project.test(GATED)
    project.judged_by(judge)
    update = "--ragassert-update-baseline"
    assert project.run(*baseline, UPDATE, update).ret == 0
    lacking(project, judge, GATED, DOGS)
    result = project.process(
        *baseline,
        "--ragassert-gate=mean(faithfulness, n=1) >= 0.9",
        "--ragassert-gate=min(faithfulness, n=2) >= 0",
    )
    # 0.33 to 1 is not below 1 - 0.5 for sure; the other that failed is the gate
    assert result.parseoutcomes() == {"passed": 2, "failed": 2}
    lines = "\n".join(section(result))
    assert "1 measured case, fewer than n = 2" in lines
    # a run that writes the baseline wants scores
    before = (project.path / "baseline.jsonl").read_bytes()
    written = project.process(*baseline, update)
    assert written.parseoutcomes() == {"passed": 1, "failed": 2}
    assert (project.path / "baseline.jsonl").read_bytes() == before


KINDS = f"""
import pytest
from ferry import BAD, CONTEXTS, GOOD, ODD, case
from pytest_ragassert import assert_context_relevance, assert_faithful, assert_rag

@pytest.mark.rag_xfail(metric="faithfulness", reason="known")
def test_expected():
    assert not assert_faithful(case("expected", " ".join([BAD, "{PRICE}"])), min=0.9).passed

def test_relevance():
    result = assert_context_relevance(case("relevance", GOOD, retrieved_contexts=CONTEXTS), min=0)
    if result.interval is not None:
        assert [one["context"] for one in result.details["contexts"]] == [1]

def test_several():
    assert_rag(case("several", " ".join([GOOD, "{PRICE}"])), faithfulness=1, context_relevance=0)
"""


def test_known_failures_and_contexts_and_several_metrics(
    project: Project, judge: LoopbackJudge
) -> None:
    lacking(project, judge, KINDS, PRICE, DOGS)
    result = project.process("-rfxX")
    assert result.parseoutcomes() == {"passed": 1, "xfailed": 1, "failed": 1}
    (line,) = (line for line in result.outlines if line.startswith("FAILED "))
    assert " - VerdictMissing: faithfulness of case several" in line


OWN = """
import pytest
from ferry import GOOD, case
from pytest_ragassert import Metric, MetricResult, evaluate

CALLS = []

class Own(Metric):
    name = "own"
    requires = ("answer",)
    asks_only = True

    async def measure(self, case, ask, **options):
        CALLS.append(case)
        reply = await ask("extract_claims", {"text": case.answer, "question": None})
        verdicts = await ask("verify_claims", {
            "passages": [{"id": 1, "text": "Some passage or other."}],
            "claims": [{"id": n, "text": c["text"]} for n, c in enumerate(reply["claims"], 1)],
        })
        return MetricResult(metric="own", score=1.0)

def pytest_ragassert_metrics():
    return [Own()]
"""
ITS_TEST = """
from ferry import GOOD, case
from pytest_ragassert import evaluate
from pytest_ragassert.assertions import concluded
from pytest_ragassert.engine.sessions import session_for
import conftest

def test_own():
    session = session_for(None)
    job = session.job(case("own", GOOD), "own", {}, 0.0, asserted=True)
    try:
        concluded(session.measure([job])[0])
    finally:
        print("measured", len(conftest.CALLS))
"""


def test_a_custom_metric_is_never_decided_by_guess(project: Project, judge: LoopbackJudge) -> None:
    project.pytester.makeconftest(OWN)
    lacking(project, judge, ITS_TEST, "The ferry runs every 40 minutes.")
    result = project.process("-s")
    assert result.parseoutcomes() == {"failed": 1}
    assert "VerdictMissing: own of case own" in result.stdout.str()
    # nor is it measured again
    assert "measured 1" in result.stdout.str()
