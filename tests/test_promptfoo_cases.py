"""promptfoo's tests and results as cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, load_cases

QUESTION = "How often does the ferry run?"
REFERENCE = "Every 40 minutes in summer."
CONTEXT = "The ferry runs every 40 minutes."


def read(folder: Path, content: Any, name: str = "tests.json", **options: Any) -> list[EvalCase]:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text)
    return load_cases(folder / name, **options)


def only(cases: list[EvalCase]) -> dict[str, Any]:
    (case,) = cases
    return case.model_dump(exclude_defaults=True)


TEST = {
    "description": "timetable",
    "vars": {"query": QUESTION, "context": CONTEXT, "lang": "en"},
    "assert": [
        {"type": "context-recall", "threshold": 0.9, "value": REFERENCE},
        {"type": "context-faithfulness", "threshold": 0.8},
        {"type": "contains", "value": "40"},
        {"type": "latency", "threshold": 1000},
    ],
    "metadata": {"topic": "times"},
}
AS_TEST = {
    "id": "timetable",
    "question": QUESTION,
    "retrieved_contexts": [CONTEXT],
    "ground_truth_answer": REFERENCE,
    "minimums": {"context_recall": 0.9, "faithfulness": 0.8},
    "metadata": {
        "lang": "en",
        "assert": [{"type": "contains", "value": "40"}, {"type": "latency", "threshold": 1000}],
        "topic": "times",
    },
}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", [TEST]),
        ("a.json", {"tests": [TEST]}),
        ("a.json", {"prompts": ["{{query}}"], "providers": [{"id": "echo"}], "tests": [TEST]}),
        ("a.jsonl", TEST),
    ],
)
def test_a_test_is_a_case(tmp_path: Path, name: str, content: Any) -> None:
    assert only(read(tmp_path, content, name)) == AS_TEST


def test_a_configuration_in_yaml_has_tests(tmp_path: Path) -> None:
    config = f"""
prompts: ["{{{{query}}}}"]
tests:
  - description: timetable
    vars: {{query: "{QUESTION}", context: "{CONTEXT}", lang: en}}
    assert:
      - {{type: context-recall, threshold: 0.9, value: {REFERENCE}}}
      - {{type: context-faithfulness, threshold: 0.8}}
      - {{type: contains, value: '40'}}
      - {{type: latency, threshold: 1000}}
    metadata: {{topic: times}}
  - vars: {{query: [a, b]}}
    options: {{disableVarExpansion: false}}
"""
    first, *others = read(tmp_path, config, "promptfooconfig.yaml")
    assert first.model_dump(exclude_defaults=True) == AS_TEST
    assert [case.question for case in others] == ["a", "b"]
    with pytest.raises(ValueError, match=r"config\.yaml, line 3: 'file://x\.md' can't be read"):
        read(
            tmp_path,
            "prompts: []\ntests:\n  - vars: {query: q, context: file://x.md}",
            "config.yaml",
        )


def test_a_test_in_memory_is_a_case() -> None:
    assert only(load_cases([TEST])) == AS_TEST
    assert EvalCase.of(TEST).model_dump(exclude_defaults=True) == AS_TEST


@pytest.mark.parametrize(
    ("checks", "reference"),
    [
        ([{"type": "equals", "value": "R"}], "R"),
        ([{"type": "similar", "value": "S"}, {"type": "factuality", "value": "R"}], "R"),
        ([{"type": "factuality", "value": "{{ right }}!"}], "So!"),
        ([{"type": "factuality", "value": "{{ right | upper }}"}], None),
        ([{"type": "factuality", "value": "file://right.py"}], None),
        ([{"type": "equals", "value": "file://right.js:f"}], None),
        ([{"type": "contains", "value": "R"}, {"type": "llm-rubric", "value": "R"}], None),
        ([{"type": "equals", "value": {"a": 1}}], None),
        ([{"type": "not-equals", "value": "R"}], None),
    ],
)
def test_a_reference_is_what_plainly_is_one(
    tmp_path: Path, checks: list[Any], reference: str | None
) -> None:
    test = {"vars": {"query": "Q", "right": "So"}, "assert": checks}
    (case,) = read(tmp_path, [test])
    assert case.ground_truth_answer == reference
    rest = [one for one in checks if one.get("type") not in ("equals", "factuality")]
    assert case.metadata.get("assert", []) == (checks if reference is None else rest)


def test_a_variable_may_be_the_reference_and_is_no_answer(tmp_path: Path) -> None:
    variables = {"question": "Q", "ground_truth": "R", "answer": "R"}
    (case,) = read(tmp_path, [{"vars": variables, "assert": [{"type": "equals", "value": "E"}]}])
    assert (case.answer, case.ground_truth_answer) == (None, "R")
    assert case.metadata == {"answer": "R", "assert": [{"type": "equals", "value": "E"}]}


def test_columns_may_be_variables(tmp_path: Path) -> None:
    tests = [{"vars": {"frage": "Q", "reply": "A", "context": "c"}}]
    fields = {"frage": "question", "reply": "answer", "context": "ground_truth_contexts"}
    assert only(read(tmp_path, tests, fields=fields)) == {
        "id": "tests-1",
        "question": "Q",
        "answer": "A",
        "ground_truth_contexts": ["c"],
    }
    with pytest.raises(ValueError, match="there is no column 'farge'"):
        read(tmp_path, tests, fields={"farge": "question"})


def test_what_all_tests_have_is_in_each(tmp_path: Path) -> None:
    config = {
        "prompts": ["{{query}}"],
        "defaultTest": {
            "vars": {"query": "none", "lang": "en"},
            "assert": [{"type": "context-recall", "value": "R"}],
            "metadata": {"suite": "ferry"},
        },
        "tests": [{"vars": {"query": "Q1"}, "metadata": {"topic": "x"}}, {}],
        "scenarios": [
            {
                "config": [{"vars": {"lang": "de"}}, {"vars": {"lang": "ru"}}],
                "tests": [{"vars": {"query": "Q2"}}],
            }
        ],
    }
    cases = read(tmp_path, config)
    assert [(case.question, case.ground_truth_answer) for case in cases] == [
        ("Q1", "R"),
        ("none", "R"),
        ("Q2", "R"),
        ("Q2", "R"),
    ]
    assert [case.metadata for case in cases] == [
        {"lang": "en", "suite": "ferry", "topic": "x"},
        {"lang": "en", "suite": "ferry"},
        {"lang": "de", "suite": "ferry"},
        {"lang": "ru", "suite": "ferry"},
    ]


@pytest.mark.parametrize(
    "tests", ["file://tests.csv", ["file://tests.csv"], [{"path": "file://tests.csv"}]]
)
def test_tests_elsewhere_are_named(tmp_path: Path, tests: Any) -> None:
    with pytest.raises(
        ValueError, match=r"its tests are in other files: 'file://tests\.csv'; give"
    ):
        read(tmp_path, {"prompts": ["p"], "tests": tests})


@pytest.mark.parametrize("tests", ["file://t.csv", ["file://t.csv"], ["file://t.csv", TEST]])
def test_a_file_may_have_nothing_but_tests_elsewhere(tmp_path: Path, tests: Any) -> None:
    for name in ("a.json", "a.yaml"):
        with pytest.raises(
            ValueError, match=r"its tests are in other files: 'file://t\.csv'; give such"
        ):
            read(tmp_path, {"tests": tests}, name)


@pytest.mark.parametrize("variables", ["file://vars.yaml", ["file://vars.yaml"]])
@pytest.mark.parametrize("default", [{}, {"vars": {"query": "q"}}])
def test_variables_elsewhere_are_named(tmp_path: Path, variables: Any, default: Any) -> None:
    words = r"its vars are in another file, 'file://vars\.yaml'; write them here"
    with pytest.raises(ValueError, match=words):
        read(tmp_path, {"defaultTest": default, "tests": [{"vars": variables}]})
    with pytest.raises(ValueError, match=words):
        read(tmp_path, [{"vars": variables}])
    with pytest.raises(
        ValueError, match=r"its defaultTest is in another file, 'file://d\.yaml'; write it"
    ):
        read(tmp_path, {"defaultTest": "file://d.yaml", "tests": [TEST]})


def test_variables_stand_in_variables(tmp_path: Path) -> None:
    variables = {
        "query": "When does the {{topic}} to {{ town }} run{{ mark | x }}?",
        "contexts": ["The {{topic}}."],
        "topic": "{{size}} ferry",
        "size": 2,
    }
    check = {"type": "factuality", "value": "The {{topic}}."}
    options = {"disableVarExpansion": True}
    (case,) = read(tmp_path, [{"vars": variables, "assert": [check], "options": options}])
    assert case.question == "When does the 2 ferry to {{ town }} run{{ mark | x }}?"
    assert case.retrieved_contexts == ["The 2 ferry."]
    assert case.ground_truth_answer == "The 2 ferry."


def test_variables_in_variables_are_bounded(tmp_path: Path) -> None:
    variables = {"query": "{{a}}" * 1000, "a": "x{{a}}" * 100_000}
    with pytest.raises(ValueError, match="case 1: its variables make a text of more than 67108864"):
        read(tmp_path, [{"vars": variables}])
    assert read(tmp_path, [{"vars": {"query": "{{query}}"}}])[0].question == "{{query}}"


def test_a_set_of_assertions_has_a_reference_and_minimums(tmp_path: Path) -> None:
    inner = [
        {"type": "context-recall", "value": "R", "threshold": 0.7},
        {"type": "context-faithfulness", "threshold": 0.8},
    ]
    checks = [{"type": "assert-set", "threshold": 0.5, "assert": inner}]
    (case,) = read(tmp_path, [{"vars": {"query": "Q"}, "assert": checks}])
    assert case.ground_truth_answer == "R"
    assert case.minimums == {"context_recall": 0.7, "faithfulness": 0.8}
    assert case.metadata == {"assert": checks}


# -- lists of values, and linked files -------------------------------------------------------------


def test_each_combination_of_values_is_a_case(tmp_path: Path) -> None:
    tests = [
        {"vars": {"query": ["a", "b"], "context": ["c", "d"], "n": [1, 2]}, "description": "x"},
        {"vars": {"query": ["a", "b"]}},
        {"vars": {"query": "q", "context": ["c", "d"]}, "options": {"disableVarExpansion": True}},
        {"vars": {"query": "q"}, "description": "x-1"},
    ]
    cases = read(tmp_path, tests)
    assert [(case.id, case.question, case.retrieved_contexts) for case in cases] == [
        ("x-1", "a", ["c"]),
        ("x-2", "a", ["d"]),
        ("x-3", "b", ["c"]),
        ("x-4", "b", ["d"]),
        ("tests-2-1", "a", None),
        ("tests-2-2", "b", None),
        ("tests-3", "q", ["c", "d"]),
        ("x-1-2", "q", None),
    ]
    assert cases[0].metadata == {"n": [1, 2]}


def test_too_many_combinations_are_an_error(tmp_path: Path) -> None:
    values = list(map(str, range(1000)))
    with pytest.raises(ValueError, match="case 1: its lists of values make more than 10000 tests"):
        read(tmp_path, [{"vars": {"query": values, "context": values, "x": values}}])


def test_linked_texts_are_read(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("a", "b"):
        (tmp_path / f"docs/{name}.md").write_text(f"text {name}")
    cases = read(
        tmp_path,
        [
            {"vars": {"query": "q", "context": "file://docs/a.md"}},
            {"vars": {"query": "q", "context": "file://docs/*.md"}},
        ],
    )
    assert [(case.id, case.retrieved_contexts) for case in cases] == [
        ("tests-1", ["text a"]),
        ("tests-2-1", ["text a"]),
        ("tests-2-2", ["text b"]),
    ]


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("none.md", "'file://none.md' can't be read: No such file"),
        ("*.none", "'file://.*' matches no file in "),
        ("../secret.md", "'file://../secret.md' is outside of .*; only files below it are read"),
        ("/etc/hostname", "'file:///etc/hostname' is outside of "),
        ("/etc/host*", "'file:///etc/host.*' is not a file below "),
        ("link.md", "'file://link.md' is outside of "),
        ("make.py", "'file://make.py' is a program; programs are not run"),
        ("docs", "'file://docs' can't be read"),
        ("image.png", "'file://image.png' is not UTF-8"),
        ("\0.md", "'file://"),
    ],
)
def test_a_link_that_is_not_read_is_told(tmp_path: Path, link: str, words: str) -> None:
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (tmp_path / "secret.md").write_text("secret")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "make.py").write_text("print()")
    (folder / "image.png").write_bytes(b"\x89PNG\xff")
    with pytest.raises(ValueError, match=f"tests.json, case 1: {words}"):
        read(folder, [{"vars": {"query": "q", "context": f"file://{link}"}}])


@pytest.mark.parametrize("kind", ["factuality", "context-recall"])
def test_a_linked_reference_is_read(tmp_path: Path, kind: str) -> None:
    (tmp_path / "right.md").write_text("R")
    check = {"type": kind, "value": "file://right.md"}
    for checks in ([check], [{"type": "assert-set", "assert": [check]}]):
        test = {"vars": {"query": "Q"}, "assert": checks}
        assert read(tmp_path, [test])[0].ground_truth_answer == "R"
    check["value"] = "file://none.md"
    with pytest.raises(ValueError, match=r"case 1: 'file://none\.md' can't be read: No such file"):
        read(tmp_path, [test])


def test_tests_in_memory_have_no_files_beside_them() -> None:
    with pytest.raises(ValueError, match=r"'file://a\.md' is beside the file of tests; give"):
        load_cases([{"vars": {"query": "q", "context": "file://a.md"}}])


# -- tables ----------------------------------------------------------------------------------------

TABLE = """\
question,context,note,__expected1,__expected2,__description,__metadata:topic,__metadata:tags[],\
__config:__expected2:threshold
How?,c,n,So,context-faithfulness,how,times,"a,b\\,c",0.9
Why?,"[""c"", ""d""]",,Note: closed,"contains-any: a, b",how,,,
What?,,,,context-recall(0.7): R,,,,
"""


def test_a_table_has_tests(tmp_path: Path) -> None:
    cases = read(tmp_path, TABLE, "tests.csv")
    assert [case.model_dump(exclude_defaults=True) for case in cases] == [
        {
            "id": "how",
            "question": "How?",
            "retrieved_contexts": ["c"],
            "ground_truth_answer": "So",
            "minimums": {"faithfulness": 0.9},
            "metadata": {"note": "n", "topic": "times", "tags": ["a", "b,c"]},
        },
        {
            "id": "how-2",
            "question": "Why?",
            "retrieved_contexts": ["c", "d"],
            "ground_truth_answer": "Note: closed",
            "metadata": {"assert": [{"type": "contains-any", "value": "a, b"}]},
        },
        {
            "id": "tests-3",
            "question": "What?",
            "ground_truth_answer": "R",
            "minimums": {"context_recall": 0.7},
        },
    ]


def test_a_table_without_special_columns_is_tests_where_that_is_said(tmp_path: Path) -> None:
    table = "question,expectedAnswer\nWhy?,So\n"
    with pytest.raises(ValueError, match="unknown field 'expectedAnswer'"):
        read(tmp_path, table, "a.csv")
    assert only(read(tmp_path, table, "a.csv", format="promptfoo")) == {
        "id": "a-1",
        "question": "Why?",
        "metadata": {"expectedAnswer": "So"},
    }


# -- results ---------------------------------------------------------------------------------------


def result(test: int, prompt: int, output: Any, **more: Any) -> dict[str, Any]:
    return {
        "testIdx": test,
        "promptIdx": prompt,
        "vars": {"query": f"q{test}"},
        "testCase": {
            "vars": {},
            "assert": [{"type": "equals", "value": "R"}],
            "metadata": {"a": 1},
        },
        "response": {"output": output, "tokenUsage": {}},
        "provider": {"id": "echo", "label": ""},
        "success": True,
        "score": 1,
        "metadata": {"a": 1, "_promptfooFileMetadata": {}},
        **more,
    }


RESULTS = [
    result(1, 0, "A1"),
    result(0, 1, {"a": "A0"}, description="zero"),
    result(0, 0, "A0", description="zero"),
    result(2, 0, None, response=None, error="timed out"),
]
AS_RESULTS = [
    ("zero", "q0", "A0"),
    ("zero-2", "q0", '{"a": "A0"}'),
    ("tests-3", "q1", "A1"),
    ("tests-4", "q2", None),
]


def test_results_are_cases_with_answers_in_the_order_of_the_tests(tmp_path: Path) -> None:
    whole = {"evalId": "e", "results": {"version": 3, "prompts": [{}], "results": RESULTS}}
    cases = read(tmp_path, whole)
    assert [(case.id, case.question, case.answer) for case in cases] == AS_RESULTS
    assert cases[0].ground_truth_answer == "R"
    assert cases[0].metadata == {"a": 1, "provider": "echo", "success": True, "score": 1}
    lines = "\n".join(json.dumps(RESULTS[place]) for place in (2, 1, 0, 3))
    cases = read(tmp_path, lines, "tests.jsonl")
    assert [(case.id, case.question, case.answer) for case in cases] == AS_RESULTS
