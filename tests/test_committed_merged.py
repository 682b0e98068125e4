"""Committed verdicts of two branches, merged by git itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pytest_ragassert import ConfigurationError
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine

from .committed_lines import in_order, key_of, line, read

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

BASE = [line(number) for number in range(3)]
OURS = [line(10), line(11, step="extract_claims"), line(12, about="ours\u2028")]
THEIRS = [line(20), line(21, step="extract_claims"), line(22, judge="my-judge")]
BOTH = [line(30)]
ALL = in_order([*BASE, *OURS, *THEIRS, *BOTH])
FILE = "verdicts.jsonl"
MARKERS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


class Repository:
    """A repository of its own: no configuration of the machine's counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_NAME": "Someone" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "someone@example.com" for who in ("AUTHOR", "COMMITTER")},
        }
        self.git("init", "--quiet")
        self.git("symbolic-ref", "HEAD", "refs/heads/main")

    def git(self, *arguments: str) -> int:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=self._environment, capture_output=True
        )
        if arguments[0] != "merge" and done.returncode:
            raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr.decode()}")
        return done.returncode

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Verdicts")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def merge_verdicts(
    repository: Repository, name: str, ours: list[VerdictLine], theirs: list[VerdictLine]
) -> int:
    """Commit them on two branches, each beside `BASE`, and merge; git's exit code."""
    path = repository.folder / name
    write_verdicts(path, BASE)
    (repository.folder / "README").write_text("verdicts")
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "theirs")
    write_verdicts(path, [*BASE, *theirs])
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    write_verdicts(path, [*BASE, *ours])
    repository.commit()
    return repository.git("merge", "--quiet", "--no-edit", "theirs")


def bytes_written(folder: Path, lines: list[VerdictLine]) -> bytes:
    write_verdicts(folder / "expected.jsonl", lines)
    return (folder / "expected.jsonl").read_bytes()


def test_a_folder_merges(repository: Repository) -> None:
    assert merge_verdicts(repository, "verdicts", [*OURS, *BOTH], [*THEIRS, *BOTH]) == 0
    assert read(repository.folder / "verdicts") == ALL


@pytest.mark.parametrize("crlf", [False, True])
def test_a_file_merges_with_the_union_attribute(repository: Repository, crlf: bool) -> None:
    if crlf:
        repository.git("config", "core.autocrlf", "true")
    (repository.folder / ".gitattributes").write_text("*.jsonl merge=union\n")
    assert merge_verdicts(repository, FILE, [*OURS, *BOTH], [*THEIRS, *BOTH]) == 0
    path = repository.folder / FILE
    assert (b"\r\n" in path.read_bytes()) is crlf
    assert read(path) == ALL
    write_verdicts(path, open_verdicts(path).lines())
    assert path.read_bytes() == bytes_written(repository.folder, ALL)


@pytest.mark.parametrize("style", ["merge", "diff3"])
def test_a_file_conflicts_without_it_and_reads_once_both_sides_are_kept(
    repository: Repository, style: str
) -> None:
    repository.git("config", "merge.conflictStyle", style)
    assert merge_verdicts(repository, FILE, [*OURS, *BOTH], [*THEIRS, *BOTH]) == 1
    path = repository.folder / FILE
    with pytest.raises(ConfigurationError, match=r"verdicts\.jsonl, line \d+: .* both sides"):
        open_verdicts(path)
    texts = path.read_text(encoding="utf-8").split("\n")
    assert sum(text.startswith(MARKERS) for text in texts) >= 3
    path.write_text(
        "\n".join(text for text in texts if not text.startswith(MARKERS)), encoding="utf-8"
    )
    assert read(path) == ALL
    write_verdicts(path, open_verdicts(path).lines())
    assert path.read_bytes() == bytes_written(repository.folder, ALL)


def test_two_replies_to_one_question_are_found_after_the_merge(repository: Repository) -> None:
    (repository.folder / ".gitattributes").write_text("*.jsonl merge=union\n")
    ours, theirs = (line(30, reply={"x": side}) for side in ("ours", "theirs"))
    assert merge_verdicts(repository, FILE, [ours], [theirs]) == 0
    with pytest.raises(ConfigurationError, match=r"lines \d and \d: two different replies"):
        open_verdicts(repository.folder / FILE)


def test_in_a_folder_git_itself_sees_them(repository: Repository) -> None:
    ours, theirs = (line(30, reply={"x": side}) for side in ("ours", "theirs"))
    assert merge_verdicts(repository, "verdicts", [ours], [theirs]) == 1
    verdicts = open_verdicts(repository.folder / "verdicts")
    with pytest.raises(ConfigurationError, match=f"{key_of(30)}.json: git left a conflict here"):
        verdicts.line(key_of(30))
    assert verdicts.line(key_of(1)) == BASE[1]
