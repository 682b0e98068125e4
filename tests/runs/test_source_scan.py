"""`--ragassert-plan` reads in the tests' source what they measure of their case."""

from __future__ import annotations

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section
from .test_plan import counts, planned

project = pytest.fixture(new_project)

WRITTEN = """
import asyncio
import pytest
import pytest_ragassert as rag
from ferry import case
from pytest_ragassert import aio, assert_faithful, assert_rag, evaluate
from pytest_ragassert import assert_context_relevance as relevant

LOWEST, METRICS = 0, ["context_recall"]

def cases(function):
    text = f"{function.__name__} is new."
    made = [case(f"c{n}", f"{text} It has {n} decks.", ground_truth_answer=text) for n in (1, 2)]
    return pytest.mark.rag_cases(made)(function)

@cases
def test_plain(rag_case):
    assert_faithful(rag_case, min=min(LOWEST, 1))

@cases
def test_module(rag_case):
    rag.assert_factual_f1(rag_case, min=0, no_claims="pass")

@cases
def test_alias_and_keyword(rag_case):
    if relevant(case=rag_case, min=LOWEST):
        assert_rag(rag_case, faithfulness=LOWEST / 2, factual_recall=0)

@cases
def test_fixture(ragassert, rag_case):
    with pytest.raises(AssertionError):
        ragassert.assert_factual_precision(rag_case, min=1, votes=2)

@cases
def test_evaluated(rag_case):
    evaluate(rag_case, METRICS)
    evaluate(rag_case, {"faithfulness": {"scoring": "ratio"}}, on_error="collect")

@cases
def test_changed_later(rag_case):
    assert_faithful(rag_case, min=0)
    rag_case.answer = None

@cases
def test_local_import(rag_case):
    from pytest_ragassert import assert_context_precision

    assert_context_precision(rag_case, min=0)

@cases
def test_coroutine(rag_case):
    async def scene():
        await aio.assert_faithful(rag_case, min=0)

    asyncio.run(scene())

class TestOfClass:
    @cases
    def test_method(self, rag_case):
        assert_faithful(rag_case, min=0, strict_mode=True)
"""


def test_it_counts_what_the_tests_then_ask(project: Project, judge: LoopbackJudge) -> None:
    project.test(WRITTEN)
    project.judged_by(judge)
    plan = project.run("--ragassert-plan")
    assert judge.count() == 0
    assert not [line for line in planned(plan) if line.startswith("not known")]
    # one at a time, as a plan reckons which sentences share a request
    ran = project.run("--ragassert-prefetch=off")
    ran.assert_outcomes(passed=18)
    (line,) = [line for line in section(ran) if line.startswith("judgements: ")]
    asked, _ = counts(plan)
    requests = f" ({judge.count()} requests); "
    assert line.startswith(f"judgements: {asked} asked, 0 stored, 0 carried{requests}tokens: ")
    assert f"{asked} to ask, 0 stored, 0 carried{requests}" in planned(plan)[1]
    assert counts(project.run("--ragassert-plan")) == (0, asked)


UNREAD = """
import pytest
from ferry import case
from pytest_ragassert import Settings, assert_faithful, assert_rag, evaluate

OPTIONS = {"min": 0}

def checked(case):
    assert_faithful(case)

@pytest.mark.rag_cases([case("one"), case("two")])
def test_it(rag_case):
    BODY
"""


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("checked(rag_case)", "their source shows no assertion on rag_case"),
        ("rag_case.answer = 'So.'; assert_faithful(rag_case)", "they change their case before"),
        ("assert_faithful(case('own'))", "they measure a case other than rag_case"),
        ("assert_faithful(rag_case, **OPTIONS)", "the options of a call are not written out"),
        ("evaluate(rag_case, sorted(['faithfulness']))", "the options of a call are not written"),
        ("evaluate(rag_case, ['faithfulness'], settings=Settings())", "pass their own"),
        ("assert_rag(rag_case, faithfullness=0)", "cannot be measured: unknown metric"),
        ("assert_faithful(rag_case, scoring='odd')", "cannot be measured: scoring is 'odd'"),
        ("evaluate(rag_case)", "cannot be measured: "),
    ],
)
def test_it_says_why_it_can_not_tell(
    project: Project, judge: LoopbackJudge, body: str, why: str
) -> None:
    project.test(UNREAD.replace("BODY", body))
    project.judged_by(judge)
    result = project.run("--ragassert-plan")
    assert result.ret == pytest.ExitCode.OK
    assert counts(result) == (0, 0)
    (told,) = [line for line in planned(result) if line.startswith("not known: ")]
    assert told.startswith("not known: 2 tests (test_it.py::test_it): ")
    assert why in told
