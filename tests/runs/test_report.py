"""The terminal output of whole runs: header, claim tables, the session's section, short summary."""

from __future__ import annotations

import re

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import FAILING, PASSING, Project, new_project, printed, section, table, without_xdist

project = pytest.fixture(new_project)

HEADER = "ragassert: judge gpt-4o-mini at http://HOST/v1; record-mode new_episodes (default); store"
OFFLINE_HEADER = (
    "ragassert: judge offline-3 (offline; compares words, not meaning: do not use it as a "
    "release gate)"
)
CAVEAT = (
    "the offline judge compares words, not meaning: it counts paraphrases as missing and misses "
    "many wrong facts; use a model (--ragassert-model) for a release gate"
)
HEADLINE = (
    "faithfulness 0.00 < 0.80: case price (3 claims: 1 contradicted, 1 no evidence, 1 supported)"
)
COLUMNS = "metric                   n    mean     min  below"


def passing_output(header: str, judge: list[str], judgements: str) -> list[str]:
    return [
        "=== test session starts ===",
        "platform PLATFORM -- Python VERSION pytest-VERSION",
        header,
        "rootdir: ROOT",
        "plugins: PLUGINS",
        "collected 2 items",
        "",
        "test_it.py ..                                                            [100%]",
        "",
        "=== ragassert ===",
        *judge,
        COLUMNS,
        "faithfulness             2    1.00    1.00      0   ragas_faithfulness 100.0 %",
        judgements,
        "ragassert-outcome: failed-by=none assertions=0 judge-errors=0 skipped=0 other=0 "
        "measured=2 budget=ok",
        "=== 2 passed in TIME ===",
    ]


def failing_output(
    header: str, named: str, reason: str, judge: list[str], judgements: str
) -> list[str]:
    return [
        "=== test session starts ===",
        "platform PLATFORM -- Python VERSION pytest-VERSION",
        header,
        "rootdir: ROOT",
        "plugins: PLUGINS",
        "collected 2 items",
        "",
        "test_it.py .F                                                            [100%]",
        "",
        "=== FAILURES ===",
        "___ test_price ___",
        "",
        "    def test_price():",
        '>       assert_faithful(case("price", " ".join([ODD, GOOD, BAD])))',
        f"E       RagAssertionError: {HEADLINE}",
        "",
        "test_it.py:8: RagAssertionError",
        "--- ragassert ---",
        "case price  How often does the ferry run?",
        "faithfulness 0.00 < 0.80   3 claims: 1 contradicted, 1 no evidence, 1 supported",
        f"  judge {named}",
        "  answer: ⟦Bicycles need reservations.⟧ The ferry runs every 40 minutes. ⟦The",
        "          crossing costs 5 euros.⟧",
        '  [1] "Dogs are not allowed on board."                                not quoted',
        '  [2] "The ferry runs every 40 minutes. The crossing costs 9 euros."      quoted',
        "  ✗ The crossing costs 5 euros.                                     contradicted",
        '      [2] "The crossing costs 9 euros."                             answer 61-88',
        "  ? Bicycles need reservations.                                      no evidence",
        f"      {reason:62} answer 0-27",
        "where it broke: the answer added 2 claims (1 contradicted); check the prompt",
        "--- look closer ---",
        "python -m pytest_ragassert verdicts show 40c870b5bcb3 779a4adb1f62",
        "pytest test_it.py::test_price",
        "=== ragassert ===",
        *judge,
        COLUMNS,
        "faithfulness             2    0.50    0.00      1   ragas_faithfulness 50.0 %",
        judgements,
        "ragassert-outcome: failed-by=assertions assertions=1 judge-errors=0 skipped=0 other=0 "
        "measured=2 budget=ok",
        "=== short test summary info ===",
        "FAILED test_it.py::test_price - faithfulness 0.00 < 0.80: case price (3 claim...",
        "=== 1 failed, 1 passed in TIME ===",
    ]


def test_all_that_a_passing_run_prints(project: Project, judge: LoopbackJudge) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    asked = passing_output(
        f"{HEADER} ROOT/.ragassert",
        ["judge gpt-4o-mini at http://HOST/v1"],
        "judgements: 5 asked, 0 stored, 0 carried (4 requests); tokens: TOKENS",
    )
    assert printed(project.run(), project) == asked
    stored = [*asked[:-3], "judgements: 0 asked, 5 stored, 0 carried", *asked[-2:]]
    assert printed(project.run(), project) == stored
    assert judge.count() == 4


@pytest.mark.parametrize("args", [(), ("--ragassert-judge", "offline")], ids=["auto", "named"])
def test_all_that_a_passing_run_prints_offline(project: Project, args: tuple[str, ...]) -> None:
    if args:
        project.set(OPENAI_API_KEY="sk-unused")
    project.test(PASSING)
    for _ in range(2):
        assert printed(project.run(*args), project) == passing_output(
            OFFLINE_HEADER,
            ["judge offline-3", CAVEAT],
            "judgements: 5 asked, 0 stored, 0 carried",
        )
    assert not (project.path / ".ragassert").exists()


def test_all_that_a_failing_run_prints(project: Project, judge: LoopbackJudge) -> None:
    project.test(FAILING)
    project.judged_by(judge)
    expected = failing_output(
        f"{HEADER} ROOT/.ragassert",
        "gpt-4o-mini",
        "nothing says so",
        ["judge gpt-4o-mini at http://HOST/v1"],
        "judgements: 7 asked, 0 stored, 0 carried (4 requests); tokens: TOKENS",
    )
    result = project.run()
    assert printed(result, project) == expected
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.stderr.lines == []


def test_all_that_a_failing_run_prints_offline(project: Project) -> None:
    project.test(FAILING)
    assert printed(project.run(), project) == failing_output(
        OFFLINE_HEADER,
        "offline-3",
        "0 of 3 content words found",
        ["judge offline-3", CAVEAT],
        "judgements: 7 asked, 0 stored, 0 carried",
    )


def without_requests(lines: list[str]) -> list[str]:
    """Who comes first decides which claims go out together."""
    return [re.sub(r" \(\d+ requests\)", "", line) for line in lines]


@pytest.mark.parametrize("by", ["endpoint", "offline"])
def test_workers_print_the_same_but_for_their_own_lines(
    project: Project, judge: LoopbackJudge, by: str
) -> None:
    project.test(FAILING)
    if by == "endpoint":
        project.judged_by(judge)
    serial, workers = (
        printed(project.run(*args, "--ragassert-record-mode=off"), project)
        for args in [("-n", "0"), ("-n", "2")]
    )
    assert without_requests(without_xdist(serial)) == without_requests(without_xdist(workers))
    assert workers.count("=== ragassert ===") == workers.count("--- ragassert ---") == 1
    assert any(line.startswith("judgements: 7 asked, 0 stored, 0 carried") for line in workers)


def test_the_failed_line_stays_one_line_where_ci_shows_it_whole(project: Project) -> None:
    project.test(FAILING)
    project.set(CI="1")
    result = project.run()
    assert (
        section(result, "short test summary info")[0]
        == f"FAILED test_it.py::test_price - {HEADLINE}"
    )
    summary = result.outlines[
        result.outlines.index(f"FAILED test_it.py::test_price - {HEADLINE}") :
    ]
    assert len(summary) == 2
    assert len(table(result)) == 12


@pytest.mark.parametrize("style", ["long", "short", "line", "native", "auto"])
def test_the_table_is_there_in_every_traceback_style(project: Project, style: str) -> None:
    if style == "line" and pytest.version_tuple < (9,):
        pytest.skip("this pytest prints no sections with --tb=line")
    project.test(FAILING)
    result = project.run(f"--tb={style}", "--show-capture=no")
    lines = result.outlines
    assert sum("✗ The crossing costs 5 euros." in line for line in lines) == 1
    # no line of the package's own, but where all lines are asked for
    own = any("pytest_ragassert" in line for line in lines if "File " in line)
    assert not own or style == "native"
    assert sum(HEADLINE in line for line in lines) == 1 + (style == "line")  # as pytest does


def test_one_line_a_failure_without_tracebacks(project: Project) -> None:
    project.test(FAILING)
    result = project.run("--tb=no")
    assert not any("✗" in line for line in result.outlines)
    assert COLUMNS in section(result)


def test_captured_output_stands_beside_the_table(project: Project) -> None:
    project.test(
        FAILING.replace(
            'assert_faithful(case("price', "print('said'); assert_faithful(case(\"price"
        )
    )
    lines = printed(project.run(), project)
    assert lines.index("--- Captured stdout call ---") > 0
    assert lines.index("--- ragassert ---") > 0


def test_without_a_terminal_only_the_exit_code_speaks(project: Project) -> None:
    project.test(FAILING)
    result = project.run("-p", "no:terminal")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (result.outlines, result.errlines) == ([], [])
    project.test(PASSING)
    assert project.run("-p", "no:terminal").ret == pytest.ExitCode.OK


def test_verbose_shows_supported_claims_too(project: Project) -> None:
    project.test(FAILING)
    assert table(project.run("-v"))[7:] == [
        "  ✗ The crossing costs 5 euros.                                     contradicted",
        '      [2] "The crossing costs 9 euros."                             answer 61-88',
        "  ? Bicycles need reservations.                                      no evidence",
        "      0 of 3 content words found                                     answer 0-27",
        "  ✓ The ferry runs every 40 minutes.                                   supported",
        '      [2] "The ferry runs every 40 minutes."                        answer 28-60',
        "where it broke: the answer added 2 claims (1 contradicted); check the prompt",
    ]


MANY = """
from ferry import case
from pytest_ragassert import assert_faithful

def test_fees():
    fees = [f"Fee number {n} costs {n + 50} euros." for n in range(1, 21)]
    contexts = [fee.replace(" euros", "5 euros") for fee in fees]
    assert_faithful(case("fees", " ".join(fees), retrieved_contexts=contexts))
"""


def test_a_failure_takes_fifteen_lines_unless_verbose(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(MANY)
    project.judged_by(judge)
    lines = table(project.run())
    assert len(lines) <= 15
    shown = [line for line in lines if line.startswith("  ✗ ")]
    # whole claims in text order, each with its quote, and how many are left
    assert shown == [
        f"  ✗ Fee number {n} costs {n + 50} euros.{'contradicted':>{48 - (n > 9)}}"
        for n in range(1, len(shown) + 1)
    ]
    assert lines[-2] == f"  … {20 - len(shown)} more claims (-v shows all)"
    assert len(shown) >= 4
    verbose = table(project.run("-v"))
    assert sum(line.startswith("  ✗ ") for line in verbose) == 20
    assert not any("more claims" in line for line in verbose)


VACUOUS = """
from ferry import case
from pytest_ragassert import assert_faithful

def test_silent():
    assert_faithful(case("silent", "I don't know."){option})
"""


def test_an_answer_without_claims_fails_unless_that_is_allowed(project: Project) -> None:
    project.test(VACUOUS.format(option=""))
    result = project.run()
    result.assert_outcomes(failed=1)
    told = "nothing to check: the answer makes no factual claim"
    assert any(line.startswith("E ") and told in line for line in result.outlines)
    assert [line for line in table(result) if told in line]
    lines = section(result)
    assert "faithfulness             0       -       -      -" in lines
    assert "vacuous (nothing to check): 1" in lines

    assert project.run("-o", "ragassert_no_claims=pass").parseoutcomes() == {"passed": 1}
    warned = project.run("-o", "ragassert_no_claims=warn")
    assert warned.parseoutcomes() == {"passed": 1, "warnings": 1}
    warned.stdout.fnmatch_lines(
        ["test_it.py::test_silent", "*test_it.py:5: RagAssertWarning: *" + told + "*"]
    )

    project.test(VACUOUS.format(option=', no_claims="pass"'))
    passed = project.run("-o", "ragassert_no_claims=fail")
    assert passed.parseoutcomes() == {"passed": 1}
    assert "vacuous (nothing to check): 1" in section(passed)
    project.test(VACUOUS.format(option=', no_claims="warn"'))
    assert project.run().parseoutcomes() == {"passed": 1, "warnings": 1}
    project.test(VACUOUS.format(option=', no_claims="fail"'))
    assert project.run("-o", "ragassert_no_claims=pass").parseoutcomes() == {"failed": 1}


def test_a_blank_context_is_warned_about_once(project: Project, judge: LoopbackJudge) -> None:
    project.test(
        """
        from ferry import CONTEXTS, case
        from pytest_ragassert import assert_faithful

        def test_blank():
            assert_faithful(case("blank", retrieved_contexts=[" ", *CONTEXTS]))
        """
    )
    project.judged_by(judge)
    for _ in range(2):
        result = project.run()
        assert result.parseoutcomes() == {"passed": 1, "warnings": 1}
        result.stdout.fnmatch_lines(["*1 of 3 retrieved_contexts are blank*"])


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["serial", "xdist"])
def test_reports_that_pytest_keeps_hold_no_rows(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    project.judged_by(judge)
    project.test(PASSING)
    project.pytester.makeconftest(
        """
        def pytest_terminal_summary(terminalreporter):
            passed = terminalreporter.stats["passed"]
            kept = [report for report in passed if "sent" in report.ragassert]
            terminalreporter.write_line(f"{len(kept)} of {len(passed)} hold rows")
        """
    )
    result = project.run(*workers)
    result.stdout.fnmatch_lines(["faithfulness             2 *", "0 of 2 hold rows"])
