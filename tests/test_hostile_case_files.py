"""Hostile and broken files of cases: a clear error, or the right cases, within bounds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from .hostile_files import FILES, LARGE, PLACES, Expected

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kinds of files of POSIX")

MOST_MEMORY, MOST_SECONDS = 1536 * 2**20, 60
LONGEST_MESSAGE = 2000  # beside the file's name

# Reads each file that its input names, and says what came of it.
READ = """
import json, os, resource, signal, sys, warnings
from pytest_ragassert import load_cases

warnings.simplefilter("ignore")
most_memory, most_seconds, user = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_AS, (most_memory, most_memory))
signal.signal(signal.SIGPROF, lambda *_: sys.exit("too long"))
for name in json.load(sys.stdin):
    if user:
        os.seteuid(user if "locked" in name else 0)
    # of the processor, as others may use it too
    signal.setitimer(signal.ITIMER_PROF, most_seconds)
    try:
        told = [case.id for case in load_cases(name)]
    except (ValueError, FileNotFoundError) as error:
        told = str(error)
    except BaseException as error:
        told = {type(error).__name__: str(error)}
    print(json.dumps([name, told]), flush=True)
"""


def read_all(folder: Path, names: list[str]) -> dict[str, Any]:
    """What comes of each file, read in one process of little memory."""
    # a user from whom files can be locked
    user = 65534 if os.geteuid() == 0 else 0
    done = subprocess.run(
        [sys.executable, "-c", READ, str(MOST_MEMORY), str(MOST_SECONDS), str(user)],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=600,
    )
    told = dict(map(json.loads, done.stdout.splitlines()))
    after = names[len(told)] if len(told) < len(names) else None
    assert (done.returncode, after, done.stderr) == (0, None, "")
    return told


def unlike(expected: Mapping[str, Expected], told: Mapping[str, Any]) -> dict[str, Any]:
    """What came of the files of which it is not what was expected."""
    return {name: found for name, found in told.items() if not is_as(expected[name], name, found)}


def is_as(expected: Expected, name: str, found: Any) -> bool:
    if isinstance(expected, list) or not isinstance(found, str):
        return bool(found == expected)
    # one line each, of which no terminal acts on any, however long the text that it shows
    is_plain = all(line.isprintable() for line in found.split("\n"))
    return (
        is_plain
        and len(found) < LONGEST_MESSAGE + len(name)
        and re.search(expected, found) is not None
        and ("name" in expected or name in found)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder that everybody may read."""
    for one in (tmp_path, *tmp_path.parents):
        if one.stat().st_uid == os.geteuid() and one.stat().st_mode & 0o777 == 0o700:
            one.chmod(0o711)
    yield tmp_path
    assert not (tmp_path / "RUN").exists(), "something of a file was run"


def test_each_file_gives_its_cases_or_a_clear_error(folder: Path) -> None:
    for name, (content, _) in FILES.items():
        (folder / name).write_bytes(content)
    for name, (make, _) in PLACES.items():
        make(folder / name)
    expected = {name: told for name, (_, told) in [*FILES.items(), *PLACES.items()]}
    assert unlike(expected, read_all(folder, list(expected))) == {}


@pytest.mark.parametrize("some", range(3))
def test_each_large_file_does_so_in_bounded_memory(folder: Path, some: int) -> None:
    expected = {}
    for name in list(LARGE)[some::3]:
        make, expected[name] = LARGE[name]
        (folder / name).write_bytes(make())
    assert unlike(expected, read_all(folder, list(expected))) == {}
    for name in expected:
        (folder / name).unlink()
