"""Criteria in whole runs: reports, replays, overrides, plans, baselines."""

from __future__ import annotations

import json
import re

import pytest

from pytest_ragassert.analysis.records.results_file import ResultsFile
from pytest_ragassert.commands.command_line import main
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge
from tests.test_html_page import data_in

from .projects import Project, new_project, section, table
from .test_committed import UPDATE
from .test_unjudged_tests import WORKERS

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

REFUND = "You get the money back by Friday at the latest, within 30 days."
TESTS = f"""
import pytest
from pytest_ragassert import EvalCase, assert_criteria

CRITERIA = ["names the period", "promises no date", "uses the customer's tone"]
CASES = [
    EvalCase(id="refund", question="Can I return it?", answer={REFUND!r}, criteria=CRITERIA),
    EvalCase(id="kind", question="Can I?", answer="Sure, kindly.", criteria="is <b>kind</b>"),
]

@pytest.mark.rag_cases(CASES)
def test_it(rag_case):
    assert_criteria(rag_case)
"""
SAID = {
    "names the period": ("YES", "30 days", "It names 30 days."),
    "promises no date": ("NO", "by Friday at the latest", "It promises Friday."),
    "uses the customer's tone": (
        "UNCLEAR",
        "like you",
        "It does not show how the customer writes.",
    ),
}


def scripted(judge: LoopbackJudge, *, wavers: bool = False, answer: str = REFUND) -> LoopbackJudge:
    """
    Args:
        wavers: the sample with seed 2 says NO.
        answer: to which what is said applies; of others it says NO.
    """

    def reply(recorded: Recorded) -> str:
        checks = []
        no = wavers and recorded.body.get("seed") == 2
        for criterion in recorded.data["criteria"]:
            met, quote, reason = SAID.get(criterion["text"], ("YES", None, "So it is."))
            if no or (criterion["text"] in SAID and recorded.data["answer"] != answer):
                met = "NO"
            checks.append({"id": criterion["id"], "reason": reason, "quote": quote, "met": met})
        return json.dumps({"checks": checks})

    judge.on("check_criteria", reply)
    return judge


def criteria_asked(judge: LoopbackJudge) -> list[list[str]]:
    return [[one["text"] for one in recorded.data["criteria"]] for recorded in judge.requests]


@pytest.fixture
def asked(project: Project, judge: LoopbackJudge) -> LoopbackJudge:
    """The judge of the project, which has the tests."""
    project.test(TESTS)
    project.judged_by(scripted(judge))
    return judge


def test_a_failure_has_a_line_for_each_criterion(project: Project, asked: LoopbackJudge) -> None:
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    assert table(result) == [
        "case refund  Can I return it?",
        "criteria 0.33 < 1.00   3 criteria: 1 not met, 1 unclear, 1 met",
        "  judge gpt-4o-mini",
        "  answer: You get the money back ⟦by Friday at the latest⟧, within 30 days.",
        "  ✗ promises no date                                                     not met",
        '      "by Friday at the latest"                                     answer 23-46',
        "      It promises Friday.",
        "  ? uses the customer's tone                                             unclear",
        "      It does not show how the customer writes.",
        "      the judge's quote is not in the answer, so it is left out",
        "  ✓ names the period                                                         met",
    ]


def test_the_same_in_each_report(project: Project, asked: LoopbackJudge) -> None:
    project.run(
        "--ragassert-artifacts=out",
        "--ragassert-markdown=it.md",
        "--ragassert-html=it.html",
        "--junitxml=it.xml",
    )
    markdown = (project.path / "it.md").read_text(encoding="utf-8")
    assert "3 criteria: 1 not met, 1 unclear, 1 met" in markdown
    assert "<b>by Friday at the latest</b>" in markdown
    for words in ("promises no date", "It promises Friday.", "names the period", "unclear"):
        assert words in markdown
    (path,) = (project.path / "out").glob("results_*.json")
    results = ResultsFile.model_validate_json(path.read_bytes())
    refund = next(one for one in results.results if one.case == "refund")
    met = [(one["criterion"], one["met"]) for one in refund.details["criteria"]]
    assert met == [(criterion, said[0]) for criterion, said in SAID.items()]
    assert refund.details["unclear"] == 1
    assert refund.texts is not None
    assert results.cases[refund.texts].criteria == list(SAID)
    junit = (project.path / "it.xml").read_text(encoding="utf-8")
    assert 'name="evals.scores.criteria.value" value="0.33' in junit
    assert "promises no date" in junit
    data = data_in((project.path / "it.html").read_text(encoding="utf-8"))
    (place,) = (n for n, one in enumerate(data["index"]["cases"]) if one["name"] == "refund")
    (cases,) = (chunk for name, chunk in data.items() if name != "index")
    assert cases[place]["results"][0]["findings"] == [
        ["not met", 'promises no date – "by Friday at the latest" – It promises Friday.'],
        [
            "unclear",
            "uses the customer's tone – It does not show how the customer writes. – the judge's "
            "quote is not in the answer, so it is left out",
        ],
        ["met", 'names the period – "30 days" – It names 30 days.'],
    ]


# -- judgements ------------------------------------------------------------------------------------


def test_a_new_criterion_asks_for_itself_alone(project: Project, asked: LoopbackJudge) -> None:
    project.run()
    assert sorted(criteria_asked(asked)) == [["is <b>kind</b>"], list(SAID)]
    asked.reset()
    project.test(TESTS.replace('"promises no date"', '"is new", "promises no date"'))
    assert "judgements: 1 asked, 4 stored" in project.run().stdout.str()
    assert criteria_asked(asked) == [["is new"]]
    asked.reset()
    project.test(TESTS.replace('"promises no date", "uses', '"uses'))
    project.run()
    project.test(TESTS.replace("assert_criteria(rag_case)", 'assert_criteria(rag_case, "is new")'))
    project.run("-k", "refund")
    assert asked.requests == []


@WORKERS
def test_two_tests_ask_once(
    project: Project, asked: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    again = TESTS.partition("@pytest")[2].replace("test_it", "test_again")
    project.test(f"{TESTS}\n@pytest{again}")
    project.process(*workers)
    assert sorted(one for each in criteria_asked(asked) for one in each) == [
        "is <b>kind</b>",
        *sorted(SAID),
    ]


def test_what_is_asked_is_what_was_planned(project: Project, asked: LoopbackJudge) -> None:
    planned = project.run("--ragassert-plan").stdout.str()
    assert asked.count() == 0
    assert "\njudgements: 4 to ask, 0 stored, 0 carried (2 requests)" in planned
    run = project.run().stdout.str()
    assert "\njudgements: 4 asked, 0 stored, 0 carried (2 requests)" in run


def test_votes_are_counted(project: Project, judge: LoopbackJudge) -> None:
    project.test(TESTS)
    project.judged_by(scripted(judge, wavers=True))
    result = project.run("--ragassert-votes=3", "--ragassert-seed=0")
    assert "votes: 3 a question; 3 of 4 judgements split (75.0 %)" in result.stdout.str()
    assert any(line.split()[-2:] == ["met", "2:1"] for line in table(result))


@WORKERS
def test_a_replay_tells_what_is_missing_and_decides_what_it_can(
    project: Project, asked: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    project.set(RAGASSERT_VERDICTS=str(project.path / "verdicts.jsonl"))
    project.run(UPDATE)
    lines = (project.path / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    assert len([one for one in lines if '"step": "check_criteria"' in one]) == 4
    replayed = project.run("--ragassert-record-mode=none")
    replayed.assert_outcomes(passed=1, failed=1)
    new = TESTS.replace('"promises no date"', '"is new", "promises no date"')
    project.test(new.replace('"is <b>kind</b>"', '["is <b>kind</b>", "is short"]'))
    asked.reset()
    result = project.process("--ragassert-record-mode=none", *workers)
    assert result.parseoutcomes() == {"failed": 2}
    assert asked.requests == []
    text = result.stdout.str()
    assert "criteria 0.25 to 0.50 < 1.00" in text, "the one that fails whatever is new"
    said = section(result, "ragassert: no stored verdict")
    assert "4 of 6 criteria known, 2 not judged in 2 of 2 cases" in said
    assert "  refund: 1 of 4 criteria not judged; criteria fails all the same" in said
    assert "  kind: 1 of 2 criteria not judged" in said


# -- people ----------------------------------------------------------------------------------------


def test_a_person_decides_a_criterion(
    project: Project, asked: LoopbackJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    project.set(RAGASSERT_VERDICTS=str(project.path / "verdicts.jsonl"))
    failed = project.run().stdout.str()
    (ids,) = set(re.findall(r"verdicts show ((?:\w{12} ?)+)", failed))
    no, unclear = ids.split()
    capsys.readouterr()
    assert main(["verdicts", "show", no]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"criterion {no}")
    assert "  promises no date\n  checked against the answer:\n" in shown
    assert "the judge said not met, and it counts" in shown
    assert "  step: check_criteria v1" in shown
    assert main(["verdicts", "override", no, "CONTRADICTORY", "--reason", "x"]) != 0
    assert "labels are YES, NO, UNCLEAR" in capsys.readouterr().err
    for id in (no, unclear):
        assert main(["verdicts", "override", id, "yes", "--reason", "we may say so"]) == 0
    assert "override: YES; the judge said not met" in capsys.readouterr().out
    assert main(["verdicts", "verify"]) == 0
    count = asked.count()
    again = project.run()
    again.assert_outcomes(passed=2)
    assert "overridden: 2 criteria" in again.stdout.str()
    project.test(TESTS.replace("within 30 days", "in 30 days"))
    other = project.run().stdout.str()
    assert asked.count() == count + 1
    assert '"promises no date" was met for another answer, and is the judge\'s again' in other


def test_a_judgement_of_the_store_is_decided_by_its_key(
    project: Project, asked: LoopbackJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project.path / "verdicts.jsonl"
    project.set(RAGASSERT_VERDICTS=str(path))
    project.run(UPDATE)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    key = next(line["key"] for line in lines if line["about"] == "names the period")
    capsys.readouterr()
    assert main(["verdicts", "override", key, "NO", "--reason", "30 days of what?"]) == 0
    assert main(["verdicts", "show", key]) == 0
    assert ", overridden: NO" in capsys.readouterr().out
    said = next(one for one in table(project.run()) if "names the period" in one)
    assert said.split()[-3:] == ["not", "met,", "overridden"]


def test_what_a_person_decided_is_known_though_no_judge_said_it(
    project: Project, asked: LoopbackJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project.path / "verdicts.jsonl"
    project.set(RAGASSERT_VERDICTS=str(path))
    failed = project.run(UPDATE).stdout.str()
    (ids,) = set(re.findall(r"verdicts show .*?((?:\w{12} ?)+)\n", failed))
    assert main(["verdicts", "override", ids.split()[0], "NO", "--reason", "Friday"]) == 0
    capsys.readouterr()
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [one for one in lines if '"by hand"' in one or '"about": "promises' not in one]
    assert len(kept) == len(lines) - 1
    path.write_text("\n".join(kept), encoding="utf-8")
    told = table(project.run("--ragassert-record-mode=none"))
    assert told[1].startswith("criteria 0.33 < 1.00   0 of 3 criteria not judged")
    assert [one.split()[-3:] for one in told if "promises no date" in one] == [
        ["not", "met,", "overridden"]
    ]


@pytest.mark.parametrize("added", ["", ", \"names '30 days'\""])
def test_the_offline_judge_is_not_needed_where_people_decided(
    project: Project, asked: LoopbackJudge, added: str
) -> None:
    project.set(RAGASSERT_VERDICTS=str(project.path / "verdicts.jsonl"))
    tests = TESTS.replace("is <b>kind</b>", "says 'kindly'").replace('"names the period", ', "")
    project.test(tests.replace('tone"]', f'tone"{added}]'))
    (ids,) = set(re.findall(r"verdicts show ((?:\w{12} ?)+)", project.run().stdout.str()))
    for id in ids.split():
        assert main(["verdicts", "override", id, "YES", "--reason", "we may say so"]) == 0
    result = project.run("--ragassert-judge=offline")
    result.assert_outcomes(passed=2)
    assert "overridden: 2 criteria" in result.stdout.str()


# -- what changed ----------------------------------------------------------------------------------


def test_a_baseline_tells_which_criteria_changed(project: Project, asked: LoopbackJudge) -> None:
    baseline = "--ragassert-baseline=baseline.jsonl"
    project.run(baseline, "--ragassert-update-baseline")
    recorded = (project.path / "baseline.jsonl").read_text(encoding="utf-8")
    assert '{"source": "criterion", "text": "names the period", "verdict": "YES"}' in recorded
    new = TESTS.replace('"promises no date"', '"promises much"')
    project.test(new.replace("within 30 days", "soon"))
    result = project.run(baseline, "--ragassert-html=it.html").stdout.str()
    assert "refund  criteria 0.33  (answer and criteria changed)" in result
    for line in (
        "met -> not met: names the period",
        "unclear -> not met: uses the customer's tone",
        "vanished (not met): promises no date",
        "new (met): promises much",
    ):
        assert f"      {line}\n" in result
    gate = project.run("--ragassert-gate=mean(criteria) >= 0.9")
    assert "mean(criteria) >= 0.9" in gate.stdout.str()
    assert gate.ret == 1


def test_another_judge_is_asked_about_recorded_criteria(
    project: Project, asked: LoopbackJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    project.run("--ragassert-artifacts=out")
    (path,) = (project.path / "out").glob("results_*.json")
    asked.reset()
    capsys.readouterr()
    main(["rejudge", str(path), "--from", "gpt-4o-mini", "--to", "judge-b", "--yes"])
    assert sorted(criteria_asked(asked)) == [["is <b>kind</b>"], list(SAID)]
    assert "criteria" in capsys.readouterr().out


def test_the_offline_judge_says_which_criterion_it_can_not_decide(project: Project) -> None:
    project.test(TESTS)
    result = project.run("--ragassert-judge=offline")
    result.assert_outcomes(failed=2)
    assert "can't tell whether an answer meets the criterion 'names the period'" in (
        re.sub(r"\s+", " ", result.stdout.str())
    )


CLAIMS_AND_CRITERIA = """
from pytest_ragassert import ClaimVerdict, Metric, MetricResult, Verdict

class Contradicted(Metric):
    name = "contradicted"
    requires = ("answer",)

    async def measure(self, case, ask):
        said = dict.fromkeys(("verdict", "label_raw"), Verdict.CONTRADICTORY)
        claim = ClaimVerdict(text="It is free.", **said)
        listed = {"criteria": ["of the project's own kind"]}
        return MetricResult(metric=self.name, score=0.0, claims=[claim], details=listed)

def pytest_ragassert_metrics():
    return [Contradicted()]
"""


def test_details_of_a_projects_metric_may_be_called_criteria(project: Project) -> None:
    project.pytester.makeconftest(CLAIMS_AND_CRITERIA)
    project.test(
        """
        from pytest_ragassert import EvalCase, assert_rag

        def test_price():
            case = EvalCase(answer="It is free.", retrieved_contexts=["It costs 9 euros."])
            assert_rag(case, contradicted=0.5)
        """
    )
    failed = project.run("--ragassert-judge=offline").stdout.str()
    assert re.search(r"verdicts show \w{12}\n", failed)
