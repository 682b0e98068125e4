"""`python -m pytest_ragassert rejudge`: another judge about the same answers, before it judges."""

from __future__ import annotations

import json
import re

import pytest

from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project
from .test_results_commands import command, results

project = pytest.fixture(new_project)

TESTS = """
import pytest
from ferry import GOOD, ODD, case
from pytest_ragassert import assert_correct, assert_faithful, evaluate

@pytest.mark.parametrize("n", range(7))
def test_case(n):
    assert_faithful(case(f"c{n}", GOOD + " Dogs are not allowed on board."), min=0.6)

def test_class():
    turns = [{"role": "user", "content": "How often does the tram run?"}]
    reference = "It runs every 40 minutes."
    assert_correct(case("class", GOOD, ground_truth_answer=reference, history=turns))

def test_price():
    evaluate(case("price", GOOD + " " + ODD), {"faithfulness": {"strict_mode": True}})
"""


def is_strict(judge: LoopbackJudge) -> None:
    """judge-b finds no evidence for dogs, and calls every answer wrong."""

    def reply(recorded: Recorded) -> str | None:
        if recorded.body["model"] != "judge-b":
            return None
        if recorded.step == "classify_answer":
            return json.dumps({"reason": "so", "label": "WRONG"})
        if recorded.step == "verify_claims" and "Dogs" in str(recorded.data["claims"]):
            verdicts = ["FULLY_SUPPORTED", "NO_EVIDENCE"]
            return json.dumps(
                {
                    "verdicts": [
                        {"id": claim["id"], "verdict": verdicts["Dogs" in claim["text"]]}
                        for claim in recorded.data["claims"]
                    ]
                }
            )
        return None

    judge.on(reply)


def test_what_another_judge_changes_is_shown(
    project: Project,
    judge: LoopbackJudge,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    project.pytester.makeini("[pytest]\nragassert_prices =\n    judge-b 100 1000\n")
    file = results(project, "r")
    is_strict(judge)
    args = ["rejudge", str(file), "--from", "gpt-4o-mini", "--to", "judge-b"]
    asked = judge.count()
    status, shown = command(project, monkeypatch, capsys, *args)
    assert (status, judge.count()) == (2, asked), "the estimate alone"
    assert shown.startswith(
        "judge-b will be asked about 9 results of gpt-4o-mini, 9 cases\nat most "
    )
    usage = json.loads(file.read_text())["usage"]
    assert usage["judgements"] > usage["questions"] > 1
    assert f"at most {usage['judgements']} judgements that are not stored" in shown
    assert re.search(r"tokens: about \d+ prompt, \d+ completion", shown)
    assert ", cost 0." in shown
    assert "nothing was asked; to ask, add --yes" in shown

    status, shown = command(project, monkeypatch, capsys, *args, "--yes")
    assert status == 0
    before, again = (r.data for r in judge.requests if r.step == "classify_answer")
    assert before == again
    assert before["history"] == [{"role": "user", "content": "How often does the tram run?"}]
    lines = shown.splitlines()[2:]
    assert lines[:3] == [
        f"against {file} (judge gpt-4o-mini): 9 cases compared",
        "metric                  n before  after  change    95% interval  visible drop",
        "answer_class            1   1.00   0.00  -1.000               -             -",
    ]
    assert lines[3].startswith("faithfulness            8   0.88   0.44  -0.438")
    flip = "      supported -> no evidence: Dogs are not allowed on board."
    assert (
        lines[lines.index("  c0  faithfulness 1.00 -> 0.50  (the same texts, another judge)") + 1]
        == flip
    )
    begins = lines.index("minimums that start failing: 8")
    assert lines[begins + 1] == (
        "  c0  faithfulness 0.50 < 0.60, was 1.00  (test_it.py::test_case[0])"
    )
    assert lines[begins + 8] == (
        "  class  answer_class CORRECT -> WRONG, was 1.00  (test_it.py::test_class)"
    )
    assert "minimums that stop failing: 0" in lines

    after = judge.count()
    command(project, monkeypatch, capsys, *args, "--yes")
    failed = project.run("--ragassert-model=judge-b")
    assert failed.parseoutcomes() == {"failed": 8, "passed": 1}
    assert judge.count() == after, "what it said is stored, and the tests ask nothing"


def test_what_is_added_to_requests(
    project: Project,
    judge: LoopbackJudge,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    file = results(project, "r")
    judge.reset()
    args = ["rejudge", str(file), "--from", "gpt-4o-mini", "--to", "judge-b", "--yes"]
    added = ["--extra-body", '{"thinks": false}', "--header", "X-Route: eu", "--header", "X-B: 2"]
    assert command(project, monkeypatch, capsys, *args, *added)[0] == 0
    for request in judge.requests:
        assert request.body["thinks"] is False
        assert (request.headers["x-route"], request.headers["x-b"]) == ("eu", "2")


def test_the_offline_judge_costs_nothing(
    project: Project,
    judge: LoopbackJudge,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    file = results(project, "r")
    asked = judge.count()
    status, shown = command(
        project,
        monkeypatch,
        capsys,
        "rejudge",
        str(file),
        "--from",
        "gpt-4o-mini",
        "--to",
        "offline",
        "--yes",
    )
    assert (status, judge.count()) == (0, asked)
    assert "note: --yes has no effect: offline-3 costs nothing" in shown
    assert "9 cases compared" in shown
    # and back, without tokens to go by
    project.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    offline = results(project, "o", "--ragassert-judge=offline")
    back = ["rejudge", str(offline), "--from", "offline-3", "--to", "judge-b", "--yes"]
    status, shown = command(project, monkeypatch, capsys, *back)
    assert (status, "the variable OPENAI_API_KEY is not set" in shown) == (1, True)
    project.judged_by(judge)
    status, shown = command(project, monkeypatch, capsys, *back)
    assert status == 0
    assert "about 0 prompt" not in shown


def test_what_can_t_be_asked_is_told(
    project: Project,
    judge: LoopbackJudge,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project.test(TESTS)
    file = results(project, "r")
    status, shown = command(
        project, monkeypatch, capsys, "rejudge", str(file), "--from", "nobody", "--to", "offline"
    )
    assert status == 2
    assert "no results of judge nobody; it has those of offline-3" in shown
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "cases": {}}))
    args = ["rejudge", str(file), "--from", "offline-3", "--to", "offline"]
    status, shown = command(project, monkeypatch, capsys, *args)
    assert (status, "has no texts to ask about" in shown) == (2, True)
    for record in data["results"]:
        record["metric"] = "gone"
    file.write_text(json.dumps(data))
    status, shown = command(project, monkeypatch, capsys, *args)
    assert (status, "unknown metric 'gone'" in shown) == (2, True)


def test_outages_are_told_and_fail_the_command(
    project: Project,
    judge: LoopbackJudge,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project.test(TESTS)
    file = results(project, "r")
    project.judged_by(judge)
    judge.on(lambda recorded: "no JSON" if "reservations" in str(recorded.data) else None)
    status, shown = command(
        project,
        monkeypatch,
        capsys,
        "rejudge",
        str(file),
        "--from",
        "offline-3",
        "--to",
        "m",
        "--yes",
    )
    assert status == 1
    assert "not measured: faithfulness of case price not measured" in shown
