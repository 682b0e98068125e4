"""A repair that is killed at any step leaves the old store or the new one, whole."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from pytest_ragassert.storage.disk.disk_store import DiskStore
from pytest_ragassert.storage.disk.repair import repair

from .test_store_faults import Told, filled, read_all, spoil_pages

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")

# Repairs each folder in a process of its own, which is killed at its n-th step: whatever opens,
# renames or removes a file, or begins a statement of SQLite. Prints how each of them ended, and how
# many steps it made.
REPAIRS = """
import json, os, signal, sqlite3, sys
from pathlib import Path
from pytest_ragassert.storage.disk import disk_store as disk_cache, repair

steps = last = 0

def step():
    global steps
    steps += 1
    if steps == last:
        os.kill(os.getpid(), signal.SIGKILL)

class Connection(sqlite3.Connection):
    def execute(self, *args):
        step()
        return super().execute(*args)

connect = sqlite3.connect
sqlite3.connect = lambda *args, **more: connect(*args, **more, factory=Connection)
EVENTS = {"open", "os.rename", "os.link", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree"}

def repaired(folder, told):
    global last
    last = told
    sys.addaudithook(lambda event, args: step() if event in EVENTS else None)
    try:
        repair.repair(Path(folder))
        return str(steps)
    except OSError as error:
        return str(error)

for folder, told in json.load(sys.stdin):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, repaired(folder, told).encode())
        os._exit(0)
    os.close(write)
    _, status = os.waitpid(child, 0)
    print(json.dumps([os.waitstatus_to_exitcode(status), os.read(read, 4096).decode()]))
    os.close(read)
"""


def repaired_until(*steps: tuple[Path, int]) -> list[tuple[int, str]]:
    """How the repair of each folder ended that was to be killed at that step, and what it said."""
    told = json.dumps([(str(folder), step) for folder, step in steps])
    done = subprocess.run(
        [sys.executable, "-c", REPAIRS],
        input=told,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def beside(folder: Path) -> set[str]:
    """Names in the folder that a store has not anyway."""
    kept = ("cache.db.damaged-", "cache.db-")
    usual = {"cache.db", ".gitignore", "CACHEDIR.TAG", "flight.lock"}
    names = {path.name for path in folder.iterdir() if not path.name.startswith(kept)}
    return {name for name in names - usual if len(name) != 2}


def test_a_kill_at_any_step_leaves_the_old_or_the_new_store(folder: Path, tmp_path: Path) -> None:
    texts = filled(folder, 30) | filled(folder, 2, size=200_000)
    assert spoil_pages(folder, "Cache_key_raw", 1.0)

    def copy(name: int) -> Path:
        return Path(shutil.copytree(folder, tmp_path / "copies" / str(name)))

    [(status, said)] = repaired_until((copy(0), 0))
    assert status == 0
    count = int(said)
    assert count > 60
    # at the last ones the files change places
    steps = [*range(1, count - 24, count // 8), *range(count - 24, count + 1)]
    stores = {step: copy(step) for step in steps}
    ends = repaired_until(*((store, step) for step, store in stores.items()))
    assert {status for status, _ in ends} == {-9}
    for step, store in stores.items():
        again = repair(store)
        assert (again.kept, again.lost) == (len(texts), 0), step
        assert beside(store) == set(), step
        told = Told()
        assert read_all(store, list(texts), told) == texts
        assert told == []


def test_what_a_killed_repair_left_is_removed_by_the_next_run(folder: Path) -> None:
    texts = filled(folder, 5)
    (folder / "repair.new").mkdir()
    (folder / "repair.new" / "cache.db").write_bytes(b"half")
    told = Told()
    assert read_all(folder, list(texts), told) == texts
    assert told == []
    assert beside(folder) == set()


def test_a_store_that_is_in_use_is_not_repaired(folder: Path) -> None:
    texts = filled(folder, 5)
    before = (folder / "cache.db").read_bytes()
    with closing(sqlite3.connect(folder / "cache.db", isolation_level=None)) as other:
        # as a run has it open
        other.execute("SELECT count(*) FROM Cache").fetchall()
        [(_, said)] = repaired_until((folder, 0))
    assert "another process is using it" in said
    assert (folder / "cache.db").read_bytes() == before
    assert read_all(folder, list(texts), Told()) == texts
    assert beside(folder) == set()


def test_a_repair_keeps_what_lies_in_the_log(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "killed"
    with closing(DiskStore(folder, Told())) as disk:
        disk.put("key", json.dumps({"format": 2, "step": "verify_claims"}))
        shutil.copytree(folder, store)
    assert (store / "cache.db-wal").stat().st_size
    assert repair(store).kept == 1
    assert not os.path.exists(store / "cache.db-wal")
    assert read_all(store, ["key"], Told()).keys() == {"key"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"
