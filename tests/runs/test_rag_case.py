"""The marker `rag_cases` and the fixture `rag_case`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from .projects import Project, new_project

project = pytest.fixture(new_project)

FERRY_CASES = [
    {"id": "times", "answer": "Yes.", "retrieved_contexts": ["a", "b"]},
    {"id": "Größe 7", "user_input": "How large?"},
    {"answer": "No id."},
]


def cases(path: Path, records: list[Any] | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(record) for record in FERRY_CASES if records is None]
    lines += [r if isinstance(r, str) else json.dumps(r) for r in records or []]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line and not line.startswith("ERROR")]


IN_FILE = """
import pytest

@pytest.mark.rag_cases("cases.jsonl")
def test_case(rag_case):
    assert rag_case.id
"""


def test_a_file_beside_the_test_goes_before_one_in_rootdir(project: Project) -> None:
    folder = project.path / "tests" / "deep"
    project.pytester.makeini("[pytest]")
    cases(project.path / "cases.jsonl", [{"id": "root"}])
    folder.mkdir(parents=True)
    folder.joinpath("test_file.py").write_text(IN_FILE)
    collect = ("--collect-only", "-q")
    assert ids(project.run(*collect)) == ["tests/deep/test_file.py::test_case[root]"]
    cases(folder / "cases.jsonl")
    assert ids(project.run(*collect)) == [
        "tests/deep/test_file.py::test_case[times]",
        "tests/deep/test_file.py::test_case[Gr\\xf6\\xdfe 7]",
        "tests/deep/test_file.py::test_case[cases-3]",
    ]
    project.run().assert_outcomes(passed=3)


def test_ids_that_no_command_line_should_hold_are_short_in_tests_names(project: Project) -> None:
    project.test(
        """
        import pytest
        from ferry import BAD, case
        from pytest_ragassert import assert_faithful

        IDS = ["x" * 10_000, "x" * 9_999, "x" * 200, "\\ud800" * 300]

        @pytest.mark.rag_cases([case(id, BAD) for id in IDS])
        def test_case(rag_case):
            assert_faithful(rag_case)
        """
    )
    args = ("--ragassert-judge=offline", "-p", "no:cacheprovider")
    result = project.run(*args)
    result.assert_outcomes(failed=4)
    assert max(map(len, result.outlines)) < 1000
    shown = [line for line in result.outlines if line.startswith("pytest ") and "[xxx" in line]
    assert len(set(shown)) == 3
    first = re.search(r"test_it.py::test_case\[x{60}-[0-9a-f]{12}\]", shown[0])
    assert first is not None
    assert f"test_it.py::test_case[{'x' * 200}]" in shown[2]
    # it runs that case alone
    again = project.run(*args, first[0])
    again.assert_outcomes(failed=1)


def test_all_that_may_be_given(project: Project) -> None:
    project.path.joinpath("cases").mkdir()
    cases(project.path / "cases" / "b.jsonl", [{"id": "b-1"}])
    project.path.joinpath("cases", "a.json").write_text('[{"id": "a-1"}, {"question": "?"}]')
    project.test(
        """
        import pathlib
        import pytest
        from pytest_ragassert import EvalCase, load_cases

        made = [EvalCase(id="one"), EvalCase(question="two")]

        @pytest.mark.rag_cases(made)
        def test_list(rag_case): pass

        @pytest.mark.rag_cases([{"id": 3}, {"response": "four"}])
        def test_dicts(rag_case): assert isinstance(rag_case, EvalCase)

        @pytest.mark.rag_cases(EvalCase(id=f"g{n}") for n in range(2))
        class TestGenerator:
            def test_first(self, rag_case): pass
            def test_second(self, rag_case): pass

        @pytest.mark.rag_cases("cases")
        def test_folder(rag_case): pass

        @pytest.mark.rag_cases(pathlib.Path(__file__).parent / "cases" / "a.json")
        def test_path(rag_case): pass

        @pytest.mark.parametrize("case", load_cases("cases"), ids=lambda case: case.id)
        def test_own(case): pass

        @pytest.mark.rag_cases([])
        def test_none(rag_case): pass
        """
    )
    result = project.run("-q", "--collect-only")
    names = [line.split("::", 1)[1] for line in ids(result)]
    assert names == [
        "test_list[one]",
        "test_list[case-2]",
        "test_dicts[3]",
        "test_dicts[case-2]",
        "TestGenerator::test_first[g0]",
        "TestGenerator::test_first[g1]",
        "TestGenerator::test_second[g0]",
        "TestGenerator::test_second[g1]",
        "test_folder[a-1]",
        "test_folder[a-2]",
        "test_folder[b-1]",
        "test_path[a-1]",
        "test_path[a-2]",
        "test_own[a-1]",
        "test_own[a-2]",
        "test_own[b-1]",
        "test_none[NOTSET]",
    ]
    project.run().assert_outcomes(passed=16, skipped=1)


def test_a_file_is_read_once_for_all_that_use_it_as_it_is(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_ragassert.datasets.loading import read_cases
    from pytest_ragassert.plugin import case_sources

    read: list[str] = []

    def noted(source: Path, **options: Any) -> Any:
        read.append(source.name)
        return read_cases(source, **options)

    monkeypatch.setattr(case_sources, "read_cases", noted)
    cases(project.path / "cases.jsonl", [{"id": "before"}])
    cases(project.path / "broken.jsonl", ["{"])
    broken = IN_FILE.replace("cases.jsonl", "broken.jsonl")
    for name, source in (("a", IN_FILE), ("b", IN_FILE), ("c", broken), ("d", broken)):
        project.test(source, f"test_{name}")
    rewriting = """
        import pathlib
        pathlib.Path("cases.jsonl").write_text('{"id": "rewritten"}')
    """
    project.test(dedent(rewriting) + IN_FILE, "test_e")
    assert ids(project.run("--collect-only", "-q"))[:3] == [
        "test_a.py::test_case[before]",
        "test_b.py::test_case[before]",
        "test_e.py::test_case[rewritten]",
    ]
    assert read == ["cases.jsonl", "broken.jsonl", "cases.jsonl"]


def test_an_iterator_is_read_once(project: Project) -> None:
    project.test("""
        import pytest

        once = iter([{"question": "a"}])

        @pytest.mark.rag_cases(once)
        def test_first(rag_case): pass

        class TestOther:
            @pytest.mark.rag_cases(once, fields={"question": "answer"})
            def test_other(self, rag_case): pass
    """)
    result = project.run()
    assert result.parseoutcomes() == {"errors": 1}
    assert any(
        line.endswith(
            "is read only once, with fields= and format= of its first test; pass a list instead"
        )
        for line in result.outlines
    )


def test_an_iterator_that_breaks_gives_nobody_a_part_of_its_cases(project: Project) -> None:
    project.pytester.makepyfile(
        shared="""
        def broken():
            yield {"question": "a"}
            raise RuntimeError("the data base is away")

        away = broken()
        """
    )
    for name in ("a", "b"):
        source = """
            import pytest
            from shared import away

            @pytest.mark.rag_cases(away)
            def test_case(rag_case): pass
        """
        project.test(dedent(source), f"test_{name}")
    result = project.run()
    assert result.parseoutcomes() == {"errors": 2}
    assert result.stdout.str().count("RuntimeError: the data base is away") == 4


def test_each_test_has_a_copy_of_its_own(project: Project) -> None:
    project.test(
        """
        import pytest
        from pytest_ragassert import EvalCase, assert_faithful

        fields = {"answer": "It runs.", "retrieved_contexts": ["It runs."]}
        shared = [EvalCase(id="c", metadata={"n": [1]}, **fields)]
        pytestmark = pytest.mark.rag_cases(shared)

        @pytest.fixture
        def asked(rag_case):
            return rag_case

        @pytest.mark.parametrize("turn", [1, 2])
        def test_change(rag_case, asked, turn):
            assert rag_case is asked
            assert (rag_case.answer, rag_case.metadata) == ("It runs.", {"n": [1]})
            assert rag_case.results == {}
            assert_faithful(rag_case)
            assert list(rag_case.results) == ["faithfulness"]
            rag_case.metadata["n"].append(2)
            rag_case.retrieved_contexts.append("more")
            rag_case.answer = "changed"

        def test_shared():
            assert shared[0].results == {} and shared[0].retrieved_contexts == ["It runs."]

        @pytest.mark.rag_cases([EvalCase(id="nearer")])
        def test_nearest_mark_wins(rag_case):
            assert rag_case.id == "nearer"
        """
    )
    result = project.run("-v")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        ["*::test_change[[]c-1[]] PASSED*", "*::test_change[[]c-2[]] PASSED*"]
    )


MISTAKES = {
    "no file": (
        '@pytest.mark.rag_cases("none.jsonl")\ndef test_case(rag_case): pass',
        ["no file 'none.jsonl'", "looked for", "none.jsonl"],
    ),
    "no argument": ("@pytest.mark.rag_cases()\ndef test_case(rag_case): pass", ["cases.jsonl"]),
    "two arguments": (
        '@pytest.mark.rag_cases("a", "b")\ndef test_case(rag_case): pass',
        ["cases.jsonl"],
    ),
    "a number": (
        "@pytest.mark.rag_cases(5)\ndef test_case(rag_case): pass",
        ["5", "list of cases"],
    ),
    "a list of numbers": (
        "@pytest.mark.rag_cases([5])\ndef test_case(rag_case): pass",
        ["a case must be an EvalCase or a dict, not int"],
    ),
    "an unknown field": (
        '@pytest.mark.rag_cases([{"id": "c", "anser": "x"}])\ndef test_case(rag_case): pass',
        ["unknown field 'anser'"],
    ),
    "one id twice": (
        '@pytest.mark.rag_cases([{"id": "c"}, {"id": "c"}])\ndef test_case(rag_case): pass',
        ["two cases have the id 'c'"],
    ),
    "a broken line": (
        '@pytest.mark.rag_cases("broken.jsonl")\ndef test_case(rag_case): pass',
        ["broken.jsonl, line 3", "not JSON"],
    ),
    "a wrong type": (
        '@pytest.mark.rag_cases("typed.jsonl")\ndef test_case(rag_case): pass',
        ["typed.jsonl, line 2", "answer"],
    ),
}


def test_no_marker_is_told_when_the_fixture_is_wanted(project: Project) -> None:
    project.test("def test_case(rag_case): pass")
    result = project.run()
    result.assert_outcomes(errors=1)
    told = next(line for line in result.outlines if "rag_case has no cases" in line)
    assert "test_it.py::test_case" in told
    assert "@pytest.mark.rag_cases" in told


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_at_collection_in_one_line(project: Project, name: str) -> None:
    source, words = MISTAKES[name]
    cases(project.path / "broken.jsonl", [{"id": "fine"}, "", '{"id": '])
    cases(project.path / "typed.jsonl", [{"id": "fine"}, {"id": "bad", "answer": 5}])
    project.test("import pytest\n" + source)
    result = project.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert result.parseoutcomes() == {"errors": 1}
    lines = result.outlines
    start = next(n for n, line in enumerate(lines) if "ERROR collecting" in line)
    told = lines[
        start + 1 : next(n for n, line in enumerate(lines) if "short test summary" in line)
    ]
    assert len(told) <= 2, told
    assert "test_it.py::test_case" in told[0]
    for word in words:
        assert word in "".join(told)


def test_a_broken_file_is_told_once_for_all_that_use_it(project: Project) -> None:
    cases(project.path / "broken.jsonl", [{"id": "a", "anwser": 1}, {"id": "b", "answer": 5}, "{"])
    source = """
        import pytest
        @pytest.mark.rag_cases("../broken.jsonl")
        def test_one(rag_case): pass
    """
    for name in ("a", "b", "c"):
        project.pytester.mkdir(name).joinpath(f"test_{name}.py").write_text(dedent(source))
    result = project.run()
    assert result.parseoutcomes() == {"errors": 3}
    text = result.stdout.str()
    assert text.count("field answer is a number; it takes a text") == 1
    assert text.count("unknown field 'anwser' (did you mean 'answer'?)") == 1
    for name in ("b", "c"):
        same = f"{name}/test_{name}.py::test_one: rag_cases: the same as for a/test_a.py::test_one"
        assert same in result.outlines


def test_a_warning_of_a_file_points_at_the_marked_test(project: Project) -> None:
    project.pytester.path.joinpath("odd.csv").write_text("question,contexts\nQ,nan\n")
    project.test("""
        import pytest
        @pytest.mark.rag_cases("odd.csv")
        def test_case(rag_case): pass
        class Frame:
            columns = ("contexts",)
            def iter_rows(self, named): yield {"contexts": "nan"}
        @pytest.mark.rag_cases(Frame())
        def test_rows(rag_case): pass
    """)
    text = project.run("-Wdefault").stdout.str()
    for line in (2, 7):
        assert re.search(rf"test_it\.py:{line}: RagAssertWarning: .*retrieved_contexts", text), text


def test_all_mistakes_of_a_list_are_told_at_once(project: Project) -> None:
    project.test("""
        import pytest
        @pytest.mark.rag_cases([{"id": "c", "anser": "x"}, {"id": "d", "answer": 1}, {"id": "e"}])
        def test_case(rag_case): pass
    """)
    lines = project.run().outlines
    assert any(line.endswith("rag_cases: the list: 2 mistakes") for line in lines)
    begin = "  case 2 of the list: case 'd': field answer is a number; it takes a text"
    assert any(line.startswith(begin) for line in lines)


def test_a_projects_own_fixture_of_that_name_is_left_alone(project: Project) -> None:
    project.pytester.makeconftest("import pytest\n@pytest.fixture\ndef rag_case(): return 'mine'\n")
    project.test(
        """
        import pytest

        def test_fixture(rag_case): assert rag_case == "mine"

        @pytest.mark.parametrize("rag_case", ["a", "b"])
        def test_parameter(rag_case): assert rag_case in "ab"
        """
    )
    project.run().assert_outcomes(passed=3)


ANSWERS = """
import json, os, pathlib

def pytest_ragassert_answer(case):
    with open("asked.txt", "a") as file:
        file.write(case.id + "\\n")
    if case.id == "unknown":
        return None
    return {"answer": "It runs " + case.id, "retrieved_contexts": ["It runs " + case.id]}
"""
ASKING = """
import pytest
from pytest_ragassert import EvalCase, MissingFieldError, assert_faithful

cases = [
    EvalCase(id="often"),
    EvalCase(id="seldom", retrieved_contexts=["old"]),
    EvalCase(id="unknown"),
    EvalCase(id="answered", answer="It runs.", retrieved_contexts=["It runs."]),
]
pytestmark = pytest.mark.rag_cases(cases)

@pytest.mark.parametrize("turn", range(3))
def test_case(rag_case, turn):
    if rag_case.id == "unknown":
        assert rag_case.answer is None and rag_case.retrieved_contexts is None
    else:
        assert rag_case.answer.startswith("It runs")
        assert rag_case.retrieved_contexts == [rag_case.answer]
        assert_faithful(rag_case)
"""


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_answers_are_asked_for_once_in_a_run(project: Project, args: tuple[str, ...]) -> None:
    project.pytester.makeconftest(ANSWERS)
    project.test(ASKING)
    project.run(*args).assert_outcomes(passed=12)
    asked = project.path.joinpath("asked.txt").read_text().split()
    assert sorted(asked) == ["often", "seldom", "unknown"]
    if not args:
        project.run().assert_outcomes(passed=12)
        assert len(project.path.joinpath("asked.txt").read_text().split()) == 6


def test_an_async_answer_hook(project: Project) -> None:
    project.pytester.makeconftest(
        """
        import asyncio

        async def pytest_ragassert_answer(case):
            await asyncio.sleep(0)
            return {"answer": "It runs."}
        """
    )
    project.test(
        """
        import pytest

        @pytest.mark.rag_cases([{"id": "c", "retrieved_contexts": ["kept"]}])
        def test_case(rag_case):
            assert (rag_case.answer, rag_case.retrieved_contexts) == ("It runs.", ["kept"])
        """
    )
    project.run("-W", "error").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("'It runs.'", "must return"),
        ("{'answr': 'x'}", "must return"),
        ("{'answer': 5}", "field answer"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_a_wrong_answer_is_an_error_of_the_test(project: Project, value: str, words: str) -> None:
    project.pytester.makeconftest(f"def pytest_ragassert_answer(case): return {value}")
    project.test(
        """
        import pytest

        @pytest.mark.rag_cases([{"id": "c"}, {"id": "d", "answer": "given"}])
        def test_case(rag_case): pass
        """
    )
    result = project.run()
    result.assert_outcomes(errors=1, passed=1)
    assert any(words in line for line in result.outlines if line.startswith("E "))


def test_an_argument_that_the_marker_does_not_take_is_named(project: Project) -> None:
    project.test(
        """
        import pytest
        from ferry import case

        @pytest.mark.rag_cases([case("c")], metric="faithfulness")
        def test_case(rag_case):
            pass
        """
    )
    result = project.run()
    assert (
        "rag_cases takes the cases, metrics=, fields= and format=; unexpected argument: 'metric'"
        in result.stdout.str()
    )


def test_columns_are_fields_by_marker_and_ini(project: Project) -> None:
    project.path.joinpath("cases.csv").write_text("id,prompt,reply,topic\na,Why?,So.,x\n")
    project.pytester.makeini("""
        [pytest]
        ragassert_fields =
            reply = answer
            prompt = answer
    """)
    project.test("""
        import pytest
        from pytest_ragassert import load_cases
        FIELDS = {"prompt": "question", "topic": "metadata"}

        @pytest.mark.rag_cases("cases.csv", fields=FIELDS)
        def test_file(rag_case):
            assert (rag_case.question, rag_case.answer) == ("Why?", "So.")
            assert rag_case.metadata == {"topic": "x"}
            assert load_cases("cases.csv", fields=FIELDS) == [rag_case]

        @pytest.mark.rag_cases([{"id": "b", "reply": "So."}])
        def test_list(rag_case): assert rag_case.answer == "So."
    """)
    project.run().assert_outcomes(passed=2)
    project.pytester.makeini("[pytest]\nragassert_fields = prompt question\n")
    result = project.run()
    assert "ragassert_fields: 'prompt question' is not lines `COLUMN = FIELD`" in "".join(
        result.errlines
    )


def test_the_marker_says_whose_records_they_are(project: Project) -> None:
    row = '{"inputs": {"query": "Why?"}, "outputs": {"answer": "So."}}\n'
    project.path.joinpath("rows.jsonl").write_text(row)
    project.test("""
        import pytest

        @pytest.mark.rag_cases("rows.jsonl", format="mlflow")
        def test_answer(rag_case):
            assert (rag_case.answer, rag_case.ground_truth_answer) == ("So.", None)

        @pytest.mark.rag_cases("rows.jsonl", format="langsmith")
        def test_reference(rag_case):
            assert (rag_case.answer, rag_case.ground_truth_answer) == (None, "So.")

        ROW = {"input": "Why?", "actual_output": "So.", "more": 1}

        @pytest.mark.rag_cases([ROW], format="deepeval")
        def test_list(rag_case):
            assert (rag_case.answer, rag_case.metadata) == ("So.", {"more": 1})
    """)
    project.run().assert_outcomes(passed=3)
    for marked, mistake in (
        (
            '"rows.jsonl", format="ragas"',
            "rows.jsonl, line 1: it is not a record of ragas, which has",
        ),
        ('[{}], format="jsonl"', "rag_cases: format: list is not a file, and has no format"),
    ):
        project.test(f"""
            import pytest

            @pytest.mark.rag_cases({marked})
            def test_it(rag_case): ...
        """)
        assert mistake in project.run().stdout.str()


def test_two_markers_on_a_function_are_an_error(project: Project) -> None:
    project.test("""
import pytest

@pytest.mark.rag_cases([{"id": "a"}])
@pytest.mark.rag_cases([{"id": "b"}])
def test_case(rag_case): pass
""")
    result = project.run()
    assert result.parseoutcomes() == {"errors": 1}
    assert (
        "test_it.py::test_case: has several rag_cases markers, of which only one would be used; "
        "put all cases in one marker, as a list or as load_cases(a) + load_cases(b)"
    ) in "\n".join(result.outlines)


@pytest.mark.parametrize(
    "source",
    [
        "@first\n@second\nclass TestAll:\n    def test_it(self, rag_case): pass",
        "pytestmark = [first, second]\ndef test_it(rag_case): pass",
        "@first\nclass Base:\n    def test_it(self, rag_case): pass\n"
        "@second\nclass TestAll(Base): pass",
    ],
    ids=["class", "module", "base class"],
)
def test_several_markers_of_a_class_or_module_are_a_mistake(project: Project, source: str) -> None:
    markers = """
import pytest

first, second = (pytest.mark.rag_cases([{"id": name}]) for name in "ab")
"""
    project.test(markers + source)
    told = "\n".join(project.run().outlines)
    assert "has several rag_cases markers, of which only one would be used" in told


def test_a_functions_marker_replaces_that_of_its_class(project: Project) -> None:
    project.test("""
import pytest

@pytest.mark.rag_cases([{"id": "of-class"}])
class TestAll:
    def test_first(self, rag_case): pass

    @pytest.mark.rag_cases([{"id": "own"}])
    def test_second(self, rag_case): pass
""")
    assert ids(project.run("--collect-only", "-q")) == [
        "test_it.py::TestAll::test_first[of-class]",
        "test_it.py::TestAll::test_second[own]",
    ]
