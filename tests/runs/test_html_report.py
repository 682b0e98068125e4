"""`--ragassert-html`: the page of a run, of its results file, and of its shards."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_ragassert.commands.command_line import main

from .projects import Project, new_project, section
from .test_baselines import TESTS
from .test_report_writers import EVERYTHING
from .test_results_commands import OTHER, results

project = pytest.fixture(new_project)


def without_times(page: Path) -> str:
    """The page without what each run has of its own."""
    text = page.read_text(encoding="utf-8")
    facts = r"<div><dt>(started|took|run)</dt><dd[^>]*>[^<]*</dd></div>"
    text, count = re.subn(facts, "", text)
    assert count == 3
    # who started it
    text = re.sub(r'<th scope="row">artifacts</th><td[^>]*>[^<]*</td>', "", text)
    return re.sub(r'<details class="settings">.*?</details>', "", text, flags=re.DOTALL)


def from_files(project: Project, monkeypatch: pytest.MonkeyPatch, *files: Path) -> Path:
    monkeypatch.chdir(project.path)
    made = project.path / "again.html"
    assert main(["report", *map(str, files), "--html", str(made)]) == 0
    return made


def test_a_run_and_its_results_file_make_the_same_page(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(EVERYTHING)
    gate = "--ragassert-gate=mean(faithfulness) >= 0.99"
    run = project.run("--ragassert-html=page.html", "--ragassert-artifacts=out", gate)
    page = project.path / "page.html"
    assert f"note: page in {page}" in section(run)
    (file,) = (project.path / "out").glob("results_*.json")
    assert from_files(project, monkeypatch, file).read_bytes() == page.read_bytes()
    spread = project.run("-n", "2", "--ragassert-html=page.html", "--ragassert-artifacts=two", gate)
    assert spread.ret == run.ret
    assert without_times(page) == without_times(project.path / "again.html")


def test_the_runs_before_it_are_in_page_and_results_file(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.set(RAGASSERT_JUDGE="offline", GITHUB_SHA="c0ffee")
    project.test(TESTS)
    history = "--ragassert-history=h.jsonl"
    for day in "12":
        project.run(history, f"--ragassert-date=2026-11-0{day}")
    project.run(history, "--ragassert-html=page.html", "--ragassert-artifacts=out")
    page = project.path / "page.html"
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"<tr><td>(2026-11-0\d) ", text) == ["2026-11-02", "2026-11-01"] * 2
    assert text.count("(this run)") == 2  # metrics
    assert '<dt>commit</dt><dd dir="auto">c0ffee</dd>' in text
    (file,) = (project.path / "out").glob("results_*.json")
    assert from_files(project, monkeypatch, file).read_bytes() == page.read_bytes()
    # a damaged one costs the page nothing else
    (project.path / "h.jsonl").write_text("{}\n")
    run = project.run(history, "--ragassert-html=page.html")
    assert any("the earlier runs are not known: " in line for line in section(run))
    assert "(this run)" not in page.read_text(encoding="utf-8")


def test_tests_are_run_again_with_the_options_that_decide(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.test(TESTS)
    options = ("--ragassert-judge=offline", "--ragassert-artifacts=out", "-m", "not slow", "-v")
    project.run(*options, "--ragassert-html=page.html")
    text = (project.path / "page.html").read_text(encoding="utf-8")
    (command,) = set(re.findall(r'"command":"(.*?) test_it.py::', text))
    assert command == "pytest --ragassert-judge=offline"
    (file,) = (project.path / "out").glob("results_*.json")
    record = json.loads(file.read_text())
    assert record["rerun"] == {"command": command, "folder": "."}
    # files of releases that did not tell it
    del record["rerun"]
    file.write_text(json.dumps(record))
    again = from_files(project, monkeypatch, file).read_text(encoding="utf-8")
    assert set(re.findall(r'"command":"(.*?) test_it.py::', again)) == {"pytest"}


def test_shards_make_the_page_of_the_whole(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(TESTS)
    project.test(OTHER, "test_price")
    project.run("--ragassert-html=page.html")
    shards = [results(project, name, f"{name}.py") for name in ("test_it", "test_price")]
    merged = from_files(project, monkeypatch, *shards)
    assert without_times(merged) == without_times(project.path / "page.html")


def test_cases_have_their_texts_where_only_the_page_asks_for_them(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(EVERYTHING)
    project.run("--ragassert-html=page.html", "-k", "nothing_to_compare_with")
    text = (project.path / "page.html").read_text(encoding="utf-8")
    assert '"texts":true' in text


def test_a_run_that_measured_nothing_has_a_page(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test("def test_plain(): pass")
    run = project.run("--ragassert-html=page.html")
    assert run.ret == 0
    assert not (project.path / "page.html").exists()


def test_a_folder_in_its_place_ends_the_run_at_its_start(project: Project) -> None:
    project.test(EVERYTHING)
    run = project.run("--ragassert-html=.")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    assert "--ragassert-html: " in run.stderr.str()


def test_two_options_can_not_name_one_file(project: Project) -> None:
    project.test(EVERYTHING)
    run = project.run("--ragassert-html=one", "--ragassert-markdown=one")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    assert "name one file" in run.stderr.str()
