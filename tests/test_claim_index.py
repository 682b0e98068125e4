"""The index of a store's claims: it is never needed, and no question is read twice for it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pytest_ragassert.steps.evidence.claim_ids import claim_id
from pytest_ragassert.storage.disk import claim_index
from pytest_ragassert.storage.disk.stored_rows import StoreRows
from pytest_ragassert.storage.judged_claims import JudgedClaim
from pytest_ragassert.storage.open_store import open_store

from .commands.stored import (
    CLAIMS,
    NOTHING,
    PASSAGES,
    former,
    put,
    put_former,
    question_on,
    texts_in,
)


@pytest.fixture(params=["judgements", "whole questions"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A store with two claims to each of two models, as this version or format 2 keeps them."""
    store = tmp_path / "store"
    for model in ("model-a", "model-b"):
        if request.param == "whole questions":
            put_former(store, former(model=model))
        else:
            put(store, *(question_on(claim, model=model) for claim in CLAIMS), reply=NOTHING)
    return store


@pytest.fixture
def rows(folder: Path) -> int:
    """How many questions the store has."""
    return sum(key.endswith(".question") for key in texts_in(folder))


def look_up(folder: Path) -> list[JudgedClaim]:
    with open_store(folder) as store:
        return store.judged_claims()


def reads(folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many rows a look-up reads, which finds what there is."""
    read = 0
    with monkeypatch.context() as patched:
        rows = StoreRows._rows

        def counted(self: StoreRows, statement: str, *values: str) -> object:
            nonlocal read
            for row in rows(self, statement, *values):
                read += 1
                yield row

        patched.setattr(StoreRows, "_rows", counted)
        assert len(look_up(folder)) == 4
    return read


def test_a_question_is_read_once(folder: Path, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not (folder / "claims.db").exists()
    assert reads(folder, monkeypatch) == rows
    assert reads(folder, monkeypatch) == 0
    (folder / "claims.db").unlink()
    assert reads(folder, monkeypatch) == rows
    assert (folder / "claims.db").stat().st_mode & 0o777 == 0o600


def test_an_index_of_another_version_is_made_again(
    folder: Path, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(claim_index, "_MADE_BY", 1)
        assert reads(folder, monkeypatch) == rows
    assert reads(folder, monkeypatch) == rows
    assert reads(folder, monkeypatch) == 0


def test_an_index_with_something_added_is_made_again(
    folder: Path, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up(folder)
    with closing(sqlite3.connect(folder / "claims.db")) as index, index:
        index.execute(
            "CREATE TRIGGER planted AFTER DELETE ON claim BEGIN DELETE FROM question; END"
        )
    assert reads(folder, monkeypatch) == rows
    assert reads(folder, monkeypatch) == 0


def test_a_damaged_index_is_made_again(
    folder: Path, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up(folder)
    path = folder / "claims.db"
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    assert reads(folder, monkeypatch) >= rows
    assert reads(folder, monkeypatch) == rows
    assert reads(folder, monkeypatch) == 0


@pytest.mark.parametrize("kind", ["text", "database", "link"])
def test_another_file_of_that_name_stays_as_it_is(folder: Path, kind: str) -> None:
    path = folder / "claims.db"
    other = folder.parent / "other"
    if kind == "text":
        path.write_text("mine\n" * 40)
    else:
        target = path if kind == "database" else other
        with closing(sqlite3.connect(target)) as made, made:
            made.execute("CREATE TABLE claim (mine)")
        if kind == "link":
            os.symlink(other, path)
    before = path.read_bytes()
    assert len(look_up(folder)) == 4
    assert path.read_bytes() == before
    assert path.is_symlink() == (kind == "link")


def test_an_index_that_another_process_has_is_not_waited_for_long(
    folder: Path, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up(folder)
    monkeypatch.setattr(claim_index, "_LOCKED_SECONDS", 0.01)
    with closing(sqlite3.connect(folder / "claims.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert reads(folder, monkeypatch) == rows
    assert reads(folder, monkeypatch) == 0


def test_of_a_judgement_and_a_whole_question_both_are_found(tmp_path: Path) -> None:
    """As where a store is converted, for as long as it has both."""
    put_former(tmp_path, former())
    put(tmp_path, *map(question_on, CLAIMS), reply=NOTHING)
    found = look_up(tmp_path)
    assert len(found) == 4
    assert len({one.key for one in found}) == 3
    assert {one.id for one in found} == {claim_id(claim, PASSAGES) for claim in CLAIMS}
    assert len({(one.asked, one.passages) for one in found}) == 1
