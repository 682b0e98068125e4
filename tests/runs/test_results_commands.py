"""`python -m pytest_ragassert results …`: shards merged, runs compared, gates held against them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_ragassert.analysis.records.results_file import ResultsFile
from pytest_ragassert.commands.command_line import main
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project
from .test_baselines import TESTS

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


@pytest.fixture
def shards(project: Project) -> tuple[Path, Path]:
    project.test(TESTS)
    project.test(OTHER, "test_price")
    one = results(project, "one", "test_it.py")
    return one, results(project, "two", "test_price.py")


def test_shards_are_merged_as_one_run(
    project: Project,
    shards: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = results(project, "whole")
    status, shown = command(
        project, monkeypatch, capsys, "results", "merge", *map(str, shards), "--out", "m.json",
        "--gate", "mean(faithfulness, n=4) >= 0.9", "--gate", "count(wrong) <= 1",
    )  # fmt: skip
    assert status == 1
    assert "  x mean(faithfulness, n=4) >= 0.9: 0.80 over 5 cases".replace("x", "✗") in shown
    assert "pulled down by: price 0.00" in shown
    assert "failed-by=assertions assertions=1 judge-errors=0 skipped=0 other=0 measured=8" in shown
    assert "gates=failed" in shown

    merged, at_once = (
        ResultsFile.model_validate_json(path.read_text())
        for path in (project.path / "m.json", whole)
    )
    assert merged.results == at_once.results
    assert merged.metrics == at_once.metrics
    assert merged.cases == at_once.cases
    assert (merged.exit_status, merged.judge) == (1, "offline-3")
    turned = command(
        project,
        monkeypatch,
        capsys,
        "results",
        "merge",
        *map(str, reversed(shards)),
        "--out",
        "n.json",
    )
    assert turned[0] == 1, "a shard failed"
    again = ResultsFile.model_validate_json((project.path / "n.json").read_text())
    assert (again.results, again.run) == (merged.results, merged.run)


def test_the_baseline_is_held_against_and_written_by_merging(
    project: Project,
    shards: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    merge = ["results", "merge", *map(str, shards), "--baseline", "b.jsonl"]
    status, shown = command(project, monkeypatch, capsys, *merge)
    assert (status, "there is no baseline" in shown) == (2, True)
    assert command(project, monkeypatch, capsys, *merge, "--update-baseline")[0] == 1
    by_merging = (project.path / "b.jsonl").read_bytes()
    (project.path / "b.jsonl").unlink()
    project.set(RAGASSERT_JUDGE="offline")
    project.run("--ragassert-baseline=b.jsonl", "--ragassert-update-baseline")
    assert (project.path / "b.jsonl").read_bytes() == by_merging
    status, shown = command(
        project, monkeypatch, capsys, *merge, "--gate", "plain_drop(faithfulness) <= 0"
    )
    assert "against the baseline b.jsonl: 5 cases compared" in shown
    assert "1 gate holds" in shown


def test_runs_of_the_same_tests_are_no_shards(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.test(OTHER)
    before = results(project, "before")
    project.test(OTHER.replace("BAD", "GOOD"))
    after = results(project, "after")
    status, shown = command(
        project, monkeypatch, capsys, "results", "merge", str(before), str(after)
    )
    assert status == 2
    assert "both have results of test_it.py::test_price; shards of one run" in shown
    status, shown = command(
        project, monkeypatch, capsys, "results", "merge", str(before), str(before)
    )
    assert "measured=1" in shown


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
    project: Project,
    shards: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, shown = command(
        project, monkeypatch, capsys, "results", "merge", str(shards[0]), "--gate", "mean(x > 1"
    )
    assert (status, "^" in shown) == (2, True)


def test_files_of_an_earlier_release_are_read(
    project: Project,
    shards: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = json.loads(shards[0].read_text())
    for name in ("cases", "usage", "outcome"):
        del data[name]
    for record in data["results"]:
        for name in ("identity", "inputs", "steps", "options", "labels", "texts", "quarantine"):
            del record[name]
    shards[0].write_text(json.dumps(data))
    status, shown = command(project, monkeypatch, capsys, "results", "merge", *map(str, shards))
    assert status == 1
    assert "faithfulness             5    0.80" in shown
