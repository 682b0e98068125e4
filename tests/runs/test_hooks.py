"""Judges and metrics of a project's own, the fixture `ragassert`, and event loops of all kinds."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import pytest_ragassert
from pytest_ragassert import aio
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section, table

project = pytest.fixture(new_project)

JUDGE = """
import json

class Echo:
    id = "echo-1"

    def run(self, step, input):
        assert step.version >= 1 and step.instructions and step.schema["type"] == "object"
        with open("asked.txt", "a") as file:
            file.write(step.name + chr(10))
        if step.name == "extract_claims":
            claims = [{"sentence": s["id"], "text": s["text"]} for s in input["sentences"]]
            return json.dumps({"claims": claims})
        texts = [passage["text"] for passage in input["passages"]]
        return json.dumps({"verdicts": [
            {"id": c["id"], "reason": "r", "passage": None, "quote": None, "confidence": None,
             "verdict": "supported" if any(c["text"] in t for t in texts) else "no evidence"}
            for c in input["claims"]
        ]})

def pytest_ragassert_make_judge(config, name):
    return Echo() if name == "echo" else None
"""
ASYNC_JUDGE = JUDGE.replace("    def run(", "    async def run(").replace(
    "        assert step", "        import asyncio; await asyncio.sleep(0.01)\n        assert step"
)
ONE = """
from ferry import GOOD, ODD, case
from pytest_ragassert import assert_faithful

def test_half():
    assert assert_faithful(case("half", GOOD + " " + ODD), min=0.4).judge == "echo-1"

def test_low():
    assert_faithful(case("low", GOOD + " " + ODD))
"""
ECHO = "--ragassert-judge=echo"


def asked(project: Project) -> list[str]:
    file = Path(project.path, "asked.txt")
    return file.read_text().split() if file.exists() else []


@pytest.mark.parametrize("conftest", [JUDGE, ASYNC_JUDGE], ids=["sync", "async"])
def test_a_judge_of_the_projects_own(project: Project, conftest: str) -> None:
    project.pytester.makeconftest(conftest)
    project.test(ONE)
    result = project.run(ECHO, "-W", "error")
    result.assert_outcomes(passed=1, failed=1)
    assert any("ragassert: judge echo; record-mode" in line for line in result.outlines)
    assert any("judge echo-1" in line for line in table(result))
    assert asked(project) == ["extract_claims", "verify_claims"]
    # its answers are stored under its id
    again = project.run(ECHO, "--ragassert-record-mode=none")
    again.assert_outcomes(passed=1, failed=1)
    assert any("judge echo-1, stored" in line for line in table(again))
    project.pytester.makeconftest(conftest.replace('id = "echo-1"', 'id = "echo-2"'))
    project.test(ONE.replace("echo-1", "echo-2"))
    project.run(ECHO).assert_outcomes(passed=1, failed=1)
    assert len(asked(project)) == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            (
                'return json.dumps({"claims"',
                'raise KeyError("gone")\n            return json.dumps({"claims"',
            ),
            ["judge echo-1", "KeyError", "gone"],
        ),
        (
            (
                'return json.dumps({"claims"',
                'raise SystemExit("no key")\n            return json.dumps({"claims"',
            ),
            ["judge echo-1", "SystemExit", "no key"],
        ),
        (('return json.dumps({"claims"', 'return ({"claims"'), ["judge echo-1", "text", "dict"]),
        (
            ('return json.dumps({"claims"', 'return "I think" + str({"cl"'),
            ["extract_claims", "no JSON"],
        ),
    ],
)
def test_a_judge_that_fails_is_a_judge_error(
    project: Project, change: tuple[str, str], words: list[str]
) -> None:
    assert change[0] in JUDGE
    project.pytester.makeconftest(JUDGE.replace(*change))
    project.test(ONE)
    result = project.run(ECHO)
    result.assert_outcomes(failed=2)
    lines = [line for line in result.outlines if line.startswith("E ")]
    assert len(lines) == 2
    for word in ["JudgeError: ", *words]:
        assert word in lines[0]
    assert any(line.startswith("judge errors (not measured): 2") for line in section(result))
    project.pytester.makeconftest(JUDGE)
    project.run(ECHO).assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("object()", ["`id: str`", "`run(step, input)`"]),
        ("type('J', (), {'id': 5, 'run': print})()", ["`id: str`"]),
        ("type('J', (), {'id': 'x'})()", ["`run(step, input)`"]),
        ("None", ["unknown judge 'echo'"]),
    ],
)
def test_a_hook_that_makes_no_judge(project: Project, made: str, words: list[str]) -> None:
    project.pytester.makeconftest(f"def pytest_ragassert_make_judge(config, name): return {made}")
    project.test(ONE)
    result = project.run(ECHO)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (told,) = (line for line in result.errlines if line.startswith("ERROR: "))
    for word in words:
        assert word in told


METRICS = """
from pytest_ragassert import Metric, MetricResult

class Brevity(Metric):
    name = "brevity"
    requires = ("answer",)
    default_min = 0.6

    async def measure(self, case, ask, *, words=3):
        return min(1.0, words / len(case.answer.split()))

class Claims(Metric):
    name = "claims"
    requires = ("answer",)

    async def measure(self, case, ask):
        reply = await ask("extract_claims", {"text": case.answer, "question": case.question})
        count = len(reply["claims"])
        return MetricResult(metric=self.name, score=1 / max(1, count), reason=REASON)

REASON = "told\\x1b[31m\\nin two\\ud800 lines"

def pytest_ragassert_metrics():
    return [Brevity(), Claims()]
"""


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_metrics_of_the_projects_own(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(METRICS)
    project.test(
        """
        import pytest
        from ferry import GOOD, ODD, case
        from pytest_ragassert import MissingFieldError, evaluate

        def test_measured(ragassert):
            one = case("one", GOOD + " " + ODD)
            got = evaluate(one, {"brevity": {"words": 6}, "claims": {}, "faithfulness": {}})
            assert (got["brevity"].score, got["claims"].score) == (6 / 9, 0.5)
            assert (got["brevity"].passed, got["claims"].passed) == (True, False)
            assert got["brevity"].minimum == 0.6 and one.results == got
            assert got["brevity"].judge
            assert ragassert.evaluate(one, ["brevity"])["brevity"].score == 3 / 9

        def test_options():
            with pytest.raises(TypeError, match="no option 'letters'; it takes words"):
                evaluate(case("one"), {"brevity": {"letters": 6}})
            with pytest.raises(MissingFieldError, match="brevity needs .* in case none"):
                evaluate(case("none", None), ["brevity"])
        """
    )
    project.judged_by(judge)
    result = project.run(*args)
    result.assert_outcomes(passed=2)
    assert any(line.startswith("brevity                  2 ") for line in section(result))
    assert any(line.startswith("claims                   1 ") for line in section(result))
    # extracted once, for both metrics that want the claims
    assert judge.count() == 2
    assert not any("\x1b" in line for line in result.outlines)


def test_a_foreign_reason_is_one_harmless_line(project: Project) -> None:
    project.pytester.makeconftest(METRICS)
    project.test(
        """
        from ferry import case
        from pytest_ragassert import evaluate

        def test_it():
            result = evaluate(case("one", "It runs. It is red."), ["claims"])["claims"]
            assert result.pretty().isprintable()
        """
    )
    project.run().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ("[Brevity]", ["pytest_ragassert_metrics", "instances of pytest_ragassert.Metric"]),
        ("Brevity()", ["pytest_ragassert_metrics", "list"]),
        ("[object()]", ["pytest_ragassert_metrics"]),
        ("[Brevity(), Brevity()]", ["two metrics are called 'brevity'"]),
        ("[type('F', (Brevity,), {'name': 'faithfulness'})()]", ["two metrics", "faithfulness"]),
        ("[type('N', (Brevity,), {'name': ''})()]", ["name"]),
    ],
)
def test_a_hook_that_gives_no_metrics(project: Project, returned: str, words: list[str]) -> None:
    project.pytester.makeconftest(METRICS.replace("[Brevity(), Claims()]", returned))
    project.test(ONE)
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (told,) = [line for line in result.errlines if line.startswith("ERROR: ")]
    for word in ["conftest.py: ", *words]:
        assert word in told


def test_a_metric_that_gives_no_score_is_not_measured(project: Project) -> None:
    project.pytester.makeconftest(
        METRICS.replace("words / len(case.answer.split())", "2) + float(case.id")
    )
    project.test(
        """
        import pytest
        from ferry import case
        from pytest_ragassert import ConfigurationError, JudgeError, evaluate

        def test_scores():
            cases = [case(id) for id in ("-0.5", "nan", "-1", "inf", "1e-12", "-2")]
            found = evaluate(cases, ["brevity"], on_error="collect")
            assert [one["brevity"].score for one in found if one] == [0.5, 0, 1]
            for one, value in zip((found[1], found[3], found[5]), ("nan", "inf", "-1.0")):
                words = f"brevity of case .* not measured: .*{value}, not a number from 0 to 1"
                with pytest.raises(JudgeError, match=words):
                    raise one.errors["brevity"]

        def test_no_embedder():
            with pytest.raises(ConfigurationError, match="no embedder"):
                evaluate(case("c", ground_truth_answer="R"), ["semantic_similarity"])
        """
    )
    result = project.run()
    result.assert_outcomes(passed=2)
    told = section(result)
    assert "judge errors (not measured): 3: 3 malformed" in told
    (unmeasured,) = (line for line in told if line.startswith("not measurable: "))
    assert unmeasured.startswith("not measurable: semantic_similarity 1 (ConfigurationError: ")


JUDGE_THAT_ENDS = """
class Ends:
    id = "ends"
    def run(self, step, input):
        raise KeyboardInterrupt

def pytest_ragassert_make_judge(config, name):
    return Ends()
"""


def test_a_judge_that_interrupts_ends_the_run(project: Project) -> None:
    project.pytester.makeconftest(JUDGE_THAT_ENDS)
    project.test(ONE)
    result = project.process(ECHO)
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_a_metric_that_measures_nothing_says_so(project: Project) -> None:
    project.pytester.makeconftest(
        METRICS.replace(
            "return min(1.0, words / len(case.answer.split()))", "return words and None"
        )
    )
    project.test(
        """
        from ferry import case
        from pytest_ragassert import evaluate

        def test_none(): evaluate(case("c"), ["brevity"])
        """
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    assert any(
        "measure() must return a MetricResult or a number, not NoneType" in x
        for x in result.outlines
    )


def test_the_fixture_has_every_assertion(project: Project) -> None:
    names = [n for n in pytest_ragassert.__all__ if n.startswith("assert_")]
    assert all(inspect.iscoroutinefunction(getattr(aio, name)) for name in [*names, "evaluate"])
    project.test(
        f"""
        import pytest_ragassert
        from ferry import case

        def test_names(ragassert):
            for name in {[*names, "evaluate"]}:
                assert getattr(ragassert, name) is getattr(pytest_ragassert, name)
            ragassert.assert_faithful(case("c"))
        """
    )
    project.run().assert_outcomes(passed=1)


LINES = """
class Gone:
    id = "gone-1"

    def run(self, step, input):
        return self.answer({"error": "sk-loopback-7f3a9c"})

    def answer(self, reply):
        return reply["choices"]

def pytest_ragassert_make_judge(config, name):
    return Gone() if name == "gone" else None
"""


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_the_line_of_a_judges_error_is_told_everywhere(
    project: Project, args: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(LINES)
    project.test(ONE)
    result = project.run("--ragassert-judge=gone", "--junitxml=out.xml", "--showlocals", *args)
    result.assert_outcomes(failed=2)
    told = "judge gone-1: KeyError: 'choices' (conftest.py:5 in run, conftest.py:8 in answer)"
    assert sum(told in line for line in result.outlines if line.startswith("E ")) == 2
    report = Path(project.path, "out.xml").read_text()
    assert report.count("conftest.py:8 in answer") >= 2
    for text in (report, *result.outlines):
        assert "sk-loopback" not in text


ODD_METRICS = """
import asyncio
import pytest
from pytest_ragassert import Metric

ODD = {
    "stops": StopIteration("s"), "exits": SystemExit(3), "ends": GeneratorExit("g"),
    "cancels": asyncio.CancelledError("c"), "fails": pytest.fail.Exception("f"),
}

class Odd(Metric):
    requires = ("answer",)
    default_min = 0.5

    def __init__(self, name):
        self.name = name

    async def measure(self, case, ask):
        await asyncio.sleep(0)
        raise ODD[self.name]

def pytest_ragassert_metrics():
    return [Odd(name) for name in ODD]

def pytest_ragassert_result(item, result):
    if item.name == "test_seen":
        raise StopIteration("not seen")
"""


def test_whatever_a_metric_or_a_result_hook_raises_is_told(project: Project) -> None:
    project.pytester.makeconftest(ODD_METRICS)
    project.test(
        """
        import pytest
        from ferry import GOOD, case
        from pytest_ragassert import evaluate

        @pytest.mark.parametrize("name", ["stops", "exits", "ends", "cancels", "fails"])
        def test_it(name):
            evaluate(case("c"), [name])

        def test_seen():
            evaluate([case(f"seen {n}") for n in range(3)], ["faithfulness"])

        def test_after():
            evaluate(case("after"), ["faithfulness"])
        """
    )
    result = project.run()
    result.assert_outcomes(failed=6, passed=1)
    told = "\n".join(result.outlines)
    for words in ("raised StopIteration", "SystemExit: 3", "GeneratorExit", "CancelledError"):
        assert words in told
    assert "StopIteration: not seen" in told
    # the hook saw the first, and all count
    assert any(line.startswith("faithfulness             4 ") for line in section(result))


ODD_ANSWERS = """
import asyncio

ODD = {"stops": StopIteration, "exits": SystemExit, "cancels": asyncio.CancelledError}

ASYNC def pytest_ragassert_answer(case):
    if case.id in ODD:
        raise ODD[case.id]("odd")
    return {"answer": "Dogs are not allowed on board."}
"""


@pytest.mark.parametrize("kind", ["", "async"])
def test_whatever_an_answer_hook_raises_is_told(project: Project, kind: str) -> None:
    project.pytester.makeconftest(ODD_ANSWERS.replace("ASYNC", kind).replace("\n def", "\ndef"))
    project.test(
        """
        import pytest
        from ferry import case
        from pytest_ragassert import assert_faithful

        CASES = [case(id, None) for id in ("good", "stops", "exits", "cancels", "well")]

        @pytest.mark.rag_cases(CASES)
        def test_it(rag_case):
            assert_faithful(rag_case)
        """
    )
    result = project.run()
    result.assert_outcomes(errors=3, passed=2)
    told = "\n".join(result.outlines)
    for words in ("StopIteration", "SystemExit", "CancelledError"):
        assert words in told
