"""Texts that are hard on terminals: narrow and wide ones, ASCII, wide characters, hostile ones."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from wcwidth import wcswidth

from tests.loopback.server import LoopbackJudge

from .projects import FAILING, PASSING, Project, new_project, section, table

project = pytest.fixture(new_project)

PLAIN = re.compile(r"[ -~\u2010-\u2027\u2190-\u2bff\u3000-\U0003ffff\u0370-\u06ff]*")

LONG = """
from ferry import case
from pytest_ragassert import assert_faithful

def test_long():
    said = "The night crossing to the northern harbour with a bicycle and two bags costs {} euros."
    assert_faithful(
        case("long", said.format(5) + " Reservations are possible by telephone until noon only.",
             question="What does the night crossing to the northern harbour cost? " * 3,
             retrieved_contexts=[said.format(9)]),
    )
"""


@pytest.mark.parametrize("width", [40, 60, 200])
def test_every_line_of_a_table_fits_and_keeps_its_verdict(
    project: Project, judge: LoopbackJudge, width: int
) -> None:
    project.test(LONG)
    project.judged_by(judge)
    project.set(COLUMNS=str(width))
    lines = table(project.run())
    assert max(map(wcswidth, lines)) <= width
    claims = [line for line in lines if line.startswith(("  ✗", "  ?"))]
    assert claims[0].startswith("  ✗ The night crossing")
    assert claims[0].endswith(" contradicted")
    assert claims[1].endswith(" no evidence")
    assert wcswidth(claims[0]) == wcswidth(claims[1]) == width
    assert any(line.lstrip().startswith('[1] "The night') for line in lines)
    if width == 200:
        assert not any("…" in line for line in lines)
        assert lines[1].endswith("    judge gpt-4o-mini")  # score and judge share a line


def test_a_long_verdict_is_not_lost_on_a_narrow_terminal(
    project: Project, judge: LoopbackJudge
) -> None:
    judge.on(
        "verify_claims",
        '{"verdicts": [{"id": 1, "verdict": "CONTRADICTORY"}, {"id": 2, "verdict": "supported"}]}',
    )
    project.test(LONG)
    project.judged_by(judge)
    project.set(COLUMNS="48")
    lines = table(project.run())
    assert max(map(wcswidth, lines)) <= 48
    assert any("judge says contradicted, no evidence" in line for line in lines)


def test_an_ascii_terminal_gets_plain_glyphs_and_escapes(
    project: Project, judge: LoopbackJudge
) -> None:
    answer = (
        "| Size | Fee |\\n|---|---|\\n| Large | 9 € |\\n\\n- item ✅\\n```py\\nprint('hi')\\n```\\n"
        "$E=mc^2$ https://example.org/a?b=1&c=%20\\nالعبارة كل 40 دقيقة\\n\\u200f\\u202e"
    )
    project.test(
        f"""
        # -*- coding: utf-8 -*-
        from ferry import BAD, case
        from pytest_ragassert import assert_faithful

        def test_rich():
            assert_faithful(case("rich", "{answer}", retrieved_contexts=["ps aux | sort -k3"]))

        def test_price():
            assert_faithful(case("price", BAD))
        """
    )
    project.judged_by(judge)
    project.set(PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    result = project.process("--junitxml=junit.xml", "-rA", fresh=True)
    result.assert_outcomes(failed=2)
    text = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in text
    assert text.isascii()
    assert "  x The crossing costs 5 euros." in text
    assert "\\u20ac" in text
    assert ElementTree.parse(project.path / "junit.xml").getroot().find(".//failure") is not None


def test_wide_characters_are_aligned_by_display_columns(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(
        """
        from ferry import case
        from pytest_ragassert import assert_faithful

        def test_wide():
            answer = "渡轮每四十分钟一班并且全年运行无休。票价为5元。"
            answer += "\\u200b票价\\u200b含行李。👩\\u200d🚀 rides free."
            contexts = ["票价为9元。渡轮很大。"]
            question = "渡轮\\u200b多久一班" * 12
            assert_faithful(case("wide", answer, question=question, retrieved_contexts=contexts))
        """
    )
    project.judged_by(judge)
    project.set(COLUMNS="60")
    lines = table(project.run())
    claims = [line for line in lines if re.match("  [✗?] ", line)]
    assert len(claims) >= 3
    assert [wcswidth(line) for line in claims] == [60] * len(claims)
    assert max(map(wcswidth, lines)) <= 60


HOSTILE = r"""
from ferry import case
from pytest_ragassert import assert_faithful

EVIL = "\x1b[2J\x1b]0;owned\x07The crossing\x9b31m costs\u202e 5"
EVIL += "\u2066 euros\u200f.\u2028\x7f\x00\r\b"

def test_evil():
    fields = {"question": "What\x1b[8m?\r\nFAILED", "retrieved_contexts": [EVIL.replace("5", "9")]}
    assert_faithful(case("evil\x1b[31m", EVIL, **fields))
"""


def test_nothing_in_a_text_acts_on_the_terminal(project: Project, judge: LoopbackJudge) -> None:
    project.test(HOSTILE)
    project.judged_by(judge)
    result = project.run("-v", "--junitxml=junit.xml")
    result.assert_outcomes(failed=1)
    text = "\n".join(
        line for line in result.outlines if not line.startswith(("    ", ">", "test_it.py"))
    )
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]", text
    )
    assert "\\x1b[2J" in text
    assert "\\u202e" in text
    assert "case evil\\x1b[31m  What\\x1b[8m? FAILED" in text
    ElementTree.parse(project.path / "junit.xml")


LONE = r"""
import pytest
from ferry import BAD, CONTEXTS, GOOD, case
from pytest_ragassert import EvalCase, assert_faithful

@pytest.mark.rag_cases([
    EvalCase(id="lone-\udc80", question="How \ud800 often?", answer=BAD + " \udfff" + GOOD,
             retrieved_contexts=[*CONTEXTS, "\ud83d"], ground_truth_answer="\udc00"),
])
def test_case(rag_case):
    assert_faithful(rag_case)

def test_context():
    assert_faithful(case("\ud800", BAD, retrieved_contexts=["\udcff The crossing costs 9 euros."]))

def test_missing():
    assert_faithful(case("\udcff", "\ud800 says so.", retrieved_contexts=None))

def test_good():
    assert_faithful(case("good\ud800"))
"""


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_lone_surrogates_never_end_a_run(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    project.test(LONE)
    project.judged_by(judge)
    result = project.run(*args, "--junitxml=junit.xml", "-rA")
    result.assert_outcomes(failed=3, passed=1)
    text = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in text
    assert "DumpError" not in text
    assert "faithfulness 0.00 < 0.80: case \\ud800 (" in text
    assert "case lone-\\udc80  How \\ud800 often?" in text
    text.encode()
    assert ElementTree.parse(project.path / "junit.xml").getroot().find(".//failure") is not None
    project.run(*args).assert_outcomes(failed=3, passed=1)
    assert judge.stats()["duplicates"] == 0


def test_junit_holds_the_table_as_the_failures_text(project: Project) -> None:
    project.test(FAILING)
    project.run("--junitxml=junit.xml")
    (failure,) = ElementTree.parse(project.path / "junit.xml").getroot().iter("failure")
    assert failure.text is not None
    assert "The crossing costs 5 euros." in failure.text
    assert "contradicted" in failure.text
    assert failure.attrib["message"].startswith("faithfulness 0.00 < 0.80: case price (")


def test_cases_of_a_file_may_hold_anything_too(project: Project, judge: LoopbackJudge) -> None:
    lines = (
        '{"id": "a\\ud800", "answer": "\\u001b[31m \\udfff 5", "retrieved_contexts": ["\\ud800"]}\n'
    )
    Path(project.path, "cases.jsonl").write_text(lines, encoding="utf-8")
    project.test(
        """
        import pytest
        from pytest_ragassert import assert_faithful

        @pytest.mark.rag_cases("cases.jsonl")
        def test_case(rag_case):
            assert_faithful(rag_case)
        """
    )
    project.judged_by(judge)
    result = project.run("-v", "-rA")
    result.assert_outcomes(failed=1)
    assert "\x1b" not in result.stdout.str()
    assert "test_case[a\\ud800]" in result.stdout.str()


SUMMARY = """
import pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_correct, assert_faithful, assert_rag

def test_low(): assert_faithful(case("low", BAD))

def test_several():
    assert_rag(case("several", BAD, ground_truth_answer=GOOD), faithfulness=0.9, factual_f1=0.8)

def test_close(): assert_faithful(case("c", f"{ODD} {GOOD} {GOOD}"), min=0.66667)

def test_long_name_of_a_case(): assert_faithful(case("x" * 90, BAD))

def test_silent(): assert_faithful(case("silent", "Hello!"))

def test_lacking(): assert_faithful(case("lacking", None))

def test_blank(): assert_faithful(case("blank", " "))

def test_nameless(): assert_faithful(case(None, BAD, question=None))

def test_wrong(): assert_correct(case("wrong", BAD, ground_truth_answer=GOOD))

@pytest.mark.xfail(raises=AssertionError, strict=True)
def test_passes_unexpectedly(): assert_faithful(case("fine"))
"""


def test_the_list_of_failures_begins_with_metric_and_score(project: Project) -> None:
    project.test(SUMMARY)
    lines = section(project.run("--tb=no"), "short test summary info")
    said = {line.split(" - ")[0].split("::")[1]: line.split(" - ")[1] for line in lines[:9]}
    assert all(len(line) <= 80 for line in lines)
    begins = {
        "test_low": "faithfulness 0.00 < 0.80: case low (",
        "test_several": "faithfulness 0.00 < 0.90, factual_f1 0.00 <",
        "test_close": "faithfulness 0.666667 < 0.666670: case c (",
        "test_long_name_of_a_case": "faithfulness 0.00 < 0.80: case",
        "test_silent": "faithfulness: nothing to check: the ",
        "test_lacking": "faithfulness needs the field answer",
        "test_blank": "faithfulness can't be measured: the ",
        "test_nameless": "faithfulness 0.00 < 0.80: case The",
        "test_wrong": "answer_class WRONG: case wrong",
    }
    for test, begin in begins.items():
        assert said[test].startswith(begin), said[test]


def test_the_list_of_failures_says_what_could_not_be_measured(
    project: Project, judge: LoopbackJudge
) -> None:
    judge.on(lambda _: True, {"status": 404, "body": {"error": {"message": "no such model"}}})
    project.judged_by(judge)
    project.test(PASSING)
    lines = section(project.run("--tb=no"), "short test summary info")
    assert " - faithfulness of case times not mea" in lines[0]
    replay = project.run("--tb=no", "--ragassert-record-mode=none")
    lines = section(replay, "short test summary info")
    assert " - VerdictMissing: faithfulness of case times" in lines[0]


RAISING = """
import json

class Raises:
    id = "raises-1"
    def run(self, step, input):
        return json.loads("[]")["choices"]

def pytest_ragassert_make_judge(config, name):
    return Raises() if name == "raises" else None

def pytest_ragassert_answer(case):
    if case.id.startswith("hook"):
        raise RuntimeError("the pipeline is down")
"""
REPEATED = """
import pytest
from ferry import GOOD, case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(3))
def test_judge(n):
    assert_faithful(case(f"c{n}", GOOD))

@pytest.mark.rag_cases([case(f"hook-{n}", None) for n in range(3)])
def test_hook(rag_case):
    assert_faithful(rag_case)
"""


@pytest.mark.parametrize("args", [(), ("-n2",)], ids=["serial", "workers"])
def test_one_cause_of_many_failures_is_shown_whole_once(
    project: Project, args: tuple[str, ...]
) -> None:
    project.pytester.makeconftest(RAISING)
    project.test(REPEATED)
    judge = "--ragassert-judge=raises"
    run = project.process if args else project.run
    lines = run(judge, *args).outlines
    assert sum(line.startswith(">       assert_faithful(case(f") for line in lines) == 1
    assert sum("raise RuntimeError(" in line for line in lines) == 1
    assert sum(line.startswith("(the traceback is shown for ") for line in lines) == 4
    # what failed, and why, stands with each test
    assert sum("E   " in one and "TypeError: list indices" in one for one in lines) == 3
    assert sum("E   " in one and "RuntimeError: the pipeline is down" in one for one in lines) == 3
    if not args:
        whole = project.run(judge, "-vv").outlines
        assert sum("raise RuntimeError(" in line for line in whole) == 3
