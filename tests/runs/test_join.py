"""`python -m pytest_ragassert join`: the shards of a run as one run, and which are missing."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_ragassert.analysis.records.results_file import ResultsFile
from pytest_ragassert.commands.command_line import main

from .projects import Project, new_project, section
from .test_baselines import TESTS
from .test_results_commands import OTHER, results

GATES = "[pytest]\nragassert_gates =\n    mean(faithfulness, n=5) >= 0.7\n"


class Said(NamedTuple):
    """How a command ended, and what it printed."""

    status: int
    lines: list[str]

    @property
    def outcome(self) -> str:
        return next(line for line in self.lines if line.startswith("ragassert-outcome: "))


Join = Callable[..., Said]


@pytest.fixture
def project(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Two files of tests, of which one has a contradicted answer, for the offline judge."""
    made = new_project(request, monkeypatch)
    made.set(RAGASSERT_JUDGE="offline")
    made.test(TESTS, "test_it")
    made.test(OTHER, "test_price")
    return made


@pytest.fixture
def join(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Join:
    def joined(*args: str | Path, command: str = "join") -> Said:
        """
        Args:
            command: its words.
        """
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(project.path)
            capsys.readouterr()
            status = main([*command.split(), *map(str, args)])
        shown = capsys.readouterr()
        return Said(status, (shown.out + shown.err).splitlines())

    return joined


def shard(project: Project, number: int, of: int, *args: str) -> pytest.RunResult:
    return project.run(f"--ragassert-shard={number}/{of}", "--ragassert-artifacts=out", *args)


def files(project: Project) -> dict[int, Path]:
    """The results file of each shard."""
    found = project.path.glob("out/results_*.json")
    return {json.loads(path.read_text())["shard"]["number"]: path for path in found}


def read(path: Path) -> ResultsFile:
    return ResultsFile.model_validate_json(path.read_text())


def test_results_merge_is_the_same_command(project: Project, join: Join) -> None:
    shard(project, 1, 2, "test_it.py")
    shard(project, 2, 2, "test_price.py")
    args = ("out", "--gate=mean(faithfulness, n=4) >= 0.9", "--out=m.json")
    first = join(*args)
    written = (project.path / "m.json").read_bytes()
    assert join(*args, command="results merge") == first
    assert (project.path / "m.json").read_bytes() == written


def test_shards_are_one_run(project: Project, join: Join) -> None:
    whole = read(results(project, "whole"))
    shard(project, 1, 2, "test_it.py")
    shard(project, 2, 2, "test_price.py")
    args = ("out", "--gate=mean(faithfulness, n=4) >= 0.9", "--gate=count(wrong) <= 1")
    said = join(*args, "--out=m.json", "--html=r.html", "--markdown=r.md")
    assert said.status == 1
    assert "  ✗ mean(faithfulness, n=4) >= 0.9: 0.80 over 5 cases" in said.lines
    assert "      pulled down by: price 0.00" in said.lines
    assert said.outcome.endswith(
        "failed-by=assertions assertions=1 judge-errors=0 skipped=0 other=0 measured=8 budget=ok "
        "gates=failed"
    )
    merged = read(project.path / "m.json")
    assert merged.results == whole.results
    assert merged.metrics == whole.metrics
    assert merged.cases == whole.cases
    assert (merged.exit_status, merged.judge, merged.shard) == (1, "offline-3", None)
    assert (project.path / "r.html").read_text().startswith("<!doctype html>")
    assert "1 test below the minimum, 2 gates not met" in (project.path / "r.md").read_text()
    # what it comes to depends neither on the order nor on how the files are named
    one, two = files(project).values()
    assert join(two, one, *args[1:], "--out=n.json").status == 1
    again = read(project.path / "n.json")
    assert (again.results, again.run) == (merged.results, merged.run)


def test_the_report_of_several_shards_is_that_of_the_join(project: Project, join: Join) -> None:
    project.pytester.makeini(GATES)
    shard(project, 1, 3, "test_it.py")
    shard(project, 3, 3, "test_price.py")
    said = join("out")
    assert said.status == 1
    assert join(*files(project).values(), command="report") == said
    # but of one shard, the file says what its run said
    assert join(files(project)[1], command="report").status == 0


def test_shards_leave_the_gates_to_the_join(project: Project, join: Join) -> None:
    """Also in CI, where a run of some of the tests fails because its gates are not checked."""
    project.set(CI="1")
    project.test(OTHER.replace("BAD", "GOOD"), "test_price")
    project.pytester.makeini(GATES)
    for number, name in enumerate(("test_it.py", "test_price.py"), start=1):
        assert project.run(name).ret == 1
        run = shard(project, number, 2, name)
        assert run.ret == 0
        line = f"ragassert runs shard {number} of 2: python -m pytest_ragassert join checks the"
        assert any(one.startswith(line) for one in run.outlines)
        assert (
            f"the gates are not checked: this is shard {number} of 2; python -m pytest_ragassert "
            "join checks them" in section(run)
        )
        assert section(run)[-1].endswith("gates=off")
    said = join("out")
    assert said.status == 0
    assert said.outcome.endswith("gates=ok")
    assert "  ✓ mean(faithfulness, n=5) >= 0.7: 1.00 over 5 cases" in said.lines
    project.pytester.makeini(GATES.replace("n=5", "n=6"))
    said = join("out")
    assert said.status == 1
    assert "failed-by=gates" in said.outcome
    assert said.outcome.endswith("gates=failed")
    assert join("out", "--markdown=r.md", "--out=m.json").status == 1
    assert (project.path / "r.md").read_text().startswith("<h3>❌ RAG tests failed: 1 gate not met")
    assert read(project.path / "m.json").exit_status == 1
    # gates that are to be off are off here too
    project.set(RAGASSERT_HOLD_GATES="off")
    assert (join("out").status, join("out").outcome[-9:]) == (0, "gates=off")


def test_a_shard_without_artifacts_is_told_that_there_is_nothing_to_join(project: Project) -> None:
    run = project.run("--ragassert-shard=1/2", "test_it.py")
    line = next(line for line in run.outlines if line.startswith("ragassert runs shard 1 of 2"))
    assert line.endswith("without --ragassert-artifacts=DIR there are no results to join")


def test_a_missing_shard_fails_the_run(project: Project, join: Join) -> None:
    project.set(CI="1")
    project.pytester.makeini(GATES)
    project.test(OTHER.replace("BAD", "GOOD"), "test_price")
    shard(project, 1, 4, "test_it.py")
    shard(project, 3, 4, "test_price.py")
    args = ("--markdown=r.md", "--html=r.html", "--baseline=b.jsonl", "--update-baseline")
    said = join("out", *args, "--out=m.json")
    assert said.status == 1
    missing = (
        "shards 2 and 4 of 4 are missing: their jobs failed before they wrote results; run them "
        "again"
    )
    assert f"error: {missing}" in said.lines
    assert "the gates are not checked: shards 2 and 4 of 4 are missing" in said.lines
    assert f"the baseline was not written: {missing}" in said.lines
    assert not (project.path / "b.jsonl").exists()
    assert "failed-by=shards" in said.outcome
    assert said.outcome.endswith("gates=partial missing-shards=2")
    # the others are reported
    assert any(re.match(r"faithfulness +5 +1.00", line) for line in said.lines)
    report = (project.path / "r.md").read_text()
    assert "<h3>❌ RAG tests failed: 2 shards missing</h3>" in report
    assert f"<p>A part of the tests: {missing}</p>" in report
    assert "2 shards missing" in (project.path / "r.html").read_text()
    assert join("m.json", command="report").status == 1
    shard(project, 2, 4, "test_it.py", "-k", "nothing")
    lacking = join("out")
    assert (
        "error: shard 4 of 4 is missing: its job failed before it wrote results; run it again"
        in lacking.lines
    )
    shard(project, 4, 4, "test_it.py", "-k", "nothing")
    assert join("out", *args).status == 0
    assert (project.path / "b.jsonl").exists()


def test_a_shard_that_is_killed_is_missing(project: Project, join: Join) -> None:
    """The process ends in the middle of a test, after others have passed."""
    project.test(
        "import os, signal\n"
        "from test_it import *\n\n"
        "def test_ends():\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n",
        "test_killed",
    )
    shard(project, 1, 2, "test_it.py")
    killed = project.process(
        "--ragassert-shard=2/2", "--ragassert-artifacts=out", "test_killed.py", fresh=True
    )
    assert killed.ret == -9
    assert list(files(project)) == [1]
    said = join("out")
    assert said.status == 1
    assert "error: shard 2 of 2 is missing: its job failed before" in "\n".join(said.lines)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "xdist"])
def test_a_shard_without_tests_is_not_missing(
    project: Project, join: Join, workers: tuple[str, ...]
) -> None:
    """pytest-split makes one if there are more groups than tests; its options say which it is."""
    for name in ("test_it", "test_price"):
        (project.path / f"{name}.py").unlink()
    project.test(OTHER.replace("BAD", "GOOD"), "test_one")
    project.pytester.makeini("[pytest]\nragassert_gates = mean(faithfulness, n=1) >= 1\n")
    ends = []
    for group in ("1", "2", "3"):
        run = project.process if workers else project.run
        args = ("--splits=3", f"--group={group}", "--ragassert-artifacts=out", *workers)
        result = run(*args, use=("pytest_split.plugin",))
        ends.append(result.ret)
        assert f"ragassert runs shard {group} of 3" in "\n".join(result.outlines)
    assert sorted(ends) == [0, 5, 5]
    assert sorted(files(project)) == [1, 2, 3]
    for path in files(project).values():
        one = read(path)
        assert one.outcome is not None
        assert (one.outcome.gates, one.partial) == ("off", None)
        # it ran all tests that it was given
        assert one.shard is not None
        assert one.shard.incomplete is None
    said = join("out", "--shards=3", "--out=m.json")
    assert read(project.path / "m.json").settings["minimums"] == {}
    assert (said.status, said.outcome[-9:]) == (0, " gates=ok")
    # but a run without any test has not passed
    for path in files(project).values():
        if read(path).results:
            path.unlink()
    shard(project, 1, 3, "-k", "nothing")
    shard(project, 2, 3, "-k", "nothing")
    shard(project, 3, 3, "-k", "nothing")
    assert join("out").status == 1


def test_a_shard_that_ran_again_counts_once(project: Project, join: Join) -> None:
    shard(project, 1, 2, "test_it.py")
    shard(project, 2, 2, "test_price.py")
    before = files(project)
    assert join("out").status == 1
    project.test(OTHER.replace("BAD", "GOOD"), "test_price")
    shard(project, 2, 2, "test_price.py")
    (after,) = {*project.path.glob("out/results_*.json")} - {*before.values()}
    said = join("out")
    assert said.status == 0
    assert (
        f"note: shard 2 of 2 ran more than once: out/{after.name} counts, because it ended last; "
        f"out/{before[2].name} does not" in said.lines
    )
    # the same file twice is the same run
    assert "more than once" not in "\n".join(join(after, before[1], after, "./out").lines[:-3])


def test_a_test_of_two_shards_is_named(project: Project, join: Join) -> None:
    shard(project, 1, 2, "test_price.py")
    shard(project, 2, 2)
    said = join("out")
    assert said.status == 2
    assert re.search(
        r"error: out/results_\w+.json and out/results_\w+.json both have results of "
        r"test_price.py::test_price; shards of one run have different tests",
        said.lines[-1],
    )


@pytest.mark.parametrize(
    ("other", "args", "said"),
    [
        ("2/3", (), "is shard 1 of 2, but out/results_{}.json is shard 2 of 3; leave out the"),
        (None, (), "is shard 1 of 2, but out/results_{}.json is not a shard; leave out"),
        ("2/2", ("--shards=3",), "is shard 1 of 2, but --shards is 3"),
    ],
)
def test_files_of_different_runs_are_not_joined(
    project: Project, join: Join, other: str | None, args: tuple[str, ...], said: str
) -> None:
    first = "a" * 12
    shard(project, 1, 2, "test_it.py")
    (path,) = files(project).values()
    path.rename(path.with_name(f"results_{first}.json"))
    named = [] if other is None else [f"--ragassert-shard={other}"]
    project.run("--ragassert-artifacts=out", "test_price.py", *named)
    (path,) = (one for one in project.path.glob("out/results_*") if first not in one.name)
    path = path.rename(path.with_name(f"results_{'b' * 12}.json"))
    ended = join("out", *args)
    assert ended.status == 2
    assert f"error: out/results_{first}.json {said.format('b' * 12)}" in ended.lines[-1]


def test_shards_without_a_number_are_counted(project: Project, join: Join) -> None:
    for name in ("test_it.py", "test_price.py"):
        project.run("--ragassert-artifacts=out", name)
    assert "missing-shards" not in join("out").outcome
    assert "missing-shards" not in join("out", "--shards=2").outcome
    said = join("out", "--shards=3")
    assert (
        "error: 1 of 3 shards is missing; to see which, give each shard --ragassert-shard=I/N"
        in said.lines
    )
    assert said.outcome.endswith("missing-shards=1")
    said = join("out", "--shards=1")
    assert said.status == 2
    assert "there are 2 results files, but --shards is 1" in said.lines[-1]


def test_what_differs_between_shards_is_noted(project: Project, join: Join) -> None:
    project.set(RAGASSERT_MIN_FAITHFULNESS="0.5")
    shard(project, 1, 3, "test_it.py")
    project.set(RAGASSERT_MIN_FAITHFULNESS="0.6", RAGASSERT_VOTES="2")
    shard(project, 2, 3, "test_price.py")
    # its settings change nothing
    project.set(RAGASSERT_MIN_FAITHFULNESS="0.7")
    shard(project, 3, 3, "-k", "nothing")
    path = files(project)[3]
    path.write_text(path.read_text().replace('"tool_version": "', '"tool_version": "9.'))
    notes = [line for line in join("out").lines if "differ" in line]
    version = read(files(project)[1]).tool_version
    assert notes == [
        "note: the shards differ in the version of pytest-ragassert: "
        f"{version} in 1, 2; 9.{version} in 3",
        "note: the shards differ in the option votes: 1 in 1; 2 in 2",
        "note: the shards differ in the minimum of faithfulness: 0.5 in 1; 0.6 in 2",
    ]


def test_an_interrupted_shard_leaves_the_gates_open(project: Project, join: Join) -> None:
    project.pytester.makeini(GATES)
    project.test("import pytest\n\ndef test_ends():\n    pytest.exit('enough')", "test_ends")
    shard(project, 1, 2, "test_it.py")
    shard(project, 2, 2, "test_ends.py")
    said = join("out", "--markdown=r.md")
    assert said.status == 1
    why = "shard 2 of 2: the run was interrupted"
    assert f"the gates are not checked: {why}" in said.lines
    assert f"note: {why}" in said.lines
    assert f"error: {why}" in said.lines
    assert "failed-by=shards" in said.outcome
    assert said.outcome.endswith("gates=partial interrupted-shards=1")
    assert f"<p>A part of the tests: {why}</p>" in (project.path / "r.md").read_text()


def test_each_interrupted_shard_is_named_beside_a_missing_one(project: Project, join: Join) -> None:
    project.set(CI="1")
    project.pytester.makeini(GATES)
    project.test("import pytest\n\ndef test_ends():\n    pytest.exit('enough')", "test_ends")
    for number in (1, 2):
        shard(project, number, 3, "test_ends.py")
    why = "shard 1 of 3: the run was interrupted; shard 2 of 3: the run was interrupted"
    said = join("out", "--html=r.html", "--markdown=r.md", "--out=m.json")
    (line,) = [line for line in said.lines if line.startswith("error: ")]
    assert line == (
        "error: shard 3 of 3 is missing: its job failed before it wrote results; run it again; "
        + why
    )
    assert said.outcome.endswith("gates=partial missing-shards=1 interrupted-shards=2")
    assert "so the run fails because CI is set" not in "\n".join(said.lines)
    for name in ("r.html", "r.md"):
        assert "2 shards interrupted" in (project.path / name).read_text()
    assert line in join("m.json", command="report").lines


def test_joined_groups_of_shards_are_not_joined_again(project: Project, join: Join) -> None:
    shard(project, 1, 2, "test_it.py")
    shard(project, 2, 2, "test_price.py")
    for number, path in files(project).items():
        assert join(path, f"--out=g{number}.json").status == 1
    said = join("g1.json", "g2.json")
    assert said.status == 2
    assert said.lines == [
        "error: g1.json is a joined run in which shards are missing; join the files of all shards "
        "at once"
    ]


def test_a_run_that_fails_by_its_own_gates_is_named(project: Project, join: Join) -> None:
    """Runs without a shard's number: in CI, each fails because it cannot check its gates."""
    project.set(CI="1")
    project.test(OTHER.replace("BAD", "GOOD"), "test_price")
    project.pytester.makeini(GATES)
    for name in ("test_it.py", "test_price.py"):
        assert project.run("--ragassert-artifacts=out", name).ret == 1
    said = join("out")
    assert said.status == 1
    assert "failed-by=shards" in said.outcome
    assert said.outcome.endswith("gates=ok")
    named = [line for line in said.lines if "comes from a run that failed" in line]
    assert len(named) == 2
    assert all(line.endswith("exit status 1, failed-by=gates") for line in named)


def test_a_shard_whose_files_cannot_be_collected_is_not_missing(
    project: Project, join: Join
) -> None:
    project.test("import nothing_of_this_name", "test_broken")
    shard(project, 1, 2, "test_it.py")
    assert shard(project, 2, 2, "test_broken.py").ret == 2
    said = join("out")
    assert said.status == 1
    assert "note: shard 2 of 2: the run was interrupted" in said.lines
    assert "missing-shards" not in said.outcome


def test_the_join_writes_the_baseline_of_all_shards(project: Project, join: Join) -> None:
    update = ("--ragassert-baseline=b.jsonl", "--ragassert-update-baseline")
    project.run(*update)
    by_one_run = (project.path / "b.jsonl").read_bytes()
    (project.path / "b.jsonl").unlink()
    for number, name in enumerate(("test_it.py", "test_price.py"), start=1):
        run = shard(project, number, 2, name, *update)
        assert (
            f"the baseline was not written: this is shard {number} of 2; python -m "
            "pytest_ragassert join --update-baseline writes it" in section(run)
        )
    assert not (project.path / "b.jsonl").exists()
    args = ("out", "--baseline=b.jsonl")
    said = join(*args)
    assert (said.status, "there is no baseline" in said.lines[-1]) == (2, True)
    assert join(*args, "--update-baseline").status == 1, "a test failed"
    assert (project.path / "b.jsonl").read_bytes() == by_one_run
    said = join(*args, "--gate=plain_drop(faithfulness) <= 0")
    assert any(line.startswith("against the baseline b.jsonl: 5 cases") for line in said.lines)
    assert "1 gate holds" in said.lines
    # a shard compares what it has
    run = shard(project, 1, 2, "test_it.py", "--ragassert-baseline=b.jsonl")
    assert any("4 cases compared" in line for line in section(run))
    assert "in the baseline, not in this part of the tests or not measured: 1" in section(run)


def test_a_shard_goes_on_without_a_baseline(project: Project, join: Join) -> None:
    project.pytester.makeini(
        "[pytest]\nragassert_baseline = b.jsonl\nragassert_gates = plain_drop(faithfulness) <= 0\n"
    )
    project.test(OTHER.replace("BAD", "GOOD"), "test_price")
    for number, name in enumerate(("test_it.py", "test_price.py"), start=1):
        run = shard(project, number, 2, name)
        assert run.ret == 0
        assert (
            "nothing is compared: there is no baseline b.jsonl yet; python -m pytest_ragassert "
            "join --update-baseline writes it" in section(run)
        )
    # a run that is not a shard does not start
    assert project.run("test_it.py").ret == 4
    said = join("out")
    assert (said.status, "there is no baseline" in said.lines[-1]) == (2, True)
    assert join("out", "--update-baseline").status == 0
    assert "nothing is compared" not in "\n".join(section(shard(project, 1, 2, "test_it.py")))
    assert join("out").status == 0


def test_results_of_failed_tests_are_not_pruned_from_the_baseline(
    project: Project, join: Join
) -> None:
    shard(project, 1, 2, "test_it.py")
    shard(project, 2, 2, "test_price.py")
    args = ("out", "--baseline=b.jsonl", "--update-baseline=prune")
    said = join(*args)
    assert said.status == 1
    assert any(
        "the baseline was not written: shard 2 of 2: not every test ran to its end: 1 failed" in one
        for one in said.lines
    )
    project.test(OTHER.replace("BAD", "GOOD"), "test_price")
    shard(project, 2, 2, "test_price.py")
    assert join(*args).status == 0


def test_the_history_has_one_line_of_all_shards(project: Project, join: Join) -> None:
    project.pytester.makeini("[pytest]\nragassert_history = h.jsonl\n")
    shard(project, 1, 2, "test_it.py")
    shard(project, 2, 2, "test_price.py")
    assert not (project.path / "h.jsonl").exists()
    join("out")
    (line,) = map(json.loads, (project.path / "h.jsonl").read_text().splitlines())
    assert line["metrics"]["faithfulness"] == {"n": 5, "mean": 0.8}


def test_the_step_summary_of_github_is_that_of_the_whole_run(project: Project, join: Join) -> None:
    shard(project, 1, 2, "test_it.py")
    shard(project, 2, 2, "test_price.py")
    project.set(GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(project.path / "summary.md"))
    join("out", "--markdown=r.md")
    summary = (project.path / "summary.md").read_text()
    assert summary == (project.path / "r.md").read_text()
    assert summary.startswith("<h3>❌ RAG tests failed: 1 test below the minimum</h3>\n<p>5 cases,")


def test_a_project_s_own_report_is_written_once(project: Project, join: Join) -> None:
    project.pytester.makeconftest(
        "def pytest_ragassert_report(results):\n"
        "    with open('own.txt', 'a') as file: print(len(results.results), file=file)\n"
    )
    for number, name in enumerate(("test_it.py", "test_price.py"), start=1):
        shard(project, number, 2, name)
    (project.path / "own.txt").unlink()
    join("out")
    assert (project.path / "own.txt").read_text() == "8\n"


def test_without_results_there_is_nothing_to_join(project: Project, join: Join) -> None:
    (project.path / "out").mkdir()
    said = join("out")
    assert said.status == 1
    assert "error: there is no results_*.json in out: all shards are missing" in said.lines[0]
    said = join("other")
    assert (said.status, said.lines) == (2, ["error: other: no such file or folder"])


@pytest.mark.parametrize("number", ["0", "-1", "two", ""])
def test_the_number_of_shards_is_a_number(join: Join, number: str) -> None:
    with pytest.raises(SystemExit) as ended:
        join("out", f"--shards={number}")
    assert ended.value.code == 2


def test_no_input_is_written(project: Project, join: Join) -> None:
    shard(project, 1, 1)
    (path,) = files(project).values()
    before = path.read_bytes()
    said = join("out", "--out", path)
    assert (said.status, path.read_bytes()) == (2, before)
    assert "it is also an input" in said.lines[-1]


def test_verdicts_that_a_shard_could_not_write_fail_the_run(project: Project, join: Join) -> None:
    shard(project, 1, 1, "test_it.py")
    (path,) = files(project).values()
    data = json.loads(path.read_text())
    data["exit_status"] = 1
    data["outcome"].update(failed_by="verdicts", verdicts="failed")
    path.write_text(json.dumps(data))
    said = join("out")
    assert said.status == 1
    assert "failed-by=verdicts" in said.outcome
    assert said.outcome.endswith("verdicts=failed")


def test_a_shard_that_could_not_use_the_shared_store_is_reported(
    project: Project, join: Join
) -> None:
    shard(project, 1, 1, "test_it.py")
    (path,) = files(project).values()
    assert "store=" not in join("out").outcome
    data = json.loads(path.read_text())
    data["outcome"].update(store="unused")
    path.write_text(json.dumps(data))
    assert join("out").outcome.endswith("store=unused")


def test_files_of_an_earlier_release_are_joined(project: Project, join: Join) -> None:
    for name in ("test_it", "test_price"):
        results(project, name, f"{name}.py").rename(project.path / f"results_{name}.json")
    path = project.path / "results_test_it.json"
    data: dict[str, Any] = json.loads(path.read_text())
    for name in ("cases", "usage", "outcome", "shard"):
        del data[name]
    for record in data["results"]:
        for name in ("identity", "inputs", "steps", "options", "labels", "texts", "quarantine"):
            del record[name]
    path.write_text(json.dumps(data))
    said = join(".")
    assert said.status == 1
    assert any(re.match(r"faithfulness +5 +0.80", line) for line in said.lines)


@pytest.mark.parametrize(
    ("option", "environ", "expected"),
    [
        (None, {}, None),
        (None, {"RAGASSERT_SHARD": "2/3"}, "2 of 3"),
        ("1/2", {"RAGASSERT_SHARD": "2/3"}, "1 of 2"),
        # a matrix of GitLab, whose jobs run all tests, has these variables too
        (None, {"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"}, None),
        ("auto", {"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"}, "2 of 3"),
        ("auto", {"CI_NODE_TOTAL": "1"}, None),
        ("auto", {}, None),
    ],
)
def test_what_says_which_shard_a_run_is(
    project: Project, option: str | None, environ: dict[str, str], expected: str | None
) -> None:
    project.unset("CI_NODE_INDEX", "CI_NODE_TOTAL")
    project.set(**environ)
    args = [] if option is None else [f"--ragassert-shard={option}"]
    project.run("--ragassert-artifacts=out", "test_it.py", *args)
    (path,) = project.path.glob("out/results_*.json")
    assert str(read(path).shard) == str(expected and f"shard {expected}")


@pytest.mark.parametrize("index", [None, "1"])
def test_auto_without_a_shard_is_noted(project: Project, index: str | None) -> None:
    project.unset("CI_NODE_INDEX", "CI_NODE_TOTAL")
    if index is not None:
        project.set(CI_NODE_INDEX=index, CI_NODE_TOTAL="2")
    run = project.run("--ragassert-shard=auto", "test_it.py")
    notes = [line for line in run.outlines if line.startswith("ragassert runs without shards: ")]
    assert len(notes) == (index is None)
    assert all(note.endswith("CI_NODE_TOTAL, and CI_NODE_INDEX is not set") for note in notes)
    run = project.run("test_it.py")
    assert "runs without shards" not in "\n".join(run.outlines)


def test_a_shard_that_contradicts_pytest_split_is_a_usage_error(project: Project) -> None:
    args = ("--splits=4", "--group=3", "test_it.py")
    run = project.run(*args, "--ragassert-shard=1/4", use=("pytest_split.plugin",))
    assert run.ret == 4
    assert (
        "--ragassert-shard is 1/4, but --splits 4 --group 3 is shard 3 of 4; leave out "
        "--ragassert-shard" in "\n".join(run.errlines)
    )
    run = project.run(*args, "--ragassert-shard=3/4", use=("pytest_split.plugin",))
    assert any(line.startswith("ragassert runs shard 3 of 4: ") for line in run.outlines)


@pytest.mark.parametrize("ini", ["1/2", "auto"])
def test_the_ini_file_may_say_it(project: Project, ini: str) -> None:
    project.pytester.makeini(f"[pytest]\nragassert_shard = {ini}\n")
    project.set(CI_NODE_INDEX="1", CI_NODE_TOTAL="2")
    run = project.run("test_it.py")
    assert any(line.startswith("ragassert runs shard 1 of 2: ") for line in run.outlines)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/", "a/b", "1/2/3", "-1/2"])
def test_what_is_no_shard_is_a_usage_error(project: Project, text: str) -> None:
    run = project.run(f"--ragassert-shard={text}")
    assert run.ret == 4
    said = f"--ragassert-shard: {text!r} is not I/N, such as 3/8 for the third of eight shards"
    assert said in "\n".join(run.errlines)


def test_variables_of_gitlab_that_are_no_shard_are_a_usage_error(project: Project) -> None:
    project.set(CI_NODE_INDEX="3", CI_NODE_TOTAL="")
    run = project.run("--ragassert-shard=auto")
    assert run.ret == 4
    assert "CI_NODE_INDEX/CI_NODE_TOTAL: '3/' is not a shard such as 3/8" in "\n".join(run.errlines)


def test_a_join_is_no_shard_whatever_the_variable_says(project: Project, join: Join) -> None:
    project.pytester.makeini(GATES)
    project.set(RAGASSERT_SHARD="1/1")
    project.run("--ragassert-artifacts=out")
    assert "gates=ok" in join("out").outcome


def test_the_command_runs_as_a_process(project: Project) -> None:
    shard(project, 1, 2, "test_it.py")
    run = project.pytester.run(sys.executable, "-m", "pytest_ragassert", "join", "out")
    assert run.ret == 1
    run.stdout.fnmatch_lines(["error: shard 2 of 2 is missing: *", "ragassert-outcome: *"])
