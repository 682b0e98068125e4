"""Reports made from results files: by the command, and by a project's own hook."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_ragassert.analysis.records.read_results import read_results
from pytest_ragassert.analysis.run_record import record_of, results_file
from pytest_ragassert.commands.command_line import main
from pytest_ragassert.report.summary import summary_lines
from pytest_ragassert.report.terminal import Screen

from .projects import Project, new_project, section
from .test_baselines import TESTS
from .test_results_commands import OTHER, results

project = pytest.fixture(new_project)

GATES = (
    "--ragassert-gate=mean(faithfulness) >= 0.9",
    "--ragassert-gate=min(faithfulness) >= 0",
)
HOOK = """
import json

def pytest_ragassert_report(results, config):
    with open(config.rootpath / "own.txt", "a") as file:
        means = {name: figures.mean for name, figures in results.metrics.items()}
        print(json.dumps([means, len(results.results), sorted(results.cases)]), file=file)
"""


def reported(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *args: str | Path,
) -> tuple[int, list[str]]:
    monkeypatch.chdir(project.path)
    capsys.readouterr()
    status = main(["report", *map(str, args)])
    shown = capsys.readouterr()
    return status, (shown.out + shown.err).splitlines()


def without_costs(lines: list[str]) -> list[str]:
    """Lines but those of what was asked, which only the run itself knows."""
    return [one for one in lines if not one.startswith(("judgements: ", "note: results in "))]


def test_a_file_tells_what_the_run_told(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its gates and its baseline are in the file, whatever the project has meanwhile."""
    project.set(RAGASSERT_JUDGE="offline")
    project.test(TESTS)
    project.test(OTHER.replace("BAD", "GOOD"), "test_price")
    project.run("--ragassert-baseline=b.jsonl", "--ragassert-update-baseline")
    project.test(OTHER, "test_price")
    run = project.run("--ragassert-artifacts=out", "--ragassert-baseline=b.jsonl", *GATES)
    told = section(run)
    assert any("against the baseline b.jsonl: " in line for line in told)
    assert any("1 of 2 gates fails" in line for line in told)
    (project.path / "b.jsonl").unlink()
    (file,) = (project.path / "out").glob("results_*.json")
    status, lines = reported(project, monkeypatch, capsys, file)
    assert status == 1
    assert lines == without_costs(told)
    record = record_of(read_results(file))
    assert results_file(record).to_text() == file.read_text()


def test_shards_are_held_together_against_the_project(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(TESTS)
    project.test(OTHER, "test_price")
    (project.path / "pytest.ini").write_text(
        "[pytest]\nragassert_gates =\n  mean(faithfulness) >= 0.9\n  min(faithfulness) >= 0\n"
    )
    whole = project.run("--ragassert-artifacts=whole")
    shards = [results(project, name, f"{name}.py") for name in ("test_it", "test_price")]
    read = [read_results(shard) for shard in shards]
    assert {one.conclusion.outcome for one in read if one.conclusion} == {"partial"}
    status, lines = reported(project, monkeypatch, capsys, *shards)
    assert (status, lines) == (1, without_costs(section(whole)))
    assert reported(project, monkeypatch, capsys, *reversed(shards)) == (status, lines)
    # of one shard the file says what its run said
    status, lines = reported(project, monkeypatch, capsys, shards[0])
    assert any(line.startswith("the gates are not checked: ") for line in lines)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "xdist"])
def test_a_projects_own_report(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    workers: tuple[str, ...],
) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.pytester.makeconftest(HOOK)
    project.test(OTHER)
    run = project.process if workers else project.run
    run(*workers, "--ragassert-artifacts=out")
    (file,) = (project.path / "out").glob("results_*.json")
    assert reported(project, monkeypatch, capsys, file)[0] == 1
    first, again = map(json.loads, (project.path / "own.txt").read_text().splitlines())
    assert first == again
    means, count, cases = first
    assert (means, count, len(cases)) == ({"faithfulness": 0.0}, 1, 1)


def test_cases_have_their_texts_where_only_the_hook_asks_for_them(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.pytester.makeconftest(HOOK)
    project.test(OTHER.replace("BAD", "GOOD"))
    project.run()
    (line,) = (project.path / "own.txt").read_text().splitlines()
    assert len(json.loads(line)[2]) == 1


def test_what_the_hook_raises_fails_no_test(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.pytester.makeconftest("def pytest_ragassert_report(results): results.nothing")
    project.test(OTHER.replace("BAD", "GOOD"))
    result = project.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    assert any("could not call pytest_ragassert_report" in line for line in section(result))


def test_a_run_that_measured_nothing_has_no_report(project: Project) -> None:
    project.pytester.makeconftest(HOOK)
    project.test("def test_plain(): pass")
    assert project.run().ret == 0
    assert not (project.path / "own.txt").exists()


def test_no_results_file_is_a_usage_error(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project.path / "no.json").write_text("{}")
    for name in "no.json", "none.json":
        status, lines = reported(project, monkeypatch, capsys, name)
        assert status == 2
        assert lines[0].startswith("error: ")
        assert name in lines[0]
    status, lines = reported(project, monkeypatch, capsys, "no.json", "--markdown", ".")
    assert status == 2
    assert "--markdown" in lines[0]


def test_a_gate_that_only_a_later_release_knows_is_named(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(OTHER)
    file = results(project, "one", GATES[0])
    text = file.read_text()
    assert "mean(faithfulness)" in text
    file.write_text(text.replace("mean(faithfulness)", "spread(faithfulness)"))
    status, lines = reported(project, monkeypatch, capsys, file)
    assert status == 2
    assert "a gate that this release can't read, 'spread(faithfulness) >= 0.9'" in lines[0]
    assert "update pytest-ragassert" in "".join(lines)


def test_a_record_is_summed_up_as_its_file_is(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(OTHER)
    file = results(project, "one", "--ragassert-sample=1")
    record = record_of(read_results(file))
    again = record_of(results_file(record))
    said, known = (summary_lines(one, Screen(), verbosity=1) for one in (record, again))
    assert said == known


PASSING_AND_FAILING = """
from ferry import GOOD, case
from pytest_ragassert import assert_context_precision, assert_faithful

def test_sundays():
    assert_faithful(case("sundays", "The crossing costs nothing on Sundays."))

def test_precision():
    assert_context_precision(case("first", GOOD, ground_truth_answer=GOOD), min=1.0)
"""


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_a_report_is_the_same_from_the_run_and_from_its_file(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(PASSING_AND_FAILING)
    file = results(project, "one", f"--ragassert-{name}=run")
    run = (project.path / "run").read_text()
    if name == "markdown":
        assert "nearest" in run
        assert "The crossing costs 9 euros." in run
    assert reported(project, monkeypatch, capsys, file, f"--{name}", "again")[0] == 1
    assert (project.path / "again").read_text() == run


def test_no_report_takes_the_place_of_what_is_read_or_of_another(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(OTHER)
    file = results(project, "one")
    text = file.read_text()
    (project.path / "link.json").symlink_to(file)
    for place in file.name, "link.json":
        status, lines = reported(project, monkeypatch, capsys, file, "--markdown", place)
        assert (status, file.read_text()) == (2, text)
        assert "--markdown" in lines[0]
        assert "it is also an input" in lines[0]
    status, lines = reported(
        project, monkeypatch, capsys, file, "--markdown", "same", "--html", "./same"
    )
    assert (status, (project.path / "same").exists()) == (2, False)
    assert "--markdown and --html name one file, same; use different files" in lines[0]


def test_the_exit_status_is_the_runs(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(OTHER.replace("BAD", "GOOD"))
    assert reported(project, monkeypatch, capsys, results(project, "good"))[0] == 0
    gate = "--ragassert-gate=mean(faithfulness) > 1"
    assert reported(project, monkeypatch, capsys, results(project, "gate", gate))[0] == 1


def test_two_runs_of_one_test_are_no_shards(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor where both have the same results of it, as their counts of tests can't be told apart."""
    project.set(RAGASSERT_JUDGE="offline")
    project.test(OTHER)
    runs = [results(project, name) for name in ("one", "two")]
    status, lines = reported(project, monkeypatch, capsys, *runs)
    assert status == 2
    assert "both have results of test_it.py::test_price" in lines[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "run: Field required, and 9 more mistakes"),
        ("[]", "the whole: "),
        ('{"run": 5', "not JSON: "),
        ("", "not JSON: it is empty"),
    ],
)
def test_why_a_file_is_no_results_file(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    words: str,
) -> None:
    (project.path / "no.json").write_text(text)
    status, lines = reported(project, monkeypatch, capsys, "no.json")
    assert status == 2
    assert lines[0].startswith(f"error: no.json: not a results file ({words}")


def test_in_github_actions_it_writes_the_step_summary(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(TESTS)
    project.run("--ragassert-artifacts=out")
    (file,) = (project.path / "out").glob("results_*.json")
    summary = project.path / "summary.md"
    project.set(GITHUB_STEP_SUMMARY=str(summary))
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    reported(project, monkeypatch, capsys, file)
    assert not summary.exists()
    project.set(GITHUB_ACTIONS="true")
    reported(project, monkeypatch, capsys, file, "--markdown", "report.md")
    written = summary.read_text(encoding="utf-8")
    assert written.strip() == (project.path / "report.md").read_text(encoding="utf-8").strip()
    monkeypatch.setenv("RAGASSERT_GITHUB", "off")
    summary.unlink()
    reported(project, monkeypatch, capsys, file)
    assert not summary.exists()
