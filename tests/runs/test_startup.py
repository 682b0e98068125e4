"""What a run costs that does not use the plugin, or has every answer already."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_ragassert
from tests.loopback.server import LoopbackJudge

from .projects import PASSING, Project, new_project

project = pytest.fixture(new_project)

HEAVY = (
    "openai",
    "pydantic",
    "diskcache",
    "sentencex",
    "wcwidth",
    "snowballstemmer",
    "json_repair",
    "jinja2",
    "asyncio",
    "pytest_ragassert.report.failure_report",
)
TELLS = f"""
import pathlib, sys, tempfile, threading
import pytest

def threads():
    return [t.name for t in threading.enumerate() if t is not threading.main_thread()]

def pytest_sessionfinish():
    print()
    print("AT-WORK", *threads())

@pytest.hookimpl(trylast=True)
def pytest_unconfigure():
    loaded = [name for name in {HEAVY!r} if name in sys.modules]
    left = list(pathlib.Path(tempfile.gettempdir()).glob("ragassert*"))
    print()
    print("LOADED", *loaded)
    print("THREADS", *threads())
    print("LEFT", *left)
"""


@pytest.fixture
def alone(project: Project) -> Project:
    """No plugin but ours, and a temporary folder of its own."""
    project.pytester.makeconftest(TELLS)
    project.temporary()
    return project


def told(project: Project, *args: str, fails: bool = False) -> dict[str, list[str]]:
    result = project.pytester.runpytest_subprocess("-s", "-p", "ragassert", *args)
    ends = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    assert result.ret in ((pytest.ExitCode.TESTS_FAILED,) if fails else ends), result.stdout
    assert result.stderr.str() == ""
    words = [line.split() for line in result.outlines]
    return {line[0]: line[1:] for line in words if line and line[0] in NOTHING}


NOTHING: dict[str, list[str]] = {"LOADED": [], "AT-WORK": [], "THREADS": [], "LEFT": []}


@pytest.mark.parametrize("key", ["", "sk-unused"], ids=["offline", "key"])
def test_an_unused_plugin_loads_nothing_and_leaves_nothing(alone: Project, key: str) -> None:
    alone.set(OPENAI_API_KEY=key)
    assert told(alone, "--co", "-q") == NOTHING
    alone.test(
        """
        import pytest
        from pytest_ragassert import __version__

        @pytest.mark.parametrize("n", [1, 2])
        def test_plain(n):
            assert n

        @pytest.mark.xfail
        def test_failing():
            assert 0
        """
    )
    assert told(alone, "-v") == NOTHING
    assert list((alone.path / "temporary").iterdir()) == []
    assert not (alone.path / ".ragassert").exists()


def test_a_failing_test_of_others_loads_nothing_either(alone: Project) -> None:
    alone.test(
        """
        import pytest

        def test_failing():
            assert 0

        def test_skipped():
            pytest.skip("why")

        @pytest.fixture
        def broken():
            raise ValueError

        def test_error(broken):
            pass
        """
    )
    assert told(alone, fails=True) == NOTHING
    assert told(alone, "--ragassert-on-judge-error=skip", fails=True) == NOTHING


def test_a_stored_run_needs_neither_client_nor_thread(alone: Project, judge: LoopbackJudge) -> None:
    """Nor does it where coming cases would be asked for."""
    alone.test(PASSING)
    alone.test(
        """
        import pytest
        from ferry import case
        from pytest_ragassert import assert_context_relevance, assert_faithful

        @pytest.mark.rag_cases([case(f"c{n}") for n in range(4)], metrics=["context_relevance"])
        def test_cases(rag_case):
            assert_faithful(rag_case)
            assert_context_relevance(rag_case, min=0)
        """,
        "test_cases",
    )
    alone.judged_by(judge)
    asking = told(alone)
    assert "openai" in asking["LOADED"]
    assert "ragassert" in asking["AT-WORK"]
    assert (asking["THREADS"], asking["LEFT"]) == ([], [])
    # two of each of two answers, and one for the contexts that all cases have
    assert judge.count() == 5
    judge.reset()
    stored = told(alone)
    assert judge.count() == 0
    assert "pydantic" in stored["LOADED"]
    assert "openai" not in stored["LOADED"]
    assert "pytest_ragassert.report.failure_report" not in stored["LOADED"]
    assert {**stored, "LOADED": []} == NOTHING


def test_an_offline_run_needs_neither_store_nor_client(alone: Project) -> None:
    alone.test(PASSING)
    loaded = told(alone)
    assert "openai" not in loaded["LOADED"]
    assert loaded["AT-WORK"] == loaded["THREADS"] == loaded["LEFT"] == []
    assert not (alone.path / ".ragassert").exists()


OURS = """
import sys

def pytest_unconfigure():
    ours = {n: m for n, m in sys.modules.items() if n.partition(".")[0] == "pytest_ragassert"}
    rewritten = [n for n, m in ours.items() if "Rewriting" in type(m.__loader__).__name__]
    print()
    print("OURS", len(ours), *sorted(ours))
    print("REWRITTEN", *[n for n in rewritten if "PYTEST_DONT_REWRITE" not in ours[n].__doc__])
"""


def test_pytest_rewrites_none_of_our_modules(project: Project) -> None:
    # where no bytecode is written it would do so at each start
    project.test(PASSING)
    project.pytester.makeconftest(OURS)
    # it rewrites the modules of the plugins that it finds by itself
    project.unset("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    result = project.pytester.runpytest_subprocess("-s")
    result.assert_outcomes(passed=2)
    words = {line.split()[0]: line.split()[1:] for line in result.outlines if line.split()}
    assert int(words["OURS"][0]) > 50
    assert words["REWRITTEN"] == []


def test_a_listing_loads_few_of_our_modules(alone: Project) -> None:
    alone.pytester.makeconftest(OURS)
    alone.test("def test_plain(): pass")
    result = alone.pytester.runpytest_subprocess("-s", "-p", "ragassert", "--co", "-q")
    words = {line.split()[0]: line.split()[1:] for line in result.outlines if line.split()}
    # each is read and compiled at each start where no bytecode is written
    assert int(words["OURS"][0]) <= 17, words


def test_what_shows_scores_is_loaded_by_who_asks_for_it(alone: Project) -> None:
    alone.pytester.makeconftest(OURS)
    own = {f"pytest_ragassert.plugin.{name}" for name in ("html_scores", "allure_scores")}
    shown = {f"pytest_ragassert.plugin.score_{name}" for name in ("display", "properties")}

    def loaded(*args: str) -> set[str]:
        result = alone.pytester.runpytest_subprocess("-s", "-p", "ragassert", *args)
        assert result.ret == 0
        (line,) = (line for line in result.outlines if line.startswith("OURS"))
        return set(line.split()) & (own | shown)

    plain = alone.test("def test_plain(): pass")
    assert loaded("--junitxml=out.xml", "-rA") <= {"pytest_ragassert.plugin.score_display"}
    plain.unlink()
    alone.test(PASSING)
    assert loaded() == shown
    assert loaded("--ragassert-junit-properties=off") == shown - {
        "pytest_ragassert.plugin.score_properties"
    }


def test_importing_the_package_loads_nothing_else() -> None:
    code = f"""
import sys
before = set(sys.modules)
import pytest_ragassert, pytest_ragassert.plugin, pytest_ragassert.errors
new = set(sys.modules) - before
print([name for name in {HEAVY!r} if name in new])
assert "EvalCase" in dir(pytest_ragassert)
try:
    pytest_ragassert.assert_faithfull
except AttributeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[]",
        "module 'pytest_ragassert' has no attribute 'assert_faithfull'",
    ]


# The names that the package promises so far.
PROMISED = {
    "EvalCase",
    "load_cases",
    "evaluate",
    "Settings",
    "Step",
    "Metric",
    "MetricResult",
    "ClaimVerdict",
    "Verdict",
    "RagAssertionError",
    "JudgeError",
    "MissingFieldError",
    "ConfigurationError",
    "VerdictMissing",
    "assert_faithful",
    "assert_factual_f1",
    "assert_factual_precision",
    "assert_factual_recall",
    "assert_context_relevance",
    "assert_context_recall",
    "assert_context_precision",
    "assert_citations",
    "assert_criteria",
    "assert_answer_relevancy",
    "assert_answer_correctness",
    "assert_factual_accuracy",
    "assert_semantic_similarity",
    "assert_bert_score",
    "assert_ragas_score",
    "assert_retrieval_recall",
    "assert_retrieval_precision",
    "assert_hit_rate",
    "assert_mrr",
    "assert_ndcg",
    "assert_map",
    "assert_correct",
    "assert_evidence",
    "assert_no_regression",
    "assert_not_evasive",
    "assert_rag",
    "applicable_metrics",
    "ResultsFile",
}


MET_IN_PASSING = {
    "Applicable",
    "Ask",
    "CalibrationFile",
    "DebugClaim",
    "ErrorCase",
    "Evaluation",
    "EvidenceDetails",
    "IssueSpan",
    "Quote",
    "RagAssertWarning",
    "SentenceVerdict",
}


def test_every_public_name_can_be_imported() -> None:
    names: dict[str, object] = {}
    exec("from pytest_ragassert import *", names)
    names.pop("__builtins__")
    assert sorted(pytest_ragassert.__all__) == sorted(names)
    assert names.keys() >= PROMISED
    # nothing more than was promised, but for what its users meet in passing
    assert names.keys() - PROMISED <= MET_IN_PASSING
    assert len(set(pytest_ragassert.__all__)) == len(pytest_ragassert.__all__)
    assert set(dir(pytest_ragassert)) >= names.keys()
    for name, value in names.items():
        assert getattr(pytest_ragassert, name) is value


def test_types_see_every_public_name() -> None:
    stub = Path(str(pytest_ragassert.__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    imports, _, listed = stub.partition("__all__")
    for name in pytest_ragassert.__all__:
        assert re.search(rf"[ ]{name}\b", imports), name
        assert f'"{name}"' in listed
    assert Path(str(pytest_ragassert.__file__)).with_name("py.typed").exists()


def test_a_template_library_is_loaded_for_the_page_alone(alone: Project) -> None:
    alone.test(PASSING)
    alone.set(RAGASSERT_JUDGE="offline")
    assert "jinja2" not in told(alone, "--ragassert-artifacts=out")["LOADED"]
    assert "jinja2" in told(alone, "--ragassert-html=page.html")["LOADED"]
