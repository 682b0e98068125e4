"""A store that can't be written, read or trusted: what can be read is used, and it is told once."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.engine.restore import put_back
from pytest_ragassert.storage.contents import REPAIR
from pytest_ragassert.storage.disk.disk_store import DiskStore
from pytest_ragassert.storage.disk.repair import repair
from pytest_ragassert.storage.keys import FORMAT
from pytest_ragassert.storage.run_state.run_folder import RunFolder

from .fork_server import fork_server
from .loopback.server import LoopbackJudge

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and limits of POSIX")
PAGE = 4096


class Told(list[str]):
    """Takes what the store tells people."""

    def __call__(self, line: str) -> None:
        self.append(line)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "store"
    yield folder
    if folder.is_dir():
        folder.chmod(0o700)


def text_of(number: int, size: int = 700) -> str:
    return json.dumps({"format": FORMAT, "step": "verify_claims", "n": number, "fill": "x" * size})


def filled(folder: Path, count: int, size: int = 700) -> dict[str, str]:
    """A store of that many texts, closed."""
    texts = {f"key {number:05}": text_of(number, size) for number in range(count)}
    with closing(DiskStore(folder, Told())) as disk:
        for key, text in texts.items():
            disk.put(key, text)
    return texts


def change(folder: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        connection.execute(statement, values)


def spoil_pages(folder: Path, table: str, share: float, *, ends: bool = False) -> int:
    """Overwrite some pages of a table or index in its middle, or its first and last; how many."""
    database = folder / "cache.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows = connection.execute(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", (table,)
        ).fetchall()
    pages = [number for (number,) in rows]
    chosen = pages[len(pages) // 3 : len(pages) // 3 + max(1, int(len(pages) * share))]
    chosen = [pages[0], pages[-1]] if ends else chosen
    with open(database, "r+b") as file:
        for number in chosen:
            file.seek((number - 1) * PAGE)
            file.write(os.urandom(PAGE))
    return len(chosen)


def read_all(folder: Path, keys: Sequence[str], told: Told) -> dict[str, str]:
    with closing(DiskStore(folder, told)) as disk:
        found = {key: disk.get(key) for key in keys}
    return {key: text for key, text in found.items() if text is not None}


# -- damage ----------------------------------------------------------------------------------------


def test_a_row_that_cant_be_read_is_a_miss_for_that_row_alone(folder: Path, told: Told) -> None:
    texts = filled(folder, 400)
    spoil_pages(folder, "Cache", 0.1)
    with closing(DiskStore(folder, told)) as disk:
        found = {key: disk.get(key) for key in texts}
        kept = {key: text for key, text in found.items() if text is not None}
        assert 300 < len(kept) < 400
        assert all(texts[key] == text for key, text in kept.items())
        disk.put("new", text_of(1))
        disk.get("new")
    (line,) = told
    assert str(folder) in line
    assert REPAIR in line


@pytest.mark.parametrize(("share", "least"), [(0.75, 250), (0.5, 150)])
def test_a_file_that_was_cut_off_is_set_aside_and_a_repair_brings_back_what_it_has(
    folder: Path, told: Told, share: float, least: int
) -> None:
    texts = filled(folder, 400)
    content = (folder / "cache.db").read_bytes()
    (folder / "cache.db").write_bytes(content[: int(len(content) * share)])
    with closing(DiskStore(folder, told)) as disk:
        assert disk.get("key 00000") is None
        disk.put("key 00000", text_of(1))
        disk.put("new", text_of(2))
    (line,) = told
    assert "moved to cache.db.corrupt-" in line
    assert REPAIR in line
    assert least < repair(folder).kept < 400
    repaired = read_all(folder, list(texts), told)
    assert repaired.pop("key 00000") == text_of(1)  # what came later counts
    assert len(repaired) > least
    assert all(texts[key] == text for key, text in repaired.items())
    assert read_all(folder, ["new"], told) == {"new": text_of(2)}
    assert len(told) == 1
    # what was brought back is not brought back again
    assert list(folder.glob("cache.db.corrupt-*")) == []


def test_text_that_is_no_text_is_damage_of_its_row_alone(folder: Path, told: Told) -> None:
    texts = filled(folder, 3)
    change(folder, "UPDATE Cache SET value = CAST(x'ff00fe' AS TEXT) WHERE key = 'key 00001'")
    assert read_all(folder, list(texts), told).keys() == {"key 00000", "key 00002"}
    (line,) = told
    assert REPAIR in line


@pytest.mark.parametrize("how", ["missing", "damaged", "a folder"])
def test_a_value_file_that_cant_be_read_is_a_miss(folder: Path, told: Told, how: str) -> None:
    texts = filled(folder, 2, size=200_000)
    files = sorted(folder.rglob("*.val"))
    assert len(files) == 2
    if how == "damaged":
        files[0].write_bytes(b"\xff" * 200_000)
    else:
        files[0].unlink()
    if how == "a folder":
        files[0].mkdir()
    assert len(read_all(folder, list(texts), told)) == 1
    (line,) = told
    assert REPAIR in line


def test_an_old_file_of_no_bytes_is_told(folder: Path, told: Told) -> None:
    filled(folder, 2)
    (folder / "cache.db").write_bytes(b"")
    with closing(DiskStore(folder, told)) as disk:
        assert disk.get("key 00000") is None
    assert told == []  # another process may just be making it
    (folder / "cache.db").write_bytes(b"")
    os.utime(folder / "cache.db", (time.time() - 3600,) * 2)
    with closing(DiskStore(folder, told)) as disk:
        assert disk.get("key 00000") is None
        disk.put("key 00000", "again")
        assert disk.get("key 00000") == "again"
    (line,) = told
    assert "0 bytes" in line


def test_planted_pickles_are_told_once(folder: Path, told: Told) -> None:
    texts = filled(folder, 3)
    planted = pickle.dumps({"any": "thing"})
    change(folder, "UPDATE Cache SET mode = 4, value = ? WHERE key < 'key 00002'", planted)
    assert read_all(folder, list(texts), told).keys() == {"key 00002"}
    (line,) = told
    assert "not texts" in line
    assert REPAIR in line


def test_a_planted_pickled_key_is_told(folder: Path, told: Told) -> None:
    texts = filled(folder, 1)
    key = pickle.dumps("any")
    change(folder, "INSERT INTO Cache (key, raw, mode, value) VALUES (?, 0, 1, 'x')", key)
    assert read_all(folder, list(texts), told) == texts
    (line,) = told
    assert "not texts" in line


# -- repair ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("spoilt", ["Cache", "Cache_key_raw", "both", "none", "ends"])
def test_a_repair_keeps_every_row_that_can_be_read(folder: Path, told: Told, spoilt: str) -> None:
    texts = filled(folder, 400)
    tables = {"both": ["Cache", "Cache_key_raw"], "none": [], "ends": ["Cache"]}
    for table in tables.get(spoilt, [spoilt]):
        assert spoil_pages(folder, table, 0.1, ends=spoilt == "ends")
    done = repair(folder)
    assert done.aside.is_file()
    assert done.aside.parent == folder
    kept = read_all(folder, list(texts), told)
    assert told == []
    assert all(texts[key] == text for key, text in kept.items())
    assert done.kept == len(kept)
    assert done.kept + done.lost == 400
    # only rows of spoilt pages are lost, some five a page
    assert done.kept > 330 if spoilt in ("Cache", "both", "ends") else done.kept == 400


def test_a_repair_leaves_behind_what_is_no_text_of_ours(folder: Path, told: Told) -> None:
    texts = filled(folder, 2) | filled(folder, 3, size=200_000)
    change(folder, "UPDATE Cache SET mode = 4 WHERE key = 'key 00000'")
    change(folder, "INSERT INTO Cache (key, raw, mode, value) VALUES ('other', 1, 1, '{}')")
    change(folder, "INSERT INTO Cache (key, raw, mode, value) VALUES (x'80', 0, 1, 'x')")
    done = repair(folder)
    assert (done.kept, done.lost) == (2, 3)
    assert read_all(folder, list(texts), told).keys() == {"key 00001", "key 00002"}
    assert told == []
    # the texts that were kept lie in new files, and in no others
    assert len(list(folder.rglob("*.val"))) == 3


def test_a_repair_of_what_is_no_database_begins_anew(folder: Path, told: Told) -> None:
    filled(folder, 2)
    (folder / "cache.db").write_bytes(os.urandom(5000))
    done = repair(folder)
    assert (done.kept, done.lost) == (0, 0)
    assert read_all(folder, ["key 00000"], told) == {}
    assert told == []


def test_there_is_nothing_to_repair(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no verdict store in .*nowhere"):
        repair(tmp_path / "nowhere")


# -- locks -----------------------------------------------------------------------------------------


def test_a_store_that_another_process_holds_for_long_is_read(folder: Path, told: Told) -> None:
    texts = filled(folder, 2)
    with (
        closing(sqlite3.connect(folder / "cache.db", isolation_level=None)) as other,
        closing(DiskStore(folder, told, patience=0.1)) as disk,
    ):
        other.execute("BEGIN EXCLUSIVE")
        assert {key: disk.get(key) for key in texts} == texts
        disk.put("new", "text")
        assert disk.get("new") is None
        other.execute("ROLLBACK")
    (line,) = told
    assert "locked" in line
    assert "in memory only" in line


# -- a process without the rights of root ----------------------------------------------------------

RUN = """
import json, os, resource, sys, warnings
from pytest_ragassert import EvalCase, RagAssertWarning, Settings, evaluate
from pytest_ragassert.engine.sessions import session_for

told = json.load(sys.stdin)
# the notices are printed below
warnings.simplefilter("ignore", RagAssertWarning)
os.umask(told.get("umask", 0o022))
settings = Settings(judge="openai", api_key="sk-a", **told["settings"])

def asked(text):
    case = EvalCase(answer=text, retrieved_contexts=[text])
    result = evaluate(case, ["faithfulness"], settings=settings)["faithfulness"]
    return [result.score, result.stored]

results = [asked(text) for text in told["before"]]
if "limit" in told:
    resource.setrlimit(resource.RLIMIT_FSIZE, (told["limit"], told["limit"]))
results += [asked(text) for text in told["texts"]]
modes = {}
run = session_for(settings).run
for folder in (run.path, settings.cache_dir):
    for path in [folder, *folder.rglob("*")] if told.get("modes") else []:
        modes[path.name] = path.stat().st_mode & 0o777
print(json.dumps({"results": results, "told": run.notices(), "modes": modes}))
"""
WARM, NEW = "The tram runs every 12 minutes.", "It stops at the harbour."
# What is stored of it lies in files of their own. Few sentences, as each costs time.
LONG = f"{WARM} " + f"Boats do not {'sail' * 500}. " * 80


RunOf = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def unprivileged_python() -> Iterator[str]:
    """An executable whose processes file modes hold for."""
    limits: tuple[str, ...] = ()
    if os.geteuid() == 0:
        tool = shutil.which("setpriv")
        if tool is None:
            pytest.skip("root without setpriv: modes hold for nobody here")
        limits = (tool, "--bounding-set=-dac_override,-dac_read_search", "--")
    with fork_server(*limits) as python:
        yield python


@pytest.fixture
def run_of(unprivileged_python: str, judge: LoopbackJudge) -> RunOf:
    """Measures texts in a process of its own, with a store in a folder."""

    def run(
        folder: Path,
        *texts: str,
        before: Sequence[str] = (),
        env: dict[str, str] | None = None,
        mode: str = "new_episodes",
        **more: Any,
    ) -> dict[str, Any]:
        settings = {"base_url": judge.base_url, "cache_dir": str(folder), "record_mode": mode}
        told = {"settings": settings, "before": before, "texts": texts, **more}
        done = subprocess.run(
            [unprivileged_python, "-c", RUN],
            input=json.dumps(told),
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.stderr == ""
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    return run


def lock_away(folder: Path) -> None:
    for path in folder.rglob("*"):
        path.chmod(0o500 if path.is_dir() else 0o400)
    folder.chmod(0o500)


@POSIX
@pytest.mark.parametrize("mode", ["new_episodes", "none"])
def test_a_read_only_store_is_read(
    judge: LoopbackJudge, run_of: RunOf, folder: Path, mode: str
) -> None:
    run_of(folder, WARM, LONG)
    assert list(folder.rglob("*.val"))
    lock_away(folder)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    judge.reset()
    new = [NEW, NEW] if mode == "new_episodes" else []
    done = run_of(folder, WARM, *new, LONG, mode=mode)
    assert done["results"] == [[1.0, True], *[[1.0, False] for _ in new], [1.0, True]]
    assert judge.count() == len(new)
    (line,) = done["told"]
    assert "its verdicts are used" in line
    assert "--ragassert-cache-dir" in line
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@POSIX
@pytest.mark.parametrize("ending", ["-wal", "-wal -shm"])
def test_what_lies_in_a_wal_is_read_too(
    judge: LoopbackJudge, run_of: RunOf, tmp_path: Path, folder: Path, ending: str
) -> None:
    source = tmp_path / "source"
    with closing(_open(source)):
        run_of(source, WARM)
        assert (source / "cache.db-wal").stat().st_size
        folder.mkdir()
        for name in ("cache.db", *(f"cache.db{end}" for end in ending.split())):
            shutil.copy(source / name, folder / name)
    lock_away(folder)
    judge.reset()
    done = run_of(folder, WARM, mode="none")
    assert done["results"] == [[1.0, True]]
    assert len(done["told"]) == 1
    assert judge.count() == 0


def _open(folder: Path) -> sqlite3.Connection:
    """A connection that keeps others from emptying the WAL when they close."""
    with closing(DiskStore(folder, Told())) as disk:
        disk.put("any", "text")
    connection = sqlite3.connect(folder / "cache.db", isolation_level=None)
    connection.execute("SELECT count(*) FROM Cache").fetchall()
    return connection


@POSIX
def test_a_pickle_in_a_read_only_store_is_not_opened(
    judge: LoopbackJudge, run_of: RunOf, folder: Path
) -> None:
    run_of(folder, WARM)
    change(folder, "UPDATE Cache SET mode = 4, value = ?", pickle.dumps({}))
    lock_away(folder)
    judge.reset()
    done = run_of(folder, WARM)
    assert done["results"] == [[1.0, False]]
    assert sorted("not texts" in line for line in done["told"]) == [False, True]


@POSIX
def test_a_read_only_file_in_a_folder_that_can_be_written(run_of: RunOf, folder: Path) -> None:
    run_of(folder, WARM)
    (folder / "cache.db").chmod(0o400)
    done = run_of(folder, WARM, NEW)
    assert done["results"] == [[1.0, True], [1.0, False]]
    (line,) = done["told"]
    assert "its verdicts are used" in line


@POSIX
@pytest.mark.parametrize("what", ["folder", "file", "parent"])
def test_a_store_without_permissions_costs_no_test(
    judge: LoopbackJudge, run_of: RunOf, tmp_path: Path, folder: Path, what: str
) -> None:
    run_of(folder, WARM)
    place = {"folder": folder, "file": folder / "cache.db", "parent": tmp_path}[what]
    mode = stat.S_IMODE(place.stat().st_mode)
    place.chmod(0)
    try:
        done = run_of(folder, WARM, WARM)
    finally:
        place.chmod(mode)
    assert done["results"] == [[1.0, False], [1.0, False]]
    (line,) = done["told"]
    assert "can't be used" in line
    assert judge.count() == 4


@POSIX
@pytest.mark.parametrize("home", ["absent", "locked"])
def test_an_unwritable_home_is_not_missed(
    run_of: RunOf, tmp_path: Path, folder: Path, home: str
) -> None:
    place = tmp_path / "home"
    if home == "locked":
        place.mkdir(mode=0)
    done = run_of(folder, WARM, env={"HOME": str(place)})
    assert done == {"results": [[1.0, False]], "told": [], "modes": {}}


@POSIX
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_files_are_private_whatever_the_umask(run_of: RunOf, folder: Path, umask: int) -> None:
    modes = run_of(folder, WARM, LONG, umask=umask, modes=True)["modes"]
    assert {"cache.db", "cache.db-wal", "cache.db-shm", "flight.lock", "answers"} <= modes.keys()
    assert any(name.endswith(".val") for name in modes)
    public = {".gitignore", "CACHEDIR.TAG"}
    assert not {name: oct(m) for name, m in modes.items() if m & 0o077 and name not in public}
    assert modes[folder.name] == 0o700


# -- a full disk -----------------------------------------------------------------------------------


@POSIX
def test_where_no_more_can_be_written_reading_goes_on(
    judge: LoopbackJudge, run_of: RunOf, folder: Path
) -> None:
    others = [f"Boat {number} is new." for number in range(8)]
    run_of(folder, WARM)
    judge.reset()
    long = NEW + " " + "Boats do not. " * 3000
    done = run_of(folder, long, *others, WARM, before=[WARM], limit=40_000)
    assert done["results"][0] == [1.0, True]
    assert done["results"][-1] == [1.0, True]
    assert [score for score, _ in done["results"]] == [1.0] * 11
    assert judge.stats()["duplicates"] == 0
    (line,) = [line for line in done["told"] if "verdict store" in line]
    assert "its verdicts are used" in line
    assert len(done["told"]) <= 2


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of half a megabyte."""
    place = tmp_path / "small"
    place.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root mounts a file system")
    command = [mount, "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_costs_no_verdict_that_is_there(small: Path, told: Told) -> None:
    folder = small / "store"
    texts = filled(folder, 20)
    with closing(DiskStore(folder, told)) as disk:
        for number in range(2000):
            disk.put(f"more {number}", text_of(number))
        assert {key: disk.get(key) for key in texts} == texts
        assert disk.get("more 0") == text_of(0)
    (line,) = told
    assert "is full" in line
    assert "Free space" in line
    # another run, which can't even open it for writing
    (small / "rest").write_bytes(b"x" * _free(small))
    told.clear()
    assert read_all(folder, list(texts), told) == texts
    assert len(told) <= 1


def test_a_disk_that_is_full_at_first_leaves_no_half_marks(small: Path, told: Told) -> None:
    folder = small / "store"
    (small / "rest").write_bytes(b"x" * _free(small))
    with closing(DiskStore(folder, told)) as disk:
        disk.put("key", "text")
        assert disk.get("key") is None
    assert len(told) == 1
    assert [path.name for path in folder.glob("[.C]*")] == []
    (small / "rest").unlink()
    told.clear()
    texts = filled(folder, 2)
    assert read_all(folder, list(texts), told) == texts
    assert (folder / ".gitignore").read_text() == "*\n"
    assert told == []


def _free(place: Path) -> int:
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize


# -- a store that is deleted meanwhile -------------------------------------------------------------


def test_what_a_deleted_store_lacks_is_put_back(tmp_path: Path, folder: Path, told: Told) -> None:
    run = RunFolder(tmp_path / "run")
    with closing(DiskStore(folder, told)) as disk:
        disk.put("old", text_of(0))
        shutil.rmtree(folder)
        run.keep_answer("new", text_of(1))
        run.keep_answer("made once", '{"answer": "no verdict"}')
        disk.put("new", text_of(1))
        assert disk.get("new") is not None
        # what was asked, which is no answer
        run.keep_together([("new.question", text_of(2)), ("a.passage", text_of(3))])
    put_back(run, folder)
    lacked = {"new": text_of(1), "new.question": text_of(2), "a.passage": text_of(3)}
    assert read_all(folder, ["old", "made once", *lacked], told) == lacked
    (line,) = run.notices()
    assert "lacked 1 of this run's answers" in line
    put_back(run, folder)
    assert run.notices() == [line]
    assert told == []


def test_nothing_is_put_back_where_nothing_is_lacking(
    tmp_path: Path, folder: Path, told: Told
) -> None:
    run = RunFolder(tmp_path / "run")
    put_back(run, folder)
    assert not folder.exists()
    with closing(DiskStore(folder, told)) as disk:
        run.keep_answer("new", text_of(1))
        disk.put("new", text_of(1))
    put_back(run, folder)
    assert run.notices() == []
