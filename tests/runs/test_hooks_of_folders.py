"""Hooks in conftest.py files of folders: whose tests they hold for, and when they are too late."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section

project = pytest.fixture(new_project)

CASES = """
import pytest
from pytest_ragassert import assert_faithful

CASES = [{"id": "one"}, {"id": "two"}]

@pytest.mark.rag_cases(CASES)
def test_first(rag_case):
    assert rag_case.answer == "The ferry runs WHO."
    assert_faithful(rag_case)

@pytest.mark.rag_cases(CASES)
def test_second(rag_case):
    assert rag_case.answer == "The ferry runs WHO."
"""
ANSWER = """
import pathlib

ASYNCdef pytest_ragassert_answer(case):
    with open(pathlib.Path(__file__).with_name("asked.txt"), "a") as file:
        print(case.id, file=file)
    text = "The ferry runs WHO."
    return {"answer": text, "retrieved_contexts": [text]}
"""
NONE = """
def pytest_ragassert_answer(case):
    with open(ROOT + "/none.txt", "a") as file:
        print(case.id, file=file)
"""


def folder(project: Project, name: str, conftest: str | None) -> None:
    place = project.path / name
    place.mkdir(parents=True)
    if conftest is not None:
        (place / "conftest.py").write_text(conftest)


def add_tests(project: Project, name: str, who: str) -> None:
    file = name.replace("/", "_")
    (project.path / name / f"test_{file}.py").write_text(CASES.replace("WHO", who))


def asked(file: Path) -> dict[str, int]:
    return Counter(file.read_text().split())


@pytest.mark.parametrize("args", [(), ("-n", "2", "--dist=each"), ("-n", "2")])
@pytest.mark.parametrize("kind", ["", "async "])
def test_each_folder_has_its_own_answers(
    project: Project, args: tuple[str, ...], kind: str
) -> None:
    once = {"one": 1, "two": 1}
    answer = ANSWER.replace("ASYNC", kind)
    project.pytester.makeconftest(answer.replace("WHO", "anywhere"))
    for name in ("a", "b"):
        folder(project, name, answer.replace("WHO", f"in {name}"))
        add_tests(project, name, f"in {name}")
    # these leave all cases to the project's
    for name in ("c", "d/e"):
        folder(
            project, name, NONE.replace("ROOT", repr(str(project.path))) if name == "c" else None
        )
        add_tests(project, name, "anywhere")
    result = project.run(*args)
    result.assert_outcomes(passed=16 * (1 + ("--dist=each" in args)))
    for name in ("a", "b", "."):
        assert asked(project.path / name / "asked.txt") == once
    assert asked(project.path / "none.txt") == once


def test_answers_asked_ahead_are_those_of_the_tests_folder(
    project: Project, judge: LoopbackJudge
) -> None:
    for name in ("a", "b"):
        folder(project, name, ANSWER.replace("ASYNC", "async ").replace("WHO", f"in {name}"))
        add_tests(project, name, f"in {name}")
    project.judged_by(judge)
    judge.latency = 0.05
    result = project.run()
    result.assert_outcomes(passed=8)
    assert not any("not used" in line for line in section(result))
    for name in ("a", "b"):
        assert asked(project.path / name / "asked.txt") == {"one": 1, "two": 1}


def test_an_answer_hook_that_wraps_others_is_one_with_them(project: Project) -> None:
    project.pytester.makeconftest(ANSWER.replace("ASYNC", "").replace("WHO", "anywhere"))
    folder(
        project,
        "a",
        """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_ragassert_answer(case):
    answer = yield
    return {**answer, "answer": answer["answer"].replace("anywhere", "in a")}
""",
    )
    add_tests(project, "a", "in a")
    folder(project, "b", None)
    add_tests(project, "b", "anywhere")
    project.run().assert_outcomes(passed=8)


def test_a_result_goes_to_the_folders_above_its_test(project: Project) -> None:
    hears = """
import pathlib

def pytest_ragassert_result(item, result):
    with open(pathlib.Path(__file__).with_name("heard.txt"), "a") as file:
        print(item.name, file=file)
"""
    test = """
        from ferry import case
        from pytest_ragassert import Settings, evaluate

        def test_NAME():
            evaluate(case("one"), ["faithfulness"])
            evaluate(case("one"), ["faithfulness"], settings=Settings(record_mode="off"))
    """
    project.pytester.makeconftest(hears)
    for name in ("a", "b"):
        folder(project, name, hears)
        project.test(test.replace("NAME", name)).rename(project.path / name / f"test_{name}.py")
    project.run().assert_outcomes(passed=2)
    assert asked(project.path / "a" / "heard.txt") == {"test_a": 2}
    assert asked(project.path / "b" / "heard.txt") == {"test_b": 2}
    assert asked(project.path / "heard.txt") == {"test_a": 2, "test_b": 2}


LATE = {
    "pytest_ragassert_make_judge": "def pytest_ragassert_make_judge(config, name): pass",
    "pytest_ragassert_make_embedder": "def pytest_ragassert_make_embedder(config, name): pass",
    "pytest_ragassert_metrics": "def pytest_ragassert_metrics(): return []",
    "pytest_ragassert_metrics, by another name": """
import pytest

@pytest.hookimpl(specname="pytest_ragassert_metrics")
def pytest_more_metrics():
    return []
""",
}
ASKING = """
from pytest_ragassert import EvalCase, assert_faithful

def test_it():
    assert_faithful(EvalCase(answer="It runs.", retrieved_contexts=["It runs."]))
"""


@pytest.fixture
def late(project: Project) -> Project:
    """A project with a conftest.py that pytest loads while it collects."""
    folder(project, "sub/inner", LATE["pytest_ragassert_make_judge"])
    (project.path / "sub" / "inner" / "test_it.py").write_text(ASKING)
    return project


@pytest.mark.parametrize("hook", LATE)
def test_a_hook_that_comes_too_late_is_a_usage_error(late: Project, hook: str) -> None:
    file = late.path / "sub" / "inner" / "conftest.py"
    file.write_text(LATE[hook])
    result = late.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = hook.partition(",")[0]
    told = [line for line in result.errlines if line.startswith("ERROR: ")]
    assert told[0].startswith(f"ERROR: {file} implements {name}: too late")
    assert f"move it to {late.path}/conftest.py" in told[0]
    assert len(told) == 1


@pytest.mark.parametrize("args", [("--co",), ("-q", "--ragassert-plan"), ("-n", "2"), ("sub",)])
def test_it_is_one_however_pytest_is_run(
    late: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    late.judged_by(judge)
    (late.path / "sub" / "test_more.py").write_text(ASKING)
    result = late.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = f"{late.path}/sub/inner/conftest.py implements pytest_ragassert_make_judge: too late"
    assert str(result.stderr).count(told) + str(result.stdout).count(told) == 1
    assert result.parseoutcomes().get("passed", 0) == 0
    assert judge.count() == 0


@pytest.mark.parametrize(
    ("args", "use", "ini"),
    [
        (("sub/inner",), (), ""),
        (("sub/inner/test_it.py",), (), ""),
        ((), (), "testpaths = sub/inner"),
        (("-n", "1", "sub/inner"), (), ""),
        (("sub",), ("hooks",), ""),
    ],
)
def test_it_is_none_where_pytest_loads_it_at_the_start(
    late: Project, args: tuple[str, ...], use: tuple[str, ...], ini: str
) -> None:
    file = late.path / "sub" / "inner" / "conftest.py"
    if use:
        file.rename(late.path / "hooks.py")
        late.pytester.syspathinsert()
    if ini:
        late.pytester.makeini(f"[pytest]\n{ini}\n")
    late.run(*args, use=use).assert_outcomes(passed=1)


def test_a_plugin_that_the_top_conftest_names_is_in_time(project: Project) -> None:
    (project.path / "hooks.py").write_text(LATE["pytest_ragassert_make_judge"])
    project.pytester.syspathinsert()
    project.pytester.makeconftest('pytest_plugins = ["hooks"]')
    project.test(ASKING)
    project.run().assert_outcomes(passed=1)


def test_a_plugin_that_a_test_registers_is_too_late(project: Project) -> None:
    project.test(
        """
        from ferry import case
        from pytest_ragassert import assert_faithful

        class Late:
            def pytest_ragassert_metrics(self):
                return []

        def test_it(request):
            request.config.pluginmanager.register(Late())
            assert_faithful(case("one"))
        """
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    assert any("ConfigurationError" in line and "too late" in line for line in result.outlines)
