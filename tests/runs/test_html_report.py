"""`--ragassert-html`: the page of a run, of its results file, and of its shards."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.analysis.records.read_results import read_results
from pytest_ragassert.commands.command_line import main
from pytest_ragassert.config.metric_table import SIDES
from pytest_ragassert.metrics.registry import OWN
from tests.browsers import Visit, chromium
from tests.loopback.server import LoopbackJudge

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


def from_files(
    project: Project, monkeypatch: pytest.MonkeyPatch, *files: Path, ends: int = 0
) -> Path:
    """The page that `report` makes, which ends as the run did."""
    monkeypatch.chdir(project.path)
    made = project.path / "again.html"
    assert main(["report", *map(str, files), "--html", str(made)]) == ends
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
    assert from_files(project, monkeypatch, file, ends=1).read_bytes() == page.read_bytes()
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
    assert any("the earlier runs cannot be read: " in line for line in section(run))
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


def test_where_each_verdict_comes_from(project: Project, judge: LoopbackJudge) -> None:
    """Asked for in this run, stored before it, or committed."""
    project.judged_by(judge)
    project.test(TESTS)
    files = ("--ragassert-html=page.html", "--ragassert-artifacts=out")

    def came(*args: str) -> set[tuple[str | None, bool]]:
        for old in (project.path / "out").glob("results_*.json"):
            old.unlink()
        project.run(*files, *args)
        (file,) = (project.path / "out").glob("results_*.json")
        claims = [one for result in read_results(file).results for one in result.claims]
        assert claims
        words = {"asked": "judged in this run", "stored": "stored before this run"}
        text = (project.path / "page.html").read_text(encoding="utf-8")
        for claim in claims:
            said = words.get(claim.came or "", "from the committed verdicts")
            assert f'"came":"{said}"' in text
        return {(claim.came, claim.carried is not None) for claim in claims}

    assert came() == {("asked", False)}
    assert came("--ragassert-verdicts=v.jsonl", "--ragassert-update-verdicts") == {
        ("stored", False)
    }
    assert came() == {("stored", False)}
    (project.path / ".ragassert").rename(project.path / "away")
    assert came("--ragassert-verdicts=v.jsonl") == {("committed", False)}


def test_shards_make_the_page_of_the_whole(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(TESTS)
    project.test(OTHER, "test_price")
    project.run("--ragassert-html=page.html")
    shards = [results(project, name, f"{name}.py") for name in ("test_it", "test_price")]
    merged = from_files(project, monkeypatch, *shards, ends=1)
    assert without_times(merged) == without_times(project.path / "page.html")


def test_cases_have_their_texts_where_only_the_page_asks_for_them(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(EVERYTHING)
    project.run("--ragassert-html=page.html", "-k", "nothing_to_compare_with")
    text = (project.path / "page.html").read_text(encoding="utf-8")
    assert '"texts":true' in text


def test_a_run_without_a_measuring_test_has_no_page(project: Project) -> None:
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


EMBEDDER = """
class Letters:
    id = "letters"

    async def embed(self, texts):
        return [[1.0 + text.count(letter) for letter in "aeioubcdr."] for text in texts]

def pytest_ragassert_make_embedder(name):
    return Letters() if name == "letters" else None
"""
EACH_METRIC = """
import pytest
import pytest_ragassert
from pytest_ragassert import EvalCase
from pytest_ragassert.metrics.registry import OWN

GOOD = "The ferry runs every 40 minutes. The crossing costs 9 euros."
BAD = "The crossing costs 5 euros. Bicycles fly."
CITED = {GOOD: GOOD.replace(".", " [1]."), BAD: BAD.replace(".", " [1].")}

@pytest.mark.parametrize("metric", [one for one in OWN if one.name != "bert_score"])
@pytest.mark.parametrize("name", ["good", "bad"])
def test_it(metric, name):
    case = EvalCase(
        id=f"{metric.name} {name}",
        question="How often does the ferry run, and what does it cost?",
        answer=GOOD if name == "good" else BAD,
        retrieved_contexts=[GOOD] if name == "good" else ["Dogs are not allowed on board."],
        ground_truth_answer=GOOD,
        retrieved_context_ids=[name],
        ground_truth_context_ids=["good"],
        criteria=["says '40 minutes'"],
    )
    if metric.asserted_by[0].metrics:
        case.answer = CITED[case.answer]
        pytest_ragassert.assert_rag(case, **{metric.name: 0.8})
        return
    getattr(pytest_ragassert, metric.asserted_by[0].name)(case, **OPTIONS.get(metric.name, {}))

# all answers have some letters in common
OPTIONS = dict.fromkeys(("answer_relevancy", "semantic_similarity"), {"min": 0.95})
"""


METRICS = [one.name for one in OWN if one.name != "bert_score"]


def test_a_passing_and_a_failing_case_of_each_metric(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline", RAGASSERT_EMBEDDER="letters")
    project.pytester.makeconftest(EMBEDDER)
    project.test(EACH_METRIC)
    project.run("--ragassert-html=page.html")
    # Playwright's loop must not run while the project's tests do
    with chromium() as browser:
        visit = Visit(browser, project.path / "page.html", "#view=cases&order=test")
        listed = visit.texts("#list b")
        assert set(listed) == {f"{name} {end}" for end in ("good", "bad") for name in METRICS}
        for number, case in enumerate(listed):
            name, _, end = case.partition(" ")
            visit.page.locator("#list a").nth(number).click()
            ended = {"good": "passed", "bad": "failed"}[end]
            visit.page.locator(f"#case h2 >> text=/{case}.*{ended}/").wait_for()
            visit.page.locator(f"[role=tab][aria-selected=true] >> text={name} ").wait_for()
            _look_at(visit.page.locator("#result"), name)
        assert (visit.requests, visit.said) == ([], [])
        visit.close()


def _look_at(result: Any, metric: str) -> None:
    """A claim with its sentence, or what the metric says in place of claims."""
    claims = result.locator(".claim")
    assert (claims.count() > 0) == (metric in SIDES), metric
    if metric in SIDES:
        claims.first.click()
        assert result.locator("mark.on").count() > 0
    else:
        assert len(result.locator(".said-by-metric").inner_text()) > 20
