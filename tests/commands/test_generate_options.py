"""Options of `generate`: kinds, personas, language, and which ones are refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.writing_judge import THINGS, HookJudge, fact

from .conftest import Generate


def written(generate: Generate) -> list[Any]:
    return [input for step, input in generate.asked if step == "write_case"]


@pytest.mark.parametrize(
    ("kinds", "counts"),
    [
        ("single", {"single": 10}),
        ("single=1,several=1", {"single": 5, "several": 5}),
        ("documents=3, single=1 ,unanswerable=0", {"documents": 7, "single": 3}),
        (
            "single=0.5,unanswerable=0.25,several=0.25",
            {"single": 5, "several": 3, "unanswerable": 2},
        ),
    ],
)
def test_kinds(generate: Generate, kinds: str, counts: dict[str, int]) -> None:
    generate("--number", 10, "--kinds", kinds)
    assert Counter(case["metadata"]["question_type"] for case in generate.cases()) == counts


def test_other_kinds_give_what_one_lacks(generate: Generate) -> None:
    # a single document, so that no question is about several
    for path in (generate.folder / "documents").iterdir():
        if path.name != "skarn.md":
            path.unlink()
    generate("--number", 4, "--kinds", "documents=3,single=1")
    kinds = Counter(case["metadata"]["question_type"] for case in generate.cases())
    assert kinds == {"single": 4}


def test_your_personas(generate: Generate) -> None:
    personas = ["A skipper in a hurry.", "A teacher with a class."]
    options = [part for one in personas for part in ("--persona", one)]
    generate("--number", 12, "--kinds", "single", *options)
    cases = generate.cases()
    assert {case["persona"] for case in cases} == set(personas)
    sent = Counter(input["persona"] for input in written(generate))
    assert sent == Counter(case["persona"] for case in cases)
    assert "write_personas" not in {step for step, _ in generate.asked}


def test_each_persona_is_asked_when_passages_run_out(generate: Generate) -> None:
    options = ("--persona", "A skipper.", "--persona", "A teacher.")
    said = generate("--number", 32, "--kinds", "single", *options, status=1)
    pairs = Counter(
        (json.dumps(input["passages"]), input["persona"]) for input in written(generate)
    )
    assert len(pairs) == 32
    assert set(pairs.values()) == {1}
    # this judge asks the same for both
    assert "   16  a near-copy of another question" in said.lines


def test_personas_are_written_from_headings(generate: Generate) -> None:
    generate("--number", 8, "--personas", 3)
    [asked] = [input for step, input in generate.asked if step == "write_personas"]
    assert asked["number"] == 3
    assert [one["name"] for one in asked["documents"]] == [
        "malvik.md",
        "orsa.md",
        "skarn.md",
        "trelde.md",
    ]
    assert asked["documents"][0]["headings"] == [
        "Malvik",
        "Lighthouse",
        "Ferry",
        "Museum",
        "Library",
    ]
    assert "units" not in json.dumps(asked)
    personas = {case["persona"] for case in generate.cases()}
    assert 1 < len(personas) <= 3
    path = generate.folder / "documents" / "skarn.md"
    path.write_text(path.read_text("utf-8").replace("is 1", "is 9"), "utf-8")
    generate("--number", 8, "--personas", 3)
    assert [step for step, _ in generate.asked].count("write_personas") == 1


def test_documents_without_headings_give_personas_too(generate: Generate) -> None:
    texts = [f"{fact('Skarn', thing)} Nobody can tell why." for thing in THINGS[:2]]
    lines = [json.dumps({"id": text[4:7], "text": text}) for text in texts]
    (generate.folder / "passages.jsonl").write_text("\n".join(lines))
    generate("--number", 1, "--personas", 1, documents="passages.jsonl")
    [asked] = [input for step, input in generate.asked if step == "write_personas"]
    assert asked["documents"] == [{"name": "passages.jsonl", "headings": texts}]


def test_the_language_is_asked_for(generate: Generate) -> None:
    generate("--number", 3, "--kinds", "single")
    assert {input["language"] for input in written(generate)} == {None}
    generate.forget()
    # this judge writes English all the same
    said = generate("--number", 3, "--kinds", "single", "--language", "de", status=1)
    assert {input["language"] for input in written(generate)} == {"de"}
    assert "   15  another language" in said.lines
    assert {step for step, _ in generate.asked} == {"write_case"}
    generate("--number", 3, "--kinds", "single", "--language", "English")
    assert len(generate.cases()) == 3


def test_without_a_language_it_is_that_of_the_passages(
    generate: Generate, monkeypatch: pytest.MonkeyPatch
) -> None:
    german = {
        "question": "Wie hoch ist der Leuchtturm in der Stadt und wer hat ihn bezahlt?",
        "answer": "Der Leuchtturm in der Stadt ist so hoch, wie es die Leute wollten.",
    }
    monkeypatch.setattr(
        HookJudge,
        "change",
        lambda self, step, data, reply: (
            {**reply, **german} if step == "write_case" and "lighthouse" in str(data) else reply
        ),
    )
    said = generate("--number", 12, "--kinds", "single")
    assert "    4  another language" in said.lines
    assert not any("Leuchtturm" in case["question"] for case in generate.cases())


REFUSED = {
    "no output": (["--number", "2"], "name a file for the cases: --output cases.jsonl"),
    "suffix": (["--output", "cases.json"], "--output cases.json: the name must end in .jsonl"),
    "suffix of update": (["--update", "c.csv"], "--update c.csv: the name must end in .jsonl"),
    "folder": (["--output", "no/cases.jsonl"], "--output: there is no folder no"),
    "both personas": (
        ["--output", "c.jsonl", "--persona", "A", "--personas", "2"],
        "--persona and --personas exclude each other: your own personas, or written ones",
    ),
    "a kind": (
        ["--output", "c.jsonl", "--kinds", "simple=1"],
        "--kinds: 'simple=1' is not KIND=SHARE, with a share from 0; the kinds are single, "
        "several, documents, unanswerable",
    ),
    "a share": (["--output", "c.jsonl", "--kinds", "single=-1"], "--kinds: 'single=-1' is not"),
    "no number": (["--output", "c.jsonl", "--kinds", "single=nan"], "--kinds: 'single=nan' is not"),
    "infinite": (["--output", "c.jsonl", "--kinds", "single=inf"], "--kinds: 'single=inf' is not"),
    "no share": (
        ["--output", "c.jsonl", "--kinds", "single=0"],
        "--kinds 'single=0': no kind has a share above 0",
    ),
    "no kind": (["--output", "c.jsonl", "--kinds", ","], "--kinds ',': no kind has a share above"),
    "blank kinds": (["--output", "c.jsonl", "--kinds", ""], "--kinds: the text is empty; write"),
    "blank persona": (
        ["--output", "c.jsonl", "--persona", "A skipper.", "--persona", " "],
        "--persona: the text is empty; write one, or omit the option",
    ),
    "blank language": (["--output", "c.jsonl", "--language", ""], "--language: the text is empty;"),
    "no update": (["--update", "none.jsonl"], "none.jsonl"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_options_that_are_refused(generate: Generate, name: str) -> None:
    arguments, message = REFUSED[name]
    said = generate(*arguments, output="", status=2)
    assert said.err.startswith(f"error: {message}")
    assert said.err.count("\n") == 1
    assert generate.asked == []
    assert not list(generate.folder.glob("*.jsonl"))


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "ten", "²"])
def test_a_number_is_a_whole_number(generate: Generate, value: str) -> None:
    said = generate(f"--number={value}", status=2)
    assert f"{value!r} is not a whole number from 1" in said.err


def test_the_offline_judge_cannot_write(generate: Generate) -> None:
    for judge in ("offline", ""):  # without any judge, `auto` is the offline one
        said = generate("--number", 2, judge=judge, status=2)
        assert said.err == (
            "error: the judge offline-3 compares words, so it can't write questions; name a model: "
            "--judge openai --model MODEL (and --base-url URL for an endpoint other than "
            "OpenAI's), with its key in OPENAI_API_KEY, or ragassert_model and "
            "ragassert_base_url in the project's ini file\n"
        )
    assert not (generate.folder / "cases.jsonl").exists()


def test_a_model_without_a_key(generate: Generate) -> None:
    said = generate("--number", 2, "--model", "writer-1", judge="", status=2)
    assert "OPENAI_API_KEY" in said.err
    assert not (generate.folder / "cases.jsonl").exists()


def test_documents_that_are_missing(generate: Generate) -> None:
    said = generate(documents="documets", status=2)
    assert "did you mean 'documents'?" in said.err


def test_outputs_do_not_overwrite_documents(generate: Generate) -> None:
    path = generate.folder / "documents" / "skarn.md"
    text = path.read_text("utf-8")
    said = generate(path, "--markdown", path, "--number", 2, status=2)
    assert "--markdown" in said.err
    assert path.read_text("utf-8") == text
    said = generate("--number", 2, "--markdown", "cases.jsonl", status=2)
    assert "--markdown" in said.err
    records = generate.folder / "passages.jsonl"
    records.write_text('{"id": "a", "text": "x"}\n')
    said = generate(records, "--number", 2, output="passages.jsonl", status=2)
    assert records.read_text() == '{"id": "a", "text": "x"}\n'


def test_verdicts_and_ci_do_not_matter(generate: Generate, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = generate.folder / "verdicts.jsonl"
    # those of the tests are not even read
    verdicts.write_text("broken")
    (generate.folder / "pytest.ini").write_text("[pytest]\nragassert_verdicts = verdicts.jsonl\n")
    monkeypatch.setenv("CI", "true")
    generate("--number", 3, "--kinds", "single")
    assert len(generate.cases()) == 3
    assert verdicts.read_text() == "broken"


def test_nothing_that_reads_documents_is_loaded_by_the_plugin(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pytest_ragassert.commands import command_line\n"
        "names = [n for n in sys.modules if n.startswith('pytest_ragassert.')]\n"
        "assert not [n for n in names if '.corpus' in n or '.generation.' in n], names\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
