"""`@pytest.mark.rag_xfail`: known failures of a metric fail no test, and their end is told."""

from __future__ import annotations

import json

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section

UPDATE = "--ragassert-update-verdicts=prune"

project = pytest.fixture(new_project)

TESTS = """
import pytest
from ferry import BAD, GOOD, case
from pytest_ragassert import aio, assert_context_relevance, assert_faithful, assert_rag

known = pytest.mark.rag_xfail(metric="faithfulness", reason="the index is old")

@known
def test_known():
    result = assert_faithful(case("known", BAD))
    assert not result.passed

@known
def test_other_metric():
    assert_faithful(case("other", BAD))
    assert_context_relevance(case("other", BAD), min=1)

@known
def test_mended():
    assert_faithful(case("mended", GOOD))

@known
def test_both():
    assert_rag(case("both", BAD), faithfulness=0.8, context_relevance=0.1)

@known
async def test_aio():
    await aio.assert_faithful(case("aio", BAD))

@known
def test_otherwise():
    assert_faithful(case("otherwise", BAD))
    raise OSError("disk")

@pytest.mark.rag_cases([{"id": "a"}, {"id": "b"}])
@pytest.mark.rag_xfail(metric=["faithfulness", "factual_f1"], reason="of a", cases=["a"])
def test_cases(rag_case):
    rag_case.answer, rag_case.retrieved_contexts = BAD, ["The crossing costs 9 euros."]
    assert_faithful(rag_case)
"""


def run(project: Project, *args: str) -> pytest.RunResult:
    loops = ["-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function"]
    return project.run("-rxX", *loops, *args, use=["pytest_asyncio.plugin"])


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_a_known_failure_fails_nothing_and_hides_nothing(
    project: Project, workers: tuple[str, ...]
) -> None:
    project.test(TESTS)
    result = run(project, *workers)
    assert result.parseoutcomes() == {"xfailed": 4, "passed": 1, "failed": 3}
    shown = result.stdout.str()
    assert "XFAIL test_it.py::test_known - faithfulness: the index is old" in shown
    assert "context_relevance 0.50 < 1.00" in shown
    assert "faithfulness 0.00 < 0.80" in shown, "of case b"
    lines = section(result)
    begins = lines.index("known failures: 6 fail as expected")
    assert lines[begins + 1 : begins + 3] == [
        "known failures that now pass: 1; remove their rag_xfail marks:",
        "  test_it.py::test_mended  faithfulness 1.00 >= 0.80  (the index is old)",
    ]
    assert any(
        line.startswith("faithfulness             8    0.12    0.00      1") for line in lines
    )
    assert lines[-1].startswith("ragassert-outcome: failed-by=assertions assertions=2 ")


def test_a_table_shows_no_known_failure(project: Project) -> None:
    project.test(TESTS)
    shown = run(project, "-k", "other_metric").stdout.str()
    assert "context_relevance 0.50 < 1.00" in shown
    assert "contradicted" not in shown


def test_strict_fails_what_passes(project: Project) -> None:
    project.test(TESTS.replace('old")', 'old", strict=True)'))
    result = run(project, "-k", "mended or known")
    assert result.parseoutcomes() == {"xfailed": 1, "failed": 1, "deselected": 6}
    assert (
        "[XPASS(strict)] passed, but a failure is expected: faithfulness (the index is old)"
        in result.stdout.str()
    )


def test_the_results_file_has_the_reason(project: Project) -> None:
    project.test(TESTS)
    run(project, "--ragassert-artifacts=out", "-k", "test_known or mended")
    (file,) = (project.path / "out").glob("results_*.json")
    records = json.loads(file.read_text())["results"]
    assert {record["quarantine"] for record in records} == {"the index is old"}


def test_a_score_below_the_baseline_may_be_known_too(project: Project) -> None:
    source = """
    import pytest
    from ferry import BAD, GOOD, case
    from pytest_ragassert import assert_no_regression

    @pytest.mark.rag_xfail(metric="faithfulness", reason="r")
    def test_it():
        assert_no_regression(case("c", GOOD), "faithfulness")
    """
    project.test(source)
    offline = ("--ragassert-judge=offline", "--ragassert-baseline=b")
    project.run(*offline, "--ragassert-update-baseline")
    project.test(source.replace('"c", GOOD', '"c", BAD'))
    assert project.run(*offline).parseoutcomes() == {"xfailed": 1}


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        ("", "metric must be a name or a list of names: @pytest.mark.rag_xfail(metric="),
        ('"faithfulness", "why"', "write @pytest.mark.rag_xfail(metric="),
        ('metric="faithfulness"', "reason must say why it fails for now"),
        ('metric="faithfulness", reason=" "', "reason must say why it fails for now"),
        ('metric="faithfullness", reason="r"', "faithfullness"),
        ('metric="faithfulness", reason="r", cases=[1]', "cases must be a list of case ids"),
        ('metric="faithfulness", reason="r", strict=1', "strict must be True or False, not 1"),
        ('metric="faithfulness", reason="r", when=1', "write @pytest.mark.rag_xfail(metric="),
    ],
)
def test_a_mark_that_is_none_fails_its_test(project: Project, mark: str, said: str) -> None:
    project.test(f"import pytest\n@pytest.mark.rag_xfail({mark})\ndef test_it(): pass\n")
    result = project.run()
    assert result.parseoutcomes() == {"errors": 1}
    result.stdout.fnmatch_lines([f"*test_it.py::test_it: rag_xfail: *{said.split('(')[0]}*"])


STRICT = """
import pytest
from ferry import BAD, CONTEXTS, GOOD, case
from pytest_ragassert import assert_context_relevance, assert_faithful

@pytest.mark.rag_xfail(
    metric=["faithfulness", "context_relevance"], reason="the index is old", strict=True
)
def test_one_has_ended():
    assert_faithful(case("known", BAD))
    assert_context_relevance(case("ended", BAD), min=0)
"""


def test_a_strict_end_beside_a_known_failure_fails_the_test(project: Project) -> None:
    project.test(STRICT)
    result = run(project)
    assert result.parseoutcomes() == {"failed": 1}
    assert "[XPASS(strict)] passed, but a failure is expected: context_relevance" in (
        result.stdout.str()
    )


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_known_failures_ran_so_a_run_with_them_prunes(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    source = f"{TESTS.partition('@known')[0]}\n@known\ndef test_known():\n    {{}}\n"
    both = (UPDATE, "--ragassert-update-baseline=prune", "--ragassert-baseline=b")
    project.judged_by(judge)
    file = "--ragassert-verdicts=verdicts.jsonl"
    project.test(source.format('assert_faithful(case("both", f"{BAD} {GOOD}"))'))
    project.run(file, *both, *workers)
    project.test(source.format('assert_faithful(case("known", BAD))'))
    result = project.run(file, *both, *workers)
    assert result.parseoutcomes() == {"xfailed": 1}
    assert result.ret == 0
    lines = section(result)
    assert "verdicts: 2 used, 0 new, 2 unused (verdicts.jsonl, pruned)" in lines
    assert not any("nothing was removed" in line or "not written" in line for line in lines)
    written = (project.path / "b").read_text(encoding="utf-8")
    assert '"known"' in written
    assert '"both"' not in written


def test_a_test_that_pytest_skips_did_not_run(project: Project, judge: LoopbackJudge) -> None:
    project.judged_by(judge)
    project.test(TESTS + "\ndef test_left_out():\n    pytest.skip('not today')\n")
    result = run(project, "--ragassert-verdicts=verdicts.jsonl", UPDATE)
    assert (
        "verdicts: nothing was removed, because not every test ran to its end: 3 failed, 1 skipped"
    ) in section(result)
