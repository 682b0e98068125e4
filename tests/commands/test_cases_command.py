"""`cases`: what it says of a file of cases, and what it converts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pytest_ragassert import load_cases
from pytest_ragassert.commands.command_line import main

from .conftest import Run, Said

TABLE = (
    "id,prompt,reply,contexts,topic\n"
    'a,Why?,So.,"[""one"", ""two""]",x\n'
    "b,When?,,one,\n"
    "c,\x1b[31mWho?,They.,nan,\n"
)
FIELDS = ("--field", "prompt=question", "--field", "topic = metadata")


@pytest.fixture
def said(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def said(*arguments: str) -> Said:
        capsys.readouterr()
        status = main(["cases", *arguments])
        return Said(status, *capsys.readouterr())

    (project / "pytest.ini").write_text("[pytest]\nragassert_fields = reply = answer\n")
    (project / "tram.csv").write_text(TABLE)
    return said


def test_what_was_understood(said: Run, project: Path) -> None:
    told = said("tram.csv", *FIELDS)
    assert (told.status, told.err) == (0, "")
    assert "\x1b" not in told.out
    head, columns, fields, metrics, first = told.out.rstrip().split("\n\n")
    assert head.splitlines() == [
        "tram.csv: csv",
        "note: tram.csv, line 4: retrieved_contexts is 'nan': taken for a missing value",
        "3 cases",
    ]
    assert columns.splitlines() == [
        "columns:",
        "  id        id",
        "  prompt    question",
        "  reply     answer",
        "  contexts  retrieved_contexts",
        "  topic     metadata",
    ]
    assert fields.splitlines() == [
        "fields:",
        "  id: in all",
        "  question: in all",
        "  answer: missing in 1 of 3",
        "  retrieved_contexts: missing in 1 of 3",
        "  metadata: missing in 2 of 3",
    ]
    assert "  faithfulness: 1 of 3; needs answer, retrieved_contexts" in metrics.splitlines()
    assert "  context_relevance: 2 of 3; needs retrieved_contexts" in metrics.splitlines()
    assert "  factual_f1: 0 of 3; needs ground_truth_answer, answer" in metrics.splitlines()
    assert first.splitlines() == [
        "the first case, a:",
        "  id: a",
        "  question: Why?",
        "  answer: So.",
        "  retrieved_contexts:",
        "    one",
        "    two",
        "  metadata:",
        "    topic: x",
    ]


def test_it_converts(said: Run, project: Path) -> None:
    told = said("tram.csv", *FIELDS, "--output", "cases.jsonl")
    assert told.lines[-1] == "3 cases in cases.jsonl"
    rows = list(map(json.loads, (project / "cases.jsonl").read_text().splitlines()))
    assert rows[0] == {
        "id": "a",
        "question": "Why?",
        "answer": "So.",
        "retrieved_contexts": ["one", "two"],
        "metadata": {"topic": "x"},
    }
    assert [case.id for case in load_cases(project / "cases.jsonl")] == ["a", "b", "c"]
    assert said("cases.jsonl", "--output", "cases.jsonl").status == 2


def test_a_folder(said: Run, project: Path) -> None:
    folder = project / "data"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"id": "a"}')
    (folder / "b.txt").write_text('{"id": "b"}')
    (folder / "notes.md").touch()
    told = said("data")
    assert told.lines[:2] == ["data/a.jsonl: jsonl", "ignored: b.txt, notes.md"]
    assert "1 case" in told.lines


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("none.csv",), 2, "error: none.csv can't be read: No such file"),
        (("tram.csv",), 2, "unknown fields 'prompt', 'topic'"),
        (("tram.csv", "--field", "prompt"), 2, "--field takes COLUMN=FIELD"),
        (("tram.csv", *FIELDS, "--format", "cvs"), 2, "did you mean 'csv'?"),
        (("tram.csv",), 2, "--field prompt=question reads this column as the question. --field "),
        (("empty.jsonl",), 1, "0 cases"),
        (("broken.jsonl",), 2, "line 2: not JSON"),
        (("broken.jsonl", "--skip"), 0, "note: skipped 1 case: broken.jsonl, line 2: not JSON"),
    ],
)
def test_what_is_wrong_is_told(
    said: Run, project: Path, arguments: tuple[str, ...], status: int, words: str
) -> None:
    (project / "empty.jsonl").touch()
    (project / "broken.jsonl").write_text('{"id": "a"}\n{\n')
    told = said(*arguments)
    assert told.status == status
    assert words in told.out + told.err


def test_a_long_case_is_shown_by_its_beginning(said: Run, project: Path) -> None:
    row = {
        "id": "i" * 10_000,
        "answer": "a" * 10_000,
        "contexts": ["c"] * 1000,
        "metadata": {"k" * 9999: {str(n): n for n in range(1000)}},
    }
    (project / "long.jsonl").write_text(json.dumps(row))
    told = said("long.jsonl")
    assert (told.status, told.err) == (0, "")
    assert len(told.out) < 10_000
    assert "    … and 980 more" in told.lines
    assert told.lines[-1] == "      …: 980 more"


def test_no_file_of_a_folder_is_written_over(said: Run, project: Path) -> None:
    folder = project / "data"
    folder.mkdir()
    (folder / "a.jsonl").write_text('{"id": "a"}')
    (folder / "link.txt").symlink_to("a.jsonl")
    for name in ("a.jsonl", "link.txt"):
        told = said("data", "--output", f"data/{name}")
        assert (told.status, told.out) == (2, "")
        assert "it is also an input; name another file" in told.err
    assert (folder / "a.jsonl").read_text() == '{"id": "a"}'


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_one_error(
    said: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said("none")
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["cases", "tram.csv", *FIELDS]) == 1
    assert capsys.readouterr().err == "error: No space left on device\n"


def test_a_closed_output_is_no_error(said: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    said("none")
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["cases", "tram.csv", *FIELDS]) == 0
