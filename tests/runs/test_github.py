"""What a run leaves for a pull request: the Markdown file, the step summary, the annotations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_ragassert.analysis.records.read_results import read_results
from pytest_ragassert.analysis.run_record import record_of
from pytest_ragassert.report.markdown.document import document
from pytest_ragassert.report.markdown.files import COMMENT_CHARACTERS
from pytest_ragassert.report.markdown.fitting import utf16_units
from tests.loopback.server import LoopbackJudge
from tests.rendered import page_of
from tests.test_annotations import Command, read

from .projects import FAILING, KEY, PASSING, Project, new_project, section

project = pytest.fixture(new_project)

MARKDOWN = "--ragassert-markdown=report.md"
GATE = "--ragassert-gate=mean(faithfulness) >= 0.9"
MANY = """
import pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(14))
def test_case(n):
    assert_faithful(case(f"c{n}", " ".join([GOOD] * (n % 3) + [BAD, ODD])))

def test_good():
    assert_faithful(case("good"))
"""


@pytest.fixture
def on_github(project: Project) -> Project:
    """A project in a folder of the repository, in a step of a job."""
    project.set(
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(project.path / "summary.md"),
        GITHUB_WORKSPACE=str(project.path.parent),
        RAGASSERT_JUDGE="offline",
    )
    return project


def report(project: Project, name: str = "report.md") -> str:
    return (project.path / name).read_bytes().decode()


def annotated(result: pytest.RunResult) -> list[Command]:
    return [read(line) for line in result.outlines if line.startswith("::error")]


def test_a_report_of_a_run(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(FAILING)
    result = project.run(MARKDOWN)
    assert result.ret == 1
    assert f"note: Markdown report in {project.path / 'report.md'}" in section(result)
    text = report(project)
    assert text.startswith("<h3>❌ RAG tests failed: 1 test below the minimum</h3>\n")
    # the texts of a failed case are known, whatever else the run writes
    answer = (
        "<p><b>Answer</b><br><b>Bicycles need reservations.</b> The ferry runs every 40 minutes. "
    )
    assert answer in text
    assert "<td>2</td><td>The ferry runs every 40 minutes. The crossing costs 9 euros.</td>" in text
    assert "Run it again: <code>pytest test_it.py::test_price</code>" in text
    assert annotated(result) == []
    project.test(PASSING)
    assert project.run(MARKDOWN).ret == 0
    assert report(project).startswith("<h3>✅ RAG tests passed</h3>\n<p>2 cases, 2 results, ")
    assert report(project).count("\n") < 12


def test_the_same_from_workers_and_from_the_results_file(
    project: Project, judge: LoopbackJudge
) -> None:
    project.judged_by(judge)
    project.test(MANY)
    project.run(MARKDOWN, GATE, "--ragassert-artifacts=out")
    alone = report(project)
    assert alone.count("<details>") == 14
    again = project.run("--ragassert-markdown=again.md", GATE, "-n4")
    assert again.ret == 1
    assert report(project, "again.md") == alone
    (results,) = (project.path / "out").glob("results_*.json")
    done = project.pytester.run(
        *project.forked_command()[:1],
        *("-m", "pytest_ragassert", "report", results, "--markdown", "read.md"),
    )
    assert done.ret == 1
    assert report(project, "read.md") == alone


def test_a_baseline_gives_before_and_after(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(PASSING)
    update = ("--ragassert-baseline=base.jsonl", "--ragassert-update-baseline")
    assert project.run(*update, MARKDOWN).ret == 0
    # it is what the next run is compared with
    assert "<th>before</th>" not in report(project)
    project.test(PASSING.replace("Dogs are not", "Dogs are"))
    project.run(update[0], MARKDOWN)
    text = report(project)
    assert "<td>1.00</td><td>0.50</td><td>-0.500</td><td>–</td>" in text
    assert "<h4>Worse than before</h4>\n<p>Against the baseline base.jsonl, 2 cases: " in text
    assert "<li><b>dogs</b> <code>faithfulness</code> 1.00 → 0.00 (answer changed)<br>" in text


CAUGHT = """
import pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import RagAssertionError, assert_faithful

def check(answer):
    assert_faithful(case("helper", answer))

@pytest.mark.parametrize(
    "answer", [BAD]
)
@pytest.mark.flag
def test_by_a_helper(answer):
    assert answer
    check(answer)

def test_two():
    assert_faithful(case("first"))
    assert_faithful(case("second", ODD))

def test_caught():
    with pytest.raises(RagAssertionError):
        assert_faithful(case("caught", BAD))

@pytest.mark.xfail
def test_expected():
    assert_faithful(case("expected", BAD))

def test_plain():
    assert 1 + 1 == 3, "@someone"

@pytest.mark.flag
@pytest.mark.flag
def test_no_fixture(nowhere):
    pass

def test_twice():
    for minimum in 0.5, 0.7:
        try:
            assert_faithful(case("twice", BAD), min=minimum)
        except RagAssertionError as error:
            last = error
    raise last
"""


@pytest.mark.parametrize("args", [(), ("-n2",)], ids=str)
def test_every_output_tells_the_same_failures(on_github: Project, args: tuple[str, ...]) -> None:
    on_github.test(CAUGHT)
    (on_github.path / "broken").mkdir()
    (on_github.path / "broken" / "test_broken.py").write_text("import nowhere_at_all\n")
    result = on_github.run(
        MARKDOWN, "--continue-on-collection-errors", "--ragassert-artifacts=out", *args
    )
    result.stdout.fnmatch_lines(["ragassert-outcome: failed-by=assertions assertions=3 *other=3 *"])
    text = report(on_github)
    assert text.startswith(
        "<h3>❌ RAG tests failed: 3 tests below the minimum, 3 other failures</h3>"
    )
    below, caught = text.split("<h4>Below the minimum, but no test failed because of it</h4>")
    names = r"<summary><b>(\w+)</b>"
    assert sorted(re.findall(names, below)) == ["helper", "second", "twice"]
    assert sorted(re.findall(names, caught)) == ["caught", "expected"]
    assert re.findall("<h4>Other.*?</ul>", text, re.S) == [
        "<h4>Other failures: 3 tests</h4>\n<ul>\n"
        "<li><code>broken/test_broken.py</code>: ModuleNotFoundError: No module named "
        "<code>'nowhere_at_all'</code></li>\n"
        "<li><code>test_it.py::test_no_fixture</code>: fixture 'nowhere' not found</li>\n"
        "<li><code>test_it.py::test_plain</code>: AssertionError: <code>&#64;someone</code></li>\n"
        "</ul>"
    ]
    lines = {
        one.properties["title"].partition(": ")[2] or one.properties["title"]: (
            one.properties["file"].partition("/")[2],
            one.properties.get("line"),
        )
        for one in annotated(result)
    }
    here = "test_it.py"
    assert lines == {
        # a helper in the test's own file
        "case helper": (here, "6"),
        "case second": (here, "18"),
        "case twice": (here, "39"),
        "test_it.py::test_plain failed": (here, "29"),
        # no line of it failed: the function's name, below two decorators
        "test_it.py::test_no_fixture failed": (here, "33"),
        "broken/test_broken.py failed": ("broken/test_broken.py", None),
    }
    (results,) = (on_github.path / "out").glob("results_*.json")
    read = record_of(read_results(results))
    assert document(read, COMMENT_CHARACTERS, utf16_units) == text


def test_other_failures_hold_no_key(on_github: Project, judge: LoopbackJudge) -> None:
    on_github.judged_by(judge)
    on_github.test(f"{PASSING}\ndef test_plain():\n    assert not 'the key {KEY}'\n")
    (on_github.path / "broken").mkdir()
    (on_github.path / "broken" / "test_broken.py").write_text(f"raise ValueError('{KEY}')\n")
    result = on_github.run(MARKDOWN, "--continue-on-collection-errors", "--ragassert-artifacts=out")
    (results,) = (on_github.path / "out").glob("results_*.json")
    assert [one.nodeid for one in read_results(results).failed_tests or ()] == [
        "broken/test_broken.py",
        "test_it.py::test_plain",
    ]
    assert len(annotated(result)) == 2
    for text in report(on_github), results.read_text(), result.stdout.str():
        assert KEY not in text
        assert "not 'the key " in text or "not &#39;the key" in text


def test_a_failure_in_another_file_is_shown_where_the_test_calls_it(on_github: Project) -> None:
    (on_github.path / "elsewhere.py").write_text(
        "from pytest_ragassert import assert_faithful\n\n\n"
        "def check(case):\n    assert_faithful(case)\n"
    )
    on_github.test(
        "from elsewhere import check\nfrom ferry import BAD, case\n\n"
        "def test_price():\n    made = case('price', BAD)\n    check(made)\n"
    )
    (found,) = annotated(on_github.run())
    assert found.properties["line"] == "6"


def test_a_replay_that_lacks_verdicts_says_so(project: Project, judge: LoopbackJudge) -> None:
    project.judged_by(judge)
    project.test(PASSING)
    result = project.run("--ragassert-record-mode=none", MARKDOWN)
    assert result.ret == 1
    text = report(project)
    assert text.startswith(
        "<h3>❌ RAG tests failed: 2 tests without a stored verdict</h3>\n"
        "<p>Nothing was measured, judge "
    )
    assert "<h4>No stored verdict: 2 tests</h4>\n<ul>\n<li><code>test_it.py" in text


def test_the_command_has_the_options_of_the_run(project: Project) -> None:
    project.pytester.mkdir("sub")
    project.pytester.makeconftest("")
    project.test(FAILING).rename(project.path / "sub" / "test_it.py")
    project.run("--ragassert-judge=offline", "--ragassert-votes=2", MARKDOWN, "sub")
    command = "pytest --ragassert-judge=offline --ragassert-votes=2 sub/test_it.py::"
    assert f"Run it again: <code>{command}test_price</code>" in report(project)


def test_a_run_that_measures_nothing_of_its_own_writes_nothing(on_github: Project) -> None:
    on_github.test("def test_plain():\n    assert 0\n")
    result = on_github.run(MARKDOWN)
    assert result.ret == 1
    assert annotated(result) == []
    assert not (on_github.path / "report.md").exists()
    assert not (on_github.path / "summary.md").exists()


# -- GitHub Actions --------------------------------------------------------------------------------


def test_the_step_summary_is_the_report(on_github: Project) -> None:
    on_github.test(FAILING)
    on_github.run(MARKDOWN)
    assert report(on_github, "summary.md") == report(on_github)
    # another run of the same step
    on_github.run()
    page = page_of(report(on_github, "summary.md"))
    assert page.elements.count("h3") == 2
    assert page.unclosed == []


@pytest.mark.parametrize("args", [(), ("-n2",), ("-qq",), ("--no-summary",), ("-s", "-v")], ids=str)
def test_the_ten_worst_are_annotated_below_all_else(
    on_github: Project, args: tuple[str, ...]
) -> None:
    on_github.test(MANY)
    result = on_github.run(GATE, *args)
    lines = result.outlines
    while not lines[-1]:
        lines.pop()
    assert all(line.startswith("::error ") for line in lines[-10:])
    found = annotated(result)
    assert len(found) == 10
    assert found[0].properties == {"title": "gate not met"}
    file = f"{on_github.path.name}/test_it.py"
    assert all(one.properties["file"] == file for one in found[1:])
    # at which the test failed
    assert all(one.properties["line"] == "7" for one in found[1:])
    scores = [
        re.findall(r"faithfulness (0\.\d\d)", one.properties["title"])[0] for one in found[1:]
    ]
    assert scores == sorted(scores)
    assert found[1].text.startswith("How often does the ferry run?\ncontradicted: ")


@pytest.mark.parametrize(
    ("option", "environ", "wanted"),
    [
        ("auto", "true", True),
        ("auto", "", False),
        ("on", "", True),
        ("off", "true", False),
    ],
)
def test_when_it_reports_to_github(
    on_github: Project, option: str, environ: str, wanted: bool
) -> None:
    on_github.set(GITHUB_ACTIONS=environ)
    on_github.test(FAILING)
    result = on_github.run(f"--ragassert-github={option}")
    assert bool(annotated(result)) is wanted
    assert (on_github.path / "summary.md").exists() is wanted


def test_a_repository_elsewhere(on_github: Project, tmp_path: Path) -> None:
    on_github.test(FAILING)
    for workspace in str(tmp_path / "elsewhere"), "":
        on_github.set(GITHUB_WORKSPACE=workspace)
        (found,) = annotated(on_github.run())
        assert found.properties["file"] == "test_it.py"


def test_a_passing_attempt_is_not_annotated(on_github: Project) -> None:
    on_github.test(
        """
        from ferry import BAD, case
        from pytest_ragassert import assert_faithful

        TRIES = []

        def test_flaky():
            TRIES.append(1)
            assert_faithful(case("price", *([BAD] if len(TRIES) < 2 else [])))
        """
    )
    result = on_github.run("--reruns=1", use=["rerunfailures"])
    assert result.ret == 0
    assert annotated(result) == []
    assert report(on_github, "summary.md").startswith("<h3>✅")


def test_a_summary_that_can_not_be_written_costs_a_note(on_github: Project) -> None:
    on_github.set(GITHUB_STEP_SUMMARY=str(on_github.path))
    on_github.test(FAILING)
    result = on_github.run()
    assert result.ret == 1
    assert f"note: no step summary in {on_github.path}: Is a directory" in section(result)
    assert len(annotated(result)) == 1


def test_where_there_is_no_summary_to_write_that_is_noted(on_github: Project) -> None:
    on_github.set(GITHUB_STEP_SUMMARY="")
    on_github.test(PASSING)
    note = "note: no step summary: GITHUB_STEP_SUMMARY is not set to its file"
    assert note in section(on_github.run("--ragassert-github=on"))
    assert note not in section(on_github.run())


def test_what_is_not_wanted_is_not_imported(project: Project) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(FAILING)
    project.pytester.makeconftest(
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    names = [one for one in sys.modules if 'ragassert.report.' in one]\n"
        "    print()\n"
        "    print('LOADED', *sorted(names))\n"
    )
    for more, loaded in ((), False), ((MARKDOWN,), True):
        result = project.process("-s", *more, fresh=True)
        (line,) = [one for one in result.outlines if one.startswith("LOADED")]
        assert ("pytest_ragassert.report.markdown.document" in line) is loaded
        assert "pytest_ragassert.report.annotations" not in line
