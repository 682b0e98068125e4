"""`verdicts verify`: what is found wrong, and what is mended."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE
from typing import Any

import diskcache
import pytest

from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.storage.committed.committed_verdicts import write_verdicts
from pytest_ragassert.storage.judgement_rows import passage_key
from pytest_ragassert.storage.keys import question_key
from pytest_ragassert.storage.open_store import open_store

from .conftest import Run
from .stored import (
    FORMER_REPLIES,
    HASHES,
    PASSAGES,
    VERDICTS,
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
    texts_in,
    write_lines,
)

# A quote in a passage that the claim was not held against.
ELSEWHERE: list[Json] = [{"passage": "0" * 32, "quote": "a quote"}]


def test_a_sound_store_and_file_are_told_so(run: Run, project: Path, store: Path) -> None:
    put(store, *map(question, ("verify_claims", "classify_answer")))
    part = question("extract_claims").part({"sentences": []})
    put(store, part, reply={"claims": []})
    vector = put_vector(store)
    old = texts_in(store)[question().key].replace('"format":3', '"format":1')
    put_texts(store, {"c" * 64: old})
    put_former(store, former(), former("judge_passages"), former("rate_relevance"))
    lines = [line_of(question()), former_line(former(model="model-b")), override_line()]
    write_lines(project / "v.jsonl", lines)
    said = run("verify", "--verdicts=v.jsonl")
    assert said.status == 0, said.out
    assert said.lines == [
        f"store {store}: 16 rows, 0 problems",
        "  question 6, answer 5, passage 2, old 1, part 1, vector 1",
        f"committed verdicts {project / 'v.jsonl'}: 3 verdicts, 0 problems",
        "  verify_claims 2, override 1",
    ]
    assert vector in texts_in(store)


# -- the store -------------------------------------------------------------------------------------


def changed(text: str, **fields: Any) -> str:
    return json.dumps({**json.loads(text), **fields})


def without(text: str, name: str) -> str:
    record = json.loads(text)
    del record[name]
    return json.dumps(record)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda text: text[:40], "it is not JSON"),
        (lambda text: "[]", "it has no format"),
        (lambda text: "[" * 100_000, "it is not JSON"),
        (lambda text: changed(text, step=None), "it has no step"),
        (lambda text: changed(text, fingerprint=None), "it has no fingerprint"),
        (lambda text: changed(text, usage={"euros": 1}), "fields are missing"),
        (lambda text: changed(text, when=None), "fields are missing"),
        (lambda text: changed(text, reply=None), "its reply does not fit the step verify_claims"),
        (
            lambda text: changed(text, reply={**VERDICTS[0], "evidence": ELSEWHERE}),
            "its reply does not fit the question in the store",
        ),
        (
            lambda text: changed(text, reply=FORMER_REPLIES["verify_claims"]),
            "its reply does not fit",
        ),
        (
            lambda text: changed(text, asked="0" * 64),
            "it was asked in a different way than the question in the store",
        ),
        (
            lambda text: changed(text, passages=["0" * 32]),
            "its passages are not those of the question in the store",
        ),
        (
            lambda text: changed(
                text,
                step="classify_answer",
                fingerprint=STEPS["classify_answer"].fingerprint,
                reply={"reason": None, "label": "CORRECT"},
            ),
            "the question in the store belongs to another step",
        ),
    ],
)
def test_an_answer_that_is_damaged_is_named_with_its_key(
    run: Run, store: Path, spoil: Any, told: str
) -> None:
    good, bad = put(store, question("classify_answer"), question())
    put_texts(store, {bad: spoil(texts_in(store)[bad])})
    said = run("verify")
    assert said.status == 1
    assert said.lines[0] == f"store {store}: 6 rows, 1 problem"
    assert any(line.startswith(f"  {bad}: {told}") for line in said.lines), said.out
    said = run("verify", "--repair")
    assert said.status == 0
    assert "  removed: 1 row" in said.lines
    passages = map(passage_key, PASSAGES)
    assert texts_in(store).keys() == {good, question_key(good), question_key(bad), *passages}


@pytest.mark.parametrize(
    "reply", [{"verdicts": FORMER_REPLIES["verify_claims"]["verdicts"][:1]}, VERDICTS[0]]
)
def test_an_answer_of_an_earlier_version_that_is_damaged_is_named(
    run: Run, store: Path, reply: Json
) -> None:
    [key] = put_former(store, former())
    put_texts(store, {key: changed(texts_in(store)[key], reply=reply)})
    said = run("verify")
    assert said.status == 1
    assert f"  {key}: its reply does not fit the question in the store" in said.lines


# -- passages --------------------------------------------------------------------------------------


def test_a_passage_that_is_another_is_named(run: Run, store: Path) -> None:
    [key] = put(store, question())
    row = passage_key(PASSAGES[0])
    put_texts(store, {row: texts_in(store)[passage_key(PASSAGES[1])]})
    said = run("verify")
    assert said.status == 1
    assert f"  {row}: its passage does not match its key" in said.lines
    said = run("verify", "--repair")
    assert said.status == 0
    assert texts_in(store).keys() == {key, question_key(key), passage_key(PASSAGES[1])}
    lacks = "  1 passage that judgements name by hash is missing: "
    assert [line for line in run("verify").lines if line.startswith(lacks)]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"id": "0" * 64}, "its id is not that of its claim and passages"),
        ({"id": None}, "its id is not that of its claim and passages"),
        ({"asked": "0" * 64}, "it was asked in a different way than it records"),
        ({"asked": 1}, "it was asked in a different way than it records"),
        ({"input": {"claim": 1, "passages": []}}, "it has no claim with passages"),
        ({"input": {"claim": "c", "passages": [1]}}, "it has no claim with passages"),
        ({"input": {"claim": "c", "passages": "c"}}, "it has no claim with passages"),
    ],
)
def test_a_question_that_no_claim_finds_is_named(
    run: Run, store: Path, fields: Any, told: str
) -> None:
    [key] = put(store, question())
    row = question_key(key)
    put_texts(store, {row: changed(texts_in(store)[row], **fields)})
    said = run("verify")
    assert said.status == 1
    assert f"  {row}: {told}" in said.lines
    assert run("verify", "--repair").status == 0
    assert row not in texts_in(store)
    assert (key in texts_in(store)) is ("input" not in fields)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"model": "another"}, "its key is not that of the question in the store"),
        ({"sample": 1}, "its key is not that of the question in the store"),
        ({"input": {}}, "its key is not that of the question in the store"),
        ({"step": "guess"}, "the question in the store belongs to another step"),
    ],
)
def test_a_question_that_is_another_is_named(run: Run, store: Path, fields: Any, told: str) -> None:
    [key] = put(store, question())
    row = question_key(key)
    put_texts(store, {row: changed(texts_in(store)[row], **fields)})
    said = run("verify")
    assert said.status == 1
    assert f"  {key}: {told}" in said.lines


@pytest.mark.parametrize("old", [False, True])
def test_an_answer_under_another_key_is_named(run: Run, store: Path, old: bool) -> None:
    """`old`: as the first versions stored it, which did not say its key."""
    one, other = put(store, question(), question(model="model-b"))
    texts = texts_in(store)
    moved = {one: texts[other], other: texts[one]}
    if old:
        moved = {key: without(text, "key") for key, text in moved.items()}
    put_texts(store, moved)
    said = run("verify")
    assert said.status == 1
    assert said.lines.count(f"  {one}: it answers another question") == 1
    assert run("verify", "--repair").status == 0
    assert not texts_in(store).keys() & {one, other}


def test_a_question_that_is_damaged_is_named(run: Run, store: Path) -> None:
    [key] = put(store, question())
    row = question_key(key)
    put_texts(store, {row: changed(texts_in(store)[row], sampling=None)})
    said = run("verify")
    assert (said.status, f"  {row}: it contains no question" in said.lines) == (1, True)


def test_rows_that_are_none_of_ours_are_named(run: Run, store: Path) -> None:
    key = put_vector(store)
    text = texts_in(store)[key]
    put_texts(
        store, {"0" * 64: text, "1" * 64: changed(text, reply={"vector": ["x"]}), "odd": text}
    )
    change(store, "INSERT INTO Cache (key, raw, mode, value) VALUES (X'80', 0, 4, X'80')")
    change(store, "INSERT INTO Cache (key, raw, mode, value) VALUES ('p', 1, 4, X'80')")
    change(
        store, "INSERT INTO Cache (key, raw, mode, value) VALUES ('u', 1, 1, CAST(X'ff' AS TEXT))"
    )
    said = run("verify")
    assert said.status == 1
    assert sorted(said.lines[2:]) == [
        f"  {'0' * 64}: its key is not that of its text and embedder",
        f"  {'1' * 64}: its reply is not a vector",
        "  b'\\x80': its key is not text",
        "  odd: its key is not that of a question",
        "  p: a value that is not text",
        "  u: 'utf-8' codec can't encode character '\\udcff' in position 0: surrogates not allowed",
    ]
    assert run("verify", "--repair").status == 0
    assert texts_in(store) == {key: text}


def test_a_database_that_is_damaged_is_begun_anew_with_what_can_be_read(
    run: Run, store: Path
) -> None:
    asked = [question("classify_answer", sample=number) for number in range(200)]
    keys = put(store, *asked)
    database = store / "cache.db"
    content = bytearray(database.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xff" * 4096
    database.write_bytes(content)
    said = run("verify")
    assert said.status == 1
    assert any(line.startswith("  the database: ") for line in said.lines)
    said = run("verify", "--repair")
    assert said.status == 0, said.out
    assert any(line.startswith("  repaired: ") for line in said.lines)
    left = texts_in(store).keys() & set(keys)
    assert 100 < len(left) < 200
    assert run("verify").status == 0


def test_what_a_run_set_aside_is_named_and_brought_back(run: Run, store: Path) -> None:
    (key,) = put(store, question())
    change(store, "CREATE TRIGGER t AFTER DELETE ON Cache BEGIN SELECT 1; END")
    notices: list[str] = []
    with open_store(store, notices.append) as opened:
        assert opened.get(key) is None
    assert "moved to cache.db.corrupt-" in notices[0]
    (later,) = put(store, question("classify_answer"))
    said = run("verify")
    assert said.status == 1
    (line,) = said.lines[2:]
    assert line.startswith("  the database: cache.db.corrupt-")
    assert line.endswith("verdicts verify --repair copies what can be read")
    said = run("verify", "--repair")
    assert said.status == 0, said.out
    assert texts_in(store).keys() >= {key, later}
    assert run("verify").status == 0


def test_a_store_that_a_run_has_open_is_not_repaired(run: Run, store: Path) -> None:
    put(store, question())
    change(store, "CREATE TRIGGER t AFTER DELETE ON Cache BEGIN SELECT 1; END")
    code = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
    code += "print(c.execute('SELECT count(*) FROM Cache').fetchall(), flush=True); input()"
    command = [sys.executable, "-c", code, str(store / "cache.db")]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline()
        said = run("verify", "--repair")
        other.communicate(b"\n")
    assert said.status == 1
    assert "another process is using it; repair it when that process has ended" in said.err
    said = run("verify", "--repair")
    assert said.status == 0, said.out
    assert any(line.startswith("  repaired: 4 rows kept, 0 rows lost") for line in said.lines)


def test_another_programs_database_is_named_and_not_repaired(run: Run, store: Path) -> None:
    store.mkdir()
    change(store, "CREATE TABLE bookmarks (url)")
    before = (store / "cache.db").read_bytes()
    for action in ("verify", "verify --repair", "info", "prune"):
        said = run(*action.split())
        assert said.status == 1
        assert (
            "it contains something that verdict stores do not have: table bookmarks"
            in said.out + said.err
        )
        assert "is another program's database and is left as it is" in said.out + said.err
        assert "name the store's folder with --cache-dir" in said.out + said.err
        assert "--repair" not in said.out + said.err
        assert "Traceback" not in said.out + said.err
    assert (store / "cache.db").read_bytes() == before


def test_another_programs_diskcache_is_named_and_not_repaired(run: Run, store: Path) -> None:
    with diskcache.Cache(str(store)) as cache:
        cache["theirs"] = {"not": "ours"}
    for action in ("verify", "verify --repair", "info", "prune"):
        said = run(*action.split())
        assert said.status == 1
        assert "is another program's database and is left as it is" in said.out + said.err
    with diskcache.Cache(str(store)) as cache:
        assert cache["theirs"] == {"not": "ours"}
    assert not list(store.glob("cache.db.*"))


def test_a_store_that_cant_be_reached_is_not_to_be_repaired(run: Run, store: Path) -> None:
    put(store, question())
    (store / "cache.db-wal").symlink_to(store / "cache.db")
    said = run("info")
    assert said.status == 1
    assert "--repair" not in said.err


def test_what_is_no_database_is_told(run: Run, store: Path) -> None:
    store.mkdir()
    (store / "cache.db").write_bytes(b"garbage" * 1000)
    said = run("verify")
    assert said.status == 1
    assert said.lines[0] == f"store {store}: 0 rows, 1 problem"
    assert "  the database: the store" in said.lines[1]


def test_texts_can_do_nothing_to_the_terminal(run: Run, store: Path) -> None:
    put_texts(store, {"\x1b[2J": json.dumps({"format": "\x1b[2J"})})
    for action in ("verify", "info", "prune"):
        assert "\x1b" not in run(action).out


# -- committed verdicts ----------------------------------------------------------------------------

CLASSIFIED = line_of(question("classify_answer"))
WRONG = line_of(question("classify_answer"), {"reason": None, "label": "WRONG"})
OVERRIDE = json.loads(override_line().to_text())


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [
        ("{", "not JSON"),
        ("=======", "git left a merge conflict here; keep the verdicts of both sides"),
        (
            line_of(question(), {"verdicts": 1}).to_text(),
            "its reply does not fit the step verify_claims",
        ),
        (
            former_line(question(), {"verdicts": 1}).to_text(),
            "its reply does not fit the step verify_claims",
        ),
        (line_of(former(), FORMER_REPLIES["verify_claims"]).to_text(), "its reply does not fit"),
        (
            replace(line_of(question()), passages=tuple(HASHES[::-1] * 2)).to_text(),
            "its passages are not sorted, or one is listed twice",
        ),
        (
            replace(line_of(question()), passages=()).to_text(),
            "its evidence names a passage that is not among its passages",
        ),
        (WRONG.to_text(), "two different replies"),
        (
            json.dumps({**OVERRIDE, "judge": "model-a"}),
            "the judge of an override must be 'by hand'",
        ),
        (
            json.dumps({**OVERRIDE, "reply": {"verdict": "MAYBE", "reason": "so"}}),
            "must be one of FULLY",
        ),
        (json.dumps({**OVERRIDE, "reply": {"verdict": 1, "reason": "so"}}), "must be one of FULLY"),
        (
            json.dumps({**OVERRIDE, "reply": {"verdict": "NO_EVIDENCE", "reason": " "}}),
            "an override must have a reason",
        ),
        (
            json.dumps({**OVERRIDE, "reply": {"verdict": "NO_EVIDENCE"}}),
            "override must have verdict and reason, and nothing else",
        ),
    ],
)
def test_every_line_that_is_wrong_is_named(run: Run, project: Path, spoilt: str, told: str) -> None:
    file = project / "v.jsonl"
    file.write_text(f"{CLASSIFIED.to_text()}\n\n{spoilt}\r\n{{\n")
    said = run("verify", "--verdicts=v.jsonl")
    assert said.status == 1
    problems = [line for line in said.lines if "line 3" in line]
    assert len(problems) == 1
    assert told in problems[0]
    assert any(f"{file}, line 4" in line for line in said.lines)
    assert file.read_text().endswith("{\n")


def test_every_file_of_a_folder_is_read(run: Run, project: Path) -> None:
    write_verdicts(project / "v", [CLASSIFIED, line_of(question(), {"verdicts": 1})])
    moved = project / "v" / "classify_answer" / f"{'0' * 64}.json"
    moved.write_text(CLASSIFIED.to_text())
    said = run("verify", "--verdicts=v")
    assert said.status == 1
    assert f"  {moved}: it contains the verdict classify_answer/{CLASSIFIED.key}" in said.lines
    assert any("its reply does not fit the step verify_claims" in line for line in said.lines)
    assert f"committed verdicts {project / 'v'}: 3 verdicts, 2 problems" in said.lines


def test_repairing_leaves_committed_verdicts_alone(run: Run, project: Path, store: Path) -> None:
    file = project / "v.jsonl"
    file.write_text("{\n")
    put(store, question())
    said = run("verify", "--repair", "--verdicts=v.jsonl")
    assert said.status == 1
    assert file.read_text() == "{\n"
    assert len(texts_in(store)) == 4


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"asked": "0" * 64}, "it was asked in a different way than the question in the store"),
        ({"passages": tuple(sorted([*HASHES, "f" * 32]))}, "its passages are not those of the"),
    ],
)
def test_a_line_that_the_stores_question_contradicts_is_named(
    run: Run, project: Path, store: Path, fields: Any, told: str
) -> None:
    put(store, question())
    write_lines(project / "v.jsonl", [replace(line_of(question()), **fields)])
    said = run("verify", "--verdicts=v.jsonl")
    assert said.status == 1
    assert [line for line in said.lines if "v.jsonl, line 1" in line and told in line]
