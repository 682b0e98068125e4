"""The main job through a real server: claims, verdicts, store, report, results file, workers.

What the model says is its own affair; that each of its replies is read, counted and kept is ours.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from pytest_ragassert import Verdict
from pytest_ragassert.analysis.records.results_file import ResultsFile
from tests.runs.projects import Project, section

from .conftest import Run
from .door import Door

pytestmark = pytest.mark.real_llm

CASES = """
import pytest
from pytest_ragassert import EvalCase, assert_factual_precision, assert_faithful

TEXTS = {
    "en": "Bicycles travel free. The last boat leaves at 22:15.",
    "de": "Die Fähre fährt alle 40 Minuten.",
    "ru": "Паром ходит каждые 40 минут.",
    "zh": "渡轮每40分钟一班。",
    "emoji": 'The "ferry" 🚢 is fast\\n— \\\\ and naïve.',
}

@pytest.mark.parametrize("name", TEXTS)
def test_faithful(name):
    case = EvalCase(id=name, answer=TEXTS[name], retrieved_contexts=[TEXTS[name]])
    result = assert_faithful(case, min=0)
    assert result.claims

def test_precision():
    case = EvalCase(id="two", answer=TEXTS["en"], ground_truth_answer="Bicycles travel free.")
    assert_factual_precision(case, min=0)
"""
# extracted and verified each; the last shares its extraction with the first
ASKED = 5 * 2 + 1
SHARED = """
import pytest
from pytest_ragassert import EvalCase, assert_faithful

@pytest.mark.parametrize("again", range(2))
@pytest.mark.parametrize("boat", range(3))
def test_boats(boat, again):
    text = f"Boat {boat} holds {boat}5 people."
    assert_faithful(EvalCase(id=f"{boat}", answer=text, retrieved_contexts=[text]), min=0)
"""
RUN_OF_THESE = {"requests", "stored"}


def results_in(folder: Path) -> ResultsFile:
    """The newest results file."""
    newest = max(folder.glob("results_*.json"), key=lambda path: path.stat().st_mtime_ns)
    return ResultsFile.model_validate_json(newest.read_text(encoding="ascii"))


def judgements_line(result: pytest.RunResult) -> str:
    return next(line for line in section(result) if line.startswith("judgements:"))


def asked(result: pytest.RunResult) -> tuple[int, int, str]:
    """Judgements and requests, and what stands behind; nothing was stored before."""
    way = r"judgements: (\d+) asked, 0 stored, 0 carried(?: \((\d+) requests\))?(.*)"
    found = re.fullmatch(way, judgements_line(result))
    assert found is not None
    return int(found[1]), int(found[2] or found[1]), found[3]


def test_a_run_measures_and_the_next_one_asks_nothing(
    project: Project, door: Door, run: Run
) -> None:
    project.test(CASES)
    first = run("--ragassert-artifacts=out")
    first.assert_outcomes(passed=6)
    assert len(door.passed) == ASKED
    assert {each.finish for each in door.passed} == {"stop"}

    made = results_in(project.path / "out")
    assert {record.case for record in made.results} == {"en", "de", "ru", "zh", "emoji", "two"}
    for record in made.results:
        assert record.error is None
        assert record.claims
        assert {claim.verdict for claim in record.claims} <= set(Verdict)
        assert record.score is not None
        assert 0 <= record.score <= 1

    used = Counter[str]()
    for each in door.passed:
        usage = each.reply["usage"]
        used["prompt"] += usage["prompt_tokens"]
        used["cached"] += usage["prompt_tokens_details"]["cached_tokens"]
        used["completion"] += usage["completion_tokens"]
    tokens = f"{used['prompt']} prompt ({used['cached']} cached), {used['completion']} completion"
    judgements, requests, told = asked(first)
    # two sentences of the first are asked for together
    assert judgements > requests == ASKED
    assert told == f"; tokens: {tokens}"

    for arguments in (["-n", "2"], ["--ragassert-record-mode=none"]):
        door.passed.clear()
        again = run("--ragassert-artifacts=out", *arguments)
        again.assert_outcomes(passed=6)
        assert door.passed == []
        assert judgements_line(again) == f"judgements: 0 asked, {judgements} stored, 0 carried"
        kept = results_in(project.path / "out")
        assert kept.run != made.run
        assert [r.model_dump(exclude=RUN_OF_THESE) for r in kept.results] == [
            r.model_dump(exclude=RUN_OF_THESE) for r in made.results
        ]
        assert kept.metrics == made.metrics


def test_what_the_model_says_arrives_as_it_said_it(project: Project, door: Door, run: Run) -> None:
    """Every claim of the results is one of the wire's, letter by letter."""
    project.test(CASES)
    run("--ragassert-artifacts=out", "-k", "ru or zh or emoji").assert_outcomes(passed=3)
    said = "\n".join(str(each.reply["choices"][0]["message"]["content"]) for each in door.passed)
    sent = "\n".join(each.sent["messages"][-1]["content"] for each in door.passed)
    assert "Паром ходит каждые 40 минут." in sent
    assert "渡轮每40分钟一班。" in sent
    assert "🚢 is fast\\n— \\\\ and naïve." in sent
    records = results_in(project.path / "out").results
    texts = [claim.text for record in records for claim in record.claims]
    assert len(texts) >= 3
    assert re.search("[а-яА-Я]{3}", "".join(texts))
    assert re.search("[一-鿿]{3}", "".join(texts))
    for text in texts:
        assert text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") in said


def test_workers_ask_no_question_twice(project: Project, door: Door, run: Run) -> None:
    project.test(SHARED)
    result = run("-n", "2", "--dist=load")
    result.assert_outcomes(passed=6)
    assert sorted(Counter(each.question for each in door.passed).values()) == [1] * 6
    assert door.most_inside > 1
    judgements, requests, _ = asked(result)
    assert judgements >= requests == 6


def test_cut_off_replies_are_judge_errors_and_asked_again_by_the_next_run(
    project: Project, door: Door, run: Run
) -> None:
    project.test(CASES)
    small = ["-k", "test_faithful and (en or de)", "--ragassert-max-tokens=8"]
    result = run("--ragassert-artifacts=out", *small)
    result.assert_outcomes(failed=2)
    assert "judge errors (not measured): 2: 2 truncated" in section(result)
    told = "extract_claims: the reply was cut off (finish_reason length); raise max_tokens"
    assert told in result.stdout.str()
    records = results_in(project.path / "out").results
    assert {(record.score, record.error.kind if record.error else "") for record in records} == {
        (None, "truncated")
    }
    # two sentences: the whole, then the first half; one sentence can't be halved
    assert len(door.passed) == 3
    run(*small).assert_outcomes(failed=2)
    assert len(door.passed) == 6
    missing = run(*small, "--ragassert-record-mode=none")
    assert "no stored verdict (not measured): 2" in section(missing)
    assert len(door.passed) == 6
