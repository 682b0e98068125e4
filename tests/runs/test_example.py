"""The example project as its readers run it: it passes, and what its README shows is true."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

EXAMPLE = Path(__file__).resolve().parents[2] / "example_project"
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")
KEY = "sk-ferry"

Run = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the example, as after a checkout."""
    folder = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns(".*", "__pycache__")
    shutil.copytree(EXAMPLE, folder / EXAMPLE.name, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def broken(folder: Path) -> Run:
    """The README's command that shows a regression."""
    command = "pytest example_project -o ferry_index=last_season"
    assert f"    {command}\n" in README
    return run(folder, *command.split()[1:])


def run(folder: Path, *args: str, **environ: str) -> Run:
    others = ("RAGASSERT_", "OPENAI_", "PYTEST_", "CI")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    # plugins by name: loading those of others takes longer than the run
    clean |= {"COLUMNS": "80", "PYTHONUTF8": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environ}
    command = [sys.executable, "-m", "pytest", "-p", "ragassert", *args]
    return subprocess.run(
        command, cwd=folder, env=clean, capture_output=True, encoding="utf-8", timeout=120
    )


def outcomes(run: Run) -> dict[str, int]:
    last = run.stdout.splitlines()[-1]
    return {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", last)}


def test_it_passes_offline_whatever_key_lies_in_the_environment(
    folder: Path, judge: LoopbackJudge
) -> None:
    plain = run(folder, "example_project")
    assert plain.returncode == 0, plain.stdout + plain.stderr
    count = outcomes(plain)["passed"]
    assert f"\n{count} tests pass" in README

    keyed = run(folder / EXAMPLE.name, OPENAI_API_KEY="sk-unused", OPENAI_BASE_URL=judge.base_url)
    assert outcomes(keyed) == {"passed": count}, keyed.stdout + keyed.stderr
    assert judge.requests == []


def test_an_index_not_rebuilt_fails_tests_with_contradicted_claims(broken: Run) -> None:
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "faithfulness            34    1.00    1.00      0" in broken.stdout
    found = re.findall(r"^  ✗ (.+?) {2,}contradicted\n +\[answer\] (.+)$", broken.stdout, re.M)
    assert (
        "An adult single costs 7.80 pounds.",
        '"An adult single ticket costs 7.20 pounds."        reference 0-34',
    ) in found
    assert any("Die einfache Fahrt" in claim for claim, _ in found), "a German one"
    assert len(found) >= 5


def test_the_readme_shows_what_that_run_prints(broken: Run) -> None:
    failed, passed = (outcomes(broken)[word] for word in ("failed", "passed"))
    assert f"\n{failed} of the {failed + passed} tests fail." in README
    blocks = [block for block in re.findall(r"```\n(.*?)```", README, re.S) if "✗" in block]
    assert len(blocks) == 1
    printed = iter([" ".join(line.split()) for line in broken.stdout.splitlines()])
    for line in filter(None, (" ".join(line.split()) for line in blocks[0].splitlines())):
        assert line in printed, f"not printed, or not in this order: {line}"


@pytest.mark.parametrize("file", ["test_by_data_set.py", "test_by_hand.py"])
def test_the_readme_quotes_the_tests(file: str) -> None:
    source = (EXAMPLE / "tests" / file).read_text(encoding="utf-8")
    assert any(block in source for block in re.findall(r"```python\n(.*?)```", README, re.S))


def test_corpus_and_cases_have_the_promised_size() -> None:
    passages = Counter[str]()
    for file in EXAMPLE.glob("corpus/*/*.md"):
        passages[file.parent.name] += file.read_text(encoding="utf-8").strip().count("\n\n")
    assert passages.total() >= 40
    assert all(passages[language] >= 5 for language in ("en", "de", "ru", "zh"))
    lines = (EXAMPLE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line)["metadata"] for line in lines]
    unanswerable = {case["language"] for case in cases if not case["answerable"]}
    assert len(cases) >= 25
    assert unanswerable == {case["language"] for case in cases} == set(passages)


def test_a_model_answers_and_judges(folder: Path, judge: LoopbackJudge) -> None:
    def answered(recorded: Recorded) -> str | None:
        if recorded.step:
            return None  # a judging step
        instructions, question = (message["content"] for message in recorded.body["messages"])
        if "wifi" in question:
            return "I don't know." if "I don't know." in instructions else None
        fact = "The Grey Heron takes 20 bicycles"
        return fact if fact in instructions else "The notices were not sent."

    judge.on(answered)
    server = ["-o", f"ferry_base_url={judge.base_url}", "--ragassert-base-url", judge.base_url]
    models = ["-o", "ferry_answerer=model", "-o", "ferry_model=m-1", "--ragassert-judge", "openai"]
    cases = ["example_project", "-k", "(bicycles and not zh) or (no-wifi and not de)"]
    done = run(folder, *cases, *models, *server, OPENAI_API_KEY=KEY)
    assert outcomes(done) == {"passed": 3}, done.stdout + done.stderr
    asked = [recorded for recorded in judge.requests if not recorded.step]
    assert [recorded.body["model"] for recorded in asked] == ["m-1", "m-1"], "once for each case"
    assert {recorded.headers["authorization"] for recorded in asked} == {f"Bearer {KEY}"}
    assert judge.count("verdicts") > 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("ferry_answerer=model", "set OPENAI_API_KEY to"),
        ("ferry_answerer=magic", "'magic'; known are extractive and model"),
        ("ferry_index=next_season", "'next_season'; known are this_season and last_season"),
    ],
)
def test_a_wrong_option_is_a_usage_error(folder: Path, option: str, message: str) -> None:
    done = run(folder, "example_project", "-o", option)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert message in done.stderr
    assert "Traceback" not in done.stderr
