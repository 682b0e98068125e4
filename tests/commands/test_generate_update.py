"""`generate --update`: what is kept of a data set, and what is made again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.writing_judge import document, fact, section

from .conftest import Generate

NUMBER = 16


@pytest.fixture
def cases(generate: Generate) -> list[Any]:
    """The cases of a new data set."""
    generate("--number", NUMBER)
    return generate.cases()


def change(generate: Generate, edit: Callable[[list[Any]], Any]) -> Path:
    """Edit the data set as a person does; edited lines are spaced in another way as well."""
    path = generate.folder / "cases.jsonl"
    before = generate.cases()
    cases = generate.cases()
    edit(cases)
    lines = [
        json.dumps(case, ensure_ascii=False, separators=(",", ":") if changed else None)
        for case in cases
        for changed in [case not in before]
    ]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def document_of(generate: Generate, town: str) -> Path:
    return generate.folder / "documents" / f"{town.lower()}.md"


def is_about(case: Any, document: str) -> bool:
    return any(unit["document"] == document for unit in case["source_units"])


def test_nothing_changed(generate: Generate, cases: list[Any]) -> None:
    before = (generate.folder / "cases.jsonl").read_bytes()
    asked = len(generate.asked)
    said = generate("--number", NUMBER, "--update", "cases.jsonl", output="")
    assert (generate.folder / "cases.jsonl").read_bytes() == before
    assert len(generate.asked) == asked
    assert f"kept as they are: {NUMBER} cases" in said.lines


def test_a_changed_passage_renews_its_cases_only(generate: Generate, cases: list[Any]) -> None:
    path = document_of(generate, "Malvik")
    old = fact("Malvik", "ferry")
    path.write_text(path.read_text("utf-8").replace(old, old.replace("is 1", "is 9")), "utf-8")
    stale = [case for case in cases if old in json.dumps(case)]
    assert 0 < len(stale) < NUMBER / 2
    asked = len(generate.asked)
    said = generate("--number", NUMBER, "--update", "cases.jsonl", output="")
    now = generate.cases()
    kept = [case for case in now if case in cases]
    assert kept == [case for case in cases if case in kept]  # in the same order
    gone = [case for case in cases if case not in now]
    for case in stale:
        assert case in gone
    # the judge had the old passage before it, also if it quoted another one
    with_old = [
        input
        for step, input in generate.asked[:asked]
        if step == "write_case" and old in json.dumps(input)
    ]
    assert len(stale) <= len(gone) <= len(with_old)
    assert len(now) == NUMBER
    assert not any(old in json.dumps(case) for case in now)
    assert f"removed, because their passages changed: {_cases(len(gone))}" in said.lines
    assert f"kept as they are: {_cases(NUMBER - len(gone))}" in said.lines
    new = [input for _, input in generate.asked[asked:]]
    assert new
    assert sum(step == "write_case" for step, _ in generate.asked[asked:]) <= 2 * len(gone)


def _cases(count: int) -> str:
    return f"{count} case{'s' * (count != 1)}"


def test_a_removed_document(generate: Generate, cases: list[Any]) -> None:
    document_of(generate, "Orsa").unlink()
    said = generate("--number", NUMBER, "--update", "cases.jsonl", output="")
    now = generate.cases()
    assert not any(is_about(case, "orsa.md") for case in now)
    kept = [case for case in cases if case in now]
    assert now[: len(kept)] == kept
    assert len(kept) >= NUMBER / 2
    assert f"removed, because their documents are gone: {_cases(NUMBER - len(kept))}" in said.lines


def test_a_new_document_changes_no_other_case(generate: Generate, cases: list[Any]) -> None:
    document_of(generate, "Viken").write_text(document("Viken"), "utf-8")
    generate("--number", NUMBER + 4, "--update", "cases.jsonl", output="")
    now = generate.cases()
    assert now[:NUMBER] == cases
    assert len(now) == NUMBER + 4
    assert any(is_about(case, "viken.md") for case in now[NUMBER:])


def test_another_section_changes_no_case_of_the_rest(generate: Generate, cases: list[Any]) -> None:
    path = document_of(generate, "Skarn")
    path.write_text(path.read_text("utf-8") + "\n" + section("market"), "utf-8")
    generate("--number", NUMBER, "--update", "cases.jsonl", output="")
    assert generate.cases() == cases


def test_your_changes_are_kept(generate: Generate, cases: list[Any]) -> None:
    own = {"id": "mine", "question": "Who is the mayor of Skarn?", "tags": ["town"]}

    def edit(cases: list[Any]) -> None:
        cases[0]["question"] = "How high is it really?"
        cases[1]["tags"] = ["reviewed"]
        del cases[2]
        cases.append(own)

    path = change(generate, edit)
    lines = path.read_text("utf-8").splitlines()
    said = generate("--number", NUMBER, "--update", "cases.jsonl", output="")
    now = path.read_text("utf-8").splitlines()
    assert now[: len(lines)] == lines
    # one more for the deleted case; the person's own case does not count
    assert len(now) == NUMBER + 1
    assert f"kept as they are: {NUMBER} cases, 3 of them yours or changed by you" in said.lines
    assert "1 of your own" in said.out


def test_a_deleted_case_comes_back_unless_it_is_rejected(
    generate: Generate, cases: list[Any]
) -> None:
    gone = cases[3]["id"]
    change(generate, lambda cases: cases.pop(3))
    generate("--number", NUMBER, "--update", "cases.jsonl", "--reject", gone, output="")
    now = generate.cases()
    assert len(now) == NUMBER
    assert gone not in {case["id"] for case in now}
    # without the option it is remembered
    change(generate, lambda cases: cases.pop(0))
    generate("--number", NUMBER + 1, "--update", "cases.jsonl", output="")
    assert gone not in {case["id"] for case in generate.cases()}
    generate("--number", NUMBER, "--reject", cases[0]["id"], output="other.jsonl")
    others = {case["id"] for case in generate.cases("other.jsonl")}
    assert cases[0]["id"] not in others
    assert len(others) == NUMBER


def test_a_rejected_case_is_removed(generate: Generate, cases: list[Any]) -> None:
    rejected = [cases[0]["id"], cases[5]["id"]]
    options = [part for id in rejected for part in ("--reject", id)]
    generate("--number", NUMBER, "--update", "cases.jsonl", *options, output="")
    now = generate.cases()
    assert len(now) == NUMBER
    assert not set(rejected) & {case["id"] for case in now}
    assert now[: NUMBER - 2] == [case for case in cases if case["id"] not in rejected]


def test_changes_to_an_outdated_case_are_named(generate: Generate, cases: list[Any]) -> None:
    index = next(n for n, case in enumerate(cases) if is_about(case, "malvik.md"))

    def edit(cases: list[Any]) -> None:
        cases[index]["question"] = "How high?"

    change(generate, edit)
    path = document_of(generate, "Malvik")
    path.write_text(path.read_text("utf-8").replace("is 1", "is 9"), "utf-8")
    said = generate("--number", NUMBER, "--update", "cases.jsonl", output="")
    assert f"  {cases[index]['id']}, with your changes: How high?" in said.lines
    assert f"    {cases[index]['ground_truth_answer']}" in said.lines
    assert "How high?" not in {case["question"] for case in generate.cases()}


def test_an_edited_file_is_not_replaced(generate: Generate, cases: list[Any]) -> None:
    def edit(cases: list[Any]) -> None:
        cases[0]["ground_truth_answer"] = "Nobody knows."

    path = change(generate, edit)
    text = path.read_text("utf-8")
    said = generate("--number", NUMBER, status=2)
    assert path.read_text("utf-8") == text
    assert said.err == (
        f"error: cases.jsonl has 1 of your own changes or cases ({cases[0]['id']}), which would be "
        "lost: keep them with --update cases.jsonl, or name another file with --output\n"
    )
    path.write_text("".join(f"{json.dumps(case)}\n" for case in cases), "utf-8")
    generate("--number", NUMBER)  # nothing of it is a person's


def test_the_update_may_go_to_another_file(generate: Generate, cases: list[Any]) -> None:
    before = (generate.folder / "cases.jsonl").read_bytes()
    generate("--number", NUMBER + 2, "--update", "cases.jsonl", output="more.jsonl")
    assert (generate.folder / "cases.jsonl").read_bytes() == before
    assert generate.cases("more.jsonl")[:NUMBER] == cases


def test_personas_are_written_once(generate: Generate) -> None:
    generate("--number", 6, "--personas", 2)
    personas = {case["persona"] for case in generate.cases()}
    assert len(personas) == 2
    path = document_of(generate, "Skarn")
    # a new heading: the personas of the data set are used, not new ones
    path.write_text(path.read_text("utf-8") + "\n" + section("market"), "utf-8")
    generate("--number", 9, "--personas", 2, "--update", "cases.jsonl", output="")
    assert {case["persona"] for case in generate.cases()} == personas
    assert [step for step, _ in generate.asked].count("write_personas") == 1


def test_a_data_set_of_another_command_is_kept(generate: Generate) -> None:
    path = generate.folder / "own.jsonl"
    lines = ['{"question":"What is the age of the ferry in Skarn?"}', '{"question": "Ещё вопрос"}']
    path.write_text("\n".join(lines) + "\n\n", "utf-8")
    generate("--number", 4, "--kinds", "single", "--update", "own.jsonl", output="")
    now = path.read_text("utf-8").splitlines()
    assert now[:2] == lines
    assert len(now) == 6


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{\n", "own.jsonl, line 1: not JSON: "),
        (b'{"question": "a"}\n[1]\n', "own.jsonl, line 2: not a JSON object"),
        (b"\xff\xfe\n", "own.jsonl: not UTF-8: "),
    ],
    ids=["json", "object", "encoding"],
)
def test_an_update_of_a_broken_file(generate: Generate, content: bytes, message: str) -> None:
    path = generate.folder / "own.jsonl"
    path.write_bytes(content)
    said = generate("--number", 4, "--update", "own.jsonl", output="", status=2)
    assert said.err.startswith(f"error: {message}")
    assert path.read_bytes() == content
    assert generate.asked == []


def test_a_reworded_question_does_not_come_back(generate: Generate, cases: list[Any]) -> None:
    def edit(cases: list[Any]) -> None:
        for number, case in enumerate(cases):
            case["question"] = f"Tell me about number {number}, please."
            # nothing that the case has in common with the old one says that it is a copy
            case["source_units"] = []

    change(generate, edit)
    generate("--number", NUMBER + 6, "--update", "cases.jsonl", output="")
    now = generate.cases()
    assert len(now) == NUMBER + 6
    assert not {case["question"] for case in now} & {case["question"] for case in cases}


def test_your_own_cases_do_not_count(generate: Generate) -> None:
    path = generate.folder / "own.jsonl"
    path.write_text('{"question": "Who is the mayor of Skarn?"}\n{"question": "Why?"}\n', "utf-8")
    options = ("--number", NUMBER + 1, "--kinds", "single", "--update", "own.jsonl")
    said = generate(*options, output="", status=1)
    assert any(line.startswith("1 case fewer than the 17 requested") for line in said.lines)
    assert len(generate.cases("own.jsonl")) == NUMBER + 2
