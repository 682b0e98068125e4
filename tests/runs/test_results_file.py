"""The results file: everything a run measured, whole, the same however many workers ran it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.analysis.records.results_file import ClassCounts, ResultsFile
from tests.loopback.server import LoopbackJudge

from .projects import KEY, Project, new_project, section

project = pytest.fixture(new_project)

# Tells the run of results that no metric made, so that a project may have any.
CONFTEST = """
import pytest
from pytest_ragassert import MetricResult
from pytest_ragassert.engine.jobs import Job, Measured
from pytest_ragassert.metrics.faithfulness import Faithfulness
from pytest_ragassert.plugin.run import RUN

@pytest.fixture
def tell(request):
    def tell(case, metric, score, **fields):
        job = Job(case, metric, Faithfulness(), {}, 0.7, "fail", ("m",))
        fields = {"minimum": 0.7, "passed": True, "judge": "m", **fields}
        made = MetricResult(metric=metric, score=score, **fields)
        request.config.stash[RUN].recorder.record(Measured(job, made))
    return tell
"""
TESTS = """
import enum, pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_factual_f1, assert_faithful, evaluate

class Way(enum.Enum):
    GRAPH = "graph"

def test_price():
    metadata = {"method": "naive", "when": object, "way": Way.GRAPH, "n": {1: (2, float("nan"))}}
    assert_faithful(case("price", " ".join([ODD, GOOD, BAD]), metadata=metadata))

def test_f1():
    assert_factual_f1(case("f1", GOOD, ground_truth_answer=GOOD))

def test_lone():
    assert_faithful(case("l\\ud800ne", GOOD + " Boat \\udfff is new.", question="\\ud800?"), min=0)

def test_field():
    assert_faithful(case("field", None))

def test_blank():
    assert_faithful(case("blank", " "))

def test_silent():
    assert_faithful(case("silent", "I don't know."))

@pytest.mark.parametrize("n", range(4))
def test_class(tell, n):
    label = ["CORRECT", "WRONG", "DONT_KNOW", "CORRECT"][n]
    metadata = {"method": ["naive", "graph"][n % 2], "type": "factoid"}
    told = case(f"c{n}", metadata=metadata)
    tell(told, "answer_class", float(label == "CORRECT"), label=label, minimum=None)
    tell(told, "ragas_score", n / 4, details={"parts": {"faithfulness": n / 4}})
    tell(told, "factual_accuracy", 0.9, grade="A", by_model={"a": 0.8, "b": 1.0})
"""


def written(project: Project, *args: str) -> tuple[Path, dict[str, Any]]:
    """The run's one results file, which is moved away, and its data without what times change."""
    folder = project.path / "artifacts"
    result = project.run(f"--ragassert-artifacts={folder}", *args)
    assert result.parseoutcomes() == {"passed": 6, "failed": 4}
    (path,) = folder.glob("results_*")
    assert f"note: results in {path}" in section(result)
    kept = path.replace(project.path / f"kept{len(list(project.path.glob('kept*')))}.json")
    data = json.loads(kept.read_text(encoding="ascii"))
    assert path.name == f"results_{data['run']}.json"
    for name in ("run", "started", "ended"):
        assert data.pop(name)
    return kept, data


def test_workers_write_the_same_once(project: Project, judge: LoopbackJudge) -> None:
    pytest.importorskip("xdist")
    project.pytester.makeconftest(CONFTEST)
    project.test(TESTS)
    project.judged_by(judge)
    serial = written(project, "--ragassert-record-mode=off")
    workers = written(project, "-n", "2", "--ragassert-record-mode=off")
    assert serial[1] == workers[1]
    assert serial[0].read_bytes() != workers[0].read_bytes()  # their ids and times


def test_all_that_was_measured_is_read_back(project: Project, judge: LoopbackJudge) -> None:
    project.pytester.makeconftest(CONFTEST)
    project.test(TESTS)
    project.set(
        OPENAI_API_KEY=KEY,
        RAGASSERT_BASE_URL=judge.base_url.replace("://", "://user:s3cret@"),
    )
    path, data = written(project)
    text = path.read_text(encoding="ascii")
    assert KEY not in text
    assert "s3cret" not in text
    read = ResultsFile.model_validate_json(text)
    assert ResultsFile.model_validate_json(text.encode()) == read
    assert read.to_text() == text
    assert read.started < read.ended
    assert read.started.utcoffset() == read.ended - read.ended
    assert (read.schema_version, read.exit_status) == (1, pytest.ExitCode.TESTS_FAILED)
    assert read.judge.startswith("gpt-4o-mini at ")
    assert read.settings["base_url"] == judge.base_url
    assert read.settings["model"] == ["gpt-4o-mini"]

    faithful = read.metrics["faithfulness"]
    assert (faithful.n, faithful.min, faithful.below) == (2, 0.0, 1)
    assert (faithful.vacuous, faithful.errors) == (1, 2)
    assert faithful.mean is not None
    assert faithful.document_values == {"ragas_faithfulness": 100 * faithful.mean}
    assert read.metrics["answer_class"].document_values == {
        "correct_answers_count": 2,
        "wrong_answers_count": 1,
        "dont_know_answers_count": 1,
    }
    assert read.answers is not None
    assert (read.answers.correct, read.answers.wrong, read.answers.dont_know) == (2, 1, 1)
    assert read.answers.by_method == {
        "graph": ClassCounts(correct=1, wrong=1),
        "naive": ClassCounts(correct=1, dont_know=1),
    }
    assert read.answers.by_question_type["factoid"] == ClassCounts(correct=2, wrong=1, dont_know=1)
    assert read.grades == {"A": 4, "B": 0, "C": 0, "D": 0, "E": 0}
    graph = read.ragas_score_by_method["graph"]
    assert (graph.n, graph.mean, graph.best, graph.worst) == (2, 0.5, 0.75, 0.25)

    by_case = {r.case: r for r in read.results if r.metric in ("faithfulness", "factual_f1")}
    price = by_case["price"]
    assert price.nodeid == "test_it.py::test_price"
    assert (price.score, price.minimum, price.passed, price.asserted) == (0.0, 0.8, False, True)
    assert (price.judge, price.requests, price.stored) == ("gpt-4o-mini", 2, False)
    assert price.metadata == {
        "method": "naive",
        "when": "<class 'object'>",
        "way": "graph",
        "n": {"1": [2, "nan"]},
    }
    assert price.details == {"scoring": "weighted", "strict_mode": False}
    bad = price.claims[2]
    assert (bad.verdict.value, bad.passage, bad.span) == ("CONTRADICTORY", 1, (61, 88))
    assert (bad.quote, bad.source) == ("The crossing costs 9 euros.", "answer")
    assert {claim.source for claim in by_case["f1"].claims} == {"answer", "reference"}
    lone = by_case["l\ud800ne"]
    assert lone.question == "\ud800?"
    assert any("\udfff" in claim.text for claim in lone.claims)
    field = by_case["field"]
    assert (field.score, field.passed) == (None, False)
    assert field.error is not None
    assert (field.error.type, field.error.fields) == ("MissingFieldError", ["answer"])
    assert "needs the field answer" in field.error.message
    blank = by_case["blank"].error
    assert blank is not None
    assert (blank.type, blank.fields) == ("MissingFieldError", ["answer"])
    assert by_case["silent"].vacuous
    told = next(r for r in read.results if r.metric == "factual_accuracy")
    assert (told.grade, told.by_model) == ("A", {"a": 0.8, "b": 1.0})
    assert [r.nodeid for r in read.results] == sorted(r.nodeid for r in read.results)
    assert data["results"][0]["nodeid"] == read.results[0].nodeid


FAILING = """
from ferry import case
from pytest_ragassert import assert_faithful

def test_one():
    assert_faithful(case("one"))
"""


def test_of_urls_neither_credentials_nor_queries_are_written(project: Project) -> None:
    project.pytester.makeconftest(CONFTEST)
    project.test(TESTS.partition("def test_price")[0] + TESTS[TESTS.index("@pytest.mark") :])
    url = "https://user:s3cret@judge.example/v1?token=s3cret#s3cret"
    project.set(OPENAI_API_KEY=KEY, RAGASSERT_BASE_URL=url)
    project.run("--ragassert-artifacts=out").assert_outcomes(passed=4)
    (path,) = project.path.glob("out/results_*")
    assert "s3cret" not in path.read_text(encoding="ascii")
    read = ResultsFile.model_validate_json(path.read_bytes())
    assert read.settings["base_url"] == "https://judge.example/v1"
    assert read.judge == "gpt-4o-mini at https://judge.example/v1"


def test_a_judges_error_stands_there_with_its_kind(project: Project, judge: LoopbackJudge) -> None:
    judge.script([{"status": 401, "body": {"error": {"message": KEY}}}], repeat_last=True)
    project.test(FAILING)
    project.judged_by(judge)
    project.run("--ragassert-artifacts=out").assert_outcomes(failed=1)
    (path,) = project.path.glob("out/results_*")
    text = path.read_text(encoding="ascii")
    assert KEY not in text
    read = ResultsFile.model_validate_json(text)
    (only,) = read.results
    assert only.error is not None
    assert (only.error.type, only.error.kind) == ("JudgeError", "credentials")
    assert (read.metrics["faithfulness"].n, read.metrics["faithfulness"].errors) == (0, 1)
    assert (read.answers, read.grades) == (None, {})


@pytest.mark.parametrize("way", ["command line", "variable", "ini"])
def test_the_folder_is_relative_to_rootdir(
    project: Project, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    project.test(FAILING)
    ini = "ragassert_artifacts = out/deep" if way == "ini" else ""
    project.pytester.makeini(f"[pytest]\n{ini}\n")
    args = ["--ragassert-artifacts=out/deep"] if way == "command line" else []
    if way == "variable":
        project.set(RAGASSERT_ARTIFACTS="out/deep")
    below = project.pytester.mkdir("below")
    monkeypatch.chdir(below)
    project.run("..", "-p", "no:terminal", *args)
    (path,) = project.path.glob("out/deep/results_*")
    assert ResultsFile.model_validate_json(path.read_bytes()).exit_status == 0
    assert list(below.iterdir()) == []


def test_a_folder_that_takes_no_file_is_told_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    project.test(FAILING)
    monkeypatch.setattr(os, "replace", refuse)
    result = project.run("--ragassert-artifacts=out", "--ragassert-record-mode=off")
    assert result.ret == pytest.ExitCode.OK
    told = [line for line in result.outlines if "no results file in" in line]
    assert told == [f"note: no results file in {project.path / 'out'}: Permission denied"]
    assert list((project.path / "out").iterdir()) == []


def test_a_file_that_cannot_be_finished_leaves_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    project.test(FAILING)
    monkeypatch.setattr("pytest_ragassert.storage.files.atomic.os.replace", full)
    result = project.run("--ragassert-artifacts=out", "--ragassert-record-mode=off")
    assert result.ret == pytest.ExitCode.OK
    assert any("No space left on device" in line for line in section(result))
    assert list((project.path / "out").iterdir()) == []


def test_nothing_is_written_where_nothing_was_measured(project: Project) -> None:
    project.test("def test_plain(): pass")
    assert project.run("--ragassert-artifacts=out").ret == pytest.ExitCode.OK
    project.test(FAILING)
    assert project.run("--ragassert-artifacts=out", "--co").ret == pytest.ExitCode.OK
    assert not (project.path / "out").exists()
    assert project.run().ret == pytest.ExitCode.OK
    assert not list(project.path.rglob("results_*"))


def test_a_folder_that_stands_alone_must_not_hide_the_ini(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    project.pytester.makeini("[pytest]\nragassert_temperature = 0\n")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    result = project.run("--ragassert-artifacts", str(elsewhere))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "write --ragassert-artifacts=DIR" in result.stderr.str()
