"""Runs held against a baseline: written, compared, refused, and asserted on, in each process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.analysis.records.results_file import ResultsFile
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section
from .test_gated_runs import errors


@pytest.fixture
def project(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = new_project(request, monkeypatch)
    made.set(RAGASSERT_JUDGE="offline")
    return made


def judged_by(project: Project, judge: LoopbackJudge) -> None:
    project.unset("RAGASSERT_JUDGE")
    project.judged_by(judge)


FILE = "--ragassert-baseline=baseline.jsonl"
UPDATE = "--ragassert-update-baseline"
TESTS = """
import pytest
from ferry import BAD, GOOD, case
from pytest_ragassert import assert_faithful, evaluate

@pytest.mark.parametrize("n", range(3))
def test_case(n):
    evaluate(case(f"c{n}"), ["faithfulness", "context_relevance"])

def test_by_hand():
    assert_faithful(case(None))
"""
WORSE = TESTS.replace('case(f"c{n}")', 'case(f"c{n}", GOOD if n else GOOD + " " + BAD)')


def told(result: pytest.RunResult) -> list[str]:
    """The lines about the baseline."""
    lines = section(result)
    begins = next(n for n, line in enumerate(lines) if line.startswith("against the baseline"))
    return [line for line in lines[begins:] if not line.startswith("ragassert-outcome:")]


def write(project: Project, *args: str) -> pytest.RunResult:
    result = project.run(FILE, UPDATE, *args)
    assert result.ret == 0, result.stdout.str()
    return result


def lines(project: Project) -> list[dict[str, Any]]:
    text = (project.path / "baseline.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_the_same_bytes_from_any_number_of_workers(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    judged_by(project, judge)
    path = project.path / "baseline.jsonl"
    result = write(project)
    assert f"the baseline {path} was written: 7 lines" in section(result)
    alone = path.read_bytes()
    path.unlink()
    write(project, "-n", "2")
    assert path.read_bytes() == alone
    write(project)
    assert path.read_bytes() == alone
    first = lines(project)[0]
    assert (first["case"], first["metric"]) == ("c0", "context_relevance")
    assert lines(project)[-1]["case"] == "test_it.py::test_by_hand"


def test_what_got_worse_is_shown_claim_by_claim(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    judged_by(project, judge)
    write(project)
    same = project.run(FILE)
    assert told(same)[-1] == "nothing changed"
    project.test(WORSE)
    expected = [
        "against the baseline baseline.jsonl: 4 cases compared",
        "metric                  n before  after  change    95% interval  visible drop",
        "context_relevance       3   0.50   0.50   0.000               -             -",
        "faithfulness            4   1.00   0.75  -0.250               -             -",
        "  visible drop: the smallest drop that 9 of 10 such runs distinguish from chance",
        "worse: 1",
        "  c0  faithfulness 1.00 -> 0.00  (answer changed)",
        "      new (contradicted): The crossing costs 5 euros.",
    ]
    for args in ([], ["-n", "2"]):
        result = project.run(FILE, *args)
        assert result.ret == 0, "a comparison alone fails nothing"
        assert told(result) == expected
    gated = project.run(FILE, "--ragassert-gate", "plain_drop(faithfulness) <= 0.02")
    assert gated.ret == 1
    assert "      pulled down by: c0 1.00 -> 0.00" in told(gated)


def test_cases_renamed_added_and_removed_are_named(project: Project) -> None:
    project.test(TESTS)
    write(project)
    project.test(TESTS.replace('f"c{n}"', 'f"c{n + 1}"').replace(', "context_relevance"', ""))
    shown = "\n".join(told(project.run(FILE)))
    assert "without a baseline: 1: c3" in shown
    assert (
        "in the baseline, not measured now: 3: c0 (context_relevance, faithfulness), c1"
        in " ".join(shown.split()).replace("\n", " ")
    )


def test_an_update_of_a_part_keeps_the_rest_and_prune_refuses(project: Project) -> None:
    project.test(TESTS)
    write(project)
    project.test(WORSE)
    write(project, "-k", "test_case and 0")
    whole = lines(project)
    assert len(whole) == 7
    assert [line["score"] for line in whole if line["metric"] == "faithfulness"] == [0, 1, 1, 1]

    for args in (["-k", "hand"], ["-k", "hand", "-n", "2"]):
        refused = project.run(FILE, UPDATE + "=prune", *args)
        assert refused.ret == 1
        assert (
            "error: the baseline was not written: not every test ran to its end: 3 deselected"
            in "\n".join(section(refused))
        )
        assert lines(project) == whole
    project.test(TESTS.replace("range(3)", "range(2)"))
    assert project.run(FILE, UPDATE + "=prune").ret == 0
    assert len(lines(project)) == 5


@pytest.mark.parametrize(
    ("test", "why"),
    [
        (
            "import pytest\ndef test_it(): pytest.skip('no')",
            "not every test ran to its end: 1 skipped",
        ),
        ("def test_it(): raise OSError", "not every test ran to its end: 1 failed"),
    ],
)
def test_prune_refuses_what_was_not_run(project: Project, test: str, why: str) -> None:
    project.test(TESTS)
    project.test(test, "test_other")
    refused = project.run(FILE, UPDATE + "=prune")
    assert refused.ret == 1
    assert f"the baseline was not written: {why}" in "\n".join(section(refused))
    assert not (project.path / "baseline.jsonl").exists()


def test_two_cases_of_one_id_are_told_and_nothing_is_written(project: Project) -> None:
    project.test(TESTS + TESTS.replace("test_case", "test_again").replace("GOOD)", "BAD)"))
    project.test(WORSE, "test_worse")
    result = project.run(FILE, UPDATE)
    assert result.ret == 1
    assert "case c0: faithfulness has two different results, in test_it.py" in "\n".join(
        section(result)
    )
    assert not (project.path / "baseline.jsonl").exists()


def test_a_run_that_measured_nothing_writes_nothing(project: Project) -> None:
    project.test("def test_it(): pass")
    result = project.run(FILE, UPDATE)
    assert result.ret == 1
    assert "error: the baseline was not written: nothing was measured" in section(result)


# -- usage errors ----------------------------------------------------------------------------------


def test_a_baseline_that_is_none_is_a_usage_error(project: Project) -> None:
    project.test(TESTS)
    assert "there is no baseline" in errors(project.run(FILE))
    assert (
        "--ragassert-update-baseline needs a file to write to: --ragassert-baseline FILE"
        in errors(project.run(UPDATE))
    )
    (project.path / "baseline.jsonl").write_text('{"case": \n')
    said = errors(project.run(FILE))
    assert "baseline.jsonl, line 1, character 10: not JSON" in said
    assert said.rstrip().endswith("^")


def test_another_judge_s_baseline_is_refused_before_judging(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(TESTS)
    judged_by(project, judge)
    write(project)
    asked = judge.count()
    said = errors(project.run(FILE, "--ragassert-model=judge-b"))
    assert (
        "is of judge gpt-4o-mini, but this run's judge is judge-b: python -m pytest_ragassert"
        in said
    )
    assert "rejudge RESULTS --from 'gpt-4o-mini' --to 'judge-b'" in said
    assert said.strip().count("\n") == 0, "one line"
    assert "is of judge gpt-4o-mini, but this run's judge is offline-3" in errors(
        project.run(FILE, "--ragassert-judge=offline", "-n", "2")
    )
    assert judge.count() == asked
    write(project, "--ragassert-model=judge-b")
    assert len(lines(project)) == 14, "each judge has its lines"
    assert project.run(FILE, "--ragassert-model=judge-b").ret == 0
    assert project.run(FILE).ret == 0


def test_other_instructions_than_the_baseline_s_are_refused(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(TESTS)
    judged_by(project, judge)
    write(project)
    path = project.path / "baseline.jsonl"
    old = [{**line, "steps": {"verify_claims": "v0 123456789abc"}} for line in lines(project)]
    path.write_text("".join(json.dumps(line) + "\n" for line in old))
    said = errors(project.run(FILE))
    assert "is of gpt-4o-mini with other instructions (verify_claims v0), but this run's" in said
    assert "--from 'gpt-4o-mini' --to 'gpt-4o-mini'" in said
    write(project)
    assert project.run(FILE).ret == 0


HOOK = """
class Judge:
    id = "house-{n}"
    def run(self, step, input):
        import json
        if step.name == "extract_claims":
            claims = [{{"sentence": s["id"], "text": s["text"]}} for s in input["sentences"]]
            return json.dumps({{"claims": claims}})
        if step.name == "judge_passages":
            found = [{{"id": p["id"], "relevant": True}} for p in input["passages"]]
            return json.dumps({{"passages": found}})
        found = [{{"id": c["id"], "verdict": "FULLY_SUPPORTED"}} for c in input["claims"]]
        return json.dumps({{"verdicts": found}})

def pytest_ragassert_make_judge(config, name):
    return Judge() if name == "house" else None
"""


def test_a_judge_of_a_hook_is_known_too(project: Project) -> None:
    project.test(TESTS)
    args = ["--ragassert-judge=house", "--ragassert-record-mode=off"]
    project.pytester.makeconftest(HOOK.format(n=1))
    write(project, *args)
    assert project.run(FILE, *args).ret == 0
    project.pytester.makeconftest(HOOK.format(n=2))
    assert "is of judge house-1, but this run's judge is house-2" in errors(
        project.run(FILE, *args)
    )


def test_a_judge_that_only_committed_verdicts_know_fails_the_run(project: Project) -> None:
    project.test(TESTS)
    project.pytester.makeconftest(HOOK.format(n=1))
    write(project, "--ragassert-judge=house", "--ragassert-record-mode=off")
    project.pytester.makeconftest(HOOK.format(n=2))
    kept = "--ragassert-verdicts=kept.jsonl"
    project.run(kept, "--ragassert-judge=house", "--ragassert-update-verdicts")
    (project.path / "conftest.py").unlink()
    result = project.run(FILE, kept, "--ragassert-judge=house-2", "--ragassert-record-mode=none")
    assert result.ret == 1
    assert "error: the baseline" in "\n".join(section(result))


def test_with_a_baseline_nobody_judges_offline_unseen(project: Project) -> None:
    project.test(TESTS)
    project.unset("RAGASSERT_JUDGE")
    said = errors(project.run(FILE, UPDATE))
    assert "the variable OPENAI_API_KEY is not set" in said
    assert "--ragassert-judge offline" in said


# -- assertions ------------------------------------------------------------------------------------

ASSERTING = """
import asyncio
import pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import aio, assert_no_regression

ANSWER = GOOD

def test_faithful():
    assert_no_regression(case("c", ANSWER), "faithfulness", tolerance=0.2)

def test_async():
    asyncio.run(aio.assert_no_regression(case("c", ANSWER), "faithfulness"))

def test_fixture(ragassert):
    ragassert.assert_no_regression(case("c", ANSWER), "faithfulness", 1)
    assert ragassert.baseline.score("c", "faithfulness") in (None, 1.0)
"""


def test_a_score_below_the_baseline_s_fails(project: Project, judge: LoopbackJudge) -> None:
    project.test(ASSERTING)
    judged_by(project, judge)
    write(project)
    assert project.run(FILE).parseoutcomes() == {"passed": 3}
    project.test(ASSERTING.replace("ANSWER = GOOD", 'ANSWER = GOOD + " " + ODD'))
    result = project.run(FILE)
    assert result.parseoutcomes() == {"passed": 1, "failed": 2}
    shown = result.stdout.str()
    assert (
        "faithfulness 0.50 < 0.80: case c, the baseline's 1.00 minus the tolerance 0.2 "
        "(2 claims: 1 no evidence, 1 supported)" in shown
    )
    assert "faithfulness 0.50 < 0.95" in shown, "the default tolerance"
    assert "  ? Bicycles need reservations." in shown
    wide = project.run(FILE, "--ragassert-tolerance=0.5", "-k", "async")
    assert wide.parseoutcomes()["passed"] == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('case("new"), "faithfulness"', "case new: the baseline * has no faithfulness by judge"),
        ('case(None), "faithfulness"', "has no id, by which the baseline finds a case"),
        ('case("c"), "faithfulnes"', "TypeError"),
        ('case("c"), "faithfulness", tolerance=2', "tolerance must be a number from 0 to 1, not 2"),
        (
            'case("c"), "faithfulness", tolerance=True',
            "tolerance must be a number from 0 to 1, not True",
        ),
        ('case("c"), "faithfulness", mode="f1"', "TypeError"),
        ('case("c", "I don\'t know."), "faithfulness"', "nothing to check"),
    ],
)
def test_what_can_t_be_compared_fails(project: Project, call: str, said: str) -> None:
    project.test(ASSERTING)
    write(project)
    project.test(
        "from ferry import case\nfrom pytest_ragassert import assert_no_regression\n"
        f"def test_it(): assert_no_regression({call})\n"
    )
    result = project.run(FILE)
    assert result.parseoutcomes() == {"failed": 1}
    result.stdout.fnmatch_lines([f"*{said}*"])


def test_without_a_baseline_it_says_how_to_name_one(project: Project) -> None:
    project.test(ASSERTING)
    result = project.run()
    result.stdout.fnmatch_lines(["*no baseline is configured; --ragassert-baseline FILE names it*"])


def test_the_ini_names_it_from_rootdir(project: Project, tmp_path: Path) -> None:
    project.test(ASSERTING)
    project.pytester.makeini("[pytest]\nragassert_baseline = b/good.jsonl\n")
    assert project.run(UPDATE, "--ragassert-artifacts=out").ret == 0
    assert (project.path / "b" / "good.jsonl").exists()
    assert told(project.run())[0] == "against the baseline b/good.jsonl: 1 case compared"
    (file,) = (project.path / "out").glob("results_*.json")
    record = ResultsFile.model_validate_json(file.read_text()).results[0]
    assert record.case == "c"


LATE = """

def test_late():
    {}
"""


@pytest.mark.parametrize("end", ["raise KeyboardInterrupt", "import pytest; pytest.exit('bye')"])
def test_pruning_refuses_where_the_last_test_was_interrupted(project: Project, end: str) -> None:
    project.test(TESTS)
    write(project)
    before = lines(project)
    project.test(TESTS.replace("range(3)", "range(2)") + LATE.format(end))
    result = project.process(FILE, f"{UPDATE}=prune")
    assert result.ret != 0
    assert lines(project) == before


def test_what_was_not_written_is_no_gate_s(project: Project) -> None:
    project.test(TESTS)
    write(project)
    result = project.run(FILE, f"{UPDATE}=prune", "-k", "by_hand")
    assert result.ret == 1
    last = section(result)[-1]
    assert last.startswith("ragassert-outcome: failed-by=baseline ")
    assert last.endswith(" budget=ok baseline=failed")


def test_committed_verdicts_say_who_judges_beside_a_baseline(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(TESTS)
    judged_by(project, judge)
    verdicts = "--ragassert-verdicts=verdicts.jsonl"
    assert project.run(verdicts, "--ragassert-update-verdicts", FILE, UPDATE).ret == 0
    project.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    project.set(CI="1")
    result = project.run(verdicts, FILE)
    assert result.ret == 0
    assert "record-mode none (CI is set)" in result.stdout.str()
    assert "4 cases compared" in "\n".join(section(result))


def test_a_baseline_alone_says_not_who_judges(project: Project) -> None:
    project.unset("RAGASSERT_JUDGE")
    project.test(TESTS)
    assert "--ragassert-judge offline" in errors(project.run(FILE, UPDATE))
