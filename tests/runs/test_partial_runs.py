"""Gates and histories of runs that are a part: by the command line, a sample, or an early stop."""

from __future__ import annotations

import re

import pytest

from pytest_ragassert.config.options import OFFLINE_ID

from .projects import Project, new_project, section
from .test_gated_runs import errors

project = pytest.fixture(new_project)

# Below, the gate fails in a run of all.
ONE = """
import pytest
from ferry import BAD, GOOD, case
from pytest_ragassert import evaluate

@pytest.mark.parametrize("n", range(3))
def test_case(n):
    evaluate(case(f"c{n}", GOOD if n else BAD), ["faithfulness"])
"""
TWO = """
import pytest
from ferry import GOOD, case
from pytest_ragassert import assert_faithful

@pytest.mark.slow
def test_slow():
    assert_faithful(case("slow"))

def test_fails():
    assert_faithful(case("fails"))
    assert False

def test_skips():
    pytest.skip("not here")
"""
INI = "[pytest]\nragassert_judge = offline\nmarkers = slow\n"
GATE = "--ragassert-gate=mean(faithfulness) >= 0.9"
HISTORY = "--ragassert-history=h.jsonl"


@pytest.fixture
def two(project: Project) -> Project:
    """A project with tests in two folders."""
    project.pytester.makeini(INI)
    for folder, text in (("one", ONE), ("two", TWO)):
        path = project.pytester.mkdir(folder) / f"test_{folder}.py"
        path.write_text(text, encoding="utf-8")
    project.pytester.makeconftest("")
    return project


def open_gates(result: pytest.RunResult) -> str | None:
    """Why the gates are not checked; None where they are."""
    found = re.findall(
        r"^the gates are not checked(?:, so[^:]*)?: (.*)$", result.stdout.str(), re.M
    )
    return found[0] if found else None


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("-k", "case"), "-k left 3 tests out"),
        (("-vk", "not slow"), "-k left 1 test out"),
        (("-m", "not slow"), "-m left 1 test out"),
        (("--deselect=two/test_two.py::test_fails",), "--deselect left 1 test out"),
        (("--ignore=two",), "--ignore leaves tests out"),
        (("--ignore-glob", "*two"), "--ignore-glob leaves tests out"),
        (("one",), "only one was run; run pytest without paths, or"),
        (("two/test_two.py", "-q"), "only two/test_two.py was run"),
        (("one/test_one.py::test_case[1]", "two"), "only one/test_one.py::test_case[1] two was"),
        (("-o", "python_files=test_one.py"), "-o python_files=test_one.py may leave tests out"),
        (("-o", "testpaths=one"), "-o testpaths=one may leave tests out"),
        (("-x", "two", "one"), "the run was stopped, and 4 tests did not run (stopping after 1 f"),
        (("--maxfail=1", "two", "one"), "the run was stopped, and 4 tests did not run"),
    ],
)
def test_a_part_holds_no_gate(two: Project, args: tuple[str, ...], why: str) -> None:
    result = two.run(GATE, HISTORY, *args)
    assert str(open_gates(result)).startswith(why)
    assert "gates=partial" in section(result)[-1]
    assert "0.9: " not in result.stdout.str()
    assert not (two.path / "h.jsonl").exists()
    assert [line for line in section(result) if line.startswith("note: no line in the history: ")]
    failed = result.parseoutcomes().get("failed", 0)
    assert result.ret == (1 if failed else 0)


@pytest.mark.parametrize(
    "args",
    [
        (),
        (".",),
        ("one", "two"),
        ("two", "./one/../one/"),
        ("-k", "test"),
        ("-m", "slow or not slow"),
        ("--ff", "-p", "cacheprovider"),
        ("--ragassert-sample=99",),
        ("-o", "xfail_strict=true", "--deselect=nowhere"),
        ("one", "-q", "two"),
    ],
)
def test_a_run_of_all_holds_them_whatever_became_of_its_tests(
    two: Project, args: tuple[str, ...]
) -> None:
    two.pytester.makeini(f"{INI}testpaths = one two\n")
    result = two.run(GATE, HISTORY, *args)
    assert open_gates(result) is None
    assert "  ✗ mean(faithfulness) >= 0.9: 0.80 over 5 cases" in section(result)
    assert (two.path / "h.jsonl").exists()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_what_the_ini_file_selects_is_all(two: Project, workers: tuple[str, ...]) -> None:
    two.pytester.makeini(
        f"{INI}addopts = -m 'not slow' --deselect two/test_two.py::test_fails one two\n"
    )
    result = two.run(GATE, *workers)
    assert "  ✗ mean(faithfulness) >= 0.9: 0.67 over 3 cases" in section(result)
    part = two.run(GATE, "-k", "case", *workers)
    assert open_gates(part) == "-k left 2 tests out"
    again = two.run(GATE, "-m", "slow", *workers)
    assert str(open_gates(again)).startswith("-m left")


def test_the_variable_selects_as_the_command_line_does(two: Project) -> None:
    two.set(PYTEST_ADDOPTS="-k case")
    assert open_gates(two.run(GATE)) == "-k left 3 tests out"


def test_what_the_project_s_own_code_deselects_is_no_part(two: Project) -> None:
    two.pytester.makeconftest(
        """
        def pytest_collection_modifyitems(config, items):
            config.hook.pytest_deselected(items=items[3:4])
            items[:] = items[:3] + items[5:]
        """
    )
    result = two.run(GATE, "--verbosity=1")
    assert "  ✗ mean(faithfulness) >= 0.9: 0.67 over 3 cases" in section(result)


@pytest.mark.parametrize("told", [True, False])
def test_what_another_plugin_deselects_is_a_part(
    two: Project, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory, told: bool
) -> None:
    folder = tmp_path_factory.mktemp("installed")
    (folder / "sharding.py").write_text(
        "def pytest_collection_modifyitems(config, items):\n"
        + "    config.hook.pytest_deselected(items=items[3:])\n" * told
        + "    del items[3:]\n",
        encoding="utf-8",
    )
    two.pytester.syspathinsert(folder)
    who = "sharding" if told else "a plugin"
    assert open_gates(two.run(GATE, "-p", "sharding")) == f"{who} left 3 tests out"


def test_the_last_failed_ones_are_a_part(two: Project) -> None:
    cache = ("-p", "cacheprovider")
    assert open_gates(two.run(GATE, "--lf", *cache)) is None, "nothing failed before"
    assert open_gates(two.run(GATE, "--lf", *cache)) == "--lf left 1 file out"
    assert str(open_gates(two.run(GATE, "--sw", *cache, "-p", "stepwise"))).startswith(
        "the run was "
    )


def test_a_folder_without_an_ini_file_is_a_part(two: Project) -> None:
    (two.path / "tox.ini").unlink()
    offline = "--ragassert-judge=offline"
    assert str(open_gates(two.run(GATE, offline, "one"))).startswith("only one was run")
    assert open_gates(two.run(GATE, offline)) is None


def test_started_below_it_is_a_part(two: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(two.path / "one")
    assert open_gates(two.run(GATE)) == (
        f"only the tests in {two.path / 'one'} were run; run pytest in {two.path}"
    )
    assert open_gates(two.run(GATE, "..")) is None


@pytest.mark.parametrize(
    "body", ["raise KeyboardInterrupt", "pytest.exit('enough', returncode=0)", "import nowhere"]
)
def test_a_run_that_is_broken_off_holds_no_gate(two: Project, body: str) -> None:
    inside = "import" not in body
    text = f"import pytest\ndef test_ends():\n    {body}\n" if inside else body
    (two.path / "two" / "test_zz.py").write_text(text, encoding="utf-8")
    result = two.process(GATE, "--continue-on-collection-errors")
    assert open_gates(result) == (
        "the run was interrupted" if inside else "1 file could not be collected"
    )
    if not inside:
        assert " other=2 " in section(result)[-1]


def test_where_ci_is_set_a_part_does_not_pass(two: Project) -> None:
    two.set(CI="true")
    result = two.run(GATE, "one")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (line,) = [line for line in section(result) if line.startswith("the gates are not checked")]
    assert line.startswith("the gates are not checked, so the run fails because CI is set")
    assert line.endswith("; if this is intended, use --ragassert-gates=off")
    assert "failed-by=gates " in section(result)[-1]
    for off in ({}, {"RAGASSERT_HOLD_GATES": "off"}):
        two.set(**off)
        meant = two.run(GATE, "one", *([] if off else ["--ragassert-gates=off"]))
        assert meant.ret == 0
        assert open_gates(meant) == "--ragassert-gates=off"
        assert section(meant)[-1].endswith("gates=off")
    two.unset("RAGASSERT_HOLD_GATES")
    assert "✗" in "".join(section(two.run(GATE)))
    assert two.run(GATE, "two", "-k", "slow", "--ragassert-gates=on").ret == 1
    assert two.run("one").ret == 0, "it has no gates"


def test_gates_that_are_off_are_not_held_in_a_run_of_all(two: Project) -> None:
    result = two.run(GATE, "--ragassert-gates=off", "--deselect=two/test_two.py::test_fails")
    assert result.ret == 0
    assert open_gates(result) == "--ragassert-gates=off"


def test_a_part_is_compared_and_names_no_others(two: Project) -> None:
    file = "--ragassert-baseline=b.jsonl"
    assert two.run(file, "--ragassert-update-baseline").ret == 1
    result = two.run(file, GATE, "--ragassert-gate=drop(faithfulness) <= 0", "one")
    assert result.ret == 0
    assert "against the baseline b.jsonl: 3 cases compared" in section(result)
    assert "in the baseline, not in this part of the tests or not measured: 2" in section(result)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_a_misspelt_metric_ends_the_run_before_anything_is_asked(
    two: Project, workers: tuple[str, ...]
) -> None:
    two.pytester.makeconftest(
        """
        from pytest_ragassert import Metric

        class Brevity(Metric):
            name = "brevity"
            requires = ("answer",)

            async def measure(self, case, ask):
                return 1.0

        def pytest_ragassert_metrics():
            return [Brevity()]

        def pytest_runtest_setup(item):
            open("ran", "w")
        """
    )
    said = errors(two.run("--ragassert-gate=mean(faithfullness) >= 0.9", *workers))
    assert "the gate 'mean(faithfullness) >= 0.9': no metric is called 'faithfullness'; " in said
    assert "did you mean faithfulness?" in said
    assert "did you mean brevity?" in errors(
        two.run("--ragassert-gate=min(brevety) >= 0", "one", *workers)
    )
    assert not (two.path / "ran").exists()
    assert two.run("--ragassert-gate=min(brevity) >= 0", "one", *workers).ret == 0


@pytest.mark.parametrize("gate", ["drop(faithfulness) <= 0", "plain_drop(faithfulness, n=5) <= 0"])
def test_the_run_that_writes_the_first_baseline_does_not_fail_by_drops(
    two: Project, gate: str
) -> None:
    gates = ("--ragassert-baseline=b.jsonl", f"--ragassert-gate={gate}")
    two.pytester.makeini(f"{INI}addopts = --deselect=two/test_two.py::test_fails\n")
    first = two.run(*gates, "--ragassert-update-baseline")
    assert first.ret == 0
    said = " ".join("\n".join(section(first)).split())
    assert f"✓ {gate}: this run writes the baseline, which has too few of its cases yet" in said
    # another judge's lines are not these
    text = (two.path / "b.jsonl").read_text().replace(OFFLINE_ID, "judge-a")
    (two.path / "b.jsonl").write_text(text)
    assert two.run(*gates, "--ragassert-update-baseline").ret == 0
