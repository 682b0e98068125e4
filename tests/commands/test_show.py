"""`verdicts show`: what is behind an id."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.evidence.claim_ids import claim_id, former_claim_id
from pytest_ragassert.steps.evidence.passage_hashes import text_hash
from pytest_ragassert.steps.verify_claims import VERIFY_CLAIMS
from pytest_ragassert.storage.failed_claims import forget_reported, keep_reported

from .conftest import Run
from .stored import (
    CLAIMS,
    HASHES,
    NOTHING,
    PASSAGES,
    VERDICTS,
    change,
    former,
    former_line,
    former_reply,
    line_of,
    override_line,
    put,
    put_former,
    question,
    question_on,
    reported,
    write_lines,
)

CLAIM = claim_id(CLAIMS[0], PASSAGES)


def test_a_judgement_is_shown_whole(run: Run, store: Path) -> None:
    [key] = put(store, question(sample=2), served="model-a-2026")
    said = run("show", key)
    assert said.status == 0
    assert said.lines == [
        f"judgement {key}",
        "  step: verify_claims v2",
        "  judge: openai http://judge",
        "  model: model-a",
        "  settings: temperature 0.0, sample 3",
        "  answered: 2026-01-31T12:00:00Z",
        "  served by: model-a-2026",
        f"  from: the store {store}",
        "  claim: The crossing costs 5 euros.",
        "  passages:",
        "    [1] Dogs are not allowed.",
        "    [2] The crossing costs 9 euros.",
        "        The ferry runs every hour.",
        "  reply:",
        f"    claim {CLAIM[:12]}",
        "    the judge said contradicted, and it counts",
        "    reason: 9, not 5",
        '    quote: [2] "The crossing costs 9 euros"',
        "    found in [2] at 0-26",
    ]


def test_what_is_carried_over_or_packed_says_so(run: Run, store: Path) -> None:
    reply = {**VERDICTS[0], "conflict": True, "packed": True}
    [key] = put(store, question(), reply=reply, carried="c" * 64)
    lines = run("show", key).lines
    assert "  carried over from: cccccccccccc, the same claim with other passages" in lines
    assert lines[-2:] == [
        "    another passage says the opposite, also with a verified quote",
        "    merged from several requests, each with some of the passages",
    ]


def test_what_an_earlier_version_kept_is_shown_whole(run: Run, store: Path) -> None:
    [key] = put_former(store, former(sample=2), served="model-a-2026")
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
        "    [1] The crossing costs 9 euros.",
        "        The ferry runs every hour.",
        "    [2] Dogs are not allowed.",
        "  reply:",
        "    1: The crossing costs 5 euros.",
        f"       claim {CLAIM[:12]}",
        "       the judge said contradicted, and it counts",
        "       reason: 9, not 5",
        '       quote: [1] "The crossing costs 9 euros"',
        "       found in [1] at 0-26",
        "    2: The ferry runs every hour.",
        f"       claim {claim_id(CLAIMS[1], PASSAGES)[:12]}",
        "       the judge said supported, and it counts; the quote is in passage 1, not 2",
        "       reason: it does",
        '       quote: [2] "The ferry runs every hour"',
        "       found in [1] at 28-53",
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
    invented = {"passage": HASHES[0], "quote": "The crossing is free of charge"}
    [key] = put(store, question(), reply={**VERDICTS[0], "evidence": [invented]})
    said = run("show", key)
    assert f"    the judge said contradicted{counts or ', and it counts'}" in said.out
    assert "judge says contradicted, the quote is not in the passage" in said.out
    assert "    the quote is not in the passage" in said.lines


def test_each_quote_is_shown_with_its_place(run: Run, store: Path) -> None:
    first, second = former_reply("verify_claims")["verdicts"]
    dogs = {"passage": 1, "quote": "Dogs are not allowed"}
    several = {**first, "evidence": [*first["evidence"], dogs, {"passage": None, "quote": "9"}]}
    of_version_1 = {**second, **second["evidence"][0]}
    del of_version_1["evidence"]
    [key] = put_former(store, former(), reply={"verdicts": [several, of_version_1]})
    said = run("show", key).lines
    at = said.index("       reason: 9, not 5") + 1
    assert said[at : at + 6] == [
        '       quote: [1] "The crossing costs 9 euros"',
        "       found in [1] at 0-26",
        '       quote: [1] "Dogs are not allowed"',
        "       found in [2] at 0-20",
        '       quote: "9"',
        "       the quote is too short to prove it",
    ]
    assert any("quote 3 is too short to prove it" in line for line in said)
    assert said[said.index("       reason: it does") + 1].endswith('"The ferry runs every hour"')


@pytest.mark.parametrize(
    "step",
    [
        "extract_claims",
        "judge_passages",
        "grade_accuracy",
        "generate_questions",
        "write_case",
        "write_personas",
    ],
)
def test_other_steps_are_shown_by_their_fields(run: Run, store: Path, step: str) -> None:
    [key] = put(store, question(step))
    said = run("show", key[:12].upper())
    assert said.status == 0
    assert said.lines[1] == f"  step: {step} v{STEPS[step].version}"
    assert "  reply:" in said.lines
    told = {
        "extract_claims": "      It runs",
        "judge_passages": "    relevant: true",
        "grade_accuracy": "      score: 90.0",
        "generate_questions": "      Does it run?",
        "write_case": "    question: What does the crossing cost?",
        "write_personas": "      A tourist without a car who writes briefly.",
    }
    assert told[step] in said.lines


def test_a_committed_verdict_is_shown_without_a_store(run: Run, project: Path, store: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\nragassert_verdicts = verdicts.jsonl\n")
    write_lines(project / "verdicts.jsonl", [line_of(question())])
    said = run("show", question().key)
    assert said.lines[:6] == [
        f"judgement {question().key}",
        "  step: verify_claims",
        "  judge: openai http://judge model-a",
        f"  from: the committed verdicts {project / 'verdicts.jsonl'}",
        f"  claim: {CLAIMS[0]}",
        "  passages:",
    ]
    assert said.lines[6:] == [
        *(f"    [{n}] {h} (text not stored here)" for n, h in enumerate(sorted(HASHES), 1)),
        "  reply:",
        "    the judge said contradicted",
        "    reason: 9, not 5",
        '    quote: [2] "The crossing costs 9 euros"',
    ]
    assert not store.exists()


def test_a_committed_verdict_is_shown_with_what_the_store_has_of_its_passages(
    run: Run, project: Path, store: Path
) -> None:
    put(store, question_on(CLAIMS[1]))
    file = write_lines(project / "v.jsonl", [line_of(question())])
    lines = run("show", question().key, f"--verdicts={file}").lines
    assert "    [2] The crossing costs 9 euros." in lines
    assert "    found in [2] at 0-26" in lines
    change(store, "DELETE FROM Cache WHERE key LIKE ?", f"{HASHES[1]}%")
    lines = run("show", question().key, f"--verdicts={file}").lines
    assert "    [2] The crossing costs 9 euros." in lines
    assert f"    [1] {HASHES[1]} (text not stored here)" in lines
    # which words prove it can't be said without all texts
    assert "    the judge said contradicted" in lines


def test_a_committed_verdict_without_its_passages_is_shown(run: Run, project: Path) -> None:
    reply = VERIFY_CLAIMS.without_passages(VERDICTS[0])
    bare = replace(line_of(question(), reply), passages=())
    file = write_lines(project / "v.jsonl", [bare])
    lines = run("show", question().key, f"--verdicts={file}").lines
    assert "  passages: not recorded here" in lines
    assert '    quote: "The crossing costs 9 euros"' in lines


@pytest.mark.parametrize("step", ["verify_claims", "judge_passages"])
def test_a_committed_line_of_an_earlier_version_is_shown(
    run: Run, project: Path, step: str
) -> None:
    file = write_lines(project / "v.jsonl", [former_line(former(step))])
    lines = run("show", former(step).key, f"--verdicts={file}").lines
    about = "; ".join(CLAIMS) if step == "verify_claims" else "How?"
    assert lines[4:6] == [
        f"  about: {about}",
        "  the question is not stored here, only its subject",
    ]
    shown = {
        "verify_claims": "    1: contradicted",
        "judge_passages": "      id 1, reason none, relevant true",
    }
    assert shown[step] in lines


def test_a_passage_is_shown_by_its_hash(run: Run, store: Path) -> None:
    put(store, question())
    said = run("show", HASHES[0][:12])
    assert said.lines == [
        f"passage {HASHES[0]}",
        "  The crossing costs 9 euros.",
        "  The ferry runs every hour.",
    ]


def test_of_two_replies_both_are_shown(run: Run, project: Path, store: Path) -> None:
    put(store, question("classify_answer"))
    other = {"reason": None, "label": "WRONG"}
    file = write_lines(project / "v.jsonl", [line_of(question("classify_answer"), other)])
    said = run("show", question("classify_answer").key, "--verdicts", str(file))
    assert said.out.index("label: WRONG") < said.out.index("label: CORRECT")
    assert "different replies" in said.out


def test_what_this_version_does_not_use_is_told(run: Run, store: Path) -> None:
    [key] = put(store, question())
    change(store, "UPDATE Cache SET value = replace(value, '\"format\":3', '\"format\":1')")
    said = run("show", key)
    assert f"  from: the store {store}, but not used: format 1" in said.lines


# -- claims ----------------------------------------------------------------------------------------


def test_a_reported_claim_is_shown_with_its_question(run: Run, store: Path) -> None:
    # of two sentences one says what the claim says
    reply = {"claims": [CLAIMS[0]]}
    keys = [*put(store, question("extract_claims"), reply=reply), *put(store, question())]
    other = put(store, question("extract_claims", sample=1), reply={"claims": []})
    # the same result rests on another claim, and has the claim against another text
    other += put(store, question_on(CLAIMS[1]), reply=VERDICTS[1])
    reference = ["A reference."]
    other += put(store, question_on(CLAIMS[0], reference), reply=NOTHING, passages=reference)
    keep_reported(store, [reported(by_hand=True, questions=[*other, *keys])])
    said = run("show", CLAIM[:12])
    assert said.status == 0
    assert said.lines[:16] == [
        f"claim {CLAIM}",
        "  The crossing costs 5 euros.",
        "  checked against:",
        "    [1] The crossing costs 9 euros.",
        "        The ferry runs every hour.",
        "    [2] Dogs are not allowed.",
        "  reported 2026-01-31T12:00:00Z by test_it.py::test_price",
        "    case price, metric faithfulness",
        "    judge model-a",
        "    the judge said contradicted; it counts as no evidence, because judge says "
        "contradicted, no quote, overridden",
        "    reason: 9, not 5",
        f"  see also extract_claims: python -m pytest_ragassert verdicts show {keys[0][:12]}",
        "",
        f"judgement {keys[1]}",
        "  step: verify_claims v2",
        "  judge: openai http://judge",
    ]
    assert sum(line.startswith("judgement ") for line in said.lines) == 1
    # passages have the numbers that they have in the report
    assert "    [1] The crossing costs 9 euros." in said.lines[16:]
    assert '    quote: [1] "The crossing costs 9 euros"' in said.lines


def test_a_claim_that_an_earlier_version_reported_is_shown_with_what_there_is_now(
    run: Run, store: Path
) -> None:
    before = former_claim_id(CLAIMS[0], PASSAGES)
    assert before != CLAIM
    keep_reported(store, [reported(id=before, questions=[former().key])])
    put_former(store, former())
    for id in (before, CLAIM):
        lines = run("show", id[:12]).lines
        assert lines[0] == f"claim {CLAIM}"
        assert f"question {former().key}" in lines
    assert run("convert").status == 0
    for id in (before, CLAIM):
        lines = run("show", id[:12]).lines
        assert lines[0] == f"claim {CLAIM}"
        assert f"judgement {question().key}" in lines


def test_a_reported_claim_is_shown_where_the_store_is_empty(run: Run, store: Path) -> None:
    passages = ["", "x" * 9_000, PASSAGES[0]]
    keep_reported(
        store,
        [reported(passages=passages, evidence=[{"passage": 2, "quote": "The crossing costs 9"}])],
    )
    said = run("show", claim_id(CLAIMS[0], passages))
    assert "  checked against (shortened; in full below, if stored):" in said.lines
    assert "    [3] The crossing costs 9 euros." in said.lines
    assert '    quote: [3] "The crossing costs 9"' in said.lines
    assert said.lines[-1] == "  the judgement itself is no longer stored or committed here"


def test_a_claim_that_was_not_reported_is_found_in_what_is_stored(run: Run, store: Path) -> None:
    put(store, question())
    keys = put(store, question_on(CLAIMS[1]), question_on(CLAIMS[1], sample=1), reply=VERDICTS[1])
    other = claim_id(CLAIMS[1], PASSAGES)
    said = run("show", other[:6])
    assert said.lines[:3] == [f"claim {other}", f"  {CLAIMS[1]}", "  checked against:"]
    shown = [line.split()[1] for line in said.lines if line.startswith("judgement ")]
    assert shown == sorted(keys)


def test_a_claim_of_an_earlier_version_is_found_in_what_is_stored(run: Run, store: Path) -> None:
    [key] = put_former(store, former())
    other = claim_id(CLAIMS[1], PASSAGES)
    said = run("show", other[:6])
    assert said.lines[:4] == [
        f"claim {other}",
        f"  {CLAIMS[1]}",
        "  checked against:",
        "    [1] The crossing costs 9 euros.",
    ]
    assert f"question {key}" in said.lines


def test_an_override_is_shown_with_its_reason(run: Run, project: Path, store: Path) -> None:
    file = write_lines(project / "v.jsonl", [override_line()])
    said = run("show", CLAIM[:12], f"--verdicts={file}")
    assert f"  override: FULLY_SUPPORTED (in {file})" in said.lines
    assert "    reason: I asked the ferryman" in said.lines
    put(store, question())
    said = run("show", CLAIM[:12], f"--verdicts={file}")
    assert f"  override: FULLY_SUPPORTED (in {file})" in said.lines
    assert f"judgement {question().key}" in said.lines
    assert "    override: FULLY_SUPPORTED, which counts" in said.lines


def test_an_override_of_an_earlier_version_is_shown(run: Run, project: Path, store: Path) -> None:
    line = replace(override_line(), key=former_claim_id(CLAIMS[0], PASSAGES))
    file = write_lines(project / "v.jsonl", [line])
    keep_reported(store, [reported()])
    said = run("show", CLAIM[:12], f"--verdicts={file}")
    assert f"  override: FULLY_SUPPORTED (in {file})" in said.lines
    forget_reported(store, "9")
    put_former(store, former())
    said = run("show", CLAIM[:12], f"--verdicts={file}")
    assert f"  override: FULLY_SUPPORTED (in {file})" in said.lines
    assert "       override: FULLY_SUPPORTED, which counts" in said.lines


def test_overrides_of_the_claim_for_other_passages_are_named(
    run: Run, project: Path, store: Path
) -> None:
    put(store, question())
    line = replace(override_line(), key=claim_id(CLAIMS[0], PASSAGES[:1]))
    file = write_lines(project / "v.jsonl", [line, override_line(CLAIMS[1])])
    said = run("show", CLAIM[:12], f"--verdicts={file}")
    other = "  override for other passages, or their former order: FULLY_SUPPORTED"
    assert [one for one in said.lines if one.startswith("  override")] == [
        f"{other} {line.key[:12]}"
    ]


def test_several_ids_are_shown_one_after_the_other(run: Run, store: Path) -> None:
    keys = put(store, question(), question("classify_answer"))
    said = run("show", *keys)
    assert [line for line in said.lines if line.startswith("judgement")] == [
        f"judgement {key}" for key in keys
    ]


# -- ids that say nothing --------------------------------------------------------------------------


@pytest.mark.parametrize("id", ["abcde", "", "xyzxyz", "a" * 65, "../../etc"])
def test_what_is_no_id_is_a_misuse(run: Run, id: str) -> None:
    said = run("show", id)
    assert said.status == 2
    assert "is not an id: an id has at least 6 hexadecimal digits" in said.err


def test_an_unknown_id_says_what_to_do(run: Run, store: Path) -> None:
    said = run("show", "abcdef")
    assert (said.status, said.out) == (1, "")
    assert "no reported claim, committed verdict or stored judgement has this id" in said.err
    assert "--cache-dir or --store" in said.err
    assert not store.exists()


def test_an_ambiguous_id_lists_what_it_may_be(run: Run, store: Path) -> None:
    keep_reported(store, [reported()])
    other = CLAIM[:8] + ("0" * 56 if CLAIM[8] != "0" else "1" * 56)
    keep_reported(store, [reported("Another claim.", id=other)])
    said = run("show", CLAIM[:6])
    assert said.status == 1
    assert f"{CLAIM[:6]} matches several ids; give more digits:" in said.err
    assert f"  {CLAIM[:12]}  claim: The crossing costs 5 euros." in said.err
    assert f"  {other[:12]}  claim: Another claim." in said.err
    assert run("show", CLAIM[:12]).status == 0


def test_texts_can_do_nothing_to_the_terminal(run: Run, project: Path, store: Path) -> None:
    evil = "\x1b[2J\x07\u202eevil\ud800"
    passage = text_hash(f"passage{evil}")
    names = {"judge_id": f"judge{evil}", "model": f"model{evil}"}
    asked = question_on(f"claim{evil}", [f"passage{evil}"], **names)
    evidence = [{"passage": passage, "quote": f"quote{evil}"}]
    reply = {**VERDICTS[0], "reason": f"reason{evil}", "evidence": evidence}
    put(store, asked, reply=reply, passages=[f"passage{evil}"], served=f"served{evil}")
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
    offline = "  the offline judge's answers are not stored: run the test again to see them"
    assert said.lines[-1] == offline
