"""From a failure on: the ids in its report, the rerun, verdicts by hand, and served models."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.commands.command_line import main
from pytest_ragassert.config.options import OPTIONS
from pytest_ragassert.plugin.pytest_arguments import parts_of
from pytest_ragassert.storage.failed_claims import read_reported
from tests.loopback.server import LoopbackJudge

from .projects import FAILING, PASSING, Project, new_project, section

project = pytest.fixture(new_project)

BAD_ID = "40c870b5bcb3"  # of "The crossing costs 5 euros." and the two passages
MANY = """
from ferry import case
from pytest_ragassert import assert_faithful

def test_many():
    assert_faithful(case("many", " ".join(f"Boat {n} is red." for n in range(20))))
"""


def closer(result: pytest.RunResult) -> list[str]:
    return section(result, "look closer", fill="-")


@pytest.mark.parametrize("by", ["endpoint", "offline"])
def test_every_id_of_a_report_can_be_looked_up(
    project: Project, judge: LoopbackJudge, capsys: pytest.CaptureFixture[str], by: str
) -> None:
    project.test(FAILING)
    if by == "endpoint":
        project.judged_by(judge)
    show, rerun = closer(project.run())
    assert rerun == "pytest test_it.py::test_price"
    ids = show.removeprefix("python -m pytest_ragassert verdicts show ").split()
    assert ids[0] == BAD_ID
    capsys.readouterr()
    assert main(["verdicts", "show", *ids]) == 0
    said = capsys.readouterr().out
    for part in ("The crossing costs 5 euros.", "Bicycles need reservations.", "test_it.py::test"):
        assert part in said
    reported = read_reported(project.path / ".ragassert")
    assert [claim.id[:12] for claim in reported if claim.claim.startswith("The crossing")] == ids[
        :1
    ]


def test_passing_runs_and_runs_without_store_keep_nothing(project: Project) -> None:
    project.test(PASSING)
    project.run()
    project.test(FAILING)
    project.run("--ragassert-record-mode=off")
    assert not (project.path / ".ragassert").exists()


def test_a_folder_that_takes_nothing_is_told(project: Project) -> None:
    project.test(FAILING)
    (project.path / ".ragassert").write_text("in the way", encoding="utf-8")
    (told,) = [line for line in section(project.run()) if "cannot be looked up" in line]
    assert str(project.path / ".ragassert") in told


def test_more_ids_than_a_line_holds(project: Project) -> None:
    project.test(MANY)
    show, _ = closer(project.run())
    assert len(show) <= 100
    every, _ = closer(project.run("-v"))
    assert len(every.split()) - len(["python", "-m", "pytest_ragassert", "verdicts", "show"]) == 20


def test_the_rerun_has_the_options_of_the_run(project: Project, judge: LoopbackJudge) -> None:
    project.judged_by(judge)
    test = project.test(FAILING.replace("def test_price():", "def test_price(name='a b'):"))
    project.pytester.makeini("[pytest]\npythonpath = .\n")
    folder = project.pytester.mkdir("deep er")
    test.rename(folder / test.name)
    ini = "ragassert_verdicts=verdicts.jsonl"
    result = project.run(
        "--ragassert-model", "m", "--ragassert-update-verdicts", "-o", ini, "deep er", "-x"
    )
    assert closer(result)[-1] == (
        f"pytest --ragassert-model m -o {ini} 'deep er/test_it.py::test_price'"
    )


def test_the_rerun_is_for_the_folder_that_the_run_was_started_in(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.test(FAILING)
    project.pytester.makeini("[pytest]\n")
    monkeypatch.chdir(project.pytester.mkdir("below"))
    result = project.run("..", "--rootdir=..")
    assert closer(result)[-1] == "pytest --rootdir=.. ../test_it.py::test_price"


# What only a whole run does, in all forms.
WHOLE = [
    ("--ragassert-history=h.jsonl", "--ragassert-gate=mean(faithfulness) >= 0"),
    ("--ragassert-history", "h.jsonl", "--ragassert-gate", "mean(faithfulness) >= 0"),
    ("-o", "ragassert_history=h.jsonl", "-oragassert_gates=mean(faithfulness) >= 0"),
    ("--override-ini=ragassert_artifacts=out", "--override-ini", "ragassert_sample = 9"),
    ("--ragassert-artifacts", "out", "--ragassert-date", "2026-01-31", "--ragassert-commit=a"),
    ("--ragassert-sample=9", "--junitxml=j.xml", "-o", "junit_logging=all", "-o", "log_file=l"),
    ("--ragassert-baseline=b.jsonl", "--ragassert-update-baseline", "--ragassert-judge=offline"),
]


@pytest.mark.parametrize("ini", [False, True], ids=["given", "configured"])
@pytest.mark.parametrize("args", WHOLE)
def test_the_rerun_only_runs_the_test(project: Project, args: tuple[str, ...], ini: bool) -> None:
    project.test(FAILING)
    if ini:
        words = ("artifacts = out", "update_baseline = on", "baseline = b.jsonl", "judge = offline")
        project.pytester.makeini("\n".join(("[pytest]", *(f"ragassert_{one}" for one in words))))
    (line,) = [line for line in closer(project.run(*args)) if line.startswith("pytest ")]
    rerun = shlex.split(line)
    assert rerun[-1] == "test_it.py::test_price"
    before = contents(project.path)
    result = project.run(*rerun[1:])
    assert result.parseoutcomes() == {"failed": 1}
    assert contents(project.path) == before


def contents(folder: Path) -> dict[Path, bytes]:
    """What is there but for the store and bytecode."""
    own = (".ragassert", "__pycache__")
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if not {*own} & {*path.parts}}


@pytest.mark.parametrize(
    "args",
    [
        ("-o", "ragassert_verdicts="),
        ("-oragassert_verdicts=",),
        ("--override-ini=ragassert_verdicts=",),
        ("-c", "other.ini"),
        ("--rootdir", "."),
        ("--ragassert-verdicts", "v.jsonl"),
    ],
)
def test_an_option_may_stand_last(project: Project, args: tuple[str, ...]) -> None:
    project.test(FAILING)
    (project.path / "other.ini").write_text("[pytest]\n", encoding="utf-8")
    result = project.run("test_it.py", "--ragassert-judge=offline", *args)
    assert result.parseoutcomes() == {"failed": 1, "passed": 1}
    words = ("pytest", "--ragassert-judge=offline", *args, "test_it.py::test_price")
    assert closer(result)[-1] == shlex.join(words)


def test_the_rerun_loads_the_plugin_that_judges(project: Project) -> None:
    project.test(FAILING)
    project.pytester.makepyfile(
        wordy="""
        from pytest_ragassert import EvalCase

        def pytest_ragassert_answer(case):
            return None
        """
    )
    rerun = closer(project.process("-p", "wordy"))[-1]
    assert rerun == "pytest -p wordy test_it.py::test_price"


WORDS = ["", "-o", "-c", "-p", "--", "-x", "-oa=b", "a=b", "ragassert_history=h", "--rootdir", "é"]
WORDS += [f"--ragassert-{option.name}{more}" for option in OPTIONS for more in ("", "=", "=a b")]


@given(st.lists(st.sampled_from(WORDS), max_size=8))
def test_no_word_of_a_command_line_is_lost(args: list[str]) -> None:
    assert [word for part in parts_of(args) for word in part.words] == args


def by_hand(project: Project, *arguments: str) -> int:
    return main(["verdicts", "override", *arguments, "--verdicts=hand.jsonl"])


def test_a_person_corrects_the_judge(
    project: Project, judge: LoopbackJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    project.test(FAILING.replace("[ODD, GOOD, BAD]", "[GOOD, BAD]"))
    project.judged_by(judge)
    assert project.run().ret == 1
    assert by_hand(project, BAD_ID, "FULLY_SUPPORTED", "--reason", "5 with the card") == 0
    hand = ("--ragassert-verdicts=hand.jsonl",)
    result = project.run(*hand, "-v", "-k", "price")
    assert result.ret == 0
    assert "overridden: 1 claim" in section(result)
    # it holds for another judge too
    project.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    assert project.run(*hand, "--ragassert-judge=offline").ret == 0
    # and is the judge's again where the passages changed
    project.pytester.makepyfile(
        ferry=Path("ferry.py").read_text(encoding="utf-8").replace("Dogs are", "Cats are")
    )
    result = project.run(*hand, "--ragassert-judge=offline", "-k", "price")
    assert result.ret == 1
    (told,) = [line for line in section(result) if "for other passages" in line]
    assert '"The crossing costs 5 euros." was supported for other passages' in told
    assert "verdicts override" in told


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_against_the_baseline_it_is_told_as_the_person_s(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    project.test(FAILING)
    project.judged_by(judge)
    file = "--ragassert-baseline=b.jsonl"
    project.run(file, "--ragassert-update-baseline")
    assert by_hand(project, BAD_ID, "FULLY_SUPPORTED", "--reason", "5 with the card") == 0
    hand = "--ragassert-verdicts=hand.jsonl"
    there = "\n".join(section(project.run(file, hand, *workers)))
    assert "(the same texts, overridden)" in there
    assert "contradicted -> supported, overridden: The crossing costs 5 euros." in there
    # and back, where the override goes
    project.run(file, hand, "--ragassert-update-baseline")
    back = "\n".join(section(project.run(file, *workers)))
    assert "supported -> contradicted, overridden: The crossing costs 5 euros." in back
    for said in (there, back):
        assert "judged otherwise" not in said
        assert "asked again, the judge flips" not in said


def test_it_is_shown_and_told_where_the_judge_agrees(
    project: Project, judge: LoopbackJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    project.test(FAILING)
    project.judged_by(judge)
    project.run()
    assert by_hand(project, BAD_ID, "CONTRADICTORY", "--reason", "it is 9") == 0
    result = project.run("--ragassert-verdicts=hand.jsonl")
    lines = section(result, fill="-")
    (at,) = [number for number, line in enumerate(lines) if "✗ The crossing costs 5" in line]
    assert lines[at].endswith("contradicted, overridden")
    assert lines[at + 1].split("answer")[0].strip() == "override: it is 9"
    assert (
        f"override no longer needed: the judge (gpt-4o-mini at {judge.base_url}) also says "
        'contradicted: "The crossing costs 5 euros."'
    ) in section(result)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serially", "in parallel"])
def test_an_override_of_a_claim_that_no_answer_makes_is_reported(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    project.test(FAILING)
    project.judged_by(judge)
    run = project.process if workers else project.run
    run()
    assert by_hand(project, BAD_ID, "supported", "--reason", "5 with the card") == 0
    assert not unused(run("--ragassert-verdicts=hand.jsonl", *workers))
    answers(project, "6 euros")
    changed = run("--ragassert-verdicts=hand.jsonl", *workers)
    (line,) = unused(changed)
    assert line.startswith('override: "The crossing costs 5 euros." was supported, but no test ')
    assert line.endswith(f"verdicts override {BAD_ID} --remove removes the override")
    # a part of the tests can't tell, and without verdicts neither can the whole
    assert not unused(run("--ragassert-verdicts=hand.jsonl", "-k", "price", *workers))
    judge.close()
    answers(project, "7 euros")
    assert not unused(run("--ragassert-verdicts=hand.jsonl", *workers))


def answers(project: Project, price: str) -> None:
    source = Path("ferry.py").read_text(encoding="utf-8")
    changed = re.sub(r"crossing costs [5-7] euros", f"crossing costs {price}", source)
    project.pytester.makepyfile(ferry=changed)


def unused(result: pytest.RunResult) -> list[str]:
    return [line for line in section(result) if "no test checked this" in line]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serially", "in parallel"])
def test_a_model_that_two_models_serve_is_told(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    run = project.process if workers else project.run
    first = run(*workers, "-k", "times")
    assert not [line for line in first.outlines if "served" in line]
    judge.on(lambda recorded: {"model": "gpt-4o-mini-2026"})
    second = run(*workers)
    assert [line for line in section(second) if "served" in line] == [
        "note: gpt-4o-mini was served by gpt-4o-mini, gpt-4o-mini-2026, whose verdicts may differ"
    ]
    third = run(*workers)
    (head,) = [line for line in third.outlines if "served models" in line]
    assert head.startswith("ragassert: verdicts of gpt-4o-mini come from 2 served models: ")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--ragassert-cache-dir=else where",), ["--cache-dir=else where"]),
        (("--ragassert-verdicts", "v.jsonl"), ["--verdicts=v.jsonl"]),
        (("-o", "ragassert_verdicts=v.jsonl"), ["--verdicts=v.jsonl"]),
        (("--ragassert-model=m", "--rootdir=."), ["--rootdir=."]),
    ],
)
def test_the_ids_are_looked_up_where_the_run_kept_them(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...], told: list[str]
) -> None:
    project.test(FAILING)
    project.judged_by(judge)
    show, _ = closer(project.run(*args))
    words = shlex.split(show)
    assert words[5 : 5 + len(told)] == told
    assert words[5 + len(told)] == BAD_ID


TWO_METRICS = """
from ferry import BAD, CONTEXTS, GOOD, case
from pytest_ragassert import assert_factual_precision, assert_faithful

def test_price():
    told = case("price", " ".join([GOOD, BAD]), ground_truth_answer=GOOD)
    assert_faithful(told)
    assert_factual_precision(told, min=0)
"""


def test_a_claim_of_two_metrics_is_still_decided_for_its_own_passages(
    project: Project, judge: LoopbackJudge, capsys: pytest.CaptureFixture[str]
) -> None:
    project.test(TWO_METRICS)
    project.judged_by(judge)
    project.run()
    assert by_hand(project, BAD_ID, "FULLY_SUPPORTED", "--reason", "with the card") == 0
    result = project.run("--ragassert-verdicts=hand.jsonl")
    assert result.ret == 0
    assert [line for line in section(result) if "overrid" in line] == ["overridden: 1 claim"]
    capsys.readouterr()
    assert main(["verdicts", "show", BAD_ID, "--verdicts=hand.jsonl"]) == 0
    assert "override: FULLY_SUPPORTED, which counts" in capsys.readouterr().out


SCRIPT = """
from ferry import case
from pytest_ragassert import evaluate

print(evaluate(case("times"), ["faithfulness"])["faithfulness"].score)
"""


def test_a_script_ends_quietly(project: Project, judge: LoopbackJudge) -> None:
    project.judged_by(judge)
    script = project.pytester.makepyfile(script=SCRIPT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1.0\n", "")
