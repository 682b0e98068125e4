"""`--ragassert-answers`: the application is asked once, and its answers are judged without it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.server import LoopbackJudge

from .applications import APPLICATION, CONFTEST, FILE, Application, cases
from .projects import Project, new_project, section

project = pytest.fixture(new_project)

KEYED = (
    CONFTEST
    + """
import os

def pytest_ragassert_answer_key(case):
    return os.environ["KEY_OF_" + case.id[:1].upper()] or None
"""
)
TESTS = """
import pytest
from pytest_ragassert import assert_context_relevance, assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_faithful(rag_case):
    assert rag_case.retrieved_contexts[-1] is None
    assert_faithful(rag_case, min=0)

@pytest.mark.rag_cases("cases.jsonl")
def test_relevant(rag_case):
    assert_context_relevance(rag_case, min=0)
"""
REPLAY = "--ragassert-record-mode=none"
REFRESH = "--ragassert-refresh=answers"
SECTION = "ragassert: no recorded answer"


@pytest.fixture
def application(project: Project) -> Application:
    project.pytester.makepyfile(application=APPLICATION)
    project.pytester.makeconftest(CONFTEST)
    project.test(TESTS)
    return Application(project)


def recorded(project: Project, name: str = "answers.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(project.path, name).read_text("utf-8").splitlines()]


def one_test(id: str) -> str:
    return f"test_it.py::test_faithful[{id}]"


def answers_line(result: pytest.RunResult) -> str:
    [line] = [one for one in section(result) if one.startswith("note: answers: ")]
    return line.removeprefix("note: ")


def test_an_answer_is_recorded_once_and_used_again(
    project: Project, application: Application
) -> None:
    cases(project, "b", "a", "c")
    first = project.run(FILE)
    first.assert_outcomes(passed=6)
    assert application.asked() == ["a", "b", "c"]
    assert answers_line(first) == "answers: 0 used, 3 new, 0 unused (answers.jsonl, written)"
    lines = recorded(project)
    assert [line["case"] for line in lines] == ["a", "b", "c"]
    assert lines[0] == {
        "case": "a",
        "question": "About a?",
        "key": None,
        "answer": "The ferry runs every 40 minutes. This is a.",
        "retrieved_contexts": [
            "Dogs are not allowed on board.",
            "The ferry runs every 40 minutes. The crossing costs 9 euros.",
            None,
        ],
        "hook": "conftest.py",
        "input": lines[0]["input"],
    }
    before = Path(project.path, "answers.jsonl").read_bytes()
    again = project.run(FILE)
    again.assert_outcomes(passed=6)
    assert application.asked() == []
    assert answers_line(again) == "answers: 3 used, 0 new, 0 unused (answers.jsonl)"
    cases(project, "a", "b", "c", "d")
    more = project.run(FILE, one_test("a"), one_test("d"))
    assert application.asked() == ["d"]
    assert answers_line(more) == "answers: 1 used, 1 new, 2 unused (answers.jsonl, written)"
    assert Path(project.path, "answers.jsonl").read_bytes().startswith(before)
    # without the file the application is asked as ever
    project.run(one_test("a"))
    assert application.asked() == ["a"]


def test_workers_ask_once_and_write_the_same_bytes(
    project: Project, application: Application, judge: LoopbackJudge
) -> None:
    pytest.importorskip("xdist")
    project.judged_by(judge)
    ids = [f"c{n}" for n in range(12)]
    cases(project, *ids)
    project.run("--ragassert-answers=serial.jsonl").assert_outcomes(passed=24)
    assert application.asked() == sorted(ids)
    result = project.process("--ragassert-answers=parallel.jsonl", "-n", "4")
    result.assert_outcomes(passed=24)
    assert application.asked() == sorted(ids)
    assert answers_line(result).startswith("answers: 0 used, 12 new, 0 unused")
    serial, parallel = (Path(project.path, f"{name}.jsonl") for name in ("serial", "parallel"))
    assert serial.read_bytes() == parallel.read_bytes()
    again = project.process("--ragassert-answers=parallel.jsonl", "-n", "4")
    again.assert_outcomes(passed=24)
    assert application.asked() == []
    assert answers_line(again) == "answers: 12 used, 0 new, 0 unused (parallel.jsonl)"
    assert serial.read_bytes() == parallel.read_bytes()


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_another_key_asks_again(
    project: Project, application: Application, args: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(KEYED)
    cases(project, "a1", "a2", "b1")
    project.set(KEY_OF_A="index-6", KEY_OF_B="")
    project.run(FILE, *args).assert_outcomes(passed=6)
    assert application.asked() == ["a1", "a2", "b1"]
    project.set(KEY_OF_A="index-7")
    missing = project.run(FILE, REPLAY, *args)
    assert application.asked() == []
    assert section(missing, SECTION)[:3] == [
        "2 of 3 cases have no recorded answer in answers.jsonl:",
        "  a1: recorded under the key 'index-6', but the key is now 'index-7'",
        "  a2: recorded under the key 'index-6', but the key is now 'index-7'",
    ]
    changed = project.run(FILE, *args)
    assert application.asked() == ["a1", "a2"]
    assert answers_line(changed) == (
        "answers: 1 used, 2 replaced, 0 new, 0 unused (answers.jsonl, written)"
    )
    assert [(line["case"], line["key"]) for line in recorded(project)] == [
        ("a1", "index-7"),
        ("a2", "index-7"),
        ("b1", None),
    ]
    project.run(FILE, REPLAY, *args).assert_outcomes(passed=6)
    assert application.asked() == []


def test_a_changed_case_is_not_answered_by_an_old_answer(
    project: Project, application: Application
) -> None:
    cases(project, "a", "b", "c", "d")
    project.run(FILE).assert_outcomes(passed=8)
    application.asked()
    facts = {
        "ground_truth_context_ids": ["x"],
        "ground_truth_claims": ["It runs."],
        "criteria": "is kind",
    }
    cases(
        project,
        *"abcd",
        a={"question": "Something else?"},
        b={"history": [{"role": "user", "content": "Hello."}]},
        c={"minimums": {"faithfulness": 0.1}, "label": "correct"},
        d={"history": [], "tags": None, **facts},
    )
    missing = project.run(FILE, REPLAY)
    assert section(missing, SECTION)[1:3] == [
        "  a: the case changed since it was recorded",
        "  b: the case changed since it was recorded",
    ]
    result = project.run(FILE)
    assert application.asked() == ["a", "b"]
    assert answers_line(result) == "answers: 2 used, 2 new, 2 unused (answers.jsonl, written)"
    assert [line["case"] for line in recorded(project)] == ["a", "a", "b", "b", "c", "d"]
    # the old case is there again, and so is its answer
    cases(project, *"abcd")
    project.run(FILE, REPLAY).assert_outcomes(passed=8)


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_a_replay_says_which_cases_have_no_answer(
    project: Project, application: Application, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    project.judged_by(judge)
    cases(project, "a", "b")
    project.run(FILE, "--ragassert-verdicts=v.jsonl", "--ragassert-update-verdicts")
    application.asked()
    cases(project, "a", "b", *(f"n{n:02}" for n in range(12)))
    project.set(CI="true")
    project.unset("OPENAI_API_KEY")
    judge.reset()
    before = Path(project.path, "answers.jsonl").read_bytes()
    result = project.run(
        FILE, "--ragassert-verdicts=v.jsonl", "--junitxml=out.xml", "-k", "faithful", *args
    )
    result.assert_outcomes(passed=2, errors=12, deselected=0 if args else 14)
    assert application.asked() == []
    assert judge.count() == 0
    assert Path(project.path, "answers.jsonl").read_bytes() == before
    told = section(result, SECTION)
    assert told[0] == "12 of 14 cases have no recorded answer in answers.jsonl:"
    assert told[1:11] == [f"  n{n:02}: never recorded" for n in range(10)]
    assert told[11] == "  … 2 more (-v shows all)"
    assert told[12].startswith("record them with: pytest ")
    assert f" {FILE} " in told[12]
    options = "--ragassert-record-mode=new_episodes --ragassert-update-verdicts"
    assert told[12].endswith(options)
    message = (
        f"no recorded answer for case n00 in answers.jsonl (never recorded); record it with: "
        f"pytest {options}"
    )
    # one line each, no traceback
    assert result.stdout.str().count(message) == 1
    assert f"ERROR test_it.py::test_faithful[n00] - AnswerMissing: {message}" in result.outlines
    assert not [line for line in result.outlines if " ERRORS " in line]
    [report] = ElementTree.parse(Path(project.path, "out.xml")).getroot()
    [error] = [
        one for one in report.iter("error") if "n00" in (one.text or "") + one.get("message", "")
    ]
    assert message in error.get("message", "") + (error.text or "")
    skipped = project.run(
        FILE, "--ragassert-verdicts=v.jsonl", "--ragassert-on-missing=skip", *args
    )
    skipped.assert_outcomes(passed=4, skipped=24)
    assert "skipped because of missing verdicts: 24" in section(skipped)
    assert section(skipped, SECTION)[0].startswith("12 of 14 cases")
    # where none has one, the line for machines is there too
    none = project.run(FILE, "--ragassert-verdicts=v.jsonl", "-k", "n0 and faithful", *args)
    none.assert_outcomes(errors=10, deselected=0 if args else 18)
    outcome = section(none)[-1]
    assert outcome.startswith("ragassert-outcome: failed-by=missing ")
    assert " missing=10" in outcome


def test_without_the_application_answers_are_judged(
    project: Project, application: Application
) -> None:
    project.pytester.makeconftest(KEYED)
    project.set(KEY_OF_A="index-6", KEY_OF_B="index-6")
    cases(project, "a", "b")
    project.run(FILE).assert_outcomes(passed=4)
    application.asked()
    Path(project.path, "conftest.py").unlink()
    for mode in (REPLAY, "--ragassert-record-mode=all"):
        result = project.run(FILE, mode)
        result.assert_outcomes(passed=4)
        assert answers_line(result).startswith("answers: 2 used, 0 new, 0 unused")
    # a case that was never recorded may be filled in by its test
    cases(project, "a", "b", "new")
    project.test("""
        import pytest

        @pytest.mark.rag_cases("cases.jsonl")
        def test_it(rag_case):
            assert (rag_case.answer is None) == (rag_case.id == "new")
        """)
    project.run(FILE, REPLAY).assert_outcomes(passed=3)


def test_a_refresh_leaves_answers_that_nobody_gives(
    project: Project, application: Application
) -> None:
    cases(project, "a")
    project.run(FILE)
    before = recorded(project)
    Path(project.path, "conftest.py").unlink()
    result = project.run(FILE, REFRESH)
    result.assert_outcomes(passed=2)
    assert answers_line(result).startswith("answers: 1 used, 0 new, 0 unused")
    assert recorded(project) == before


def test_the_start_of_the_session_decides_whether_it_is_a_replay(
    project: Project, application: Application, judge: LoopbackJudge
) -> None:
    project.judged_by(judge)
    cases(project, "a", "b")
    args = ("--ragassert-verdicts=v.jsonl",)
    project.pytester.makeini("[pytest]\nragassert_answers = answers.jsonl\n")
    project.run(*args, "--ragassert-update-verdicts", one_test("a"))
    assert [line["case"] for line in recorded(project)] == ["a"]
    application.asked()
    project.pytester.makeconftest(
        f"{CONFTEST}\nimport os, pytest\n\n@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_sessionstart(): os.environ['CI'] = '1'"
    )
    project.set(CI="0")
    result = project.run(*args, one_test("a"), one_test("b"))
    result.assert_outcomes(passed=1, errors=1)
    assert application.asked() == []
    assert "  b: never recorded" in section(result, SECTION)


def test_each_application_has_its_answers(project: Project, application: Application) -> None:
    for name in ("first", "second"):
        folder = project.pytester.mkdir(name)
        Path(folder, "conftest.py").write_text(
            CONFTEST.replace(
                "return answered(case)",
                f'return {{**answered(case), "answer": "This is the {name}."}}',
            )
        )
        Path(folder, f"test_{name}.py").write_text(
            "import pytest\n"
            '@pytest.mark.rag_cases("cases.jsonl")\n'
            "def test_it(rag_case):\n"
            f'    assert rag_case.answer == "This is the {name}."\n'
        )
    Path(project.path, "test_it.py").unlink()
    cases(project, "a")
    for _ in range(2):
        project.run(FILE).assert_outcomes(passed=2)
    assert application.asked() == ["a", "a"]
    assert [line["hook"] for line in recorded(project)] == [
        "first/conftest.py",
        "second/conftest.py",
    ]
    project.run(FILE, REPLAY).assert_outcomes(passed=2)


LEAVES = """
def pytest_ragassert_answer(case):
    open("left.txt", "a").write(case.id)
    return {"answer": "By the folder."} if case.id == "own" else None
"""


def test_what_a_hook_leaves_to_others_is_known_in_a_replay(
    project: Project, application: Application
) -> None:
    folder = project.pytester.mkdir("inner")
    Path(folder, "conftest.py").write_text(LEAVES)
    project.pytester.makeconftest(
        CONFTEST.replace("return answered", "return case.id == 'nobody' or answered")
        .replace("== 'nobody' or", "!= 'nobody' and")
        .replace("answered(case)", "answered(case) or None")
    )
    Path(project.path, "test_it.py").rename(folder / "test_it.py")
    Path(folder, "test_it.py").write_text(
        "import pytest\n"
        '@pytest.mark.rag_cases("cases.jsonl")\n'
        "def test_it(rag_case):\n"
        "    assert (rag_case.answer is None) == (rag_case.id == 'nobody')\n"
    )
    cases(project, "own", "other", "nobody")
    project.run(FILE).assert_outcomes(passed=3)
    assert application.asked() == ["other"]
    left = Path(project.path, "left.txt")
    left.unlink()
    project.run(FILE, REPLAY).assert_outcomes(passed=3)
    assert not left.exists()
    # who left a case may have an answer now
    project.run(FILE).assert_outcomes(passed=3)
    assert left.read_text() == "nobody"
    assert application.asked() == []


def test_refreshed_answers_take_the_place_of_recorded_ones(
    project: Project, application: Application
) -> None:
    cases(project, "a", "b", "gone")
    project.run(FILE)
    before = recorded(project)
    application.asked()
    project.pytester.makepyfile(application=APPLICATION.replace("This is", "That was"))
    cases(project, "a", "b")
    part = project.run(FILE, REFRESH, one_test("a"))
    assert application.asked() == ["a"]
    lines = [one.removeprefix("note: ") for one in section(part)]
    assert "answers: 0 used, 1 replaced, 0 new, 2 unused (answers.jsonl, written)" in lines
    assert any(one.startswith("answers: nothing was removed, because only") for one in lines)
    assert [line["answer"].split(". ")[1] for line in recorded(project)] == [
        "That was a.",
        "This is b.",
        "This is gone.",
    ]
    whole = project.run(FILE, REFRESH)
    assert application.asked() == ["a", "b"]
    assert answers_line(whole) == (
        "answers: 0 used, 2 replaced, 0 new, 1 unused (answers.jsonl, written, without the unused)"
    )
    after = recorded(project)
    assert [line["input"] for line in after] == [line["input"] for line in before[:2]]
    assert all("That was" in line["answer"] for line in after)
    assert project.run(FILE, REPLAY).parseoutcomes()["passed"] == 4


@pytest.mark.parametrize("how", ["killed", "raises"])
def test_what_was_answered_before_the_end_is_kept(
    project: Project, application: Application, how: str
) -> None:
    ends = {"killed": "os._exit(9)", "raises": "raise OSError('gone')"}[how]
    project.pytester.makepyfile(
        application=APPLICATION.replace("    return", f"    if case.id == 'c': {ends}\n    return")
    )
    cases(project, *"abcd")
    result = project.process(FILE, "-k", "faithful", "-x")
    assert result.ret != pytest.ExitCode.OK
    assert application.asked() == ["a", "b", "c"]
    assert [line["case"] for line in recorded(project)] == ["a", "b"]
    project.pytester.makepyfile(application=APPLICATION)
    project.run(FILE).assert_outcomes(passed=8)
    assert application.asked() == ["c", "d"]
    assert [line["case"] for line in recorded(project)] == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("<<<<<<< HEAD", "line 3: git left a conflict here; keep the lines of both sides"),
        ('{"case": "a"}', "line 3: a recorded answer must have case, question, key"),
        ("[]", "line 3: a line must be a JSON object, not list"),
        ("{", "line 3, character 2: not JSON"),
    ],
)
def test_a_damaged_file_ends_the_run_before_anything_is_asked(
    project: Project, application: Application, line: str, said: str
) -> None:
    cases(project, "a", "b")
    project.run(FILE)
    application.asked()
    file = Path(project.path, "answers.jsonl")
    file.write_text(f"{file.read_text()}{line}\n")
    result = project.run(FILE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in "\n".join(result.errlines)
    assert application.asked() == []


def test_wrong_options_are_usage_errors(project: Project, application: Application) -> None:
    cases(project, "a")
    Path(project.path, "folder").mkdir()
    for args, said in (
        ((REFRESH,), "--ragassert-refresh=answers has no effect without --ragassert-answers=FILE"),
        (
            (FILE, REFRESH, REPLAY),
            "asks the application, which record-mode none forbids: remove the option, or",
        ),
        (("--ragassert-answers=folder",), "--ragassert-answers: folder can't be written: Is a"),
        (
            ("--ragassert-answers=v.jsonl", "--ragassert-history=v.jsonl"),
            "--ragassert-history and --ragassert-answers name one file",
        ),
        ((FILE, "--ragassert-refresh=verdicts"), "is not one of answers"),
    ):
        result = project.run(*args)
        assert result.ret == pytest.ExitCode.USAGE_ERROR, args
        assert said.replace("folder can't", f"{project.path / 'folder'} can't") in "\n".join(
            result.errlines
        )
    assert application.asked() == []


def test_a_key_is_a_text(project: Project, application: Application) -> None:
    cases(project, "a")
    for kind, shown in (("", "7"), ("async ", "<coroutine")):
        project.pytester.makeconftest(
            f"{CONFTEST}\n{kind}def pytest_ragassert_answer_key(case): return 7"
        )
        result = project.run(FILE)
        result.assert_outcomes(errors=2)
        said = f"pytest_ragassert_answer_key must return a text or None, not {shown}"
        assert said in result.stdout.str()
        # no key is asked for where no answer is recorded
        project.run().assert_outcomes(passed=2)


def test_a_file_that_cant_be_written_costs_no_test(
    project: Project, application: Application
) -> None:
    cases(project, "a")
    Path(project.path, "blocked").write_text("a file in the place of the folder")
    result = project.run("--ragassert-answers=blocked/answers.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    # what can't be seen at the start
    project.pytester.makepyfile(
        application=APPLICATION.replace(
            "    return",
            "    import shutil; shutil.rmtree('later'); open('later', 'w')\n    return",
        )
    )
    Path(project.path, "later").mkdir()
    result = project.run("--ragassert-answers=later/answers.jsonl", "-k", "faithful")
    result.assert_outcomes(passed=1, deselected=1)
    told = [one for one in section(result) if "the application's answers are not" in one]
    assert len(told) == 1


@pytest.mark.parametrize("kind", ["", "async "])
def test_recorded_cases_are_judged_ahead(
    project: Project, application: Application, judge: LoopbackJudge, kind: str
) -> None:
    project.pytester.makeconftest(CONFTEST.replace("def ", f"{kind}def "))
    project.judged_by(judge)
    cases(project, *(f"c{n}" for n in range(8)))
    project.run(FILE, "-k", "faithful").assert_outcomes(passed=8, deselected=8)
    assert len(application.asked()) == 8
    judge.reset()
    judge.gather(6)
    project.run(FILE, "-k", "faithful", "--ragassert-model=other").assert_outcomes(
        passed=8, deselected=8
    )
    assert application.asked() == []
    assert judge.max_in_flight >= 6
