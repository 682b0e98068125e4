"""In a CI log no text of an answer, a passage, a reply or an error becomes a workflow command."""

from __future__ import annotations

import contextlib
import json
import re

import pytest

from pytest_ragassert.commands.command_line import main
from tests.loopback.server import LoopbackJudge
from tests.test_ci_log import commands, prefixes

from .projects import Project, new_project

project = pytest.fixture(new_project)

# A file and a title without a colon or comma, then whatever does not end the line.
OWN = re.compile(r"::error (file=test_it\.py,line=[0-9]+,)?title=[^:,\r\n]+::[^\r\n\x85\u2028]*")
BAIT = (
    "\n::stop-commands::Ham\r##[group]Ham\x0b::add-mask::Ham ##vso[task.complete]Ham\u2028::debug::"
)
CONFTEST = f"""
import json
from pytest_ragassert import JudgeError, Metric, MetricResult

BAIT = {BAIT!r}

class Judge:
    id = "judge " + BAIT

    def run(self, step, input):
        if step.name == "extract_claims":
            text = " ".join(s["text"] for s in input["sentences"])
            if "raise" in text:
                raise RuntimeError("own" + BAIT)
            if "refuse" in text:
                raise JudgeError("refused" + BAIT, kind="refusal")
            if "malformed" in text:
                return "chatter" + BAIT
            return json.dumps({{"claims": [
                {{"sentence": s["id"], "text": "claim" + BAIT + s["text"]}}
                for s in input["sentences"]
            ]}})
        if step.name == "classify_answer":
            return json.dumps({{"reason": "class" + BAIT, "label": "WRONG"}})
        if step.name == "judge_passages":
            return json.dumps({{"passages": [
                {{"id": p["id"], "reason": "useless" + BAIT, "relevant": False}}
                for p in input["passages"]
            ]}})
        return json.dumps({{"verdicts": [
            {{"id": c["id"], "reason": "reason" + BAIT, "verdict": "CONTRADICTORY",
             "evidence": [{{"passage": 1, "quote": input["passages"][0]["text"]}}]}}
            for c in input["claims"]
        ]}})

class Odd(Metric):
    name = "odd##[group]"
    requires = ("answer",)

    async def measure(self, case, ask, **options):
        return MetricResult(metric=self.name, score=0.1, reason="odd" + BAIT, label=BAIT)

def pytest_ragassert_make_judge(config, name):
    return Judge() if name == "baited" else None

def pytest_ragassert_metrics():
    return [Odd()]
"""
TESTS = """
import pytest
from conftest import BAIT
from pytest_ragassert import (
    EvalCase, assert_context_relevance, assert_correct, assert_faithful, evaluate
)

def case(what):
    return EvalCase(
        id=BAIT + what, question="Question" + BAIT + "?",
        answer=f"The {what} runs.{BAIT} So it is.",
        retrieved_contexts=["Passage" + BAIT + " is long enough to be quoted here.", " "],
        ground_truth_answer="Truth" + BAIT, tags=[BAIT], metadata={"question_type": BAIT},
    )

CASES = [case("first"), case("second")]

@pytest.mark.rag_cases(CASES)
def test_of_cases(rag_case):
    assert_faithful(rag_case)

@pytest.mark.parametrize("what", ["raise", "refuse", "malformed"])
def test_error(what):
    assert_faithful(case(what))

def test_class():
    assert_correct(case("class"))

def test_contexts():
    assert_context_relevance(case("contexts"))

def test_odd():
    answer = case("odd")
    result = evaluate(answer, ["odd##[group]"])["odd##[group]"]
    assert result.passed, result

@pytest.mark.rag_xfail(metric="faithfulness", reason="known " + BAIT)
def test_known():
    assert_faithful(case("known"))

def test_mistaken():
    EvalCase(id=BAIT, **{BAIT: 1})

def test_missing():
    assert_correct(EvalCase(id=BAIT, question=BAIT, answer="a"))
"""
OPTIONS = (
    "--ragassert-judge=baited",
    "--ragassert-gate=mean(faithfulness) >= 0.9",
    "--ragassert-artifacts=artifacts",
    "--ragassert-verdicts=##[group]verdicts.jsonl",
    "--ragassert-update-verdicts",
    "--ragassert-history=history.jsonl",
    "--junitxml=junit.xml",
)


@pytest.fixture
def baited(project: Project) -> Project:
    project.set(GITHUB_ACTIONS="true")
    project.pytester.makeconftest(CONFTEST)
    project.test(TESTS)
    return project


@pytest.mark.parametrize(
    "more",
    [
        ("-vv", "--showlocals", "-rA"),
        ("--tb=native",),
        ("--tb=line", "-q"),
        ("--tb=short", "--ragassert-votes=2", "--setup-show"),
        ("--ragassert-on-judge-error=skip", "-rs"),
        ("--collect-only",),
        ("--ragassert-plan",),
    ],
    ids=lambda more: more[0],
)
def test_no_line_of_a_run_is_a_command(baited: Project, more: tuple[str, ...]) -> None:
    result = baited.run(*OPTIONS, *more)
    assert result.ret == (0 if more[0] in ("--collect-only", "--ragassert-plan") else 1)
    assert_no_command(result)


def test_nor_of_one_with_workers(baited: Project) -> None:
    assert_no_command(baited.process(*OPTIONS, "-n2", "--showlocals", "-v"))


def assert_no_command(result: pytest.RunResult) -> None:
    printed = [*result.outlines, *result.errlines]
    assert any("Ham" in line or "group" in line for line in printed)
    found = [line for line in printed if commands(line)]
    # but for annotations, each of which is the one command that it is to be
    assert [line for line in found if not OWN.fullmatch(line) or prefixes(line)] == []


def test_files_hold_the_texts_as_they_are(baited: Project) -> None:
    baited.run(*OPTIONS)
    (results,) = (baited.path / "artifacts").glob("results_*.json")
    texts = [row["reason"] for row in json.loads(results.read_text())["results"]]
    assert any("##[group]" in text for text in texts)


SERVED = """
import pytest
from conftest import BAIT
from ferry import BAD, GOOD, case
from pytest_ragassert import assert_faithful

def test_times():
    assert_faithful(case("times"))

def test_price():
    assert_faithful(case("price", BAD))
"""


def test_nor_what_a_server_says(project: Project, judge: LoopbackJudge) -> None:
    project.set(TF_BUILD="True")
    project.judged_by(judge)
    project.pytester.makeconftest(f"BAIT = {BAIT!r}")
    project.test(SERVED)
    error = {"error": {"message": f"mistaken{BAIT}", "type": BAIT, "code": BAIT}}
    judge.on("extract_claims", {"model": f"served{BAIT}"})
    judge.on("verify_claims", {"status": 400, "body": error})
    result = project.run("--ragassert-model=##[group]model", "-vv", "--showlocals")
    assert "mistaken" in result.stdout.str()
    assert_no_command(result)
    # the next run's header tells of models served under one name
    assert_no_command(project.run("--ragassert-model=##[group]model"))


@pytest.mark.parametrize(
    "command",
    [
        ("info",),
        ("verify",),
        ("show", "1234"),
        ("export", "-"),
        ("export", "##[group]/out.jsonl"),
        ("##[group]",),
        ("merge", "##[group]"),
    ],
    ids=lambda command: command[0],
)
def test_nor_what_the_commands_print(
    baited: Project, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    baited.run(*OPTIONS)
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(baited.path)
        with contextlib.suppress(SystemExit):
            main(["verdicts", *command])
    said = capsys.readouterr()
    assert said.out + said.err
    assert commands(said.out + said.err) == []
