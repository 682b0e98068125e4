"""Citations in whole runs: verdicts are recorded, replayed, decided and looked up as all are."""

from __future__ import annotations

import json
import re

import pytest

from pytest_ragassert.commands.command_line import main
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section, table
from .test_committed import UPDATE
from .test_decided import lacking
from .test_unjudged_tests import WORKERS

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

PRICE = "The crossing costs 9 euros."
TESTS = """
from ferry import case
from pytest_ragassert import assert_citations, evaluate

RUNS = "The ferry runs every 40 minutes [2]. "

def test_fails():
    result = RUNS.replace("2", "1") + "The crossing costs 9 euros [2]. Dogs pay [7]."
    assert_citations(case("fails", result))

def test_holds():
    assert_citations(case("holds", RUNS + "The crossing costs 9 euros [2]."), min=0.5)

def test_open():
    assert_citations(case("open", "The crossing costs 9 euros [2]."))

def test_known():
    assert_citations(case("known", RUNS.replace("[2]", "[1][2]")), min=0.5)
"""


def without_marks(judge: LoopbackJudge) -> None:
    """Each sentence is a claim, without its marks, as a model writes it."""

    def reply(recorded: Recorded) -> str:
        claims = [
            {"sentence": one["id"], "text": re.sub(r"(?:\s?\[\d\])+", "", one["text"])}
            for one in recorded.data["sentences"]
        ]
        return json.dumps({"claims": claims})

    judge.on("extract_claims", reply)


@WORKERS
def test_a_replay_decides_what_no_verdict_could_change(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    without_marks(judge)
    lacking(project, judge, TESTS, PRICE)
    result = project.process(*workers)
    assert result.parseoutcomes() == {"passed": 2, "failed": 2}
    assert table(result) == [
        "case fails  How often does the ferry run?",
        "citation_recall 0.00 to 0.33 < 0.80   3 claims: 2 no evidence, 1 not judged",
        "  judge gpt-4o-mini, stored",
        "  answer: ⟦The ferry runs every 40 minutes [1].⟧ The crossing costs 9 euros [2].",
        "          ⟦Dogs pay [7].⟧",
        '  [1] "Dogs are not allowed on board."                                not quoted',
        '  [2] "The ferry runs every 40 minutes. The crossing costs 9 euros."  not quoted',
        "  ? The ferry runs every 40 minutes.                                  not in [1]",
        '      nearest [2] "The ferry runs every 40 minutes."                 answer 0-36',
        "  ? Dogs pay.                                             its [7] points nowhere",
        '      nearest [1] "Dogs are not allowed on board."                  answer 69-82',
        "citation_precision 0.00 to 0.33 < 0.80",
    ]
    assert section(result, "ragassert: no stored verdict")[1:5] == [
        "decided all the same, whatever is missing: 2 fail and 2 hold",
        "  fails: 1 of 2 claims not judged; citation_recall fails all the same;"
        " citation_precision fails all the same",
        "  holds: 1 of 2 claims not judged; citation_recall holds all the same;"
        " citation_precision holds all the same",
        "  open: 1 of 1 claim not judged",
    ]


def test_the_id_of_a_failed_claim_is_of_what_its_sentence_cites(
    project: Project, judge: LoopbackJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    """An override of it counts for these passages alone."""
    without_marks(judge)
    project.judged_by(judge)
    project.set(RAGASSERT_VERDICTS=str(project.path / "verdicts.jsonl"))
    project.test(TESTS)
    failed = project.run("-k", "fails")
    (id,) = set(re.findall(r"verdicts show (\w+)", failed.stdout.str()))
    capsys.readouterr()
    assert main(["verdicts", "show", id]) == 0
    shown = capsys.readouterr().out
    assert "[1] Dogs are not allowed on board." in shown
    assert "[2]" not in shown
    assert main(["verdicts", "override", id, "FULLY_SUPPORTED", "--reason", "meant"]) == 0
    asked = judge.count()
    again = project.run("-k", "fails")
    assert judge.count() == asked
    assert "citation_recall 0.67 < 0.80" in again.stdout.str()
    assert "citation_precision 0.67 < 0.80" in again.stdout.str()


PLANNED = """
import pytest
from pytest_ragassert import EvalCase, assert_citations

CONTEXTS = ["The ferry runs every 40 minutes.", "The crossing costs 9 euros."]
ANSWERS = [
    "The ferry runs every 40 minutes [1]. The crossing costs 9 euros [2].",
    "The crossing costs 9 euros [2][1]. The ferry runs every 40 minutes.",
]
CASES = [
    EvalCase(id=f"c{number}", question="What?", answer=answer, retrieved_contexts=CONTEXTS)
    for number, answer in enumerate(ANSWERS)
]

@pytest.mark.rag_cases(CASES)
def test_it(rag_case):
    assert_citations(rag_case, min=0)
"""


def test_what_is_asked_is_what_was_planned(project: Project, judge: LoopbackJudge) -> None:
    project.judged_by(judge)
    project.test(PLANNED)
    planned = project.run("--ragassert-plan").stdout.str()
    assert judge.count() == 0
    # four sentences; a citation alone is one verdict, two are three
    assert "\njudgements: 9 to ask, 0 stored, 0 carried (7 requests)" in planned
    run = project.run()
    run.assert_outcomes(passed=2)
    assert "\njudgements: 9 asked, 0 stored, 0 carried (7 requests)" in run.stdout.str()


def test_a_changed_passage_is_told_as_such(project: Project, judge: LoopbackJudge) -> None:
    project.judged_by(judge)
    project.set(RAGASSERT_VERDICTS=str(project.path / "verdicts.jsonl"))
    project.test(PLANNED)
    project.run(UPDATE)
    project.test(PLANNED.replace('9 euros."]', '8 euros."]'))
    told = section(project.run())
    assert "asked again: 2 passages changed" in told
    # what rests on the other passage alone stays
    assert any(line.startswith("judgements: 2 asked, 6 stored, 1 carried") for line in told)
