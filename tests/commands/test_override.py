"""`verdicts override`: people correct a judge."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.steps.evidence.claim_ids import claim_id, former_claim_id
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.failed_claims import forget_reported, keep_reported

from .conftest import Run
from .stored import (
    CLAIMS,
    PASSAGES,
    former,
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
REASON = "--reason=the fare was 5 until May"
FULL = "FULLY_SUPPORTED"


@pytest.fixture
def file(project: Path, store: Path) -> Path:
    """The configured file of committed verdicts, with one in it; a claim was reported."""
    (project / "pytest.ini").write_text("[pytest]\nragassert_verdicts = v.jsonl\n")
    keep_reported(store, [reported()])
    return write_lines(project / "v.jsonl", [line_of(question())])


def lines_in(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_reported_claim_is_overridden(run: Run, file: Path) -> None:
    said = run("override", CLAIM[:12], FULL, REASON)
    assert said.status == 0
    assert said.lines == [
        f"{CLAIM[:12]} The crossing costs 5 euros.",
        "  override: FULLY_SUPPORTED; the judge said contradicted",
        "  reason: the fare was 5 until May",
        f"written to {file}; commit it",
    ]
    override, other = lines_in(file)
    assert override == {
        "key": CLAIM,
        "step": "override",
        "judge": "by hand",
        "about": "The crossing costs 5 euros.",
        "reply": {"verdict": FULL, "reason": "the fare was 5 until May"},
    }
    assert other["key"] == question().key


def test_a_later_override_takes_the_place_of_an_earlier_one(run: Run, file: Path) -> None:
    run("override", CLAIM[:12], FULL, REASON)
    said = run("override", CLAIM, "partially supported", "--reason", " \x1b[2J half of it\n")
    assert "  earlier override: FULLY_SUPPORTED" in said.lines
    assert "  reason: \\x1b[2J half of it" in said.lines
    override, _ = lines_in(file)
    assert override["reply"] == {
        "verdict": "PARTIALLY_SUPPORTED",
        "reason": "\x1b[2J half of it",
    }


def test_a_claim_that_no_report_names_is_overridden(run: Run, file: Path, store: Path) -> None:
    put(store, question_on(CLAIMS[1]))
    other = claim_id(CLAIMS[1], PASSAGES)
    said = run("override", other[:8], "no-evidence", REASON)
    assert (said.status, said.lines[1]) == (0, "  override: NO_EVIDENCE")
    assert lines_in(file)[0]["about"] == CLAIMS[1]


def former_override(**changed: Any) -> VerdictLine:
    """As an earlier version wrote it, under an id for which the order of passages counted."""
    return replace(override_line(**changed), key=former_claim_id(CLAIMS[0], PASSAGES))


@pytest.mark.parametrize("known", ["reported", "reported before", "asked"])
def test_an_override_of_an_earlier_version_is_replaced_under_its_present_id(
    run: Run, file: Path, store: Path, known: str
) -> None:
    former_id = former_override().key
    forget_reported(store, "9")
    if known == "asked":
        put_former(store, former())
    else:
        keep_reported(store, [reported(id=former_id if known == "reported before" else CLAIM)])
    before = file.read_text()
    file.write_text(before + former_override(verdict="NO_EVIDENCE").to_text() + "\n")
    said = run("override", former_id if known == "reported before" else CLAIM, FULL, REASON)
    assert said.status == 0, said.err
    assert said.lines[0] == f"{CLAIM[:12]} The crossing costs 5 euros."
    assert "  earlier override: NO_EVIDENCE" in said.lines
    override, _ = lines_in(file)
    assert (override["key"], override["reply"]["verdict"]) == (CLAIM, FULL)
    assert run("override", CLAIM, "--remove").status == 0
    assert file.read_text() == before


@pytest.mark.parametrize("id", [CLAIM, former_claim_id(CLAIMS[0], PASSAGES)])
def test_an_override_of_an_earlier_version_is_taken_back(run: Run, file: Path, id: str) -> None:
    before = file.read_text()
    file.write_text(before + former_override().to_text() + "\n")
    said = run("override", id, "--remove")
    assert said.status == 0, said.err
    assert said.lines[1] == "  override removed: FULLY_SUPPORTED"
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("fully-supported", FULL),
        ("Supported", FULL),
        ("partially Supported", "PARTIALLY_SUPPORTED"),
        ("partly supported", "PARTIALLY_SUPPORTED"),  # as reports have it
        (" No  Evidence ", "NO_EVIDENCE"),
        ("contradictory", "CONTRADICTORY"),
        ("CONTRADICTED", "CONTRADICTORY"),
    ],
)
def test_a_label_is_its_name_or_what_reports_call_it(
    run: Run, file: Path, text: str, label: str
) -> None:
    assert run("override", CLAIM, text, REASON).status == 0
    assert lines_in(file)[0]["reply"]["verdict"] == label


def test_a_folder_gets_a_file_of_its_own(run: Run, project: Path, store: Path) -> None:
    keep_reported(store, [reported()])
    said = run("override", CLAIM, FULL, REASON, "--verdicts", "verdicts/")
    assert said.status == 0
    assert (project / "verdicts" / "override" / f"{CLAIM}.json").exists()
    line = open_verdicts(project / "verdicts").line(CLAIM)
    assert line is not None
    assert line.reply["verdict"] == FULL


def test_an_override_is_taken_back(run: Run, file: Path) -> None:
    before = file.read_bytes()
    run("override", CLAIM, FULL, REASON)
    said = run("override", CLAIM[:6], "--remove")
    assert said.status == 0
    assert said.lines == [
        f"{CLAIM[:12]} The crossing costs 5 euros.",
        "  override removed: FULLY_SUPPORTED",
        f"removed from {file}; commit it",
    ]
    assert file.read_bytes() == before
    said = run("override", CLAIM[:6], "--remove")
    assert said.status == 1
    assert f"v.jsonl has no override of a claim {CLAIM[:6]}" in said.err


def test_an_ambiguous_one_is_not_taken_back(run: Run, file: Path) -> None:
    one = override_line()
    other = CLAIM[:8] + "0" * 56
    text = one.to_text().replace(CLAIM, other)
    file.write_text(f"{one.to_text()}\n{text}\n")
    said = run("override", CLAIM[:6], "--remove")
    assert said.status == 1
    assert f"{CLAIM[:6]} matches several ids" in said.err
    assert len(lines_in(file)) == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([FULL], 'give the reason, for people who review the change: --reason "…"'),
        ([FULL, "--reason", " \u200b"], "give the reason"),
        ([REASON], "give a LABEL after the claim's id: one of FULLY_SUPPORTED, PARTIALLY"),
        (["MAYBE", REASON], "'MAYBE' is not a label; labels are FULLY_SUPPORTED"),
        (["MAYBE", REASON], "(or as failures show them: supported, "),
        (["MAYBE", REASON], "for a criterion YES, NO, UNCLEAR (or as failures show them: met, "),
        *(
            ([text, REASON], f"{text!r} is not a label; labels are FULLY_SUPPORTED, PARTIALLY")
            for text in ("no", "YES", "TRUE", "1", "unsupported", "neutral", "", "SUPPORTED!")
        ),
        ([FULL, "--remove"], "--remove takes only a CLAIM_ID, without"),
        (["--remove", REASON], "--remove takes only a CLAIM_ID, without"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_written(
    run: Run, file: Path, arguments: list[str], told: str
) -> None:
    before = file.read_bytes()
    said = run("override", CLAIM, *arguments)
    assert (said.status, said.out) == (2, "")
    assert told in said.err
    assert file.read_bytes() == before


def test_without_committed_verdicts_both_ways_are_named(run: Run, store: Path) -> None:
    keep_reported(store, [reported()])
    for arguments in ([FULL, REASON], ["--remove"]):
        said = run("override", CLAIM, *arguments)
        assert said.status == 2
        assert "ragassert_verdicts = PATH" in said.err
        assert "--verdicts PATH" in said.err


def test_an_unknown_claim_and_a_question_are_no_claims(run: Run, file: Path, store: Path) -> None:
    said = run("override", "abcdefabcdef", FULL, REASON)
    assert said.status == 1
    assert "no reported claim" in said.err
    [key] = put(store, question("classify_answer"))
    said = run("override", key[:12], FULL, REASON)
    assert said.status == 1
    assert f"{key[:12]} is the judgement {key[:12]}, not a claim" in said.err
    assert len(lines_in(file)) == 1


def test_a_damaged_file_is_told_and_stays(run: Run, file: Path) -> None:
    file.write_text("{\n")
    said = run("override", CLAIM, FULL, REASON)
    assert said.status == 2
    assert "v.jsonl, line 1" in said.err
    assert file.read_text() == "{\n"
