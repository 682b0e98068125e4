"""Commands as people and scripts run them: in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .stored import line_of, override_line, put, put_vector, question, texts_in, write_lines

MODULE = (sys.executable, "-m", "pytest_ragassert", "verdicts")


def process(
    *arguments: str, python: str = sys.executable, **environ: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [python, *MODULE[1:], *arguments],
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
    )


def test_verdicts_go_from_one_store_to_another_by_a_pipe(
    project: Path, store: Path, forked_python: str
) -> None:
    put(store, question(), question("classify_answer"))
    put_vector(store, "電車\u2028")
    (project / "conftest.py").write_text("print('a conftest that prints')\n")
    # an encoding that has no such letters: what is for a file is UTF-8 all the same
    exported = process("export", PYTHONIOENCODING="ascii")
    assert exported.returncode == 0, exported.stderr
    assert exported.stderr == b"a conftest that prints\n"
    assert len([json.loads(line) for line in exported.stdout.decode().split("\n")[:-1]]) == 3
    (project / "v.jsonl").write_bytes(exported.stdout)
    imported = process("import", "v.jsonl", "--cache-dir=other", python=forked_python)
    assert imported.returncode == 0, imported.stderr
    again = process("export", "--cache-dir=other", python=forked_python)
    assert again.stdout == exported.stdout


def test_a_project_is_looked_at_as_its_tests_have_it(project: Path, forked_python: str) -> None:
    lines = [
        "[tool.pytest.ini_options]",
        'addopts = "-n 2 --strict-config -ra"',
        'ragassert_verdicts = "tests/v.jsonl"',
        'ragassert_model = "model-a"',
    ]
    (project / "pytest.ini").unlink()
    (project / "pyproject.toml").write_text("\n".join(lines))
    (project / "tests").mkdir()
    write_lines(project / "tests" / "v.jsonl", [line_of(question()), override_line()])
    # the module's own folder must not count as the project's
    shown = process("show", override_line().key[:12], PYTEST_PLUGINS="xdist.plugin")
    assert shown.returncode == 0, shown.stderr
    assert b"  override: FULLY_SUPPORTED" in shown.stdout
    info = process("info", PYTEST_PLUGINS="xdist.plugin", python=forked_python)
    assert f"store {project / '.ragassert'}: does not exist".encode() in info.stdout


def test_a_terminal_that_lacks_letters_gets_escapes(project: Path, store: Path) -> None:
    [key] = put(store, question("classify_answer", judge_id="電車 ✓"))
    shown = process("show", key, PYTHONIOENCODING="ascii")
    assert shown.returncode == 0, shown.stderr
    assert rb"  judge: \u96fb\u8eca \u2713" in shown.stdout


def test_who_reads_a_part_only_sees_no_error(project: Path, store: Path) -> None:
    long = {"reason": "x" * 2000, "label": "CORRECT"}
    put(store, *(question("classify_answer", sample=n) for n in range(100)), reply=long)
    with subprocess.Popen(
        [*MODULE, "export"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith(b'{"key"')
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=60) == 1


DIES = """
import os, sys
from pathlib import Path
from pytest_ragassert.storage.disk.disk_store import DiskStore
disk = DiskStore(Path(sys.argv[1]), print)
for line in sys.stdin:
    key, text = line.rstrip().split(" ", 1)
    disk.put(key, text)
os._exit(9)
"""


def test_what_a_killed_run_left_in_the_log_is_seen(
    project: Path, store: Path, tmp_path_factory: pytest.TempPathFactory, forked_python: str
) -> None:
    made = tmp_path_factory.mktemp("made")
    [key] = put(made, question())
    rows = "".join(f"{row} {text}\n" for row, text in texts_in(made).items())
    killed = subprocess.run([forked_python, "-c", DIES, store], input=rows.encode(), timeout=60)
    assert killed.returncode == 9
    assert (store / "cache.db-wal").stat().st_size > 0
    exported = process("export", python=forked_python)
    assert [json.loads(line)["key"] for line in exported.stdout.splitlines()] == [key]
    assert process("verify", python=forked_python).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["info"], 0),
        (["show", "abcdef"], 1),
        (["show", "-"], 2),
        (["export"], 1),
        (["prune", "--older-than=soon"], 2),
        (["verify"], 0),
        (["nothing"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_exit_status_says_what_kind_of_end_it_was(
    project: Path, arguments: list[str], status: int, forked_python: str
) -> None:
    ended: Any = process(*arguments, python=forked_python)
    assert ended.returncode == status
    assert b"Traceback" not in ended.stderr
    assert bool(ended.stderr) == bool(status)


def test_nothing_that_asks_a_judge_is_loaded(project: Path, store: Path) -> None:
    [key] = put(store, question())
    code = (
        "import sys\n"
        "from pytest_ragassert.commands.command_line import main\n"
        f"assert main(['verdicts', 'show', '{key}']) == 0\n"
        "assert not {'openai', 'httpx2'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
