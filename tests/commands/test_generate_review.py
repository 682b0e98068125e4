"""The list for a review that `generate --markdown` writes: what it shows, and what it replaces."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Generate, Said

LIST = ("--markdown", "review.md")


def review(generate: Generate) -> str:
    return (generate.folder / "review.md").read_text("utf-8")


def tick(generate: Generate, *numbers: int, mark: str = "x") -> None:
    """Tick cases of the list by their numbers."""
    title, *blocks = review(generate).split("\n## ")
    for number in numbers:
        blocks[number - 1] = blocks[number - 1].replace("- [ ]", f"- [{mark}]")
    (generate.folder / "review.md").write_text("\n## ".join([title, *blocks]), "utf-8")


def ticked(generate: Generate) -> set[str]:
    """The ids of the ticked cases."""
    blocks = review(generate).split("\n## ")[1:]
    cases = generate.cases()
    assert len(blocks) == len(cases)
    return {case["id"] for case, block in zip(cases, blocks, strict=True) if "\n- [x] rev" in block}


def edit(generate: Generate, number: int, change: Callable[[Any], object]) -> None:
    """Change a case of the data set."""
    cases = generate.cases()
    change(cases[number - 1])
    lines = [json.dumps(case, ensure_ascii=False) for case in cases]
    (generate.folder / "cases.jsonl").write_text("\n".join([*lines, ""]), "utf-8")


def update(generate: Generate, number: int = 6) -> Said:
    return generate("--number", number, "--update", "cases.jsonl", *LIST, output="")


def test_a_review_list(generate: Generate) -> None:
    generate("--number", 12, "--persona", "A skipper.", *LIST)
    text = review(generate)
    assert text.startswith("# Cases for review\n\n12 cases. ")
    assert text.count("- [ ] reviewed <!-- ") == 12
    parts = text.split("\n## ")[1:]
    for number, (case, part) in enumerate(zip(generate.cases(), parts, strict=True), start=1):
        assert part.startswith(f"{number}. ")
        assert f"- **Kind:** {case['metadata']['question_type']}\n" in part
        assert "- **Asked by:** A skipper.\n" in part
        assert f"- **Question:** {case['question']}\n" in part
        assert f"- **Answer:** {case['ground_truth_answer']}\n" in part
        quotes = [quote["text"] for unit in case["source_units"] for quote in unit["quotes"]]
        assert re.findall(r"<b>(.*?)</b>", part) == quotes
        assert part.count("\n> ") == len(case["source_units"])


def test_ids_are_shown_as_a_whole(generate: Generate) -> None:
    folder = generate.folder / "documents"
    (folder / "skarn.md").rename(folder / "Überblick Türme_2.md")
    generate("--number", 12, "--kinds", "single", *LIST)
    blocks = html.unescape(review(generate)).split("\n## ")[1:]
    assert any("<code>Überblick Türme_2.md#" in block for block in blocks)
    for number, (case, block) in enumerate(zip(generate.cases(), blocks, strict=True), start=1):
        assert block.startswith(f"{number}. <code>{case['id']}</code>\n")
        (unit,) = case["source_units"]
        assert f"\n**<code>{unit['id']}</code>** (" in block


def test_ticks_stay(generate: Generate) -> None:
    generate("--number", 6, *LIST)
    tick(generate, 2)
    tick(generate, 5, mark="X")
    names = {generate.cases()[number]["id"] for number in (1, 4)}
    generate("--number", 6, *LIST)
    assert ticked(generate) == names
    # new cases are not ticked, and those that are there stay so, wherever they are in the list
    generate("--number", 9, *LIST)
    assert ticked(generate) == names
    update(generate, 12)
    assert ticked(generate) == names


def test_ticks_stay_in_a_file_that_an_editor_saved_its_own_way(generate: Generate) -> None:
    generate("--number", 6, *LIST)
    tick(generate, 3)
    path = generate.folder / "review.md"
    text = path.read_text("utf-8").replace("\n- [x]", "\n  * [x]").replace("\n", "\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    update(generate)
    assert ticked(generate) == {generate.cases()[2]["id"]}


CHANGES: dict[str, Callable[[Any], object]] = {
    "question": lambda case: case.update(question="How much does it cost to enter the museum?"),
    "answer": lambda case: case.update(ground_truth_answer="It costs 7 crowns."),
    "passage": lambda case: case["source_units"][0].update(text="Another text."),
    "passages": lambda case: case["source_units"].clear(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_case_is_not_ticked(generate: Generate, name: str) -> None:
    generate("--number", 6, *LIST)
    tick(generate, 1, 2)
    edit(generate, 1, CHANGES[name])
    update(generate)
    assert ticked(generate) == {generate.cases()[1]["id"]}


def test_other_changes_keep_the_tick(generate: Generate) -> None:
    generate("--number", 6, *LIST)
    tick(generate, 1)
    edit(generate, 1, lambda case: case.update(persona="A teacher.", metadata={"topic": "fees"}))
    update(generate)
    assert ticked(generate) == {generate.cases()[0]["id"]}


def test_a_case_whose_passage_changed_is_reviewed_again(generate: Generate) -> None:
    generate("--number", 12, "--kinds", "single", *LIST)
    tick(generate, *range(1, 13))
    path = generate.folder / "documents" / "skarn.md"
    changed = path.read_text("utf-8").replace("is 1", "is 9")
    path.write_text(changed, "utf-8")
    before = {case["question"] for case in generate.cases()}
    generate("--number", 12, "--kinds", "single", "--update", "cases.jsonl", *LIST, output="")
    again = {case["id"] for case in generate.cases() if "is 9" in json.dumps(case)}
    assert again
    assert before & {case["question"] for case in generate.cases()}
    assert ticked(generate) == {case["id"] for case in generate.cases()} - again


def test_what_a_person_wrote_or_changed_is_marked(generate: Generate) -> None:
    generate("--number", 4, *LIST)
    assert "by you**" not in review(generate)
    edit(generate, 2, lambda case: case.update(ground_truth_answer="It costs 7 crowns."))
    with open(generate.folder / "cases.jsonl", "a", encoding="utf-8") as file:
        file.write('{"id": "mine", "question": "Is there a bus?", "ground_truth_answer": "No."}\n')
    update(generate, 4)
    blocks = review(generate).split("\n## ")[1:]
    assert [re.findall(r"^- \*\*(\w+) by you\*\*$", block, re.M) for block in blocks] == [
        [],
        ["Changed"],
        [],
        [],
        ["Written"],
    ]
    assert blocks[4].startswith("5. <code>mine</code>\n")


def test_a_note_is_written_in_the_data_set(generate: Generate) -> None:
    generate("--number", 4, *LIST)
    assert "but not what you write here. Write a note in the data set" in review(generate)
    with open(generate.folder / "review.md", "a", encoding="utf-8") as file:
        file.write("A note in the list.\n")
    edit(generate, 3, lambda case: case["metadata"].update(note="Ask *Ann*."))
    update(generate, 4)
    text = review(generate)
    assert "A note in the list." not in text
    assert "- **Note:** Ask <code>&#42;Ann&#42;.</code>\n" in text.split("\n## ")[3]
    assert generate.cases()[2]["metadata"]["note"] == "Ask *Ann*."


@pytest.mark.parametrize("content", [b"My notes\n", b"# Cases\n", b"\xff\xfe# Cases for review\n"])
def test_another_file_is_not_replaced(generate: Generate, content: bytes) -> None:
    path = generate.folder / "review.md"
    path.write_bytes(content)
    said = generate("--number", 2, *LIST, status=2)
    assert said.err == (
        "error: --markdown: review.md exists and is not a list for a review, so it is not "
        "replaced; name another file, or delete this one\n"
    )
    assert path.read_bytes() == content
    assert generate.asked == []
    assert not (generate.folder / "cases.jsonl").exists()


def test_an_empty_file_is_replaced(generate: Generate) -> None:
    (generate.folder / "review.md").touch()
    generate("--number", 2, *LIST)
    assert review(generate).startswith("# Cases for review\n")


@pytest.mark.parametrize("name", ["review.md", "skarn.md", "sub/review.txt"])
def test_the_list_is_not_a_document(generate: Generate, name: str) -> None:
    folder = generate.folder / "documents"
    (folder / "sub").mkdir()
    there = {path: path.read_bytes() for path in folder.rglob("*.*")}
    for documents in ("documents", "."):
        said = generate("--number", 2, "--markdown", folder / name, documents=documents, status=2)
        assert said.err == (
            f"error: --markdown: {folder / name} would be a document of the folder {documents}; "
            "name a file in another folder\n"
        )
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == there
    assert generate.asked == []


def test_a_list_beside_the_documents_that_is_never_read(generate: Generate) -> None:
    for name in ("review.out", ".review/list.md"):
        path = generate.folder / "documents" / name
        path.parent.mkdir(exist_ok=True)
        generate("--number", 2, "--markdown", path)
        assert path.read_text("utf-8").startswith("# Cases for review\n")


def test_a_link_to_a_document_is_that_document(generate: Generate) -> None:
    os.symlink("documents/skarn.md", generate.folder / "review.md")
    said = generate("--number", 2, *LIST, status=2)
    assert "review.md would be a document of the folder documents" in said.err


def test_the_list_does_not_replace_a_data_set(generate: Generate) -> None:
    generate("--number", 2)
    text = (generate.folder / "cases.jsonl").read_text("utf-8")
    update = ("--update", "cases.jsonl", "--markdown", "cases.jsonl")
    said = generate("--number", 2, *update, output="new.jsonl", status=2)
    assert said.err == (
        "error: --markdown: cases.jsonl can't be written: it is also an input; name another file\n"
    )
    assert (generate.folder / "cases.jsonl").read_text("utf-8") == text


def test_the_folder_of_the_list_must_exist(generate: Generate) -> None:
    said = generate("--number", 2, "--markdown", "lists/review.md", status=2)
    assert said.err == "error: --markdown: there is no folder lists\n"
    assert generate.asked == []
    assert not Path("lists").exists()


def test_a_list_that_was_replaced_while_the_command_ran(
    generate: Generate, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_ragassert.generation.data_set import DataSet

    written = DataSet.with_new

    def with_new(self: DataSet, *args: Any) -> Any:
        (generate.folder / "review.md").write_text("My notes\n")
        return written(self, *args)

    monkeypatch.setattr(DataSet, "with_new", with_new)
    said = generate("--number", 2, *LIST, status=2)
    assert "review.md exists and is not a list for a review" in said.err
    assert review(generate) == "My notes\n"
    assert len(generate.cases()) == 2
