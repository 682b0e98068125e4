"""Files are replaced whole: by several processes at once, killed ones, and on a full disk."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pytest_ragassert.analysis.records.baseline_file import Baseline, read_baseline, update_baseline
from pytest_ragassert.analysis.records.measurement import Measurement
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.failed_claims import NAME, read_reported
from pytest_ragassert.storage.files import atomic as whole_file
from pytest_ragassert.storage.files.atomic import update_whole, write_whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals, modes and limits of POSIX")

OLD, NEW = b"old\n" * 40_000, b"new\n" * 50_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "file.jsonl"


@pytest.fixture(params=["unnamed drafts", "named drafts"])
def draft(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The two ways, also on a system that has the better one."""
    if request.param == "named drafts":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("the system has no unnamed files")
    return str(request.param)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# -- what is kept ----------------------------------------------------------------------------------


@posix
def test_a_new_file_has_the_mode_of_the_umask_and_an_old_one_keeps_its_own(
    file: Path, draft: str
) -> None:
    before = os.umask(0o027)
    try:
        write_whole(file, [OLD])
        assert mode(file) == 0o640
        for bits in (0o604, 0o666, 0o600):
            file.chmod(bits)
            write_whole(file, [str(bits)])
            assert (mode(file), file.read_text()) == (bits, str(bits))
    finally:
        os.umask(before)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@posix
def test_the_owner_stays(file: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    write_whole(file, [OLD])
    os.chown(file, 12345, 54321)
    file.chmod(0o640)
    write_whole(file, [NEW])
    status = file.stat()
    assert (status.st_uid, status.st_gid, mode(file)) == (12345, 54321, 0o640)


@posix
@pytest.mark.parametrize("there", [True, False], ids=["a link to a file", "a link to nothing"])
def test_links_stay_and_what_they_point_to_is_written(tmp_path: Path, there: bool) -> None:
    target = tmp_path / "deep" / "target"
    link, outer = tmp_path / "link", tmp_path / "outer"
    if there:
        write_whole(target, [OLD])
    link.symlink_to("deep/target")
    outer.symlink_to(link)
    write_whole(outer, [NEW])
    assert target.read_bytes() == NEW
    assert (os.readlink(outer), os.readlink(link)) == (str(link), "deep/target")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "link", "outer"]


@posix
def test_another_hard_link_keeps_the_old_content(file: Path) -> None:
    write_whole(file, [OLD])
    other = file.with_name("other")
    other.hardlink_to(file)
    write_whole(file, [NEW])
    assert (file.read_bytes(), other.read_bytes()) == (NEW, OLD)


def test_an_equal_content_is_not_written(file: Path) -> None:
    update_whole(file, lambda: OLD)
    before = file.stat()
    update_whole(file, lambda: OLD)
    update_whole(file, lambda: None)
    after = file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


# -- what fails ------------------------------------------------------------------------------------


FULL = """
import os, resource, signal, sys
from pathlib import Path
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.committed.committed_verdicts import write_verdicts
if sys.argv[2] == "named":
    del os.O_TMPFILE
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
lines = [VerdictLine(f"{n:064x}", "s", "j", "a" * 100, {}) for n in range(400)]
write_verdicts(Path(sys.argv[1]), lines)
"""


@posix
@pytest.mark.parametrize("way", ["unnamed", "named"])
def test_where_the_system_takes_no_more_the_old_file_stays(
    file: Path, forked_python: str, way: str
) -> None:
    write_whole(file, [OLD[:4000]])
    code = [forked_python, "-c", FULL, str(file), way]
    done = subprocess.run(code, capture_output=True, text=True, timeout=60)
    assert f"--ragassert-verdicts: {file} can't be written: File too large" in done.stderr
    assert file.read_bytes() == OLD[:4000]
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_change_that_fails_leaves_all_as_it_was(file: Path) -> None:
    write_whole(file, [OLD])

    def fail() -> bytes:
        raise RuntimeError("no content")

    with pytest.raises(RuntimeError):
        update_whole(file, fail)
    with pytest.raises(RuntimeError):
        write_whole(file, (fail() for _ in range(1)))
    assert file.read_bytes() == OLD
    assert [path.name for path in file.parent.iterdir()] == [file.name]


# -- kills -----------------------------------------------------------------------------------------

DIES = """
import os, signal, sys
from pathlib import Path
from pytest_ragassert.storage.files.atomic import update_whole

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

def then_die(real):
    def call(*args, **kwargs):
        real(*args, **kwargs)
        die()
    return call

way, name, when, path = sys.argv[1:]
if way == "named":
    del os.O_TMPFILE
setattr(os, name, die if when == "before" else then_die(getattr(os, name)))
update_whole(Path(path), lambda: b"new\\n" * 50_000)
"""


@posix
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("way", "name"),
    [
        ("unnamed", "fsync"),
        ("unnamed", "link"),
        ("unnamed", "replace"),
        ("named", "fsync"),
        ("named", "replace"),
    ],
)
def test_a_kill_leaves_the_old_file_or_the_new_one(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    forked_python: str,
    way: str,
    name: str,
    when: str,
) -> None:
    if way == "unnamed" and not hasattr(os, "O_TMPFILE"):
        pytest.skip("the system has no unnamed files")
    write_whole(file, [OLD])
    done = subprocess.run([forked_python, "-c", DIES, way, name, when, str(file)], timeout=60)
    assert done.returncode == -signal.SIGKILL
    replaced = (name, when) == ("replace", "after")
    assert file.read_bytes() == (NEW if replaced else OLD)
    left = {path.name for path in file.parent.iterdir()} - {file.name}
    if way == "unnamed" and (name, when) not in {("link", "after"), ("replace", "before")}:
        assert left == set()
    if way == "named":
        # a writer on another machine may still be at it
        monkeypatch.setattr(whole_file, "_FORGOTTEN_SECONDS", -1)
    write_whole(file.with_name("other.jsonl"), [OLD])
    assert sorted(path.name for path in file.parent.iterdir()) == [file.name, "other.jsonl"]


WRITES = """
import sys
from pathlib import Path
from pytest_ragassert.storage.files.atomic import update_whole
path = Path(sys.argv[1])
print(flush=True)
for number in range(100_000):
    update_whole(path, lambda: f"{number}\\n".encode() * 20_000)
"""


@posix
def test_kills_at_any_moment(file: Path) -> None:
    write_whole(file, ["begin\n"])
    chosen = random.Random(7)
    for _ in range(5):
        with subprocess.Popen(
            # what was forked would go on for a moment when its client is killed
            [sys.executable, "-c", WRITES, str(file)],
            stdout=subprocess.PIPE,
        ) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            # how long is what is varied here, and nothing hangs on it
            time.sleep(chosen.uniform(0, 0.1))
            writer.kill()
        lines = file.read_text().splitlines()
        assert lines == ["begin"] or lines == lines[:1] * 20_000
        write_whole(file.with_name("other"), [])
        assert sorted(path.name for path in file.parent.iterdir()) == [file.name, "other"]


# -- several writers -------------------------------------------------------------------------------


def line(number: int, reply: int = 0) -> VerdictLine:
    return VerdictLine(f"{number:064x}", "verify_claims", "judge", f"about {number}", {"r": reply})


@pytest.fixture
def processes(tmp_path: Path, forked_python: str) -> Callable[..., None]:
    """Runs processes that begin together; each gets its number."""
    return partial(_run_together, tmp_path, forked_python)


def _run_together(tmp_path: Path, python: str, code: str, count: int, *args: str) -> None:
    starts = tmp_path / "start"
    begin = (
        "import sys, time\nfrom pathlib import Path\nprint(flush=True)\n"
        f"while not Path({str(starts)!r}).exists(): time.sleep(0.001)\n"
    )
    running = [
        subprocess.Popen(
            [python, "-c", code.replace("BEGIN\n", begin), str(number), *args],
            stdout=subprocess.PIPE,
        )
        for number in range(count)
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    starts.touch()
    for process in running:
        process.communicate(timeout=120)
        assert process.returncode == 0


UPDATES_VERDICTS = """
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.committed.committed_verdicts import update_verdicts
BEGIN
number, path = int(sys.argv[1]), sys.argv[2]
for round in range(3):
    key = 1000 + 10 * number + round
    mine = VerdictLine(f"{key:064x}", "verify_claims", "judge", f"about {key}", {"r": 0})
    update_verdicts(path, lambda there: [*there.lines(), mine])
"""


@pytest.mark.parametrize("name", ["verdicts.jsonl", "verdicts", "new.jsonl", "new"])
def test_processes_that_update_verdicts_at_once_lose_no_line(
    tmp_path: Path, processes: Callable[..., None], name: str
) -> None:
    place = tmp_path / "project" / name
    before = [] if name.startswith("new") else [line(number) for number in range(40)]
    write_verdicts(place, before)
    processes(UPDATES_VERDICTS, 4, str(place))
    added = [line(1000 + 10 * number + turn) for number in range(4) for turn in range(3)]
    assert list(open_verdicts(place).lines()) == [*before, *added]
    serial = tmp_path / "serial" / name
    write_verdicts(serial, [*before, *added])
    assert contents(place) == contents(serial)
    assert [path.name for path in place.parent.iterdir()] == [name]


def contents(place: Path) -> dict[str, bytes]:
    files = [place] if place.is_file() else [one for one in place.rglob("*") if one.is_file()]
    return {str(one.relative_to(place)): one.read_bytes() for one in files}


UPDATES_OTHERS = """
import json
from pytest_ragassert.analysis.records.baseline_file import update_baseline
from pytest_ragassert.analysis.records.history_file import append, entry_of
from pytest_ragassert.analysis.records.measurement import Measurement
BEGIN
number, baseline, history = sys.argv[1:]
for round in range(3):
    one = Measurement(f"case {number} {round}", "faithfulness", "judge", 0.5)
    update_baseline(Path(baseline), lambda there: there.updated([one]))
    append(Path(history), entry_of({}, date=None, commit=f"{number} {round}", judge="j"))
"""


def test_processes_that_write_baseline_and_history_at_once_lose_no_line(
    tmp_path: Path, processes: Callable[..., None]
) -> None:
    folder = tmp_path / "project"
    baseline, history = folder / "b.jsonl", folder / "h.jsonl"
    processes(UPDATES_OTHERS, 4, str(baseline), str(history))
    named = sorted(f"{number} {turn}" for number in range(4) for turn in range(3))
    assert sorted(one.case for one in read_baseline(baseline)) == [f"case {n}" for n in named]
    commits = [json.loads(text)["commit"] for text in history.read_text().splitlines()]
    assert sorted(commits) == named
    assert sorted(path.name for path in folder.iterdir()) == ["b.jsonl", "h.jsonl"]


def test_threads_of_a_process_come_one_after_another(file: Path) -> None:
    def add() -> None:
        for _ in range(5):
            update_whole(file, lambda: (file.read_bytes() if file.exists() else b"") + b"x")

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert file.read_bytes() == b"x" * 20


@pytest.mark.parametrize("lock", ["of the folder", "by its name"])
def test_who_holds_no_lock_and_writes_meanwhile_loses_nothing(
    file: Path, monkeypatch: pytest.MonkeyPatch, lock: str
) -> None:
    """An editor, git, a machine that the lock does not reach."""
    if lock == "by its name":
        monkeypatch.setattr("pytest_ragassert.storage.files.locks._hold_itself", lambda *_: False)
    write_whole(file, ["first\n"])
    calls: list[bytes] = []

    def change() -> bytes:
        there = file.read_bytes()
        if not calls:
            file.write_bytes(there + b"editor\n")
        calls.append(there)
        return there + b"ours\n"

    update_whole(file, change)
    assert file.read_text() == "first\neditor\nours\n"
    assert len(calls) == 2


def test_a_file_that_is_written_all_the_time_is_an_error(file: Path) -> None:
    write_whole(file, ["a"])

    def change() -> bytes:
        file.write_bytes(file.read_bytes() + b"b")
        return b"ours"

    with pytest.raises(OSError, match="constantly being written"):
        update_whole(file, change)


@pytest.mark.parametrize("lock", ["of the folder", "by its name"])
def test_a_writer_that_never_ends_is_told(
    file: Path, monkeypatch: pytest.MonkeyPatch, lock: str
) -> None:
    monkeypatch.setattr("pytest_ragassert.storage.files.locks._FOLDER_SECONDS", 0.0)
    if lock == "by its name":
        monkeypatch.setattr("pytest_ragassert.storage.files.locks._hold_itself", lambda *_: False)
    file.parent.mkdir()

    def write_inside() -> bytes:
        write_whole(file.with_name("another"), ["x"])
        return b"y"

    with pytest.raises(TimeoutError, match="another process has been writing to"):
        update_whole(file, write_inside)
    assert list(file.parent.iterdir()) == []
    write_whole(file, ["free again"])


def test_a_fork_meanwhile_keeps_nobody_out(file: Path) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    read, write = os.pipe()
    children: list[int] = []

    def change() -> bytes:
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)  # lives until the parent has closed the pipe
            os._exit(0)
        children.append(child)
        return b"x"

    update_whole(file, change)
    try:
        write_whole(file, ["y"])
    finally:
        os.close(write)
        os.close(read)
        os.waitpid(children[0], 0)
    assert file.read_text() == "y"


def test_a_baseline_says_what_it_replaced_of_another_run() -> None:
    from pytest_ragassert.analysis.records.baseline_file import replaced_of_others

    def of(**scores: float) -> Baseline:
        return Baseline(
            Measurement(case, "faithfulness", "judge", score) for case, score in scores.items()
        )

    start, there = of(a=0.1, b=0.2), of(a=0.1, b=0.3, c=0.4, d=0.5)
    assert replaced_of_others(start, there, of(a=0.9, b=0.9, c=0.9, d=0.5)) == 2
    assert replaced_of_others(start, start, of(a=0.9, b=0.9)) == 0


def test_pruning_removes_nothing_of_another_run(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl"
    own = [Measurement(case, "faithfulness", "judge", 0.5) for case in ("a", "b")]
    start = Baseline(own)
    update_baseline(path, lambda _: start)
    other = Measurement("c", "faithfulness", "judge", 0.5)
    update_baseline(path, lambda there: there.updated([other]))
    update_baseline(path, lambda there: there.updated(own[:1], prune=start.keys()))
    assert sorted(one.case for one in read_baseline(path)) == ["a", "c"]


KEEPS_REPORTED = """
from dataclasses import replace
from pytest_ragassert.storage.failed_claims import keep_reported
from tests.commands.stored import reported
BEGIN
number, folder = sys.argv[1:]
for round in range(3):
    keep_reported(Path(folder), [reported(nodeid=f"test {number} {round}")])
"""


def test_processes_that_keep_failed_claims_at_once_lose_none(
    tmp_path: Path, processes: Callable[..., None]
) -> None:
    folder = tmp_path / "store"
    processes(KEEPS_REPORTED, 3, str(folder))
    kept = sorted(claim.nodeid for claim in read_reported(folder))
    assert kept == sorted(f"test {number} {turn}" for number in range(3) for turn in range(3))
    assert mode(folder / NAME) == 0o600 or sys.platform == "win32"
