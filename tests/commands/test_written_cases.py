"""The commands about stored verdicts, on the answers of the steps that write cases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_ragassert.steps.catalogue import STEPS

from .conftest import Run
from .stored import INPUTS, REPLIES, put, put_texts, question, texts_in

WRITING = ("write_case", "write_personas")


def test_they_are_counted_and_found(run: Run, store: Path) -> None:
    keys = put(store, *map(question, WRITING))
    lines = run("info").lines
    assert "  steps: write_case 1, write_personas 1" in lines
    assert not any("damaged" in line or "not used" in line for line in lines)
    about = "single: The crossing costs 9 euros. / Dogs are not allowed."
    assert question("write_case").about == about
    for key, step in zip(keys, WRITING, strict=True):
        assert f"  step: {step} v1" in run("show", key[:12]).lines


def test_a_case_is_shown_with_its_passages_and_evidence(run: Run, store: Path) -> None:
    [key] = put(store, question("write_case"))
    lines = run("show", key).lines
    shown = lines.index("  kind: single")
    assert lines[shown:] == [
        "  kind: single",
        "  language: none",
        "  passages:",
        "    [1] The crossing costs 9 euros.",
        "        The ferry runs every hour.",
        "    [2] Dogs are not allowed.",
        "  persona: none",
        "  reply:",
        "    answer: The crossing costs 9 euros.",
        "    evidence:",
        "      passage 1, quote The crossing costs 9 euros",
        "    question: What does the crossing cost?",
    ]


def test_they_are_sound(run: Run, store: Path) -> None:
    put(store, *map(question, WRITING))
    assert run("verify").lines == [f"store {store}: 4 rows, 0 problems", "  answer 2, question 2"]
    assert run("prune").lines == [f"0 rows removed from {store}"]


def test_they_are_exported_and_imported(run: Run, project: Path, store: Path) -> None:
    keys = put(store, *map(question, WRITING))
    assert run("export", "out.jsonl").out == "2 verdicts written to out.jsonl\n"
    said = run("import", "out.jsonl", "--cache-dir", "copy")
    assert said.out.startswith("2 verdicts imported")
    copied = texts_in(project / "copy")
    for key, step in zip(keys, WRITING, strict=True):
        assert STEPS[step].name in copied[key]
    assert run("import", "out.jsonl", "--cache-dir", "copy").out.endswith("2 there already\n")
    assert run("export", "again.jsonl", "--cache-dir", "copy").status == 0
    assert (project / "again.jsonl").read_text() == (project / "out.jsonl").read_text()


@pytest.mark.parametrize("step", WRITING)
def test_an_invalid_reply_is_not_imported(run: Run, project: Path, store: Path, step: str) -> None:
    put(store, question(step))
    run("export", "out.jsonl")
    file = project / "out.jsonl"
    first = "A tourist" if step == "write_personas" else "The crossing costs 9 euros."
    text = file.read_text()
    assert first in text
    file.write_text(text.replace(f'"{first}', f'" {first}'))
    said = run("import", "out.jsonl", "--cache-dir", "copy")
    assert said.status != 0
    assert f"its reply does not fit the step {step}" in said.err


def test_other_passages_kinds_and_samples_are_other_questions() -> None:
    case = question("write_case")
    asked = [
        case,
        replace(case, sample=1),
        *(
            replace(case, input={**INPUTS["write_case"], **changed})
            for changed in ({"kind": "several"}, {"persona": "A pilot"}, {"language": "de"})
        ),
        replace(case, input={**INPUTS["write_case"], "passages": []}),
    ]
    assert len({one.key for one in asked}) == len(asked)


def test_those_of_another_prompt_are_pruned(run: Run, store: Path) -> None:
    keys = put(store, *map(question, WRITING))
    put(store, question("classify_answer"))
    texts = texts_in(store)
    fingerprint = STEPS["write_case"].fingerprint
    put_texts(store, {keys[0]: texts[keys[0]].replace(fingerprint, "0" * 64)})
    said = run("prune")
    assert "  another prompt of write_case 1" in said.lines
    left = texts_in(store)
    assert keys[0] not in left
    assert f"{keys[0]}.question" not in left
    assert keys[1] in left
    assert REPLIES["write_personas"]["personas"][0] in left[keys[1]]
