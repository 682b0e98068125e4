"""`verdicts prune`: what leaves the store, and what stays."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.storage.disk import stored_rows as rows
from pytest_ragassert.storage.failed_claims import keep_reported, read_reported
from pytest_ragassert.storage.judgement_rows import passage_key
from pytest_ragassert.storage.keys import question_key, time_in_words

from .conftest import Run
from .stored import (
    NOTHING,
    PASSAGES,
    change,
    former,
    put,
    put_former,
    put_texts,
    put_vector,
    question,
    question_on,
    reported,
    texts_in,
)

NOW = time_in_words(time.time())
YESTERDAY = time_in_words(time.time() - 24.5 * 3600)


@pytest.fixture
def used(store: Path) -> set[str]:
    """Keys of what a run may look for: answers with their questions and passages, a vector, a
    part."""
    keys = put(store, question(), when=NOW)
    former_keys = put_former(store, former(), when=NOW)
    rows = [*keys, *map(question_key, keys), *former_keys, *map(question_key, former_keys)]
    part = question("extract_claims").part({"sentences": []})
    put_texts(store, {part.key: _part_text(store, part.key)})
    return {*rows, *map(passage_key, PASSAGES), put_vector(store), part.key}


def _part_text(store: Path, key: str) -> str:
    part = question("extract_claims").part({"sentences": []})
    [key] = put(store, part, reply={"claims": []}, when=NOW)
    change(store, "DELETE FROM Cache WHERE key = ?", question_key(key))
    return texts_in(store)[key]


@pytest.fixture
def unused(store: Path, used: set[str]) -> set[str]:
    """Keys of another format's, another prompt's and damaged answers, and of lone questions and
    passages."""
    asked = [question(step) for step in ("classify_answer", "rate_relevance", "grade_accuracy")]
    keys = put(store, *asked, when=NOW)
    texts = texts_in(store)
    spoilt = {
        keys[0]: texts[keys[0]].replace('"format":3', '"format":1'),
        keys[1]: texts[keys[1]].replace(STEPS["rate_relevance"].fingerprint, "0" * 64),
        keys[2]: "{",
        question_key("b" * 64): texts[question_key(keys[0])],
        "odd": "text",
    }
    put_texts(store, spoilt)
    with_lost = [*PASSAGES, "Lost."]
    [lost] = put(store, question_on("c", with_lost), passages=with_lost, reply=NOTHING)
    put_texts(store, {lost: "{"})
    keys.append(lost)
    [alone] = put(store, question_on("c", ["Alone."]), passages=["Alone."], reply=NOTHING)
    change(store, "DELETE FROM Cache WHERE key = ?", alone)
    rows = {*keys, *map(question_key, (*keys, alone, "b" * 64)), "odd"}
    return rows | {passage_key("Lost."), passage_key("Alone.")}


def test_what_this_version_does_not_use_goes(
    run: Run, store: Path, used: set[str], unused: set[str]
) -> None:
    assert texts_in(store).keys() == used | unused
    said = run("prune", "--dry-run")
    expected = [
        "  questions of these 4",
        "  damaged 3",
        "  passages of these 2",
        "  questions without an answer 2",
        "  another prompt of rate_relevance 1",
        "  format 1 1",
    ]
    assert said.status == 0
    assert said.lines == [f"13 rows would be removed from {store}", *expected]
    assert texts_in(store).keys() == used | unused
    said = run("prune")
    assert said.lines == [f"13 rows removed from {store}", *expected]
    assert texts_in(store).keys() == used
    assert run("prune").lines == [f"0 rows removed from {store}"]
    assert run("verify").status == 0


def test_what_is_old_goes_by_the_time_it_was_answered(
    run: Run, store: Path, used: set[str], unused: set[str]
) -> None:
    [old] = put(store, question(model="old"), when=YESTERDAY)
    keep_reported(store, [reported(when=NOW), reported("old", when=YESTERDAY)])
    said = run("prune", "--older-than=2")
    assert said.lines == [f"0 rows removed from {store}"]
    said = run("prune", "--older-than=1", "--dry-run")
    assert said.lines[-1] == f"1 reported claim would be removed from {store}"
    assert len(read_reported(store)) == 2
    said = run("prune", "--older-than=1")
    assert said.lines == [
        f"2 rows removed from {store}",
        "  old age 1",
        "  questions of these 1",
        f"1 reported claim removed from {store}",
    ]
    left = texts_in(store).keys()
    assert left == used | unused
    assert [claim.when for claim in read_reported(store)] == [NOW]
    assert old not in left


def test_passages_stay_as_long_as_a_verdict_is_on_them(run: Run, store: Path) -> None:
    shared = [*PASSAGES, "Old."]
    put(store, question(), when=NOW)
    put(store, question_on("c", shared), passages=shared, reply=NOTHING, when=YESTERDAY)
    said = run("prune", "--older-than=1")
    assert said.lines[1:] == ["  old age 1", "  passages of these 1", "  questions of these 1"]
    left = texts_in(store).keys()
    assert passage_key("Old.") not in left
    assert left >= set(map(passage_key, PASSAGES))
    # one that was imported has no question beside it
    change(store, "DELETE FROM Cache WHERE key = ?", question_key(question().key))
    put(store, question_on("c", ["Alone."]), passages=["Alone."], reply=NOTHING)
    change(store, "DELETE FROM Cache WHERE key LIKE ?", f"{question_on('c', ['Alone.']).key}%")
    assert run("prune", "--older-than=1").lines == [f"0 rows removed from {store}"]
    assert run("prune").lines[1:] == ["  passages without a verdict 1"]
    assert texts_in(store).keys() == {question().key, *map(passage_key, PASSAGES)}


def test_passages_of_what_was_imported_go_with_it(run: Run, store: Path) -> None:
    """It has no question beside it."""
    put(store, question_on("c", ["Old."]), passages=["Old."], reply=NOTHING, when=YESTERDAY)
    change(store, "DELETE FROM Cache WHERE key LIKE '%.question'")
    said = run("prune", "--older-than=1")
    assert said.lines[1:] == ["  old age 1", "  passages of these 1"]
    assert not texts_in(store)


def test_passages_stay_where_answers_do_not_name_them(run: Run, project: Path, store: Path) -> None:
    """As with `ragassert_store_passages = off`, where the question alone says it."""
    put(store, question(), when=NOW)
    change(store, "UPDATE Cache SET value = json_set(value, '$.passages', json('[]'))")
    assert json.loads(texts_in(store)[question().key])["passages"] == []
    assert run("prune").lines == [f"0 rows removed from {store}"]


def test_both_ways_can_be_taken_together(
    run: Run, store: Path, used: set[str], unused: set[str]
) -> None:
    put(store, question(model="old"), when=YESTERDAY)
    run("prune", "--older-than=1", "--unused-versions")
    assert texts_in(store).keys() == used


def test_the_room_is_given_back(run: Run, store: Path) -> None:
    long = {"reason": "x" * 1000, "label": "CORRECT"}
    many = [question("classify_answer", sample=number) for number in range(300)]
    put(store, *many, reply=long, when=YESTERDAY)
    put(store, question(), when=NOW)
    huge = {"reason": "y" * 200_000, "label": "CORRECT"}
    put(store, question("classify_answer", model="huge"), reply=huge, when=YESTERDAY)
    assert list(store.rglob("*.val"))
    before = sum(file.stat().st_size for file in store.rglob("*") if file.is_file())
    with closing(sqlite3.connect(store / "cache.db")) as held:
        # as a run has it open meanwhile
        held.execute("SELECT count(*) FROM Cache").fetchall()
        assert run("prune", "--older-than=1").status == 0
        files = [file for file in store.rglob("*") if file.is_file() and file.name[-3:] != "shm"]
        after = sum(file.stat().st_size for file in files)
    assert after < before / 5
    assert not list(store.rglob("*.val"))
    assert len(texts_in(store)) == 4
    assert put(store, question("classify_answer"))[0] in texts_in(store)


def test_a_row_that_names_a_file_elsewhere_takes_only_itself_away(
    run: Run, project: Path, store: Path
) -> None:
    [key] = put(store, question())
    outside = project / "outside.val"
    outside.write_text(json.dumps({"mine": 1}))
    change(
        store,
        "UPDATE Cache SET mode = 3, filename = '../outside.val', value = NULL WHERE key = ?",
        key,
    )
    assert run("prune").status == 0
    assert key not in texts_in(store)
    assert outside.exists()


def test_a_row_whose_time_is_none_is_old(run: Run, store: Path) -> None:
    [key] = put(store, question("classify_answer"), when="")
    for time_of_row in ("soon", 1e300, -1, None):
        change(store, "UPDATE Cache SET store_time = ? WHERE key = ?", time_of_row, key)
        assert run("prune", "--older-than=1", "--dry-run").lines[1:3] == [
            "  old age 1",
            "  questions of these 1",
        ]


def test_where_there_is_no_store_nothing_is_pruned(run: Run, store: Path) -> None:
    said = run("prune")
    assert (said.status, said.out) == (0, f"store {store}: does not exist\n")


@pytest.mark.parametrize("days", ["-1", "many", "nan", "inf"])
def test_an_age_is_a_number_of_days(run: Run, store: Path, days: str) -> None:
    said = run("prune", f"--older-than={days}")
    assert said.status == 2
    assert f"'{days}' is not a number of days from 0" in said.err


def test_what_can_not_be_removed_is_told(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, question("classify_answer"), when=YESTERDAY)
    monkeypatch.setattr(rows, "_LOCKED_SECONDS", 0.1)
    with closing(sqlite3.connect(store / "cache.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        said = run("prune", "--older-than=0.5")
    assert (said.status, said.out) == (1, "")
    assert f"error: the rows could not be removed from {store}: the store {store} " in said.err
    assert len(texts_in(store)) == 2
