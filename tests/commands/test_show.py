"""`verdicts show`: what is behind an id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.evidence.claim_ids import claim_id
from pytest_ragassert.storage.failed_claims import keep_reported

from .conftest import Run
from .stored import (
    CLAIMS,
    PASSAGES,
    VERDICTS,
    change,
    line_of,
    override_line,
    put,
    question,
    reported,
    write_lines,
)

CLAIM = claim_id(CLAIMS[0], PASSAGES)


def test_a_question_is_shown_whole(run: Run, store: Path) -> None:
    [key] = put(store, question(sample=2), served="model-a-2026")
    said = run("show", key)
    assert said.status == 0
    assert said.lines == [
        f"question {key}",
        "  step: verify_claims v2",
        "  judge: openai http://judge",
        "  model: model-a",
        "  settings: temperature 0.0, sample 3",
        "  answered: 2026-01-31T12:00:00Z",
        "  served by: model-a-2026",
        f"  from: the store {store}",
        "  claims:",
        "    [1] The crossing costs 5 euros.",
        "    [2] The ferry runs every hour.",
        "  passages:",
        "    [1] Dogs are not allowed.",
        "    [2] The crossing costs 9 euros.",
        "        The ferry runs every hour.",
        "  reply:",
        "    1: The crossing costs 5 euros.",
        f"       claim {CLAIM[:12]}",
        "       the judge said contradicted, and it counts",
        "       reason: 9, not 5",
        '       quote: [2] "The crossing costs 9 euros"',
        "       found in [2] at 0-26",
        "    2: The ferry runs every hour.",
        f"       claim {claim_id(CLAIMS[1], PASSAGES)[:12]}",
        "       the judge said supported, and it counts; the quote stands in passage 2, not 1",
        "       reason: it does",
        '       quote: [1] "The ferry runs every hour"',
        "       found in [2] at 28-53",
        "       confidence: 0.9",
    ]


def test_the_turns_before_a_question_are_shown(run: Run, store: Path) -> None:
    turns = [
        {"role": "user", "content": "What does a ticket cost?"},
        {"role": "assistant", "content": "12 pounds.\n\x1b[2J5 for children."},
    ]
    asked = {"history": turns, "question": "And for dogs?", "answer": "Nothing."}
    [key] = put(store, question("rate_relevance", input=asked))
    lines = run("show", key).lines
    shown = lines.index("  history:")
    assert lines[shown : shown + 5] == [
        "  history:",
        "    user: What does a ticket cost?",
        "    assistant: 12 pounds.",
        "               \\x1b[2J5 for children.",
        "  question: And for dogs?",
    ]


@pytest.mark.parametrize(("gate", "counts"), [("on", "; it counts as no evidence"), ("off", "")])
def test_the_gates_way_is_the_projects(
    run: Run, store: Path, project: Path, gate: str, counts: str
) -> None:
    (project / "pytest.ini").write_text(f"[pytest]\nragassert_evidence_gate = {gate}\n")
    first, second = VERDICTS["verdicts"]
    invented = {"passage": 2, "quote": "The crossing is free of charge"}
    unproven = {"verdicts": [{**first, "evidence": [invented]}, second]}
    [key] = put(store, question(), reply=unproven)
    said = run("show", key)
    assert f"       the judge said contradicted{counts or ', and it counts'}" in said.out
    assert "judge says contradicted, the quote is not in the passage" in said.out
    assert "       the quote is not in the passage" in said.lines


def test_each_quote_is_shown_with_its_place(run: Run, store: Path) -> None:
    first, second = VERDICTS["verdicts"]
    dogs = {"passage": 2, "quote": "Dogs are not allowed"}
    several = {**first, "evidence": [*first["evidence"], dogs, {"passage": None, "quote": "9"}]}
    of_version_1 = {**second, **second["evidence"][0]}
    del of_version_1["evidence"]
    [key] = put(store, question(), reply={"verdicts": [several, of_version_1]})
    said = run("show", key).lines
    at = said.index("       reason: 9, not 5") + 1
    assert said[at : at + 6] == [
        '       quote: [2] "The crossing costs 9 euros"',
        "       found in [2] at 0-26",
        '       quote: [2] "Dogs are not allowed"',
        "       found in [1] at 0-20",
        '       quote: "9"',
        "       the quote is too short to prove it",
    ]
    assert any("quote 3 is too short to prove it" in line for line in said)
    assert said[said.index("       reason: it does") + 1].endswith('"The ferry runs every hour"')


@pytest.mark.parametrize(
    "step", ["extract_claims", "judge_passages", "grade_accuracy", "generate_questions"]
)
def test_other_steps_are_shown_by_their_fields(run: Run, store: Path, step: str) -> None:
    [key] = put(store, question(step))
    said = run("show", key[:12].upper())
    assert said.status == 0
    assert said.lines[1] == f"  step: {step} v{STEPS[step].version}"
    assert "  reply:" in said.lines
    told = {
        "extract_claims": "      It runs",
        "judge_passages": "      id 1, reason none, relevant true",
        "grade_accuracy": "      score: 90.0",
        "generate_questions": "      Does it run?",
    }
    assert told[step] in said.lines


def test_a_committed_verdict_is_shown_without_a_store(run: Run, project: Path, store: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\nragassert_verdicts = verdicts.jsonl\n")
    write_lines(project / "verdicts.jsonl", [line_of(question())])
    said = run("show", question().key)
    assert said.lines[:6] == [
        f"question {question().key}",
        "  step: verify_claims",
        "  judge: openai http://judge model-a",
        f"  from: the committed verdicts {project / 'verdicts.jsonl'}",
        f"  about: {'; '.join(CLAIMS)}",
        "  the whole question is not stored here, only what it is about",
    ]
    assert "    1: contradicted" in said.lines
    assert not store.exists()


def test_of_two_replies_both_are_shown(run: Run, project: Path, store: Path) -> None:
    put(store, question("classify_answer"))
    other = {"reason": None, "label": "WRONG"}
    file = write_lines(project / "v.jsonl", [line_of(question("classify_answer"), other)])
    said = run("show", question("classify_answer").key, "--verdicts", str(file))
    assert said.out.index("label: WRONG") < said.out.index("label: CORRECT")
    assert "different replies" in said.out


def test_what_this_version_does_not_use_is_told(run: Run, store: Path) -> None:
    [key] = put(store, question())
    change(store, "UPDATE Cache SET value = replace(value, '\"format\":2', '\"format\":1')")
    said = run("show", key)
    assert f"  from: the store {store}, but not used: format 1" in said.lines


# -- claims ----------------------------------------------------------------------------------------


def test_a_reported_claim_is_shown_with_its_question(run: Run, store: Path) -> None:
    # of two sentences one says what the claim says
    reply = {"claims": [CLAIMS[0]]}
    keys = [*put(store, question("extract_claims"), reply=reply), *put(store, question())]
    other = put(store, question("extract_claims", sample=1), reply={"claims": []})
    keep_reported(store, [reported(by_hand=True, questions=[*other, *keys])])
    said = run("show", CLAIM[:12])
    assert said.status == 0
    assert said.lines[:16] == [
        f"claim {CLAIM}",
        "  The crossing costs 5 euros.",
        "  held against:",
        "    [1] Dogs are not allowed.",
        "    [2] The crossing costs 9 euros.",
        "        The ferry runs every hour.",
        "  reported 2026-01-31T12:00:00Z by test_it.py::test_price",
        "    case price, metric faithfulness",
        "    judge model-a",
        "    the judge said contradicted; it counts as no evidence, because judge says "
        "contradicted, no quote, by hand",
        "    reason: 9, not 5",
        f"  see also extract_claims: python -m pytest_ragassert verdicts show {keys[0][:12]}",
        "",
        f"question {keys[1]}",
        "  step: verify_claims v2",
        "  judge: openai http://judge",
    ]


def test_a_reported_claim_is_shown_where_the_store_is_empty(run: Run, store: Path) -> None:
    passages = ["", "x" * 9_000, PASSAGES[1]]
    keep_reported(
        store,
        [reported(passages=passages, evidence=[{"passage": 2, "quote": "The crossing costs 9"}])],
    )
    said = run("show", claim_id(CLAIMS[0], passages))
    assert "  held against (cut; whole in the question below):" in said.lines
    assert "    [3] The crossing costs 9 euros." in said.lines
    assert '    quote: [3] "The crossing costs 9"' in said.lines
    assert said.lines[-1] == "  the question itself is neither stored nor committed here any more"


def test_a_claim_that_was_not_reported_is_found_in_the_stored_questions(
    run: Run, store: Path
) -> None:
    [key] = put(store, question())
    other = claim_id(CLAIMS[1], PASSAGES)
    said = run("show", other[:6])
    assert said.lines[:2] == [f"claim {other}", f"  {CLAIMS[1]}"]
    assert f"question {key}" in said.lines


def test_an_override_is_shown_with_its_reason(run: Run, project: Path, store: Path) -> None:
    file = write_lines(project / "v.jsonl", [override_line()])
    said = run("show", CLAIM[:12], f"--verdicts={file}")
    assert f"  by hand: FULLY_SUPPORTED (in {file})" in said.lines
    assert "    reason: I asked the ferryman" in said.lines
    put(store, question())
    said = run("show", CLAIM[:12], f"--verdicts={file}")
    assert f"  by hand: FULLY_SUPPORTED (in {file})" in said.lines
    assert f"question {question().key}" in said.lines


def test_several_ids_are_shown_one_after_the_other(run: Run, store: Path) -> None:
    keys = put(store, question(), question("classify_answer"))
    said = run("show", *keys)
    assert [line for line in said.lines if line.startswith("question")] == [
        f"question {key}" for key in keys
    ]


# -- ids that say nothing --------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["abcde", "", "xyzxyz", "a" * 65, "../../etc"])
def test_what_is_no_id_is_a_misuse(run: Run, id: str) -> None:
    said = run("show", id)
    assert said.status == 2
    assert "is no id: ids are hexadecimal digits" in said.err


def test_an_unknown_id_says_what_to_do(run: Run, store: Path) -> None:
    said = run("show", "abcdef")
    assert (said.status, said.out) == (1, "")
    assert "abcdef: no reported claim, committed verdict or stored question has this id" in said.err
    assert "--cache-dir" in said.err
    assert not store.exists()


def test_an_ambiguous_id_lists_what_it_may_be(run: Run, store: Path) -> None:
    keep_reported(store, [reported()])
    other = CLAIM[:8] + ("0" * 56 if CLAIM[8] != "0" else "1" * 56)
    keep_reported(store, [reported("Another claim.", id=other)])
    said = run("show", CLAIM[:6])
    assert said.status == 1
    assert f"{CLAIM[:6]} begins several ids; give more of it:" in said.err
    assert f"  {CLAIM[:12]}  claim: The crossing costs 5 euros." in said.err
    assert f"  {other[:12]}  claim: Another claim." in said.err
    assert run("show", CLAIM[:12]).status == 0


def test_texts_can_do_nothing_to_the_terminal(run: Run, project: Path, store: Path) -> None:
    evil = "\x1b[2J\x07\u202eevil\ud800"
    asked = question(
        judge_id=f"judge{evil}",
        model=f"model{evil}",
        input={
            "passages": [{"id": 1, "text": f"passage{evil}"}],
            "claims": [{"id": 1, "text": f"claim{evil}"}],
        },
    )
    first = VERDICTS["verdicts"][0]
    evidence = [{"passage": 1, "quote": f"quote{evil}"}]
    reply = {"verdicts": [{**first, "reason": f"reason{evil}", "evidence": evidence}]}
    put(store, asked, reply=reply, served=f"served{evil}")
    fields = ("gate_reason", "reason", "metric", "case", "nodeid", "judge", "when")
    texts: dict[str, Any] = {name: f"{name}{evil}" for name in fields}
    texts["evidence"] = [{"passage": 0, "quote": f"reported{evil}"}]
    keep_reported(
        store, [reported(f"claim{evil}", [f"passage{evil}"], questions=[asked.key], **texts)]
    )
    said = run("show", claim_id(f"claim{evil}", [f"passage{evil}"]))
    assert said.status == 0
    assert not {"\x1b", "\x07", "\u202e", "\ud800"} & set(said.out)
    for name in (*fields, "claim", "passage", "reported", "model", "served", "quote"):
        assert f"{name}\\x1b[2J\\x07\\u202eevil\\ud800" in said.out


def test_a_claim_of_the_offline_judge_is_not_said_to_be_lost(run: Run, store: Path) -> None:
    keep_reported(store, [reported(judge="offline-3", questions=[], case="")])
    said = run("show", CLAIM)
    assert said.status == 0
    assert "    case without id, metric faithfulness" in said.lines
    offline = "  the offline judge's answers are not stored: run the test again to see them anew"
    assert said.lines[-1] == offline
