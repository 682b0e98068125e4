"""A run that may ask says why it asked for something again; a first run asks for nothing again."""

from __future__ import annotations

import sys

import pytest

from tests.loopback.server import LoopbackJudge
from tests.writing_judge import writes

from .projects import PASSING, Project, new_project, section
from .test_committed import UPDATE, recorded

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

FIRST = """
from ferry import GOOD, case
from pytest_ragassert import assert_faithful, assert_factual_recall

DOGS = "Dogs are not allowed on board."

def test_faithful():
    assert_faithful(case("both", f"{DOGS} {GOOD}"), min=0)

def test_recall():
    assert_factual_recall(case("recall", GOOD, ground_truth_answer=DOGS), min=0)
"""


def again(result: pytest.RunResult) -> list[str]:
    return [line for line in section(result) if line.startswith("asked again: ")]


def judged(project: Project, judge: LoopbackJudge, source: str = FIRST) -> None:
    project.test(source)
    project.judged_by(judge)
    assert again(project.run()) == []
    judge.reset()


def test_a_first_run_and_one_that_asks_nothing_say_nothing(
    project: Project, judge: LoopbackJudge
) -> None:
    judged(project, judge)
    assert again(project.run()) == []
    assert judge.count() == 0
    # what is new was never recorded
    project.test(FIRST + "\ndef test_new():\n    assert_faithful(case('new', 'A new one.'), min=0)")
    assert again(project.run()) == []
    assert judge.count() == 2


SEALS = """
import json
from pathlib import Path
from ferry import case
from pytest_ragassert import assert_factual_recall, assert_faithful

REFERENCE = json.loads(Path("cases.jsonl").read_text())["ground_truth_answer"]

def test_seals():
    assert_faithful(case("seals", f"{REFERENCE} Seals rest."), min=0)
    assert_factual_recall(case("recall", "Seals rest.", ground_truth_answer=REFERENCE), min=0)
"""


def test_what_a_command_stored_is_not_asked_again_by_tests(
    project: Project, judge: LoopbackJudge
) -> None:
    project.judged_by(writes(judge))
    text = "# Seals\n\nThe time of the seal feeding is six o'clock."
    project.pytester.makefile(".md", guide=text)
    generate = ("-m", "pytest_ragassert", "generate", "guide.md", "--output", "cases.jsonl")
    said = project.pytester.run(sys.executable, *generate, "--number", "1", "--kinds", "single")
    assert said.ret == 0
    project.test(SEALS)
    asked = judge.count()
    assert again(project.process()) == []
    assert judge.count() > asked
    # a sentence of the first case and the answer of the second one did change now
    project.test(SEALS.replace("Seals rest", "Seals swim"))
    assert again(project.process()) == ["asked again: 3 text changed"]


PROMPT = """
import dataclasses
from pytest_ragassert.steps.catalogue import STEPS

old = STEPS["verify_claims"]
STEPS["verify_claims"] = dataclasses.replace(
    old, instructions=old.instructions + " Hurry.", former=(old.fingerprint,)
)
"""
RUNS: dict[str, tuple[str, tuple[str, ...], str]] = {
    # a sentence, and what it claims
    "answer": (FIRST.replace("{DOGS} {GOOD}", "{DOGS} Seals are fed."), (), "2 text changed"),
    "reference": (
        FIRST.replace("ground_truth_answer=DOGS", 'ground_truth_answer=f"{DOGS} Seals are fed."'),
        (),
        "2 text changed",
    ),
    # claims of the reference are held against it
    "answer of the recall": (
        FIRST.replace('case("recall", GOOD', 'case("recall", GOOD + "!"'),
        (),
        "1 text changed",
    ),
    "passages": (
        FIRST.replace('{GOOD}")', '{GOOD}", retrieved_contexts=["Another one."])'),
        (),
        "2 passages changed",
    ),
    "model": (FIRST, ("--ragassert-model=gpt-5",), "5 other model"),
    "settings": (FIRST, ("--ragassert-temperature=1",), "5 other settings"),
    "prompt": (FIRST, (), "3 prompt version changed"),
}


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serially", "in parallel"])
@pytest.mark.parametrize("name", RUNS)
def test_what_is_asked_again_is_counted_by_cause(
    project: Project, judge: LoopbackJudge, name: str, workers: tuple[str, ...]
) -> None:
    judged(project, judge)
    source, args, expected = RUNS[name]
    project.test(source)
    if name == "prompt":
        project.pytester.makeconftest(PROMPT)
    result = project.process(*args, *workers)
    assert again(result) == [f"asked again: {expected}"]
    assert judge.count() > 0
    assert again(project.process(*args, *workers)) == []


MORE = """
def test_another():
    # a sentence and a claim that another test asked for too
    assert_faithful(case("another", f"{DOGS} Seals are fed."), min=0)
    assert_faithful(case("other", GOOD, retrieved_contexts=["Ferries run."]), min=0)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serially", "in parallel"])
def test_what_another_test_or_metric_asks_is_new(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    judged(project, judge)
    project.test(FIRST + MORE)
    assert again(project.process(*workers)) == []
    assert judge.count() > 0
    judge.reset()
    recall = 'assert_factual_recall(case("recall", GOOD, ground_truth_answer=DOGS), min=0)'
    metric = 'assert_faithful(case("recall", GOOD, retrieved_contexts=["Seals rest."]), min=0)'
    assert recall in FIRST
    project.test((FIRST + MORE).replace(recall, f"{recall}\n    {metric}"))
    assert again(project.process(*workers)) == []
    assert judge.count() > 0
    # its own passages did change
    metric = metric.replace("Seals rest", "Seals swim")
    project.test((FIRST + MORE).replace(recall, f"{recall}\n    {metric}"))
    assert again(project.process(*workers)) == ["asked again: 1 passages changed"]


def test_the_same_model_at_another_address_is_named(project: Project, judge: LoopbackJudge) -> None:
    judged(project, judge)
    there = judge.base_url.replace("127.0.0.1", "localhost")
    hint = "--ragassert-judge-id gives a model the same name at every address"
    assert again(project.run(f"--ragassert-base-url={there}")) == [
        f"asked again: 5 other endpoint; {hint}"
    ]


def test_a_replay_names_the_other_address(project: Project, judge: LoopbackJudge) -> None:
    recorded(project, judge)
    there = "http://elsewhere.invalid/v1"
    result = project.run(
        "--ragassert-record-mode=none",
        f"--ragassert-base-url={there}",
        "--ragassert-model=gpt-4o-mini",
    )
    assert (
        f"other endpoint: 3, recorded by openai {judge.base_url} gpt-4o-mini, asked of openai "
        f"{there} gpt-4o-mini; --ragassert-judge-id gives a model the same name at every address"
    ) in section(result, "ragassert: no stored verdict")


def test_committed_verdicts_tell_it_too(project: Project, judge: LoopbackJudge) -> None:
    recorded(project, judge)
    project.test(PASSING.replace("Dogs are not allowed on board. ", "Dogs are welcome on board. "))
    project.judged_by(judge)
    # the new lines are no reason
    result = project.run(UPDATE, "--ragassert-cache-dir=elsewhere")
    assert again(result) == ["asked again: 3 text changed"]
    assert again(project.run("--ragassert-record-mode=all")) == []
