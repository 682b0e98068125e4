"""The set of a run: claims one by one, labelled answers that a metric is wrong about, figures."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import DebugClaim, ErrorCase, ResultsFile
from tests.loopback.erring import erring
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project
from .test_example import EXAMPLE, outcomes, run

project = pytest.fixture(new_project)

# Six answers with labels: what people say of the fourth, fifth and sixth no judge can know.
LABELLED = """
import pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_context_relevance, assert_faithful

CASES = [
    case("good", GOOD, label="correct"),
    case("bad", ODD + " " + GOOD + " " + BAD, label="incorrect"),
    case("silent", "I don't know.", label="correct"),
    case("alarm", BAD, label="correct", question="What? \\ud800"),
    case("miss", GOOD + " Boat \\udfff is new.", label="incorrect", minimums={"faithfulness": 0}),
    case("blank", " ", label="incorrect"),
    case("unlabelled", BAD),
]

@pytest.mark.rag_cases(CASES)
def test_it(rag_case):
    assert_context_relevance(rag_case, min=0)
    assert_faithful(rag_case)
"""
Set = tuple[ResultsFile, list[DebugClaim], list[ErrorCase]]


def read(folder: Path) -> Set:
    """The set, of which each line is what it says it is."""
    (path,) = folder.glob("results_*.json")
    texts = [
        folder.joinpath(f).read_text("ascii") for f in ("debug_claims.jsonl", "error_cases.jsonl")
    ]
    claims = [DebugClaim.model_validate_json(line) for line in texts[0].splitlines()]
    errors = [ErrorCase.model_validate_json(line) for line in texts[1].splitlines()]
    assert texts == ["".join(line.to_text() for line in lines) for lines in (claims, errors)]
    assert len(list(folder.iterdir())) == 3
    results = ResultsFile.model_validate_json(path.read_bytes())
    assert {line.run for line in [*claims, *errors]} <= {results.run}
    return results, claims, errors


def written(project: Project, *args: str) -> Set:
    shutil.rmtree(project.path / "out", ignore_errors=True)
    project.run("--ragassert-artifacts=out", "--ragassert-record-mode=off", *args)
    return read(project.path / "out")


def without_run(found: Set) -> list[Any]:
    """What is the same from any number of workers.

    Tokens are not: judgements share requests with what is not known yet when they are asked for.
    """
    results, claims, errors = found
    tokens = {"prompt", "completion"}
    own = results.model_dump(exclude={"run": True, "started": True, "ended": True, "usage": tokens})
    return [own, *(line.model_dump(exclude={"run", "top_claims"}) for line in [*claims, *errors])]


def test_labelled_cases(project: Project, judge: LoopbackJudge) -> None:
    project.test(LABELLED)
    project.judged_by(judge)
    results, claims, errors = written(project)
    assert results.ground_truth == {"correct": 3, "incorrect": 3, "unlabelled": 1}
    assert list(results.against_truth) == ["faithfulness"]
    found = results.against_truth["faithfulness"]
    assert (found.tp, found.fn, found.fp, found.tn) == (1, 1, 1, 1)
    assert (found.recall, found.precision, found.f1, found.balanced_accuracy) == (0.5,) * 4
    assert (found.decided, found.abstained) == (4, 2)
    assert found.coverage == pytest.approx(4 / 6)
    by_case = {r.case: r for r in results.results if r.metric == "faithfulness"}
    assert (by_case["bad"].truth, by_case["unlabelled"].truth) == ("incorrect", None)

    alarm, miss = errors
    assert (alarm.case, alarm.kind, alarm.said, alarm.truth) == (
        "alarm",
        "false_positive",
        "incorrect",
        "correct",
    )
    assert (alarm.question, alarm.score, alarm.minimum) == ("What? \ud800", 0, 0.8)
    assert alarm.top_span is not None
    assert (alarm.top_span.start, alarm.top_span.label) == (0, "incorrect")
    assert alarm.top_span.text == alarm.answer == "The crossing costs 5 euros."
    assert alarm.label_counts == {"correct": 0, "uncertain": 0, "incorrect": 1}
    assert (miss.case, miss.kind, miss.said) == ("miss", "false_negative", "correct")
    assert miss.top_span is not None
    assert miss.answer is not None
    assert miss.top_span.text == miss.answer[miss.top_span.start : miss.top_span.end]
    assert miss.top_span.text == "Boat \udfff is new."
    assert miss.top_span.label == "uncertain"
    assert [claim.label_final for claim in miss.top_claims] == ["uncertain", "correct"]

    (bad,) = (one for one in claims if one.case == "bad" and one.place == 2)
    assert (bad.text, bad.truth, bad.metric) == (
        "The crossing costs 5 euros.",
        "incorrect",
        "faithfulness",
    )
    assert (bad.label_raw.value, bad.verdict.value) == ("CONTRADICTORY", "CONTRADICTORY")
    assert (bad.label_final, bad.evidence_found, bad.gate_reason) == ("incorrect", True, None)
    assert (bad.quote, bad.passage) == ("The crossing costs 9 euros.", 1)
    assert (bad.quote_span, bad.judge) == ((33, 60), "gpt-4o-mini")
    assert [(one.quote, one.passage, one.span, one.verified) for one in bad.evidence] == [
        (bad.quote, 1, (33, 60), True)
    ]
    assert {one.nodeid for one in claims if one.case == "bad"} == {"test_it.py::test_it[bad]"}

    evidence = results.evidence["faithfulness"]
    assert evidence.claims == len(claims) == 8
    assert evidence.labels == {"correct": 3, "uncertain": 2, "incorrect": 3}
    assert evidence.labels_raw == {"CONTRADICTORY": 3, "FULLY_SUPPORTED": 3, "NO_EVIDENCE": 2}
    assert (evidence.coverage, evidence.abstention) == (0.75, 0.25)
    assert (evidence.quotes, evidence.verified, evidence.withheld) == (6, 6, 0)
    assert evidence.quote_chars is not None
    assert (evidence.quote_chars.n, evidence.quote_chars.min, evidence.quote_chars.max) == (
        6,
        27,
        31,
    )
    assert evidence.passages is not None
    assert (evidence.passages.n, evidence.passages.mean) == (5, 1)
    assert (evidence.spans, evidence.covering) == (None, {})


EVIDENCE = """
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_evidence

def test_wrong():
    answer = ODD + " " + GOOD + " " + BAD
    assert_evidence(case("wrong", answer, label="correct", retrieved_contexts=[
        "Dogs are not allowed on board.",
        "The ferry runs every 40 minutes. The crossing costs 9 euros.",
    ]))
"""


def test_issue_spans(project: Project, judge: LoopbackJudge) -> None:
    project.test(EVIDENCE)
    project.judged_by(judge)
    results, claims, (wrong,) = written(project)
    assert results.against_truth["evidence"].fp == 1
    assert wrong.top_span is not None
    assert (wrong.top_span.text, wrong.top_span.label, wrong.top_span.severity) == (
        "The crossing costs 5 euros.",
        "incorrect",
        "high",
    )
    assert wrong.answer is not None
    assert wrong.answer[wrong.top_span.start : wrong.top_span.end] == wrong.top_span.text
    assert wrong.label_counts == {"correct": 1, "uncertain": 1, "incorrect": 1}
    assert [one.label_final for one in wrong.top_claims] == ["incorrect", "uncertain", "correct"]
    assert [one.label_final for one in claims] == ["uncertain", "correct", "incorrect"]
    for one in claims:
        assert one.selection_reason
        assert one.looked_at is not None
        assert one.raw_reply is not None
        assert one.raw_reply["verdict"] == one.label_raw.value
    assert [one.coverage_ok for one in claims] == [None, True, True]
    assert [one.evidence_found for one in claims] == [False, True, True]
    figures = results.evidence["evidence"]
    assert figures.covering == {"yes": 2, "no": 0}
    assert figures.spans is not None
    assert (figures.spans.n, figures.spans.with_evidence) == (2, 1)
    assert figures.spans.labels == {"uncertain": 1, "incorrect": 1}
    assert figures.spans.severities == {"high": 1, "medium": 1}
    assert figures.spans.chars is not None
    assert (figures.spans.chars.min, figures.spans.chars.max) == (27, 27)
    assert figures.spans.quote_chars is not None
    assert figures.spans.quote_chars.n == 1


def test_what_the_gate_withheld(project: Project, judge: LoopbackJudge) -> None:
    judge.on(erring(invented=1.0))
    project.test(LABELLED)
    project.judged_by(judge)
    results, claims, errors = written(project)
    held = [claim for claim in claims if claim.gate_reason]
    assert len(held) == 5
    assert results.evidence["faithfulness"].withheld == 5
    assert {(one.label_raw.value, one.label_final, one.evidence_found) for one in held} == {
        ("CONTRADICTORY", "uncertain", False)
    }
    assert all(one.gate_reason and "judge says contradicted" in one.gate_reason for one in held)
    assert {one.case for one in errors} == {"good", "alarm", "miss"}


def test_workers_write_the_same_set(project: Project, judge: LoopbackJudge) -> None:
    pytest.importorskip("xdist")
    project.test(LABELLED)
    project.judged_by(judge)
    sets = []
    for args in ([], ["-n", "2"]):
        judge.reset()
        sets.append(written(project, *args))
        usage = sets[-1][0].usage
        assert usage is not None
        assert usage.prompt == sum(request.prompt_tokens for request in judge.requests) > 0
    serial, parallel = map(without_run, sets)
    assert serial == parallel


# The second has the first one's sentence, and another behind it.
TWO = """
from ferry import GOOD, case
from pytest_ragassert import assert_faithful

def test_one():
    assert_faithful(case("one", GOOD))

def test_two():
    assert_faithful(case("two", GOOD + " Boat 2 is new."), min=0)
"""
BACKWARDS = """
def pytest_collection_modifyitems(items):
    items.reverse()
"""


def test_tokens_are_those_of_the_requests_whichever_sentences_share_one(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(TWO)
    project.judged_by(judge)
    sets, counts, tokens = [], [], []
    for conftest in ("", BACKWARDS):
        judge.reset()
        project.pytester.makeconftest(conftest)
        sets.append(written(project, "--ragassert-prefetch=off"))
        usage = sets[-1][0].usage
        assert usage is not None
        counts.append(judge.count())
        tokens.append(usage.prompt)
        assert usage.prompt == sum(request.prompt_tokens for request in judge.requests)
    # sentences and claims of the second are asked for together where it comes first
    assert counts == [4, 2]
    assert tokens[0] > tokens[1]
    assert [found[0].results[0].requests for found in sets] == [2, 2]
    forwards, backwards = map(without_run, sets)
    assert forwards == backwards


def test_no_lines_of_an_earlier_run_are_left(project: Project, judge: LoopbackJudge) -> None:
    project.test(LABELLED)
    project.judged_by(judge)
    project.run("--ragassert-artifacts=out")
    folder = project.path / "out"
    assert (folder / "error_cases.jsonl").read_text("ascii")
    project.run("--ragassert-artifacts=out", "-k", "good")
    assert len(list(folder.glob("results_*"))) == 2
    assert (folder / "error_cases.jsonl").read_text("ascii") == ""
    lines = (folder / "debug_claims.jsonl").read_text("ascii").splitlines()
    assert [json.loads(line)["case"] for line in lines] == ["good"]


def test_a_file_that_comes_in_the_way_is_told(project: Project, judge: LoopbackJudge) -> None:
    in_the_way = "import pathlib\npathlib.Path('out/debug_claims.jsonl').mkdir(parents=True)\n"
    project.test(in_the_way + LABELLED)
    project.judged_by(judge)
    result = project.run("--ragassert-artifacts=out")
    folder = project.path / "out"
    assert f"note: no debug_claims.jsonl in {folder}: Is a directory" in result.outlines
    assert (
        sorted(path.name for path in folder.iterdir() if path.is_file())[0] == "error_cases.jsonl"
    )
    assert len(list(folder.iterdir())) == 3


def test_a_real_run_of_the_example(
    tmp_path: Path, forked_python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an index that was not rebuilt, so that some answers are wrong."""
    monkeypatch.setattr(sys, "executable", forked_python)
    pytest.importorskip("xdist")
    ignored = shutil.ignore_patterns(".*", "__pycache__")
    shutil.copytree(EXAMPLE, tmp_path / EXAMPLE.name, ignore=ignored)
    found = []
    for workers in ([], ["-p", "xdist", "-n", "2"]):
        out = tmp_path / f"out{len(workers)}"
        verdicts = "ragassert_verdicts=verdicts_last_season.jsonl"
        stale = ["-o", "ferry_index=last_season", "-o", verdicts]
        done = run(tmp_path, EXAMPLE.name, *stale, f"--ragassert-artifacts={out}", *workers)
        assert outcomes(done)["failed"] > 0, done.stdout + done.stderr
        found.append(read(out))
    serial, parallel = (without_run(each) for each in found)
    for one in (serial, parallel):
        one[0]["settings"].pop("artifacts")
    assert serial == parallel
    results, claims, errors = found[0]
    assert errors == []  # its cases have no labels
    assert (results.against_truth, set(results.ground_truth)) == ({}, {"unlabelled"})
    assert len(claims) == sum(len(result.claims) for result in results.results)
    assert results.evidence["faithfulness"].labels["correct"] > 30
    wrong = [claim for claim in claims if claim.label_final == "incorrect"]
    assert len(wrong) >= 5
    assert all(claim.evidence_found and claim.quote for claim in wrong)
