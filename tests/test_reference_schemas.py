"""The schemas in docs/reference/schemas: what runs write and judges reply fits them."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_ragassert import CalibrationFile, ConfigurationError, ResultsFile
from pytest_ragassert.analysis.records.baseline_file import read_baseline
from pytest_ragassert.analysis.records.history_file import read_history
from pytest_ragassert.commands.command_line import main
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.replies.schema import ReplyError, VoidReply
from pytest_ragassert.storage.committed.verdict_line import read_line
from pytest_ragassert.storage.recorded_answers import read_answers

from .loopback.server import LoopbackJudge
from .reference.judge_format import EXAMPLES, message_of
from .reference.pages import FOLDER, ROOT

SCHEMAS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / FOLDER / "schemas").glob("*.json"))
}
INI = """
[pytest]
ragassert_judge_id = example
ragassert_model = judge-1
ragassert_verdicts = verdicts.jsonl
ragassert_baseline = baseline.jsonl
ragassert_answers = answers.jsonl
ragassert_history = history.jsonl
"""
CONFTEST = """
ANSWERS = {"fare": "A ticket costs 8 euros.", "end": "The tram runs until 11."}


def pytest_ragassert_answer(case):
    contexts = ["A ticket costs 8 euros.", "The tram runs until 10."]
    return {
        "answer": ANSWERS[case.id],
        "retrieved_contexts": contexts,
        "retrieved_context_ids": ["a", "b"],
    }
"""
TEST = """
import pytest
from pytest_ragassert import assert_criteria, assert_evidence, evaluate


@pytest.mark.rag_cases("cases.jsonl")
def test_answer(rag_case):
    evaluate(rag_case, ["factual_f1", "answer_class", "context_precision", "citation_precision"])
    assert_criteria(rag_case, min=0)
    assert_evidence(rag_case)
"""
CASES: list[dict[str, Any]] = [
    {
        "id": id,
        "question": question,
        "ground_truth_answer": reference,
        "criteria": ["names a number"],
        "label": "incorrect",
        "metadata": {"method": "bm25"},
        "tags": ["tram"],
        "minimums": {"evidence": 0.9},
        "history": [{"role": "user", "content": "Hello."}],
    }
    for id, question, reference in (
        ("fare", "What does a ticket cost?", "A ticket costs 8 euros."),
        ("end", "Until when does the tram run?", "The tram runs until 10."),
    )
]
LABELLED = [
    {"claim": "It runs until 11.", "context": ["It runs until 10."], "label": "contradicted"},
    {"claim": "It costs 8 euros.", "context": ["It costs 8 euros."], "label": "supported"},
]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def as_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def check(name: str, value: object) -> None:
    jsonschema.Draft202012Validator(SCHEMAS[name]).validate(value)


def fits(name: str, value: object) -> bool:
    return bool(jsonschema.Draft202012Validator(SCHEMAS[name]).is_valid(value))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project after a run that wrote every file."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch, LoopbackJudge() as judge:
        patch.chdir(folder)
        patch.setenv("OPENAI_API_KEY", "sk-test")
        patch.setenv("RAGASSERT_BASE_URL", judge.base_url)
        patch.delenv("CI", raising=False)
        files = {
            "pytest.ini": INI,
            "conftest.py": CONFTEST,
            "test_tram.py": TEST,
            "cases.jsonl": as_lines(CASES),
            "labelled.jsonl": as_lines(LABELLED),
        }
        for name, text in files.items():
            folder.joinpath(name).write_text(text, encoding="utf-8")
        run_tests(folder)
        calibrate = ["--judge", "offline", "--by", "", "--output", "calibration.json"]
        assert main(["calibrate", "labelled.jsonl", *calibrate]) == 0
        assert main(["cases", "cases.jsonl", "--output", "written.jsonl"]) == 0
        yield folder


def run_tests(folder: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short"]
    options = ["update-verdicts", "update-baseline", "artifacts=artifacts"]
    done = subprocess.run(
        [*command, *(f"--ragassert-{option}" for option in options)],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout


@pytest.mark.parametrize("name", SCHEMAS)
def test_it_is_a_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("verdict", "verdicts.jsonl"),
        ("baseline", "baseline.jsonl"),
        ("answer", "answers.jsonl"),
        ("history", "history.jsonl"),
        ("debug-claim", "artifacts/debug_claims.jsonl"),
        ("error-case", "artifacts/error_cases.jsonl"),
        ("case", "cases.jsonl"),
        ("case", "written.jsonl"),
    ],
)
def test_the_lines_that_a_run_writes_fit(project: Path, name: str, file: str) -> None:
    written = lines(project / file)
    assert written
    for line in written:
        check(name, line)


def test_an_override_fits(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    before = project.joinpath("verdicts.jsonl").read_bytes()
    id = lines(project / ".ragassert/reported.jsonl")[0]["id"]
    try:
        assert main(["verdicts", "override", id, "FULLY_SUPPORTED", "--reason", "so it is"]) == 0
        [override] = [o for o in lines(project / "verdicts.jsonl") if o["step"] == "override"]
        check("verdict", override)
    finally:
        project.joinpath("verdicts.jsonl").write_bytes(before)


def test_the_results_file_and_the_calibration_fit(project: Path) -> None:
    [results] = (project / "artifacts").glob("results_*.json")
    value = json.loads(results.read_text(encoding="utf-8"))
    check("results", value)
    assert ResultsFile.model_validate(value).results
    assert not fits("results", {**value, "results": None})
    calibration = json.loads((project / "calibration.json").read_text(encoding="utf-8"))
    check("calibration", calibration)
    assert CalibrationFile.model_validate(calibration).claims
    assert not fits("calibration", {**calibration, "judges": None})


# -- the schema of a line refuses what the reader refuses ------------------------------------------

READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "verdict": ("verdicts.jsonl", lambda path: read_line(path.read_bytes(), "line 1")),
    "baseline": ("baseline.jsonl", read_baseline),
    "answer": ("answers.jsonl", read_answers),
    "history": ("history.jsonl", read_history),
}


def is_read(name: str, line: object, folder: Path) -> bool:
    path = folder / "line.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    try:
        READERS[name][1](path)
    except ConfigurationError:
        return False
    return True


def changed(line: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The line with each member left out, and of another kind."""
    for member in line:
        yield f"no {member}", {name: line[name] for name in line if name != member}
        for wrong in (7, [7], {"x": 7}):
            yield f"{member} {wrong}", {**copy.deepcopy(line), member: wrong}


@pytest.mark.parametrize("name", READERS)
def test_a_schema_refuses_what_the_reader_refuses(project: Path, tmp_path: Path, name: str) -> None:
    line = lines(project / READERS[name][0])[-1]
    assert is_read(name, line, tmp_path)
    refused = 0
    for what, other in changed(line):
        read = is_read(name, other, tmp_path)
        assert fits(name, other) is read, what
        refused += not read
    assert refused > len(line)


# -- what judges reply -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", STEPS)
def test_the_example_of_a_step_is_asked_and_read(name: str) -> None:
    step, example = STEPS[name], EXAMPLES[name]
    check(f"reply-{name}", example.reply)
    reading = step.read(message_of(name), example.reply)
    assert not reading.missing
    assert step.answers(message_of(name), reading.reply)


def test_every_step_has_an_example_and_a_schema() -> None:
    assert EXAMPLES.keys() == STEPS.keys()
    replies = {name.removeprefix("reply-") for name in SCHEMAS if name.startswith("reply-")}
    assert replies == STEPS.keys()


# What the page says may be missing from a reply.
OPTIONAL = ("reason", "evidence", "passage", "quote", "confidence", "sentence")
# Which of them may be missing where a reply is not a judgement: a case needs its evidence.
OPTIONAL_IN = {"write_case": ("quote",)}


def without(value: Any) -> Iterator[tuple[str, Any]]:
    """The value without one member of an object in it, by the member's name."""
    if isinstance(value, dict):
        for name in value:
            yield name, {other: value[other] for other in value if other != name}
            yield from ((n, {**value, name: changed}) for n, changed in without(value[name]))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            for name, changed in without(item):
                yield name, [*value[:place], changed, *value[place + 1 :]]


@pytest.mark.parametrize("name", STEPS)
def test_only_what_the_page_names_may_be_missing_from_a_reply(name: str) -> None:
    step, message = STEPS[name], message_of(name)
    for member, reply in without(copy.deepcopy(EXAMPLES[name].reply)):
        try:
            whole = not step.read(message, reply).missing
        except (ReplyError, VoidReply):
            whole = False
        assert whole is (member in OPTIONAL_IN.get(name, OPTIONAL)), member
    page = (ROOT / FOLDER / "judge-format.md").read_text(encoding="utf-8")
    assert "`confidence` and the `sentence` of a claim may be missing or null" in " ".join(
        page.split()
    )
