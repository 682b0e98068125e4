"""A store that came from elsewhere: nothing in it reaches out of its folder, runs, or hangs."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import diskcache
import pytest

from pytest_ragassert.engine.restore import put_back
from pytest_ragassert.storage.contents import UnreadableStore
from pytest_ragassert.storage.disk.database import SETTINGS
from pytest_ragassert.storage.disk.disk_store import DiskStore
from pytest_ragassert.storage.failed_claims import read_reported
from pytest_ragassert.storage.last_run import PastTest, keep_last_run, read_last_run
from pytest_ragassert.storage.open_store import open_store
from pytest_ragassert.storage.run_state.request_forms import KeptFindings
from pytest_ragassert.storage.run_state.run_folder import RunFolder
from pytest_ragassert.storage.store_folder import read_served

from .test_store_faults import Told, change, filled, read_all, text_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
HUGE = 10**10


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("somebody's")
    return tmp_path / "project" / "store"


@pytest.fixture
def outside(folder: Path) -> Iterator[Path]:
    """A folder in which nothing may change."""
    place = folder.parents[1] / "outside"

    def state() -> dict[str, tuple[int, int, bytes]]:
        found = {str(path): path.lstat() for path in sorted(place.rglob("*"))}
        return {
            name: (
                status.st_mode,
                status.st_mtime_ns,
                b"" if os.path.isdir(name) else content(name),
            )
            for name, status in found.items()
        }

    def content(name: str) -> bytes:
        return Path(name).read_bytes()

    before = state()
    yield place
    assert state() == before


def used(folder: Path, texts: dict[str, str], told: Told) -> dict[str, str]:
    """What is found of the texts; they are written again where not, as a run does it."""
    with closing(DiskStore(folder, told, patience=0.5)) as disk:
        found = {key: disk.get(key) for key in texts}
        disk.put_many([(key, text) for key, text in texts.items() if found[key] is None])
        for key, text in texts.items():
            disk.put(key, text)
    run = RunFolder(folder.parents[1] / "run")
    for key, text in texts.items():
        run.keep_answer(key, text)
    put_back(run, folder)
    KeptFindings(run, folder, forgets=False).keep("judge", {}, lasting=True)
    run.remove()
    with contextlib.suppress(UnreadableStore), open_store(folder) as store:
        store.delete([row for row in store.rows() if row.text is None])
    assert read_reported(folder) == []
    assert read_served(folder) == {}
    assert read_last_run(folder) == {}
    with contextlib.suppress(OSError):
        keep_last_run(folder, [PastTest("test", "", [], [], "2026-01-31")])
        keep_last_run(folder, [], ["test"])
    return {key: text for key, text in found.items() if text is not None}


def sizes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


# -- links and named pipes -------------------------------------------------------------------------

NAMES = [
    *("cache.db", "cache.db-wal", "cache.db-shm", "cache.db-journal", "flight.lock"),
    *("reported.jsonl", "served.json", "last-run.jsonl", "requests.json", "repair.new"),
    *(".gitignore", "CACHEDIR.TAG"),
]
KINDS: dict[str, Callable[[Path, Path], None]] = {
    "link": lambda path, outside: path.symlink_to(outside / "file"),
    "dangling": lambda path, outside: path.symlink_to(outside / "new"),
    "link to a folder": lambda path, outside: path.symlink_to(outside),
    "pipe": lambda path, outside: os.mkfifo(path),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("kind", "there"), [*((kind, True) for kind in KINDS), ("dangling", False), ("pipe", False)]
)
def test_no_link_is_followed_and_no_pipe_is_waited_for(
    folder: Path, outside: Path, name: str, kind: str, there: bool
) -> None:
    texts = filled(folder, 2) if there else {"key 00000": text_of(0)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).unlink(missing_ok=True)
    KINDS[kind](folder / name, outside)
    told = Told()
    found = used(folder, texts, told)
    run = RunFolder(folder.parents[1] / "another run")
    kept = KeptFindings(run, folder, forgets=False).found("judge")
    assert (kept is None) == (name == "requests.json")
    assert len(told) <= 1
    if name.startswith("cache.db"):
        assert found == {}
        (line,) = told
        assert name in line
        assert "--ragassert-cache-dir" in line
    else:
        assert found == (texts if there else {})
        assert told == []
    if name in (".gitignore", "CACHEDIR.TAG"):
        assert (folder / name).is_file()
        assert not (folder / name).is_symlink()


@pytest.mark.parametrize("target", ["a folder", "nowhere", "a store"])
def test_a_folder_that_is_a_link_is_not_used(folder: Path, outside: Path, target: str) -> None:
    place = {"a folder": outside, "nowhere": outside / "new", "a store": outside / "store"}[target]
    folder.parent.mkdir()
    folder.symlink_to(place)
    told = Told()
    assert used(folder, {"key": text_of(0)}, told) == {}
    (line,) = told
    assert "it is a link" in line
    assert "--ragassert-cache-dir" in line


# -- rows ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("cache.db", "./cache.db", "flight.lock", ".gitignore", "../../outside/file", ""),
        *("00/../cache.db", "00/00/../../cache.db", "00/00/../../../../outside/file", "\x00", "."),
        *("{outside}/file", f"ab/cd/{'0' * 28}.val", f"ab/cd/{'0' * 28}.val/../../../cache.db"),
    ],
)
def test_a_row_names_no_other_file(folder: Path, outside: Path, name: str) -> None:
    texts = filled(folder, 1)
    (folder / "ab").symlink_to(outside)
    (outside / "cd").mkdir()
    (outside / "cd" / f"{'0' * 28}.val").write_text(text_of(0))
    before = outside_files(outside)
    name = name.format(outside=outside)
    change(folder, "UPDATE Cache SET mode = 3, value = NULL, filename = ?", name)
    told = Told()
    assert used(folder, texts, told) == {}
    (line,) = told
    assert "not texts" in line
    again = Told()
    assert used(folder, texts, again) == texts
    assert again == []
    assert outside_files(outside) == before
    shutil.rmtree(outside / "cd")


def outside_files(place: Path) -> list[str]:
    return sorted(str(path) for path in place.rglob("*"))


@pytest.mark.parametrize("kind", ["link", "pipe", "huge"])
def test_a_texts_own_file_is_a_plain_one(folder: Path, outside: Path, kind: str) -> None:
    texts = filled(folder, 1, size=200_000)
    (file,) = folder.rglob("*.val")
    file.unlink()
    if kind == "huge":
        with open(file, "wb") as sparse:
            sparse.truncate(2**40)
    else:
        KINDS[kind](file, outside)
    told = Told()
    assert used(folder, texts, told) == {}
    assert len(told) == 1
    assert used(folder, texts, Told()) == texts


# -- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("_directory", "{outside}"),
            ("directory", "{outside}"),
            ("disk__directory", "{outside}"),
        ),
        *(("_disk", 1), ("disk_unknown", 1), ("get", 1), ("_local", None), ("set", "x")),
        *(("cull_limit", HUGE), ("cull_limit", "many"), ("statistics", 1), ("tag_index", 1)),
        *(("eviction_policy", "least-recently-used"), ("eviction_policy", "x"), ("size_limit", 1)),
        *(("sqlite_mmap_size", 2**62), ("sqlite_journal_mode", "off"), ("sqlite_user_version", 7)),
        *(("sqlite_journal_mode", "memory"), ("sqlite_synchronous", "off; DROP TABLE Cache")),
        *(("sqlite_temp_store_directory", "'{outside}'"), ("sqlite_x = 1; --", "y")),
        *(
            ("disk_min_file_size", 0),
            ("disk_min_file_size", "many"),
            ("count", "x"),
            ("hits", None),
        ),
        *(("disk_pickle_protocol", -1), (b"\x80", 1), ("size", b"\x80"), ("_timeout", HUGE)),
    ],
)
def test_a_setting_in_the_file_has_no_effect(
    folder: Path, outside: Path, name: Any, value: Any
) -> None:
    texts = filled(folder, 2)
    value = value.format(outside=outside) if isinstance(value, str) else value
    change(folder, "INSERT OR REPLACE INTO Settings VALUES (?, ?)", name, value)
    told = Told()
    assert used(folder, texts, told) == texts
    assert told == []
    with closing(diskcache.Cache(str(folder))) as cache:
        assert cache.directory == str(folder)
    with closing(DiskStore(folder, told)) as disk:
        assert disk.get("key 00001") == texts["key 00001"]
    with closing(sqlite3.connect(folder / "cache.db")) as connection:
        found = dict(connection.execute("SELECT key, value FROM Settings"))
    assert {name: found.pop(name) for name in SETTINGS} == SETTINGS
    assert found.keys() == {"count", "size", "hits", "misses"}


# -- other schemas ---------------------------------------------------------------------------------

PLANTED = [
    "CREATE TRIGGER t AFTER INSERT ON Cache BEGIN DELETE FROM Cache; END",
    "CREATE TRIGGER t AFTER UPDATE ON Cache BEGIN INSERT INTO Settings WITH RECURSIVE r(n) AS "
    "(SELECT 1 UNION ALL SELECT n FROM r) SELECT n, n FROM r; END",
    "CREATE VIEW v AS SELECT * FROM Cache",
    "CREATE TABLE other (a)",
    "CREATE INDEX i ON Cache (abs(raw))",
    "ALTER TABLE Cache ADD COLUMN more AS (zeroblob(1000000000))",
]


@pytest.mark.parametrize("statement", PLANTED)
def test_what_was_added_to_a_store_does_not_run(
    folder: Path, outside: Path, statement: str
) -> None:
    texts = filled(folder, 2)
    change(folder, statement)
    told = Told()
    assert used(folder, texts, told) == {}
    (line,) = told
    assert "moved to cache.db.corrupt-" in line or "verdict stores do not have" in line
    if "moved" in line:
        assert used(folder, texts, Told()) == texts


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE bookmarks (url TEXT)", "INSERT INTO bookmarks VALUES ('x')"],
        ["CREATE VIEW Cache AS SELECT 1 AS key, 1 AS raw, 1 AS mode, 2 AS filename, 3 AS value"],
        ["CREATE TABLE Cache (key, raw, mode, filename, value)"],
    ],
)
def test_another_programs_database_is_left_alone(
    folder: Path, outside: Path, statements: list[str]
) -> None:
    folder.mkdir(parents=True)
    for statement in statements:
        change(folder, statement)
    before = (folder / "cache.db").read_bytes()
    told = Told()
    assert used(folder, {"key": text_of(0)}, told) == {}
    (line,) = told
    assert "verdict stores do not have" in line
    assert "--ragassert-cache-dir" in line
    assert (folder / "cache.db").read_bytes() == before


def test_another_programs_diskcache_is_left_alone(folder: Path) -> None:
    with diskcache.Cache(str(folder)) as cache:
        cache["theirs"] = {"not": "ours"}
    told = Told()
    assert used(folder, {"key": text_of(0)}, told) == {}
    (line,) = told
    assert line.startswith(f"{folder / 'cache.db'} is another program's database")
    with diskcache.Cache(str(folder)) as cache:
        assert cache["theirs"] == {"not": "ours"}


def test_a_name_in_a_schema_can_do_nothing_to_a_log(folder: Path) -> None:
    texts = filled(folder, 1)
    change(folder, 'CREATE TABLE "\n::stop-commands::x\x1b[2J" (a)')
    told = Told()
    used(folder, texts, told)
    assert "\n" not in told[0]
    assert "\x1b" not in told[0]


# -- the file itself -------------------------------------------------------------------------------


@pytest.mark.parametrize("pages", [2**32 - 1, 10**6, 2])
def test_a_header_with_another_number_of_pages_makes_no_large_file(
    folder: Path, pages: int
) -> None:
    texts = filled(folder, 20)
    with open(folder / "cache.db", "r+b") as file:
        file.seek(28)
        file.write(pages.to_bytes(4, "big"))
    before = sizes(folder)
    told = Told()
    used(folder, texts, told)
    assert len(told) == 1
    assert used(folder, texts, Told()) == texts
    assert sizes(folder) < before * 2 + 500_000


def journal(pages: int, named: bytes) -> bytes:
    """A rollback journal without records, of a file of so many pages, that names another one."""
    header = bytes.fromhex("d9d505f920a163d7")
    header += b"".join(number.to_bytes(4, "big") for number in (0, 1, pages, 512, 4096))
    text = header.ljust(512, b"\0")
    if named:
        text += b"\xff\xff\xff\xff" + named + len(named).to_bytes(4, "big")
        text += (sum(named) & 0xFFFFFFFF).to_bytes(4, "big") + header[:8]
    return text


OPEN = """
import sqlite3, sys
sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM Cache").fetchall()
"""


@pytest.mark.parametrize("what", ["names another file", "of a large file"])
def test_a_journal_from_elsewhere_is_not_rolled_back(
    folder: Path, tmp_path: Path, what: str
) -> None:
    texts = filled(folder, 2)
    bait = tmp_path / "bait"
    bait.write_text("somebody's")
    planted = journal(1, os.fsencode(bait)) if "names" in what else journal(2**28, b"")
    (folder / "cache.db-journal").write_bytes(planted)
    harmed = tmp_path / "harmed"
    shutil.copytree(folder, harmed)
    told = Told()
    assert used(folder, texts, told) == {}
    (line,) = told
    assert "its journal" in line
    assert bait.exists()
    assert sizes(folder) < 2_000_000
    assert used(folder, texts, Told()) == texts
    # as SQLite itself does it
    command = [sys.executable, "-c", OPEN, str(harmed / "cache.db")]
    subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert not bait.exists() or (harmed / "cache.db").stat().st_size > 2**39


# -- places ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["a?mode=memory", "a#b", "100%25", "~", "a b", "été 電車", os.fsdecode(b"\xff\xfe"), "a'b\"c"],
)
def test_a_store_lies_where_its_name_says(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name / "store"
    try:
        texts = filled(folder, 1)
    except (OSError, UnicodeError):
        pytest.skip("the file system has no such names")
    told = Told()
    assert read_all(folder, list(texts), told) == texts
    with open_store(folder) as store:
        assert [row.key for row in store.rows()] == list(texts)
    assert told == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


@pytest.mark.parametrize("name", ["$HOME", "${HOME}x", "n" * 300])
def test_a_name_that_can_not_be_had_is_told(tmp_path: Path, name: str) -> None:
    told = Told()
    with closing(DiskStore(tmp_path / name, told)) as disk:
        disk.put("key", "text")
        assert disk.get("key") is None
    (line,) = told
    assert "--ragassert-cache-dir" in line
    assert list(tmp_path.iterdir()) == []


# -- what marks the folder -------------------------------------------------------------------------


@pytest.mark.parametrize("left", ["", "Signature: 8a477f597d28"])
def test_marks_that_a_full_disk_cut_off_are_written_again(folder: Path, left: str) -> None:
    filled(folder, 1)
    whole = (folder / "CACHEDIR.TAG").read_bytes()
    (folder / ".gitignore").write_text("")
    (folder / "CACHEDIR.TAG").write_text(left)
    filled(folder, 1)
    assert (folder / ".gitignore").read_text() == "*\n"
    assert (folder / "CACHEDIR.TAG").read_bytes() == whole


def test_what_the_user_wrote_there_stays(folder: Path) -> None:
    filled(folder, 1)
    (folder / ".gitignore").write_text("!cache.db\n")
    filled(folder, 1)
    assert (folder / ".gitignore").read_text() == "!cache.db\n"
