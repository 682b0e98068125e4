"""Many failures of one test function: what they share is said once."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from .projects import Project, new_project, printed, section

project = pytest.fixture(new_project)

TESTS = """
import pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_faithful

CASES = [case(f"c{n:02}", f"{GOOD} The crossing costs {n + 20} euros.") for n in range(60)]

@pytest.mark.rag_cases(CASES)
def test_sixty(rag_case):
    # what is asserted of each
    assert_faithful(rag_case)

def test_other():
    assert_faithful(case("other", BAD))
"""


def failures(lines: list[str]) -> list[list[str]]:
    """The lines of each failure, heading first."""
    start = next(n for n, line in enumerate(lines) if " FAILURES " in line)
    end = next(n for n, line in enumerate(lines) if n > start and line.startswith("==="))
    found: list[list[str]] = []
    for line in lines[start + 1 : end]:
        if line.startswith("___"):
            found.append([])
        found[-1].append(line)
    return found


def test_what_is_the_same_is_said_once(project: Project) -> None:
    project.test(TESTS)
    result = project.run("--ragassert-judge=offline", "--junitxml=junit.xml")
    result.assert_outcomes(failed=61)
    first, second, *others, sixtieth, last = failures(printed(result, project))
    assert first == [
        "___ test_sixty[c00] ___",
        "",
        "rag_case = EvalCase(id='c00', …)",
        "",
        "    @pytest.mark.rag_cases(CASES)",
        "    def test_sixty(rag_case):",
        "        # what is asserted of each",
        ">       assert_faithful(rag_case)",
        "E       RagAssertionError: faithfulness 0.00 < 0.80: case c00 (2 claims: 1 contradicted, "
        "1 supported)",
        "",
        "test_it.py:10: RagAssertionError",
        "--- ragassert ---",
        "case c00  How often does the ferry run?",
        "faithfulness 0.00 < 0.80   2 claims: 1 contradicted, 1 supported",
        "  judge offline-3",
        "  answer: The ferry runs every 40 minutes. ⟦The crossing costs 20 euros.⟧",
        '  [1] "Dogs are not allowed on board."                                not quoted',
        '  [2] "The ferry runs every 40 minutes. The crossing costs 9 euros."      quoted',
        "  ✗ The crossing costs 20 euros.                                    contradicted",
        '      [2] "The crossing costs 9 euros."                             answer 33-61',
        "where it broke: the answer added 1 claim (contradicted); check the prompt",
        "--- look closer ---",
        first[-2],
        "pytest --ragassert-judge=offline 'test_it.py::test_sixty[c00]'",
    ]
    assert second[:-2] == [
        "___ test_sixty[c01] ___",
        "test_it.py:10: RagAssertionError",
        "E       RagAssertionError: faithfulness 0.00 < 0.80: case c01 (2 claims: 1 contradicted, "
        "1 supported)",
        "--- ragassert ---",
        "case c01  How often does the ferry run?",
        "faithfulness 0.00 < 0.80   2 claims: 1 contradicted, 1 supported",
        "  answer: The ferry runs every 40 minutes. ⟦The crossing costs 21 euros.⟧",
        '  [1] "Dogs are not allowed on board."                                not quoted',
        '  [2] "The ferry runs every 40 minutes. The crossing costs 9 euros."      quoted',
        "  ✗ The crossing costs 21 euros.                                    contradicted",
        '      [2] "The crossing costs 9 euros."                             answer 33-61',
        "where it broke: the answer added 1 claim (contradicted); check the prompt",
    ]
    # whole, to be pasted into a shell
    assert re.fullmatch("python -m pytest_ragassert verdicts show [0-9a-f]{12}", second[-2])
    assert second[-1] == "pytest --ragassert-judge=offline 'test_it.py::test_sixty[c01]'"
    assert len(others) == 57
    assert all(len(one) == len(second) == 14 for one in others)
    assert len(sixtieth) == 16
    # where a person looks, at the end
    assert sixtieth[-2:] == [
        "--- run all 60 again ---",
        "pytest --ragassert-judge=offline test_it.py::test_sixty",
    ]
    # another function's is whole
    assert any("judge offline-3" in line for line in last)
    assert last[-1] == "pytest --ragassert-judge=offline test_it.py::test_other"
    # who reads one test's report finds all of it there
    for failure in ElementTree.parse(project.path / "junit.xml").getroot().iter("failure"):
        assert "judge offline-3" in (failure.text or "")
        assert "look closer" in (failure.text or "")
        assert ">       assert_faithful(" in (failure.text or "")


def test_verbose_leaves_nothing_out(project: Project) -> None:
    project.test(TESTS.replace("range(60)", "range(3)"))
    result = project.run("--ragassert-judge=offline", "-v")
    blocks = failures(result.outlines)
    assert len(blocks) == 4
    for block in blocks:
        text = "\n".join(block)
        for part in (">       assert_faithful(", "judge offline-3", "- look closer -", "::test_"):
            assert part in text
    assert " again ---" not in result.stdout.str()


def test_failures_of_other_lines_keep_their_source(project: Project) -> None:
    project.test(
        """
        import pytest
        from ferry import BAD, case
        from pytest_ragassert import assert_faithful

        @pytest.mark.parametrize("n", range(3))
        def test_lines(n):
            if n == 1:
                assert_faithful(case(f"c{n}", BAD))
            assert_faithful(case(f"c{n}", BAD))
        """
    )
    blocks = failures(project.run("--ragassert-judge=offline").outlines)
    assert [sum(line.startswith(">") for line in block) for block in blocks] == [1, 1, 0]
    # their blocks are those of one function
    assert ["judge offline-3" in " ".join(block) for block in blocks] == [True, False, False]


def test_later_failures_keep_to_fifteen_lines_too(project: Project) -> None:
    project.test(
        """
        import pytest
        from ferry import case
        from pytest_ragassert import assert_faithful

        FEES = [f"Fee number {n} costs {n + 50} euros." for n in range(1, 21)]
        CONTEXTS = [fee.replace(" euros", "5 euros") for fee in FEES]

        @pytest.mark.parametrize("n", range(2))
        def test_fees(n):
            assert_faithful(case(f"fees{n}", " ".join(FEES), retrieved_contexts=CONTEXTS))

        @pytest.mark.parametrize("n", range(2))
        def test_nameless(n):
            fields = {"retrieved_contexts": CONTEXTS[n:], "question": None}
            assert_faithful(case(None, " ".join(FEES[n:]), **fields))
        """
    )
    sizes = []
    for block in failures(project.run("--ragassert-judge=offline").outlines):
        titles = [n for n, line in enumerate(block) if line.startswith("---")]
        sizes.append(titles[1] - titles[0] - 1)
    assert min(sizes) >= 13
    assert max(sizes) <= 15


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="has no subtests")
def test_subtests_share_the_command_of_their_test(project: Project) -> None:
    project.test(
        """
        import unittest
        from ferry import BAD, case
        from pytest_ragassert import assert_faithful

        class TestParts(unittest.TestCase):
            def test_parts(self):
                for n in range(3):
                    with self.subTest(n=n):
                        assert_faithful(case(f"c{n}", BAD))
        """
    )
    result = project.run("--ragassert-judge=offline")
    rerun = "pytest --ragassert-judge=offline test_it.py::TestParts::test_parts"
    assert result.outlines.count(rerun) == 1
    shown = [line for line in result.outlines if " verdicts show " in line]
    assert len(shown) == 3
    assert [sum(line.startswith(">") for line in one) for one in failures(result.outlines)][:3] == [
        1,
        0,
        0,
    ]


@pytest.mark.parametrize("style", ["short", "line", "native", "no"])
def test_other_styles_of_tracebacks(project: Project, style: str) -> None:
    if style == "line" and pytest.version_tuple < (9,):
        pytest.skip("this pytest prints no sections with --tb=line")
    project.test(TESTS.replace("range(60)", "range(3)"))
    result = project.run("--ragassert-judge=offline", f"--tb={style}")
    result.assert_outcomes(failed=4)
    lines = result.outlines
    if style == "short":
        assert sum(line == "    assert_faithful(rag_case)" for line in lines) == 1
    if style in ("short", "native"):
        assert sum(line.startswith("  ✗ ") for line in lines) == 4
    # where no failure is printed, none is said to be alike
    told = "- run all 3 again -" in result.stdout.str()
    assert told is (style != "no")


def test_without_what_they_share_the_last_failed_ones_run_again(project: Project) -> None:
    project.test(TESTS.replace("range(60)", "range(3)"))
    args = ("-p", "ragassert", "--ragassert-judge=offline")
    result = project.pytester.runpytest_inprocess(*args)
    assert section(result, "run all 3 again", fill="-")[0] == (
        "pytest --ragassert-judge=offline --lf test_it.py::test_sixty"
    )
    again = project.pytester.runpytest_inprocess(*args, "--lf", "test_it.py::test_sixty")
    again.assert_outcomes(failed=3)


def test_workers_print_the_same(project: Project) -> None:
    project.test(TESTS.replace("range(60)", "range(5)"))
    args = ("--ragassert-judge=offline",)
    serial = failures(project.run(*args).outlines)
    # one worker: the order of reports is that of the tests
    workers = failures(project.run(*args, "-n", "1").outlines)
    assert [[line for line in block if not line.startswith("[gw")] for block in workers] == serial


CASES_AS_VARIABLES = """
import pytest
from ferry import BAD, GOOD, case
from pytest_ragassert import EvalCase, assert_faithful

CASE = case("fha-12", BAD, metadata={"long": "x" * 400})
NAMELESS = EvalCase(question="What's it cost? " * 9, answer=BAD, retrieved_contexts=[GOOD])

@pytest.mark.rag_cases([CASE])
def test_ours(rag_case):
    local = rag_case
    numbers = [1, 2]
    assert_faithful(rag_case)

@pytest.mark.parametrize("nameless", [NAMELESS])
def test_nameless(nameless):
    assert_faithful(nameless)

@pytest.mark.rag_cases([CASE])
def test_theirs(rag_case):
    assert rag_case.answer == GOOD

@pytest.mark.parametrize("short", [EvalCase(id="s", answer=BAD, tags=["t"])])
def test_short(short):
    assert_faithful(case("other", BAD))
"""


@pytest.mark.parametrize("args", [(), ("-vv",), ("-l",), ("-l", "-vv"), ("-n", "1")])
def test_a_case_among_arguments_is_short_where_the_failure_shows_it(
    project: Project, args: tuple[str, ...]
) -> None:
    project.test(CASES_AS_VARIABLES)
    ours, nameless, theirs, short = failures(
        project.run("--ragassert-judge=offline", *args).outlines
    )
    assert "rag_case = EvalCase(id='fha-12', …)" in ours
    assert not any("xxxxx" in line for line in ours)
    if "-l" in args:
        assert "local      = EvalCase(id='fha-12', …)" in ours
        assert "numbers    = [1, 2]" in ours
    [line] = [line for line in nameless if line.startswith("nameless = ")]
    assert line.startswith("nameless = EvalCase(question=\"What's it cost?")
    assert len(line) <= 100
    # what is short enough is left as it is
    assert "short = EvalCase(id='s', answer='The crossing costs 5 euros.', tags=['t'])" in short
    # of a failure of another kind what helps stays
    [line] = [line for line in theirs if line.startswith("rag_case = ")]
    assert "answer='The crossing costs 5 euros.'" in line
