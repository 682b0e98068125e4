"""What follows from a metric's file: assertions with their signatures, options, tables."""

from __future__ import annotations

import inspect
import shutil
import sys
from pathlib import Path

import pytest

import pytest_ragassert
from pytest_ragassert import EvalCase, aio
from pytest_ragassert.assertions import RagAssert
from pytest_ragassert.metrics.assertion import expectation_factory
from pytest_ragassert.metrics.metric import Assertion, Expectation
from pytest_ragassert.metrics.registry import OWN
from tests.metric_files import ROOT, metric_files

from .brevity import Brevity
from .contributing import shown_code


@pytest.mark.parametrize("path", sorted(metric_files()))
def test_what_follows_from_the_metrics_is_written(path: str) -> None:
    written = (ROOT / path).read_text(encoding="utf-8")
    assert written == metric_files()[path], "run: python -m tests.metric_files"


def test_an_assertion_has_the_signature_of_its_metric() -> None:
    expect = expectation_factory(Brevity(), Brevity.asserted_by[0])
    assert str(inspect.signature(expect)) == (
        "(case: 'EvalCase', *, min: 'float | None' = None, words: 'int' = 50) -> 'MetricResult'"
    )
    assert expect.__doc__ == Brevity.__doc__
    case = EvalCase(answer="Yes.")
    assert expect(case, words=3) == Expectation(case, "brevity", None, {"words": 3})
    with pytest.raises(TypeError, match=r"^assert_brief\(\) got an unexpected keyword .*'word'"):
        expect(case, word=3)
    with pytest.raises(TypeError, match=r"^assert_brief\(\) missing 1 required positional"):
        expect(words=3)


def test_its_row_and_its_minimum_follow() -> None:
    files = metric_files([*OWN, Brevity()])
    table = files["pytest_ragassert/config/metric_table.py"]
    assert '    "brevity": 0.5,\n' in table
    assert '    "assert_brief",\n' in table
    assert '    "assert_brief",\n' in files["pytest_ragassert/__init__.pyi"]
    stubs = files["pytest_ragassert/metrics/coroutine_signatures.pyi"]
    assert "async def assert_brief(\n    case: EvalCase,\n" in stubs
    assert "    words: int = 50,\n) -> MetricResult:\n" in stubs


class Politeness(Brevity):
    name = "politeness"
    asserted_by = (Assertion("assert_style", "short, kind", metrics=("politeness", "kindness")),)


class Kindness(Politeness):
    name = "kindness"


def test_one_assertion_of_two_metrics_expects_both_and_is_written_once() -> None:
    expect = expectation_factory(Kindness(), Kindness.asserted_by[0])
    case = EvalCase(answer="Yes.")
    assert expect(case, min=0.3, words=3) == [
        Expectation(case, name, 0.3, {"words": 3}) for name in ("politeness", "kindness")
    ]
    files = metric_files([*OWN, Politeness(), Kindness()])
    table = files["pytest_ragassert/config/metric_table.py"]
    assert table.count('"assert_style"') == 1
    assert '    "politeness": 0.5,\n    "kindness": 0.5,\n' in table
    stubs = files["pytest_ragassert/metrics/assertion_signatures.pyi"]
    assert stubs.count("def assert_style(") == 1


@pytest.mark.parametrize("where", [pytest_ragassert, aio, RagAssert])
def test_every_metric_is_asserted_everywhere(where: object) -> None:
    for metric in OWN:
        for one in metric.asserted_by:
            assertion = getattr(where, one.name)
            assert assertion.__name__ == one.name
            assert inspect.iscoroutinefunction(assertion) is (where is aio)


TESTS = """
import asyncio
import pytest
from pytest_ragassert import EvalCase, RagAssertionError, aio, assert_consistent, evaluate

RIGHT = EvalCase(answer="The tram stops at 5.", retrieved_contexts=["The tram stops at 5."])
WRONG = EvalCase(answer="The tram stops at 6.", retrieved_contexts=["The tram stops at 5."])


def test_its_assertion(ragassert):
    assert assert_consistent(RIGHT, unproven=True).score == 1.0
    assert assert_consistent(WRONG).minimum == 0.0
    with pytest.raises(RagAssertionError):
        ragassert.assert_consistent(WRONG, min=0.5)


def test_its_coroutine():
    assert asyncio.run(aio.assert_consistent(RIGHT)).metric == "consistency"


def test_evaluate():
    result = evaluate(WRONG, ["consistency"])["consistency"]
    assert result.score == 0.0
    assert "  counted against it: contradicted claims\\n" in result.pretty()
"""


def test_one_more_metric_is_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester
) -> None:
    shutil.copytree(ROOT / "pytest_ragassert", tmp_path / "pytest_ragassert")
    (tmp_path / "tests").mkdir()
    for name in ("__init__.py", "metric_files.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    shutil.copy(ROOT / "README.md", tmp_path)
    metrics = tmp_path / "pytest_ragassert" / "metrics"
    (code,) = shown_code("Add a metric")
    (metrics / "consistency.py").write_text(code, encoding="utf-8")
    registry = (metrics / "registry.py").read_text(encoding="utf-8")
    listed = registry.replace(
        "\nOWN: tuple[Metric, ...] = (\n",
        "\nfrom .consistency import Consistency\nOWN: tuple[Metric, ...] = (\n    Consistency(),\n",
    )
    (metrics / "registry.py").write_text(listed, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    written = pytester.run(sys.executable, "-m", "tests.metric_files")
    assert written.ret == 0
    Path("test_it.py").write_text(TESTS, encoding="utf-8")
    Path("pytest.ini").write_text(
        "[pytest]\nragassert_judge = offline\nragassert_min_consistency = 0\n", encoding="utf-8"
    )
    result = pytester.run(sys.executable, "-m", "pytest", "-p", "ragassert", "test_it.py")
    result.assert_outcomes(passed=3)
