"""Votes in a run: the option, the split in a failure, the flip rate and the results file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_ragassert.analysis.records.results_file import ResultsFile, VoteFigures
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section, table

project = pytest.fixture(new_project)

TESTS = """
import pytest
from ferry import BAD, GOOD, case
from pytest_ragassert import assert_context_relevance, assert_correct, assert_faithful

@pytest.mark.parametrize("n", range(3))
def test_same(n):
    assert_faithful(case("same"), strict_mode=n == 2)

def test_price():
    assert_faithful(case("price", GOOD + " " + BAD))

def test_contexts():
    assert_context_relevance(case("contexts"), min=0.1)

def test_class():
    assert_correct(case("class", BAD, ground_truth_answer="The crossing costs 9 euros."))
"""
# judgements: a claim of same and price, another of price, two contexts, a label; the price's other
# one and the label are split
VOTES_LINE = "votes: 3 a question; 2 of 5 judgements split (40.0 %)"


def wavers(judge: LoopbackJudge) -> None:
    """The sample with seed 2 finds no evidence for the price, and calls every answer correct."""

    def reply(recorded: Recorded) -> str | None:
        if recorded.body.get("seed") != 2:
            return None
        if recorded.step == "classify_answer":
            return json.dumps({"reason": "so", "label": "CORRECT"})
        if recorded.step == "verify_claims":
            verdicts = [
                {
                    "id": claim["id"],
                    "verdict": "NO_EVIDENCE" if "5 euros" in claim["text"] else "FULLY_SUPPORTED",
                }
                for claim in recorded.data["claims"]
            ]
            return json.dumps({"verdicts": verdicts})
        return None

    judge.on(reply)


def voted(project: Project, *args: str) -> pytest.RunResult:
    result = project.run("--ragassert-votes=3", "--ragassert-seed=0", *args)
    assert result.parseoutcomes() == {"passed": 4, "failed": 2}
    return result


def told(result: pytest.RunResult) -> list[str]:
    """The section's figures; tokens are those of new answers."""
    return [line.partition("; tokens")[0] for line in section(result)]


def without_requests(lines: list[str]) -> list[str]:
    return [re.sub(r" \(\d+ requests\)", "", line) for line in lines]


def test_the_split_and_the_flip_rate_are_shown(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    wavers(judge)
    result = voted(project)
    shown = result.stdout.str()
    assert "contradicted 2:1" in shown
    assert "decided by the judge, votes 2:1" in shown
    assert VOTES_LINE in section(result)
    # two sentences; two claims, two contexts and a class three times each
    assert told(result)[-2] == "judgements: 17 asked, 0 stored, 0 carried (14 requests)"
    assert judge.count() == 14

    again = voted(project, "--ragassert-record-mode=none")
    assert judge.count() == 14
    assert table(again) == [line.replace("judge gpt-4o-mini", "judge gpt-4o-mini, stored") for line
                            in table(result)]  # fmt: skip
    assert VOTES_LINE in section(again)
    assert told(again)[-2] == "judgements: 0 asked, 17 stored, 0 carried"


def test_workers_count_the_same(project: Project, judge: LoopbackJudge) -> None:
    pytest.importorskip("xdist")
    project.test(TESTS)
    project.judged_by(judge)
    wavers(judge)
    serial = told(voted(project, "--ragassert-cache-dir=by-one"))
    assert VOTES_LINE in serial
    workers = told(voted(project, "-n", "2", "--ragassert-cache-dir=by-two"))
    # tests share a claim: with what else a worker asks for it is a matter of time
    assert without_requests(workers) == without_requests(serial)


def test_the_results_file_has_votes_splits_and_the_flip_rate(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(TESTS)
    project.judged_by(judge)
    wavers(judge)
    voted(project, "--ragassert-artifacts=out")
    text = only_file(project).read_text(encoding="ascii")
    read = ResultsFile.model_validate_json(text)
    assert read.schema_version == 1
    assert read.votes == VoteFigures(fewest=3, most=3, judgements=5, split=2, flip_rate=2 / 5)
    assert (read.settings["votes"], read.settings["vote_temperature"]) == (3, None)
    by_case = {record.case: record for record in read.results}
    price = by_case["price"]
    assert (price.votes, price.judgements, price.split) == (3, 2, 1)
    assert [claim.votes for claim in price.claims] == [
        {"FULLY_SUPPORTED": 3},
        {"CONTRADICTORY": 2, "NO_EVIDENCE": 1},
    ]
    assert by_case["class"].details["votes"] == {"WRONG": 2, "CORRECT": 1}
    assert [one["votes"] for one in by_case["contexts"].details["contexts"]]

    # what a later release adds to a claim is passed over, what an earlier one lacks is empty
    data = json.loads(text)
    for record in data["results"]:
        for claim in record["claims"]:
            claim["of a later release"] = 1
            del claim["votes"]
        del record["votes"], record["judgements"], record["split"]
    del data["votes"]
    earlier = ResultsFile.model_validate(data)
    assert (earlier.votes, {record.votes for record in earlier.results}) == (None, {1})
    assert {tuple(c.votes) for record in earlier.results for c in record.claims} == {()}


def only_file(project: Project) -> Path:
    (path,) = project.path.glob("out/results_*")
    return path


ONE = """
from ferry import case
from pytest_ragassert import assert_faithful

def test_times():
    assert_faithful(case("times"))

def test_times_twice():
    assert_faithful(case("times"), votes=2)
"""


@pytest.mark.parametrize("way", ["command line", "variable", "ini"])
def test_where_the_options_may_stand(project: Project, judge: LoopbackJudge, way: str) -> None:
    project.test(ONE)
    project.judged_by(judge)
    args = []
    if way == "command line":
        args = ["--ragassert-votes=4", "--ragassert-vote-temperature=1.5"]
    elif way == "variable":
        project.set(RAGASSERT_VOTES="4", RAGASSERT_VOTE_TEMPERATURE="1.5")
    else:
        lines = "ragassert_votes = 4\nragassert_vote_temperature = 1.5"
        project.pytester.makeini(f"[pytest]\n{lines}\n")
    result = project.run(*args)
    asked = [r.body["temperature"] for r in judge.requests if r.step == "verify_claims"]
    assert sorted(asked) == [0, 1.5, 1.5, 1.5]
    # the two votes are among the four
    assert "votes: 2 to 4 a question; 0 of 1 judgement split (0.0 %)" in section(result)
    assert told(result)[-2] == "judgements: 5 asked, 0 stored, 0 carried"


def test_another_number_of_votes_is_another_measurement(
    project: Project, judge: LoopbackJudge
) -> None:
    repeated = "    assert_faithful(case('times'), votes=3)\n" * 2
    project.test(ONE.partition("def test_times_twice")[0].rstrip() + "\n" + repeated)
    project.judged_by(judge)
    (line,) = [x for x in section(project.run()) if x.startswith("faithfulness ")]
    assert line.split()[1] == "2"


def test_without_votes_nothing_is_said(project: Project, judge: LoopbackJudge) -> None:
    project.test(ONE.partition("def test_times_twice")[0])
    project.judged_by(judge)
    assert not [line for line in section(project.run()) if line.startswith("votes")]


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_offline_votes_are_one_and_that_is_told(project: Project, workers: tuple[str, ...]) -> None:
    if workers:
        pytest.importorskip("xdist")
    project.test(ONE)
    lines = section(project.run("--ragassert-votes=3", *workers))
    assert [line for line in lines if "votes" in line] == [
        "note: votes: offline-3 gives the same answer each time, so it is asked once"
    ]
    assert lines[-3] == "judgements: 2 asked, 0 stored, 0 carried"


def test_votes_that_are_no_number_are_told(project: Project, judge: LoopbackJudge) -> None:
    project.test(ONE.replace("votes=2", "votes=0"))
    project.judged_by(judge)
    result = project.run()
    assert result.parseoutcomes() == {"passed": 1, "failed": 1}
    result.stdout.fnmatch_lines(
        ["*ValueError: votes must be a whole number of samples from 1, not 0"]
    )
