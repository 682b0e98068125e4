"""`verdicts info`: what is there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.storage.failed_claims import keep_reported

from .conftest import Run
from .stored import (
    PASSAGES,
    change,
    former,
    former_line,
    line_of,
    override_line,
    put,
    put_former,
    put_texts,
    put_vector,
    question,
    reported,
    texts_in,
    write_lines,
)


def test_what_is_stored_is_counted(run: Run, store: Path) -> None:
    put(store, question(), question(model="model-b"), served="model-2026")
    put(store, question("classify_answer"), when="2025-12-24T00:00:00Z")
    put(store, question("extract_claims", model="").part({"sentences": []}))
    put_vector(store)
    keep_reported(store, [reported(), reported(nodeid="other"), reported(passages=PASSAGES[:1])])
    said = run("info")
    assert said.status == 0
    assert said.lines[0].startswith(f"store {store}: ")
    assert said.lines[0].endswith(" kB")
    assert said.lines[1:] == [
        "  steps: verify_claims 2, classify_answer 1, embed_text 1",
        "  judges: openai http://judge model-a 2, mine v1 1, openai http://judge model-b 1",
        "  served models: model-2026 2, not reported 1",
        "  their questions: 4, passages: 2, parts of split questions: 1",
        f"  oldest 2025-12-24T00:00:00Z, newest {said.lines[5].rpartition(' ')[2]}",
        f"reported {store / 'reported.jsonl'}: 2 claims of failed results",
        "no committed verdicts are configured: set ragassert_verdicts = PATH in the project's ini "
        "file, or give --verdicts PATH",
    ]


def test_what_is_not_used_is_told_with_how_to_remove_it(run: Run, store: Path) -> None:
    keys = put(store, question(), question("classify_answer"), question("rate_relevance"))
    texts = texts_in(store)
    put_texts(
        store,
        {
            keys[0]: texts[keys[0]].replace('"format":3', '"format":1'),
            keys[1]: texts[keys[1]].replace(STEPS["classify_answer"].fingerprint, "0" * 64),
            keys[2]: texts[keys[2]][:50],
        },
    )
    said = run("info")
    assert (
        "  not used by this version: another prompt of classify_answer 1, format 1 1" in said.lines
    )
    assert "    remove them with: python -m pytest_ragassert verdicts prune" in said.lines
    assert "  damaged: 1" in said.lines


def test_what_an_earlier_version_kept_and_what_is_carried_are_counted(
    run: Run, project: Path, store: Path
) -> None:
    put(store, question(), carried="c" * 64)
    put_former(store, former(), former("judge_passages"), former("classify_answer"))
    carried = replace(line_of(question()), source="c" * 64)
    write_lines(project / "v.jsonl", [carried, former_line(former()), override_line()])
    lines = run("info", "--verdicts=v.jsonl").lines
    assert lines.index("  carried over: 1") < len(lines) / 2
    kept = [
        "  answers to whole questions, of an earlier version: 2",
        "    split them into judgements with: python -m pytest_ragassert verdicts convert",
    ]
    assert lines[lines.index(kept[0]) :][:2] == kept
    committed = [
        "  carried over: 1",
        "  answers to whole questions, of an earlier version: 1",
        "    split them into judgements with: python -m pytest_ragassert verdicts convert "
        f"{project / 'v.jsonl'}",
        "  overrides: 1",
    ]
    assert lines[-5:-1] == committed


def test_what_is_committed_is_counted(run: Run, project: Path, store: Path) -> None:
    lines = [line_of(question("rate_relevance")), line_of(question("classify_answer"))]
    file = write_lines(project / "v.jsonl", [*lines, override_line()])
    said = run("info", "--verdicts=v.jsonl")
    assert said.status == 0
    assert said.lines == [
        f"store {store}: does not exist",
        f"committed verdicts {file}: {file.stat().st_size} bytes",
        "  steps: classify_answer 1, rate_relevance 1",
        "  judges: openai http://judge model-a 2",
        "  overrides: 1",
        f"    {override_line().key[:12]} FULLY_SUPPORTED: The crossing costs 5 euros.",
    ]


def test_what_can_not_be_read_is_told(run: Run, project: Path, store: Path) -> None:
    store.mkdir()
    (store / "cache.db").write_bytes(b"no database" * 1000)
    said = run("info")
    assert said.status == 1
    assert f"the store {store} can't be read" in said.err
    assert "verdicts verify --repair" in said.err
    (store / "cache.db").unlink()
    (project / "v.jsonl").write_text("{\n")
    said = run("info", "--verdicts=v.jsonl")
    assert said.status == 1
    assert "v.jsonl, line 1" in said.err


def test_rows_that_hold_no_text_are_damaged(run: Run, store: Path) -> None:
    put(store, question())
    change(store, "UPDATE Cache SET mode = 4 WHERE key LIKE '%question'")
    change(store, "INSERT INTO Cache (key, raw, mode, value) VALUES (X'80', 0, 1, 'x')")
    said = run("info")
    assert (said.status, "  damaged: 2" in said.lines) == (0, True)
