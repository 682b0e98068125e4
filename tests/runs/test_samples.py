"""`--ragassert-sample` in runs: which tests are left, and what gates and baselines make of it."""

from __future__ import annotations

import json
import re
import tracemalloc

import pytest

from .projects import Project, new_project, section

project = pytest.fixture(new_project)

TESTS = """
import pytest
from ferry import CONTEXTS, GOOD
from pytest_ragassert import assert_faithful, evaluate

@pytest.mark.rag_cases("cases.jsonl")
def test_case(rag_case):
    evaluate(rag_case, ["faithfulness"])

@pytest.mark.rag_cases("cases.jsonl")
def test_again(rag_case):
    assert rag_case.id

def test_other():
    pass
"""


@pytest.fixture
def sampled(project: Project) -> Project:
    """A project of 40 cases, a quarter of them multi-hop."""
    lines = [
        {
            "id": f"case-{n}",
            "answer": "The ferry runs every 40 minutes.",
            "retrieved_contexts": ["The ferry runs every 40 minutes."],
            "metadata": {"question_type": "multi-hop" if n % 4 == 0 else "factoid"},
        }
        for n in range(40)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (project.path / "cases.jsonl").write_text(text)
    project.test(TESTS)
    return project


def chosen(result: pytest.RunResult, test: str = "test_case") -> set[str]:
    return set(re.findall(rf"::{test}\[([^]]+)\]", result.stdout.str()))


def test_the_same_cases_are_taken_everywhere(sampled: Project) -> None:
    result = sampled.run("--ragassert-sample=8", "-v")
    assert result.parseoutcomes() == {"passed": 17}
    first = chosen(result)
    assert len(first) == 8
    assert "note: sample: 8 of 40 cases" in section(result)
    assert chosen(result, "test_again") == first
    shared = sampled.run("--ragassert-sample=8", "-v", "-n", "2")
    assert shared.parseoutcomes()["passed"] == 17
    assert chosen(shared) == first
    assert first <= chosen(sampled.run("--ragassert-sample=12", "-v"))
    part = sampled.run("--ragassert-sample=8", "-v", "-k", "again")
    assert chosen(part, "test_again") == first, "other options choose among the sample"
    assert sampled.run("--ragassert-sample=99").parseoutcomes() == {"passed": 81}


def test_each_value_of_a_key_has_its_share(sampled: Project) -> None:
    result = sampled.run("--ragassert-sample=8", "--ragassert-sample-by=question_type", "-v")
    numbers = [int(case.removeprefix("case-")) for case in chosen(result)]
    assert sorted(number % 4 == 0 for number in numbers) == [False] * 6 + [True] * 2


def test_a_share_takes_each_case_or_not_whatever_others_there_are(sampled: Project) -> None:
    result = sampled.run("--ragassert-sample=0.2", "-v")
    first = chosen(result)
    assert 4 <= len(first) <= 12
    assert f"note: sample: {len(first)} of 40 cases" in section(result)
    assert chosen(result, "test_again") == first
    with (sampled.path / "cases.jsonl").open("a") as file:
        file.writelines(json.dumps({"id": f"new-{n}", "answer": "x"}) + "\n" for n in range(40))
    more = chosen(sampled.run("--ragassert-sample=0.2", "-v", "-k", "again"), "test_again")
    assert {case for case in more if not case.startswith("new-")} == first
    least = sampled.run("--ragassert-sample=0.0001", "-v", "-k", "again")
    assert len(chosen(least, "test_again")) == 1, "a run without any case would say nothing"


def test_a_sample_is_one_of_the_cases_that_are_collected(sampled: Project) -> None:
    lines = "".join(json.dumps({"id": f"other-{n}", "answer": "x"}) + "\n" for n in range(40))
    (sampled.path / "others.jsonl").write_text(lines)
    sampled.test(TESTS.replace('"cases.jsonl")\ndef test_again', '"others.jsonl")\ndef test_again'))
    both = sampled.run("--ragassert-sample=8", "-v")
    assert "note: sample: 8 of 80 cases" in section(both)
    taken = chosen(both), chosen(both, "test_again")
    assert all(taken), "the cases of both files are one set"
    assert len(taken[0] | taken[1]) == 8
    one = sampled.run("--ragassert-sample=8", "-v", "test_it.py::test_case")
    assert "note: sample: 8 of 40 cases" in section(one)
    assert len(chosen(one)) == 8
    assert chosen(one) > taken[0]
    out = min({f"case-{n}" for n in range(40)} - chosen(one))
    named = sampled.run("--ragassert-sample=8", "-v", f"test_it.py::test_case[{out}]")
    assert chosen(named) == {out}, "who names a case gets it"


def test_of_failed_tests_the_sample_is_one_of_those(sampled: Project) -> None:
    sampled.test(
        TESTS.replace("assert rag_case.id", "assert rag_case.id not in FAIL").replace(
            "import pytest", "import pytest\nFAIL = {'case-0', 'case-1', 'case-4'}"
        )
    )
    assert sampled.run("-p", "cacheprovider").parseoutcomes()["failed"] == 3
    result = sampled.run("-p", "cacheprovider", "--lf", "--ragassert-sample=2", "-v")
    assert len(chosen(result, "test_again")) == 2


def test_all_cases_are_checked_though_few_are_taken(sampled: Project) -> None:
    with (sampled.path / "cases.jsonl").open("a") as file:
        file.write('{"id": "case-40", "anwser": "x"}\n{"id": "case-0", "answer": "again"}\n')
    result = sampled.run("--ragassert-sample=2")
    assert result.parseoutcomes() == {"errors": 1}
    said = result.stdout.str()
    assert "cases.jsonl: 2 mistakes" in said
    assert "line 41: case 'case-40': unknown field 'anwser' (did you mean 'answer'?)" in said
    assert "line 42: two cases have the id 'case-0', this one and that of" in said


def test_memory_of_a_sample_is_not_that_of_the_file(sampled: Project) -> None:
    def peak(count: int) -> int:
        text = "lorem ipsum " * 400
        with (sampled.path / "cases.jsonl").open("w") as file:
            for n in range(count):
                file.write(json.dumps({"id": f"case-{n}", "answer": f"{n} {text}"}) + "\n")
        tracemalloc.start()
        try:
            assert sampled.run("--ragassert-sample=3", "--co", "-q").ret == 0
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # what is loaded once
    few, many = peak(500), peak(2500)
    # the texts alone are 4.8 kB a case
    assert many - few < 2000 * 1000


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_cases_that_can_t_be_chosen_are_a_collection_error(
    sampled: Project, workers: tuple[str, ...]
) -> None:
    result = sampled.run("--ragassert-sample=8", "--ragassert-sample-by=kind", *workers)
    assert result.parseoutcomes()["errors"] >= 1
    said = "test_it.py::test_case: --ragassert-sample-by: no case has 'kind' in its metadata"
    assert said in result.stdout.str()
    sampled.test(TESTS.replace('"cases.jsonl"', '[{"answer": "x"}]'))
    result = sampled.run("--ragassert-sample=8", *workers)
    assert result.parseoutcomes()["errors"] >= 1
    assert (
        "--ragassert-sample chooses cases by their ids, but case x has none; give each an id"
        in (result.stdout.str())
    )


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_a_key_without_a_sample_is_a_usage_error(
    sampled: Project, workers: tuple[str, ...]
) -> None:
    result = sampled.run("--ragassert-sample-by=kind", *workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line.startswith("ERROR: ")]
    assert "--ragassert-sample-by has no effect without --ragassert-sample=N" in line
    result = sampled.run("--ragassert-sample-by=kind", "--ragassert-sample=0.1", *workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line.startswith("ERROR: ")]
    assert "about that share of each value's cases; use a number of cases" in line
    # a project may say so for the runs that take one
    result = sampled.run("-oragassert_sample_by=kind", *workers)
    assert result.parseoutcomes() == {"passed": 81}


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_a_sample_holds_no_gate(sampled: Project, workers: tuple[str, ...]) -> None:
    result = sampled.run(
        "--ragassert-sample=8", "--ragassert-gate=min(faithfulness) >= 1", *workers
    )
    assert result.ret == 0
    assert "the gates are not checked: this is a sample of 8 of 40 cases" in section(result)


def test_the_baseline_s_other_cases_are_counted_and_stay(sampled: Project) -> None:
    sampled.set(RAGASSERT_JUDGE="offline")
    file = "--ragassert-baseline=b.jsonl"
    assert sampled.run(file, "--ragassert-update-baseline").ret == 0
    lines = section(sampled.run(file, "--ragassert-sample=8"))
    assert "against the baseline b.jsonl: 8 cases compared" in lines
    assert "in the baseline, not in this part of the tests or not measured: 32" in lines
    pruned = sampled.run(file, "--ragassert-update-baseline=prune", "--ragassert-sample=8")
    assert pruned.ret == 1
    assert "this is a sample of 8 of 40 cases" in "\n".join(section(pruned))
