"""What a run writes: only where it can, and beside other runs that write the same."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Sequence

import pytest

from pytest_ragassert import ConfigurationError, ResultsFile
from pytest_ragassert.analysis.records.baseline_file import read_baseline
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts

from .projects import Project, new_project, section

project = pytest.fixture(new_project)
posix = pytest.mark.skipif(sys.platform == "win32", reason="kinds of files of POSIX")

# A judge that calls each claim supported, and each sentence a claim.
JUDGE = """
import json, pathlib

class Kind:
    id = "kind"

    def run(self, step, input):
        pathlib.Path("asked").touch()
        if step.name == "extract_claims":
            claims = [{"sentence": one["id"], "text": one["text"]} for one in input["sentences"]]
            return json.dumps({"claims": claims})
        verdicts = [
            {"id": one["id"], "reason": "so", "evidence": [], "verdict": "FULLY_SUPPORTED"}
            for one in input["claims"]
        ]
        return json.dumps({"verdicts": verdicts})

def pytest_ragassert_make_judge(config, name):
    return Kind() if name == "kind" else None
"""
ONE = """
from ferry import case
from pytest_ragassert import assert_faithful

def test_one():
    assert_faithful(case("one"))
"""
VERDICTS, UPDATE = "--ragassert-verdicts=v.jsonl", "--ragassert-update-verdicts"
BASELINE, NEW_BASELINE = "--ragassert-baseline=b.jsonl", "--ragassert-update-baseline"
HISTORY = "--ragassert-history=h.jsonl"


@pytest.fixture
def kind(project: Project) -> Project:
    """A project whose judge is a hook."""
    project.pytester.makeconftest(JUDGE)
    project.pytester.makeini("[pytest]\nragassert_judge = kind\n")
    project.test(ONE)
    return project


# -- where it can't --------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    ("args", "file"),
    [
        ((VERDICTS, UPDATE), "v.jsonl"),
        ((VERDICTS, f"{UPDATE}=prune"), "v.jsonl"),
        ((BASELINE, NEW_BASELINE), "b.jsonl"),
        ((HISTORY,), "h.jsonl"),
        (("--ragassert-markdown=r.md",), "r.md"),
        (("--ragassert-html=r.html",), "r.html"),
        (("--ragassert-artifacts=out",), "out"),
        (("--ragassert-artifacts=.",), "debug_claims.jsonl"),
        (("--ragassert-artifacts=.",), "error_cases.jsonl"),
    ],
)
@pytest.mark.parametrize("what", ["pipe", "device", "a link to a device"])
def test_what_is_no_plain_file_ends_the_run_at_its_start(
    kind: Project, args: tuple[str, ...], file: str, what: str
) -> None:
    path = kind.path / file
    if what == "pipe":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to(os.devnull)
    else:
        (kind.path / "link").symlink_to(os.devnull)
        path.symlink_to("link")
    before = os.stat(path)
    result = kind.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "\n".join(result.errlines)
    assert f"{args[0].partition('=')[0]}: " in told
    assert "not a plain file" in told or "is not a folder" in told
    assert (os.stat(path).st_ino, stat.S_IFMT(os.stat(path).st_mode)) == (
        before.st_ino,
        stat.S_IFMT(before.st_mode),
    )
    assert not (kind.path / "asked").exists()


@posix
@pytest.mark.parametrize(
    ("args", "file"),
    [
        ((BASELINE, NEW_BASELINE), "b.jsonl"),
        ((HISTORY,), "h.jsonl"),
        (("--ragassert-markdown=r.md",), "r.md"),
        (("--ragassert-html=r.html",), "r.html"),
        (("--ragassert-artifacts=.",), "debug_claims.jsonl"),
    ],
)
def test_of_a_link_to_nothing_the_target_is_written(
    kind: Project, args: tuple[str, ...], file: str
) -> None:
    target = kind.path / "new" / "folder" / "file"
    (kind.path / file).symlink_to(target)
    assert kind.run(*args).ret == pytest.ExitCode.OK
    assert target.is_file()
    assert (kind.path / file).is_symlink()


@posix
@pytest.mark.parametrize("args", [(VERDICTS,), (BASELINE,)], ids=str)
def test_a_pipe_that_is_read_is_not_waited_for(kind: Project, args: tuple[str, ...]) -> None:
    os.mkfifo(kind.path / args[0].partition("=")[2])
    result = kind.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "\n".join(result.errlines)
    assert args[0].partition("=")[0] in told
    assert "it is a named pipe, not a plain file" in told
    assert not (kind.path / "asked").exists()


@posix
@pytest.mark.parametrize("source", ["ini", "variable"])
def test_whichever_way_it_is_named(kind: Project, source: str) -> None:
    os.mkfifo(kind.path / "pipe")
    if source == "ini":
        kind.pytester.makeini("[pytest]\nragassert_judge = kind\nragassert_history = pipe\n")
    else:
        kind.set(RAGASSERT_HISTORY="pipe")
    result = kind.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--ragassert-history: " in "\n".join(result.errlines)
    # where nothing is run nothing is written
    assert kind.run("--collect-only", "-q").ret == 0


@posix
def test_a_pipe_of_cases_is_not_waited_for(kind: Project) -> None:
    os.mkfifo(kind.path / "cases.jsonl")
    kind.test("import pytest\n@pytest.mark.rag_cases('cases.jsonl')\ndef test_it(rag_case): pass\n")
    result = kind.run()
    assert "cases.jsonl: it can't be read: it is a named pipe" in "\n".join(result.outlines)


@pytest.mark.parametrize(
    "args",
    [
        (VERDICTS, UPDATE, "--ragassert-history=./v.jsonl"),
        (BASELINE, NEW_BASELINE, "--ragassert-history=deep/../b.jsonl"),
        (HISTORY, "--ragassert-markdown=h.jsonl"),
        ("--ragassert-markdown=r.html", "--ragassert-html=r.html"),
        ("--ragassert-verdicts=b.jsonl", UPDATE, BASELINE, NEW_BASELINE),
    ],
    ids=" ".join,
)
def test_two_options_can_not_name_one_file(kind: Project, args: tuple[str, ...]) -> None:
    (kind.path / "deep").mkdir()
    result = kind.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "name one file" in "\n".join(result.errlines)
    assert not (kind.path / "asked").exists()


@pytest.mark.parametrize("name", ["history", "markdown", "html", "artifacts"])
def test_a_folder_without_permission_ends_the_run_that_asked_for_an_output_in_it(
    kind: Project, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    closed = kind.path / "closed"
    closed.mkdir()
    monkeypatch.setattr(
        "pytest_ragassert.storage.files.plain_files._allows", lambda path, mode: path != closed
    )
    result = kind.run(f"--ragassert-{name}=closed/new")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = f"--ragassert-{name}: {closed / 'new'} can't be written: no permission to write in the "
    assert f"{said}folder {closed}" in "\n".join(result.errlines)
    assert not (kind.path / "asked").exists()
    kind.set(**{f"RAGASSERT_{name.upper()}": "closed/new"})
    assert kind.run().ret == 0, "no one asked for it in this run"


# -- beside other runs -----------------------------------------------------------------------------

# While this test runs, another run commits what `OTHER` says.
MEANWHILE = """
import json, pathlib
from ferry import case
from pytest_ragassert import assert_faithful
from pytest_ragassert.analysis.records.baseline_file import update_baseline
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.committed.committed_verdicts import update_verdicts
from pytest_ragassert.analysis.records.measurement import Measurement

def test_one():
    assert_faithful(case("one"))
    lines = [VerdictLine(**line) for line in json.loads(pathlib.Path("others").read_text())]
    update_verdicts("v.jsonl", lambda there: [*there.lines(), *lines])
    results = [
        Measurement(case, "faithfulness", "kind", 0.25, label=None, claims=())
        for case in ("one", "other")
    ]
    update_baseline(pathlib.Path("b.jsonl"), lambda there: there.updated(results))
"""


@pytest.mark.parametrize("prune", ["", "=prune"])
def test_what_another_run_writes_meanwhile_stays_and_is_told(kind: Project, prune: str) -> None:
    assert kind.run(VERDICTS, UPDATE, "--ragassert-cache-dir=first").ret == 0
    own = list(open_verdicts(kind.path / "v.jsonl").lines())
    (verified,) = (line for line in own if line.step == "verify_claims")
    (kind.path / "v.jsonl").unlink()
    changed = {**verified.reply, "reason": "another run's"}
    others = [
        {**vars(verified), "reply": changed},
        {**vars(verified), "key": "0" * 64, "about": "another run's"},
    ]
    (kind.path / "others").write_text(json.dumps(others))
    kind.test(MEANWHILE)
    result = kind.run(VERDICTS, f"{UPDATE}{prune}", BASELINE, f"{NEW_BASELINE}{prune}")
    assert result.ret == 0
    told = "\n".join(section(result))
    assert "meanwhile another run committed other replies to 1 of these questions" in told
    assert "meanwhile another run wrote other results for 1 of them" in told
    committed = open_verdicts(kind.path / "v.jsonl")
    assert committed.line(verified.key) == verified
    assert {line.about for line in committed.lines()} >= {"another run's"}
    assert {one.case: one.score for one in read_baseline(kind.path / "b.jsonl")} == {
        "one": 1.0,
        "other": 0.25,
    }


SEVERAL = """
import os, pathlib, time
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(3))
def test_it(n):
    name = os.environ["NAME"]
    assert_faithful(case(f"{name} {n}", f"Boat {name} {n} is new."))
    if n == 2:
        pathlib.Path(f"ready-{name}").touch()
        while len(list(pathlib.Path().glob("ready-*"))) < 3:
            time.sleep(0.01)
"""


@pytest.mark.parametrize("place", ["v.jsonl", "verdicts"])
def test_runs_that_end_together_lose_nothing(kind: Project, place: str) -> None:
    kind.test(SEVERAL)
    args = (f"--ragassert-verdicts={place}", UPDATE, BASELINE, NEW_BASELINE, HISTORY)
    runs = [started(kind, name, *args, f"--ragassert-cache-dir=store-{name}") for name in "abc"]
    for run in runs:
        out, _ = run.communicate(timeout=120)
        assert run.returncode == 0, out.decode()
    committed = list(open_verdicts(kind.path / place).lines())
    assert len(committed) == 3 * 3 * 2
    assert len(read_baseline(kind.path / "b.jsonl")) == 3 * 3
    assert len((kind.path / "h.jsonl").read_text().splitlines()) == 3
    assert not list(kind.path.rglob("*.new"))


def started(project: Project, name: str, *args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        project.forked_command(*args),
        cwd=project.path,
        env={**os.environ, "NAME": name},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


KILLED = """
import os, signal

def pytest_sessionstart(session):
    def die(draft, target):
        if str(target).endswith({name!r}):
            {first}
            os.kill(os.getpid(), signal.SIGKILL)
        return replace(draft, target)

    replace, os.replace = os.replace, die
"""


@posix
@pytest.mark.parametrize("first", ["pass", "replace(draft, target)"], ids=["before", "after"])
@pytest.mark.parametrize(
    ("args", "name"),
    [
        ((VERDICTS, UPDATE), "v.jsonl"),
        ((BASELINE, NEW_BASELINE), "b.jsonl"),
        ((HISTORY,), "h.jsonl"),
        (("--ragassert-artifacts=.",), "debug_claims.jsonl"),
    ],
)
def test_a_run_that_is_killed_while_it_writes(
    kind: Project, args: Sequence[str], name: str, first: str
) -> None:
    file = kind.path / name
    killing = KILLED.format(name=name, first=first)
    kind.pytester.makeconftest(JUDGE + killing)
    killed = kind.process(*args)
    assert killed.ret == -signal.SIGKILL
    assert file.exists() == (first != "pass")
    if file.exists():
        assert [json.loads(line) for line in file.read_text().splitlines()]
    kind.pytester.makeconftest(JUDGE)
    assert kind.run(*args).ret == 0
    assert [json.loads(line) for line in file.read_text().splitlines()]
    assert not list(kind.path.glob(".*.new"))


def test_verdicts_that_cant_be_written_fail_the_run(
    kind: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = kind.run(VERDICTS, UPDATE)
    assert result.ret == 1
    # no test failed, and the run says that something did
    result.assert_outcomes(passed=1, failed=1)
    assert "FAILED ragassert::verdicts - " in result.stdout.str()
    assert "failed-by=verdicts" in section(result)[-1]
    assert any("not written, so the run fails: " in line for line in section(result))


def test_the_results_file_says_that_verdicts_were_not_written(
    kind: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_ragassert.plugin.update_verdicts.update_verdicts", _not_written)
    assert kind.run(VERDICTS, UPDATE, "--ragassert-artifacts=out").ret == 1
    (path,) = (kind.path / "out").glob("results_*.json")
    results = ResultsFile.model_validate_json(path.read_bytes())
    assert results.exit_status == 1
    assert results.outcome is not None
    assert (results.outcome.verdicts, results.outcome.failed_by) == ("failed", "verdicts")


def _not_written(*_: object) -> None:
    raise ConfigurationError("no space")


def test_a_full_disk_leaves_the_old_files_and_names_the_options(
    kind: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = (VERDICTS, UPDATE, BASELINE, NEW_BASELINE, HISTORY)
    assert kind.run(*args).ret == 0
    names = ("v.jsonl", "b.jsonl", "h.jsonl")
    before = {name: (kind.path / name).read_bytes() for name in names}

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    kind.test(ONE.replace('case("one")', 'case("one", "Another boat is new.")'))
    result = kind.run(*args)
    told = section(result)
    for option, name in zip(("verdicts", "baseline", "history"), names, strict=True):
        said = f"--ragassert-{option}: {kind.path / name} can't be written: No space left on device"
        assert any(said in line for line in told), told
        assert (kind.path / name).read_bytes() == before[name]
    assert not list(kind.path.glob(".*.new"))
