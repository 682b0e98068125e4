"""Where commands look: what the project's tests would use, and what the command line says."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run
from .stored import put, question, write_lines


@pytest.fixture
def elsewhere(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the project, where commands are run."""
    folder = project / "deep"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def store_of(run: Run, *arguments: str) -> str:
    return run("info", *arguments).lines[0].removeprefix("store ").partition(":")[0]


def verdicts_of(run: Run, *arguments: str) -> str:
    last = run("info", *arguments).lines[-1]
    return last.removeprefix("committed verdicts ").partition(":")[0]


def test_an_ini_path_is_the_projects(run: Run, project: Path, elsewhere: Path) -> None:
    ini = "[pytest]\nragassert_cache_dir = of ini\nragassert_verdicts = v.jsonl\n"
    (project / "pytest.ini").write_text(ini)
    assert store_of(run) == str(project / "of ini")
    assert verdicts_of(run) == str(project / "v.jsonl")


def test_a_path_of_the_environment_is_the_callers(
    run: Run, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGASSERT_CACHE_DIR", "mine")
    monkeypatch.setenv("RAGASSERT_VERDICTS", "v.jsonl")
    assert store_of(run) == str(elsewhere / "mine")
    assert verdicts_of(run) == str(elsewhere / "v.jsonl")
    assert store_of(run, "--cache-dir", "other") == str(elsewhere / "other")
    assert verdicts_of(run, "--verdicts", "w.jsonl") == str(elsewhere / "w.jsonl")


def test_a_folder_that_is_there_may_stand_alone(run: Run, project: Path, store: Path) -> None:
    put(project / "mine", question())
    assert store_of(run, "--cache-dir", "mine") == str(project / "mine")


def test_the_project_is_that_of_rootdir_or_of_a_file(
    run: Run, tmp_path: Path, elsewhere: Path
) -> None:
    (elsewhere / "other.ini").write_text("[pytest]\nragassert_cache_dir = of other\n")
    assert store_of(run) == str(tmp_path / ".ragassert")
    assert store_of(run, "--rootdir", str(elsewhere)) == str(elsewhere / ".ragassert")
    assert store_of(run, "-c", "other.ini") == str(elsewhere / "of other")


def test_options_that_are_wrong_are_told(run: Run, project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\nragassert_record_mode = sometimes\n")
    said = run("info")
    assert said.status == 2
    assert "ragassert_record_mode: 'sometimes' is not one of" in said.err


def test_a_variable_of_no_option_is_told(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGASSERT_CACHEDIR", "store")
    done = run("info")
    assert done.err.startswith("warning: the environment variable RAGASSERT_CACHEDIR has no effect")
    assert done.err.endswith("did you mean RAGASSERT_CACHE_DIR?\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["info"],
        ["show", "abcdef"],
        ["export"],
        ["prune"],
        ["prune", "--older-than=1"],
        ["verify"],
        ["verify", "--repair"],
        ["override", "abcdef", "supported", "--reason=so"],
        ["import", "none.jsonl"],
        ["import", "bad.jsonl"],
    ],
    ids=" ".join,
)
def test_no_store_is_made_where_there_is_none(
    run: Run, project: Path, arguments: list[str]
) -> None:
    write_lines(project / "bad.jsonl", []).write_text("{}\n")
    before = sorted(project.rglob("*"))
    run(*arguments, "--verdicts=v.jsonl")
    assert sorted(project.rglob("*")) == before


@pytest.mark.parametrize(
    "action", ["show", "override", "info", "export", "import", "merge", "prune", "verify"]
)
def test_each_action_tells_how_it_is_used(run: Run, action: str) -> None:
    said = run(action, "--help")
    assert said.status == 0
    assert f"usage: python -m pytest_ragassert verdicts {action}" in said.out
    assert len(said.lines) > 8


def test_an_unknown_action_is_a_misuse(run: Run) -> None:
    assert run("burn").status == 2
    assert run().status == 2
