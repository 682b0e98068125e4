"""`python -m pytest_ragassert results compare`: runs compared, and gates held against them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_ragassert.commands.command_line import main
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project

project = pytest.fixture(new_project)

OTHER = """
from ferry import BAD, case
from pytest_ragassert import assert_faithful

def test_price():
    assert_faithful(case("price", BAD))
"""


def results(project: Project, name: str, *args: str) -> Path:
    """The results file of a run, under a name of its own."""
    folder = project.path / "out"
    project.run(f"--ragassert-artifacts={folder}", *args)
    (file,) = folder.glob("results_*.json")
    return file.rename(project.path / f"{name}.json")


def command(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *args: str,
) -> tuple[int, str]:
    """A command's exit status and what it prints."""
    monkeypatch.chdir(project.path)
    capsys.readouterr()
    status = main(args)
    shown = capsys.readouterr()
    return status, shown.out + shown.err


MANY = """
import pytest
from ferry import BAD, GOOD, case
from pytest_ragassert import evaluate

@pytest.mark.parametrize("n", range(12))
def test_case(n):
    evaluate(case(f"c{n}", BAD if n < WORSE else GOOD), ["faithfulness"])
"""


def test_a_regression_is_exit_status_1(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {}
    for worse in (0, 2, 6):
        project.test(MANY.replace("WORSE", str(worse)))
        files[worse] = str(results(project, f"r{worse}"))

    def compare(before: int, after: int, *args: str) -> tuple[int, str]:
        return command(
            project, monkeypatch, capsys, "results", "compare", files[before], files[after], *args
        )

    status, shown = compare(0, 6)
    assert status == 1
    assert shown.startswith(f"against {files[0]}: 12 cases compared")
    assert shown.endswith("a regression: faithfulness\n")
    assert compare(6, 0)[0] == 0
    status, shown = compare(0, 2)
    assert (status, "a regression:" in shown) == (0, False), "two of twelve may be chance"
    assert compare(0, 2, "--gate", "plain_drop(faithfulness) <= 0.1")[0] == 1
    project.pytester.makeini("[pytest]\nragassert_gates = min(faithfulness) >= 1\n")
    assert compare(0, 2)[0] == 1
    assert "6 more" not in compare(0, 6, "-v")[1]


def test_results_of_two_judges_are_not_compared(
    project: Project,
    judge: LoopbackJudge,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    project.test(OTHER)
    one = results(project, "one")
    project.judged_by(judge)
    two = results(project, "two")
    status, shown = command(project, monkeypatch, capsys, "results", "compare", str(one), str(two))
    assert status == 2
    assert f"rejudge {one} --from 'offline-3' --to 'gpt-4o-mini'" in shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a results file"),
        ('{"schema_version": 1}', "not a results file"),
        (None, "can't be read"),
    ],
)
def test_what_is_no_results_file_is_named(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str | None,
    said: str,
) -> None:
    path = project.path / "r.json"
    if text is not None:
        path.write_text(text)
    status, shown = command(
        project, monkeypatch, capsys, "results", "compare", str(path), str(path)
    )
    assert status == 2
    assert f"error: {path}" in shown
    assert said in shown


def test_a_broken_gate_is_pointed_at(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.test(OTHER)
    file = str(results(project, "one"))
    compare = ["results", "compare", file, file]
    status, shown = command(project, monkeypatch, capsys, *compare, "--gate", "mean(x > 1")
    assert (status, "^" in shown) == (2, True)
