"""The store of answers: what it holds, what it refuses, and what it survives."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import diskcache
import pytest

from pytest_ragassert import evaluate
from pytest_ragassert.engine.sessions import session_for
from pytest_ragassert.storage.disk.disk_store import DiskStore
from pytest_ragassert.storage.disk.text_disk import TextDisk

from .conftest import MakeSettings, close_sessions
from .loopback.server import LoopbackJudge
from .replies import asks, case, in_new_run

FAITHFUL = ["faithfulness"]
MODE_RAW, MODE_BINARY, MODE_TEXT, MODE_PICKLE = 1, 2, 3, 4


class Told(list[str]):
    """Takes what the store tells people."""

    def __call__(self, line: str) -> None:
        self.append(line)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def store(tmp_path: Path, told: Told) -> Iterator[DiskStore]:
    store = DiskStore(tmp_path / "store", told)
    yield store
    store.close()


def change(folder: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        connection.execute(statement, values)


# -- what it holds ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "{}", "電車 \x00 👍", "long " * 100_000])
def test_a_text_comes_back_from_another_store_in_the_same_folder(
    store: DiskStore, told: Told, text: str
) -> None:
    store.put("key", text)
    with closing(DiskStore(store.folder, told)) as other:
        assert other.get("key") == text
        assert other.get("other key") is None
    assert told == []


def test_the_folder_is_private_and_kept_out_of_git_and_backups(store: DiskStore) -> None:
    store.put("key", "text")
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert (store.folder / ".gitignore").read_text() == "*\n"
    tag = (store.folder / "CACHEDIR.TAG").read_text()
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_nothing_is_made_before_the_first_question(tmp_path: Path, told: Told) -> None:
    DiskStore(tmp_path / "store", told).close()
    assert not (tmp_path / "store").exists()


def test_nothing_is_ever_evicted(store: DiskStore) -> None:
    store.put("key", "text")
    change(store.folder, "UPDATE Settings SET value = 'least-recently-used' WHERE key LIKE 'evic%'")
    change(store.folder, "UPDATE Settings SET value = 1 WHERE key = 'size_limit'")
    with closing(DiskStore(store.folder, Told())) as other:
        other.put("other", "text" * 100)
        assert other.get("key") == "text"
    with closing(sqlite3.connect(store.folder / "cache.db")) as connection:
        found = dict(connection.execute("SELECT key, value FROM Settings"))
    assert found["eviction_policy"] == "none"
    assert found["size_limit"] > 2**60
    assert found["statistics"] == 0


def test_the_store_holds_no_key(judge: LoopbackJudge, settings: MakeSettings) -> None:
    chosen = settings(api_key="sk-very-secret-4711")
    evaluate(case(), ["faithfulness", "factual_f1"], settings=chosen)
    run = session_for(chosen).run.path
    assert judge.requests[0].headers["authorization"] == "Bearer sk-very-secret-4711"
    assert chosen.cache_dir is not None
    files = [path for folder in (run, chosen.cache_dir) for path in folder.rglob("*")]
    written = [path for path in files if path.is_file()]
    assert len(written) > 6
    assert not [path for path in written if b"very-secret" in path.read_bytes()]


# -- what it refuses -------------------------------------------------------------------------------


class Payload:
    """Makes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.marker,)


def test_the_payload_would_work(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Payload(tmp_path / "marker")))
    assert (tmp_path / "marker").exists()


def plant(folder: Path, how: str, payload: bytes) -> None:
    """Replace every stored answer."""
    if how == "inline":
        change(folder, "UPDATE Cache SET mode = 4, filename = NULL, value = ?", payload)
    elif how == "file":
        (folder / "planted.val").write_bytes(payload)
        change(folder, "UPDATE Cache SET mode = 4, filename = 'planted.val', value = NULL")
    else:
        change(folder, "UPDATE Cache SET mode = ?, value = ?", int(how), payload)


@pytest.mark.parametrize("how", ["inline", "file", "1", "2", "0", "99"])
def test_a_planted_pickle_is_a_miss_and_is_never_opened(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, how: str
) -> None:
    marker = tmp_path / "marker"
    evaluate(case(), FAITHFUL, settings=settings())
    close_sessions()
    plant(tmp_path / "store", how, pickle.dumps(Payload(marker)))
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, settings())) == 2
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, settings())) == 0
    assert not marker.exists()


def test_a_pickled_key_is_never_opened(store: DiskStore, tmp_path: Path) -> None:
    store.put("key", "text")
    planted = pickle.dumps(Payload(tmp_path / "marker"))
    change(store.folder, "INSERT INTO Cache (key, raw, mode, value) VALUES (?, 0, 1, 'x')", planted)
    with (
        closing(diskcache.Cache(str(store.folder), disk=TextDisk)) as cache,
        pytest.raises(OSError, match="key"),
    ):
        list(cache)
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize("absolute", [True, False])
def test_a_row_that_points_outside_the_folder_is_a_miss_and_harms_nothing(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, absolute: bool
) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    close_sessions()
    outside = tmp_path / "outside.val"
    with closing(sqlite3.connect(tmp_path / "store" / "cache.db")) as connection:
        rows = connection.execute("SELECT value FROM Cache").fetchall()
    outside.write_text(max(rows, key=lambda row: len(row[0]))[0])
    name = str(outside) if absolute else "../outside.val"
    change(tmp_path / "store", "UPDATE Cache SET mode = 3, filename = ?, value = NULL", name)
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, settings())) == 2
    assert outside.exists()


@pytest.mark.parametrize("value", [b"bytes", 1, None, True, ("a",), {"a": 1}], ids=repr)
def test_only_texts_are_taken(tmp_path: Path, value: Any) -> None:
    with closing(diskcache.Cache(str(tmp_path), disk=TextDisk)) as cache:
        with pytest.raises(TypeError, match="values must be text"):
            cache.set("key", value)
        with pytest.raises(TypeError, match="keys must be text"):
            cache.get(value)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda record: json.dumps(record)[: len(json.dumps(record)) // 2],
        lambda record: json.dumps({**record, "format": record["format"] + 1}),
        lambda record: json.dumps({**record, "reply": None}),
        lambda record: json.dumps({**record, "reply": {"claims": [], "verdicts": []}}),
        lambda record: json.dumps({**record, "usage": {"euros": 5}}),
        lambda record: json.dumps({**record, "step": "another"}),
        lambda record: json.dumps([record]),
        lambda record: "null",
        lambda record: "",
        lambda record: "[" * 50_000,
    ],
    ids=["half", "format", "reply", "empty", "usage", "step", "list", "null", "blank", "deep"],
)
def test_a_damaged_answer_is_asked_again(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, spoil: Any
) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    close_sessions()
    with closing(sqlite3.connect(tmp_path / "store" / "cache.db")) as connection, connection:
        for rowid, text in connection.execute("SELECT rowid, value FROM Cache").fetchall():
            spoilt = spoil(json.loads(text))
            connection.execute("UPDATE Cache SET value = ? WHERE rowid = ?", (spoilt, rowid))
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, settings())) == 2
    assert in_new_run(case(), FAITHFUL, settings())["faithfulness"].stored


# -- what it survives ------------------------------------------------------------------------------


def spoil_folder(folder: Path, how: str) -> None:
    database = folder / "cache.db"
    if how == "a file":
        shutil.rmtree(folder)
        folder.write_text("not a folder")
    elif how == "garbage":
        database.write_bytes(os.urandom(5000))
    elif how == "truncated":
        database.write_bytes(database.read_bytes()[:100])
    elif how == "damaged inside":
        content = database.read_bytes()
        database.write_bytes(content[:1024] + b"\xff" * (len(content) - 1024))
    elif how == "a folder in its place":
        database.unlink()
        database.mkdir()
    elif how == "another table":
        change(folder, "DROP TABLE Cache")
        change(folder, "CREATE TABLE Cache (a, b)")
    else:
        name, value = how.split("=")
        change(folder, "INSERT OR REPLACE INTO Settings VALUES (?, ?)", name, value)


HARM = [
    "a file",
    "garbage",
    "truncated",
    "damaged inside",
    "a folder in its place",
    "another table",
    "disk_unknown=1",
    "disk_min_file_size=many",
    "cull_limit=many",
    "get=1",
    "_disk=1",
]


@pytest.mark.parametrize("how", HARM)
def test_a_spoilt_store_costs_no_test(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, how: str
) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    close_sessions()
    spoil_folder(tmp_path / "store", how)
    for _ in range(2):
        assert evaluate(case(), FAITHFUL, settings=settings())["faithfulness"].score == 1.0
    assert judge.count() <= 4
    told = session_for(settings()).run.notices()
    assert len(told) <= 1
    if told:
        assert str(tmp_path / "store") in told[0]
        advised = "in memory only" in told[0] and "--ragassert-cache-dir" in told[0]
        assert advised or "moved to cache.db.corrupt-" in told[0]


@pytest.mark.parametrize("how", ["garbage", "truncated", "damaged inside"])
def test_what_is_no_database_is_set_aside_and_a_new_one_begun(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, how: str
) -> None:
    folder = tmp_path / "store"
    evaluate(case(), FAITHFUL, settings=settings())
    close_sessions()
    spoil_folder(folder, how)
    spoilt = (folder / "cache.db").read_bytes()
    assert evaluate(case(), FAITHFUL, settings=settings())["faithfulness"].score == 1.0
    (told,) = session_for(settings()).run.notices()
    (aside,) = folder.glob("cache.db.corrupt-*[0-9]")
    assert aside.name in told
    assert aside.read_bytes() == spoilt
    assert judge.count() == 4
    close_sessions()  # another run finds what this one stored
    assert evaluate(case(), FAITHFUL, settings=settings())["faithfulness"].stored
    assert session_for(settings()).run.notices() == []
    assert judge.count() == 4


@pytest.mark.parametrize("how", ["a file", "another table"])
def test_an_unusable_store_is_told_once_and_left_alone(
    store: DiskStore, told: Told, tmp_path: Path, how: str
) -> None:
    with closing(DiskStore(tmp_path / "store", told)) as first:
        first.put("key", "text")
    spoil_folder(tmp_path / "store", how)
    store.put("key", "text")
    assert store.get("key") is None
    assert store.get("key") is None
    assert store.flights() is None
    assert len(told) == 1


def test_a_folder_that_is_deleted_meanwhile_costs_no_test(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    shutil.rmtree(tmp_path / "store")
    other = case(answer="It stops at the harbour.")
    assert evaluate(other, FAITHFUL, settings=settings())["faithfulness"].score == 1.0
    assert evaluate(other, FAITHFUL, settings=settings())["faithfulness"].score == 1.0
    assert len(session_for(settings()).run.notices()) <= 1


def test_a_short_lock_by_another_is_waited_for(store: DiskStore, told: Told) -> None:
    store.put("key", "text")
    locker = sqlite3.connect(store.folder / "cache.db", check_same_thread=False)
    locker.isolation_level = None
    locker.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(0.3, lambda: locker.execute("COMMIT"))
    release.start()
    store.put("key", "newer")
    release.join()
    locker.close()
    assert store.get("key") == "newer"
    assert told == []


def test_threads_share_a_store(store: DiskStore, told: Told) -> None:
    def work(number: int) -> None:
        for count in range(5):
            store.put(f"{number} {count}", str(count))
        store.leave_thread()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.get(f"{number} 4") for number in range(4)] == ["4"] * 4
    assert told == []
