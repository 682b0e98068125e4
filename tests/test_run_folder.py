"""The run's folder in a temporary folder that others write to: only the user's own is used."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_ragassert.errors import JudgeError
from pytest_ragassert.runtime.environment import RUN_FOLDER_PREFIX, run_folder_path
from pytest_ragassert.storage.run_state.process_progress import read_progress
from pytest_ragassert.storage.run_state.run_folder import JUDGING, RunFolder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes of POSIX")
OTHER_USER = 4711
KEY = "f" * 64
PLANTED = json.dumps({"planted": True})


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a folder with its mode and content."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def plant(folder: Path) -> None:
    """A folder as a run makes it, with an answer, an end of judging and a standing in it."""
    planting = RunFolder(folder)
    planting.keep_answer(KEY, PLANTED)
    planting.end(JUDGING, JudgeError("planted", kind="quota", ends_judging=True))
    planting.add_notice("planted")
    (folder / "progress").mkdir()
    (folder / "progress" / "gw0").write_bytes(bytes(16))


def of_another_user(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    plant(path)
    for made in (path, *path.rglob("*")):
        os.chown(made, OTHER_USER, OTHER_USER)


def open_to_others(path: Path) -> None:
    plant(path)
    path.chmod(0o777)


def a_link(path: Path) -> None:
    plant(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def a_dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def a_file(path: Path) -> None:
    path.write_text("a file")


@pytest.mark.parametrize("made", [of_another_user, open_to_others, a_link, a_dangling_link, a_file])
def test_a_folder_that_is_not_the_users_own_is_neither_read_nor_written_nor_removed(
    tmp_path: Path, made: Callable[[Path], None]
) -> None:
    path = tmp_path / f"{RUN_FOLDER_PREFIX}{'a' * 32}"
    made(path)
    before = contents(tmp_path)
    run = RunFolder(path)
    assert run.answer(KEY) is None
    assert run.answered([KEY]) == set()
    assert run.texts() == {}
    assert run.ended(JUDGING) is None
    assert run.notices() == []
    assert list(read_progress(path)) == []
    run.keep_answer("0" * 64, "its own")
    assert run.texts() == {"0" * 64: "its own"}
    (line,) = run.notices()
    assert str(path) in line
    assert "TMPDIR" in line
    run.remove()
    assert contents(tmp_path) == before
    assert os.path.lexists(path)


def test_the_users_own_folder_is_shared_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "own"
    previous = os.umask(0)
    try:
        plant(path)
    finally:
        os.umask(previous)
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    other = RunFolder(path)
    assert other.answer(KEY) == PLANTED
    assert other.answered([KEY]) == {KEY}
    assert [name for name, _ in read_progress(path)] == ["gw0"]
    other.remove()
    assert not path.exists()


def test_nothing_else_in_the_temporary_folder_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("ragassert-notes", f"{RUN_FOLDER_PREFIX}{'b' * 32}"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("somebody's")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / "ragassert-link").symlink_to(tmp_path / "ragassert-notes")
    before = contents(tmp_path)
    run = RunFolder(run_folder_path("c" * 32))
    run.keep_answer(KEY, "text")
    run.remove()
    assert contents(tmp_path) == before
