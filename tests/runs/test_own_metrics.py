"""A metric with a prompt of its own in whole runs: the example of the docs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section

project = pytest.fixture(new_project)

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "own-metrics.md"
FILES = re.findall(r'^```python title="(.*?)"\n(.*?)^```$', PAGE.read_text("utf-8"), re.M | re.S)
CONFTEST, TEST = dict(FILES)["conftest.py"], dict(FILES)["test_tone.py"]  # the last of each name
JUDGE = """
import json

class Words:
    id = "words-1"

    def run(self, step, input):
        assert (step.name, step.version) == ("rate_tone", 1)
        assert step.instructions.startswith("You rate the tone")
        assert list(step.schema["properties"]) == ["reason", "tone"]
        return json.dumps({"reason": "by its words", "tone": "polite"})

def pytest_ragassert_make_judge(config, name):
    return Words() if name == "words" else None
"""


@pytest.fixture
def example(project: Project, judge: LoopbackJudge) -> Project:
    project.pytester.makeconftest(CONFTEST)
    project.test(TEST, "test_tone")
    project.judged_by(judge)
    judge.on("rate_tone", tone)
    return project


def tone(recorded: Recorded) -> str:
    polite = "sorry" in recorded.data["answer"] and recorded.body["temperature"] == 0
    return json.dumps({"reason": "So.", "tone": "polite" if polite else "rude"})


def other_answer(project: Project) -> None:
    project.test(TEST.replace("I am sorry, t", "T"), "test_tone")


def test_the_example_asks_once_and_is_stored(example: Project, judge: LoopbackJudge) -> None:
    example.run().assert_outcomes(passed=1)
    (asked,) = judge.requests
    assert asked.data == {
        "question": "Can I have my money back?",
        "answer": "I am sorry, tickets can't be refunded on the day of travel.",
    }
    sent = asked.body["response_format"]["json_schema"]
    assert (sent["name"], sent["strict"]) == ("rate_tone", True)
    assert sent["schema"]["required"] == ["reason", "tone"]
    result = example.run()
    result.assert_outcomes(passed=1)
    assert judge.count() == 1
    assert "judgements: 0 asked, 1 stored, 0 carried" in section(result)


def test_it_fails_with_its_reason(example: Project) -> None:
    other_answer(example)
    result = example.run("--ragassert-artifacts=out")
    result.assert_outcomes(failed=1)
    assert any("politeness 0.00 < 0.50" in line for line in result.outlines)
    (file,) = Path(example.path, "out").glob("results_*.json")
    (row,) = json.loads(file.read_text())["results"]
    assert (row["metric"], row["score"], row["reason"]) == ("politeness", 0, "So.")


def test_votes_are_samples_in_a_list(example: Project, judge: LoopbackJudge) -> None:
    result = example.run("--ragassert-votes=3")
    result.assert_outcomes(failed=1)
    assert judge.count("rate_tone") == 3
    assert any("politeness 0.33 < 0.50" in line for line in result.outlines)


def test_workers_ask_once(example: Project, judge: LoopbackJudge) -> None:
    example.test(f"{TEST}\n\ndef test_again():\n    test_refusal_is_polite()\n", "test_tone")
    example.run("-n", "2").assert_outcomes(passed=2)
    assert judge.count() == 1


def test_a_replay_says_what_is_missing(example: Project, judge: LoopbackJudge) -> None:
    example.run("--ragassert-verdicts=v.jsonl", "--ragassert-update-verdicts")
    (line,) = map(json.loads, Path(example.path, "v.jsonl").read_text().splitlines())
    assert (line["step"], line["reply"]) == ("rate_tone", {"reason": "So.", "tone": "polite"})
    replay = ("--ragassert-verdicts=v.jsonl", "--ragassert-record-mode=none")
    example.run(*replay).assert_outcomes(passed=1)
    other_answer(example)
    result = example.run(*replay)
    result.assert_outcomes(failed=1)
    told = section(result, "ragassert: no stored verdict")
    assert "  refund: 1 of 1 rate_tone reply missing" in told
    assert judge.count() == 1


def test_a_reply_that_does_not_fit_is_asked_for_again(
    example: Project, judge: LoopbackJudge
) -> None:
    judge.reset(replies=True)
    judge.on("rate_tone", json.dumps({"reason": "So.", "tone": "kind"}))
    result = example.run()
    result.assert_outcomes(failed=1)
    told = "\n".join(result.outlines)
    assert 'tone is not one of "polite", "neutral", "rude": \'kind\', asked twice' in told
    assert [*judge.requests[1].data] == ["question", "answer", "previous_reply"]
    judge.reset(replies=True)
    judge.on("rate_tone", json.dumps({"tone": "polite", "note": "n" * 200}))
    told = "\n".join(example.run().outlines)
    beginning = '\'{"tone": "polite", "note": "nnn'
    assert f"reason is missing, asked twice; the last reply is {beginning}" in told
    assert "n" * 101 not in told
    # it was not stored
    judge.reset(replies=True)
    judge.on("rate_tone", tone)
    example.run().assert_outcomes(passed=1)
    assert judge.count() == 1


def test_a_budget_holds(example: Project, judge: LoopbackJudge) -> None:
    result = example.run("--ragassert-max-calls=2", "--ragassert-votes=3")
    result.assert_outcomes(failed=1)
    assert judge.count() == 2


def test_the_plan_counts_it(example: Project, judge: LoopbackJudge) -> None:
    example.test(
        """
        import pytest
        from pytest_ragassert import EvalCase, assert_rag

        CASES = [EvalCase(id=text, question="q", answer=text) for text in ("a", "b")]

        @pytest.mark.rag_cases(CASES, metrics=["politeness"])
        def test_it(rag_case):
            assert_rag(rag_case, politeness=0.0)
        """,
        "test_tone",
    )
    result = example.run("--ragassert-plan")
    assert any(
        line.startswith("judgements: 2 to ask, 0 stored")
        for line in section(result, "ragassert plan")
    )
    assert judge.count() == 0


PLANNED = """
import pytest
from pytest_ragassert import EvalCase, assert_rag

CASES = [EvalCase(id=text, question="q", answer=text) for text in ("a", "b")]

@pytest.mark.rag_cases(CASES, metrics=["politeness"])
def test_it(rag_case):
    assert_rag(rag_case, politeness=0.0)
"""
FREE = CONFTEST.replace('Literal["polite", "neutral", "rude"]', "str", 1)
# in place of asking
UNASKED = CONFTEST.replace("votes = await ask", "{}\n        votes = await ask", 1)


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_the_plan_names_an_error_on_a_made_up_reply(
    example: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    example.pytester.makeconftest(FREE)
    example.test(PLANNED, "test_tone")
    result = example.run("--ragassert-plan", *args)
    assert result.ret in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    told = "\n".join(section(result, "ragassert plan"))
    assert "judgements: 2 to ask, 0 stored" in told
    assert "they cannot be measured: metric politeness: measure() raised KeyError: " in told
    assert "on a made-up reply" in told
    assert judge.count() == 0
    # on real replies it is right
    example.run().assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("1 / 0", "measure() raised ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "measure() raised SystemExit: 3"),
        ("int('x')", "measure() raised ValueError: invalid literal"),
        ("import asyncio; await asyncio.sleep(0)", "asks_only = True; set it to False"),
        ("import asyncio; await asyncio.sleep(1)", "asks_only = True; set it to False"),
        ("import pytest; pytest.fail('no tone')", "metric politeness: no tone"),
        ("import pytest; pytest.skip('no tone')", "metric politeness: no tone"),
    ],
)
def test_the_plan_names_any_error(
    example: Project, judge: LoopbackJudge, does: str, told: str
) -> None:
    example.pytester.makeconftest(UNASKED.replace("{}", does, 1))
    example.test(PLANNED, "test_tone")
    result = example.run("--ragassert-plan")
    (line,) = [one for one in section(result, "ragassert plan") if "cannot be measured: " in one]
    assert line.count("metric politeness: ") == 1
    assert told in line
    assert "made-up" not in line


def test_the_plan_names_an_error_before_measuring(example: Project) -> None:
    example.pytester.makeconftest(
        CONFTEST.replace(
            "    async def",
            "    def missing(self, case):\n        return {}[case.id]\n\n    async def",
        )
    )
    example.test(PLANNED, "test_tone")
    result = example.run("--ragassert-plan")
    assert any(
        "cannot be measured: KeyError: 'a'" in one for one in section(result, "ragassert plan")
    )


@pytest.mark.parametrize("seconds", [0, 0.01])
def test_who_asks_only_awaits_nothing_else(
    example: Project, judge: LoopbackJudge, seconds: float
) -> None:
    example.pytester.makeconftest(
        UNASKED.replace("{}", f"import asyncio; await asyncio.sleep({seconds})", 1)
    )
    result = example.run()
    result.assert_outcomes(failed=1)
    told = "\n".join(result.outlines)
    assert "metric politeness: measure() awaits something other than ask" in told
    assert "asks_only = True; set it to False" in told
    assert judge.count() == 0


def test_a_result_has_the_name_of_its_metric(example: Project) -> None:
    example.pytester.makeconftest(CONFTEST.replace("metric=self.name", 'metric="other"'))
    result = example.run()
    result.assert_outcomes(failed=1)
    told = "metric politeness: measure() returned a MetricResult of the metric other"
    assert any(told in line for line in result.outlines)


def test_a_judge_of_the_project_gets_the_step(example: Project, judge: LoopbackJudge) -> None:
    example.pytester.makeconftest(CONFTEST + JUDGE)
    example.run("--ragassert-judge=words").assert_outcomes(passed=1)
    assert judge.count() == 0


def test_the_offline_judge_says_that_it_cannot(example: Project) -> None:
    result = example.run("--ragassert-judge=offline")
    result.assert_outcomes(failed=1)
    told = "\n".join(result.outlines)
    assert "the offline judge can't answer the step 'rate_tone'" in told
    assert "pytest_ragassert_make_judge" in told


def test_coroutines_have_it_too(example: Project, judge: LoopbackJudge) -> None:
    example.test(
        """
        import asyncio
        from pytest_ragassert import EvalCase, aio

        def test_it():
            case = EvalCase(question="q", answer="I am sorry.")
            results = asyncio.run(aio.evaluate(case, ["politeness"]))
            assert results["politeness"].score == 1
        """,
        "test_tone",
    )
    example.run().assert_outcomes(passed=1)
    assert judge.count() == 1


def test_a_baseline_with_other_instructions_is_told(example: Project) -> None:
    example.run("--ragassert-baseline=b.json", "--ragassert-update-baseline")
    example.run("--ragassert-baseline=b.json").assert_outcomes(passed=1)
    example.pytester.makeconftest(CONFTEST.replace("You rate", "You judge"))
    result = example.run("--ragassert-baseline=b.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert any("with other instructions (rate_tone v1)" in line for line in result.errlines)


def test_an_error_of_the_hook_is_shown_by_tests(example: Project) -> None:
    example.run("--ragassert-baseline=b.json", "--ragassert-update-baseline")
    example.pytester.makeconftest("def pytest_ragassert_metrics(): return 1 / 0")
    result = example.run("--ragassert-baseline=b.json")
    result.assert_outcomes(failed=1)
    assert any("ZeroDivisionError" in line for line in result.outlines)


def test_coming_cases_are_prefetched(example: Project, judge: LoopbackJudge) -> None:
    example.test(
        """
        import pytest
        from pytest_ragassert import EvalCase, assert_rag

        CASES = [EvalCase(id=f"c{n}", question="q", answer=f"I am sorry {n}.") for n in range(6)]

        @pytest.mark.rag_cases(CASES, metrics=["politeness"])
        def test_it(rag_case):
            assert_rag(rag_case, politeness=0.5)
        """,
        "test_tone",
    )
    judge.gather(3)
    example.run().assert_outcomes(passed=6)
    assert judge.count() == 6


TWO = """
class Other(Politeness):
    name = "other"
    steps = (Step("rate_tone", "Otherwise.", Tone),)

def pytest_ragassert_metrics():
    return [Politeness(), Other()]
"""
IN_HOOK = """
def pytest_ragassert_metrics():
    Step("rate tone", "Rate.", Tone)
"""
NO_FIELD = """
Politeness.requires = ("answerr",)
"""
NO_MINIMUM = """
Politeness.default_min = 7
"""
NO_STEPS = """
Politeness.steps = ("rate_tone",)
"""


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (TWO, "two steps are called 'rate_tone', in the metrics politeness and other"),
        (IN_HOOK, "the step 'rate tone': name must be a word"),
        (NO_FIELD, "metric politeness: requires names 'answerr', which is not a field of EvalCase"),
        (NO_MINIMUM, "metric politeness: default_min must be a number from 0 to 1, not 7"),
        (NO_STEPS, "steps of the metric politeness must be a tuple of pytest_ragassert.Step"),
    ],
)
@pytest.mark.parametrize("args", [(), ("-n", "1")], ids=["serial", "workers"])
def test_a_mistake_ends_the_run_at_its_start(
    example: Project, judge: LoopbackJudge, more: str, told: str, args: tuple[str, ...]
) -> None:
    example.pytester.makeconftest(CONFTEST + more)
    result = example.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line.startswith("ERROR: ")]
    assert "conftest.py: " in line
    assert told in line
    assert judge.count() == 0


def test_a_mistake_at_import_names_the_file(example: Project) -> None:
    example.pytester.makeconftest(CONFTEST.replace('"rate_tone"', '"verify_claims"'))
    result = example.process()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "\n".join(result.errlines)
    assert "conftest.py'" in told
    assert "the step 'verify_claims': the name belongs to a step" in told


def test_commands_keep_its_rows(example: Project) -> None:
    from pytest_ragassert.commands.command_line import main

    example.run("--ragassert-verdicts=v.jsonl", "--ragassert-update-verdicts")
    place = ["--cache-dir", str(example.path / ".ragassert")]
    assert main(["verdicts", "verify", "--verdicts", "v.jsonl", *place]) == 0
    assert main(["verdicts", "prune", *place]) == 0
    assert main(["verdicts", "export", "--step=rate_tone", "e.jsonl", *place]) == 0
    assert Path("e.jsonl").read_text() == Path("v.jsonl").read_text()
    assert main(["verdicts", "merge", "e.jsonl", "v.jsonl", "-o", "m.jsonl"]) == 0
    assert Path("m.jsonl").read_text() == Path("v.jsonl").read_text()
    assert main(["verdicts", "import", "m.jsonl", "--cache-dir", "other"]) == 0
    result = example.run("--ragassert-cache-dir=other", "--ragassert-record-mode=none")
    result.assert_outcomes(passed=1)


NOT_ASYNC = """
from pytest_ragassert import Metric, MetricResult

class Short(Metric):
    name = "short"
    requires = ("answer",)
    asks_only = {asks_only}

    def measure(self, case, ask, **options):
        return 0.5

def pytest_ragassert_metrics():
    return [Short()]
"""


@pytest.mark.parametrize("asks_only", [False, True])
def test_a_metric_that_is_not_async_is_named(example: Project, asks_only: bool) -> None:
    example.pytester.makeconftest(NOT_ASYNC.replace("{asks_only}", str(asks_only)))
    example.test(
        "from ferry import case\nfrom pytest_ragassert import assert_rag\n"
        "def test_it():\n    assert_rag(case('c'), short=0.5)\n"
    )
    result = example.run("--ragassert-judge=offline", "test_it.py")
    result.assert_outcomes(failed=1)
    told = "\n".join(result.outlines)
    assert (
        "TypeError: metric short: measure() returned float instead of something to await; write "
        "`async def measure`"
    ) in told
