"""Cases: their fields under many names, and cases from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, load_cases

NAMES = {
    "question": ["question", "user_input", "input", "query"],
    "answer": ["answer", "response", "actual_output"],
    "ground_truth_answer": [
        "ground_truth_answer",
        "reference",
        "ground_truth",
        "expected_output",
        "reference_answer",
    ],
}
LISTS = {
    "retrieved_contexts": [
        "retrieved_contexts",
        "contexts",
        "retrieval_context",
        "retrieved_content",
    ],
    "ground_truth_contexts": ["ground_truth_contexts", "reference_contexts"],
    "ground_truth_answers": ["ground_truth_answers", "ground_truths"],
}


@pytest.mark.parametrize(("field", "names"), NAMES.items())
def test_a_text_field_under_each_of_its_names(field: str, names: list[str]) -> None:
    for name in names:
        assert getattr(EvalCase(**{name: "a text"}), field) == "a text"


@pytest.mark.parametrize(("field", "names"), LISTS.items())
def test_a_list_field_under_each_of_its_names(field: str, names: list[str]) -> None:
    for name in names:
        assert getattr(EvalCase(**{name: ["one", "two"]}), field) == ["one", "two"]


@pytest.mark.parametrize("name", [name for names in LISTS.values() for name in names])
def test_one_text_is_a_list_of_one(name: str) -> None:
    field = next(field for field, names in LISTS.items() if name in names)
    assert getattr(EvalCase(**{name: "one text"}), field) == ["one text"]


class _Document:
    def __init__(self, name: str, text: object) -> None:
        setattr(self, name, text)


class _Node:
    text = "with its metadata"

    def get_content(self) -> str:
        return "of a node"


def test_contexts_are_documents_of_other_tools_too() -> None:
    given = [
        *(_Document(name, f"by {name}") for name in ("page_content", "text", "content")),
        _Node(),
        {"page_content": "of a record", "metadata": {"text": "not this"}},
        None,
        "plain",
    ]
    texts = ["by page_content", "by text", "by content", "of a node", "of a record", None, "plain"]
    assert EvalCase(retrieved_contexts=given).retrieved_contexts == texts
    assert EvalCase(ground_truth_contexts=tuple(given)).ground_truth_contexts == texts


@pytest.mark.parametrize("document", [_Document("body", "x"), _Document("text", 5), {"body": "x"}])
def test_what_has_no_text_is_no_context(document: object) -> None:
    with pytest.raises(ValueError, match=r"field retrieved_contexts\.0 is .*; it takes a text"):
        EvalCase(retrieved_contexts=[document])


def test_a_latency_is_kept_as_metadata() -> None:
    assert EvalCase(query="Q?", latency=0.25).metadata == {"latency": 0.25}
    assert EvalCase(latency=1, metadata={"a": 2}).metadata == {"latency": 1, "a": 2}


def test_columns_of_a_ragas_data_set_are_kept(tmp_path: Path) -> None:
    row = {"user_input": "Q?", "persona_name": "commuter", "query_style": "SHORT", "rubrics": None}
    (tmp_path / "set.jsonl").write_text(json.dumps(row) + "\n")
    (case,) = load_cases(tmp_path / "set.jsonl")
    assert (case.question, case.persona) == ("Q?", "commuter")
    assert case.metadata == {"query_style": "SHORT"}


@pytest.mark.parametrize("names", [*NAMES.values(), *LISTS.values()])
def test_two_names_for_one_field_are_an_error(names: list[str]) -> None:
    for other in names[1:]:
        with pytest.raises(ValueError, match=rf"'c7'.*{names[0]!r} and {other!r} are two names"):
            EvalCase(**{"id": "c7", names[0]: "a", other: "a"})


def test_two_names_are_an_error_even_where_one_is_none() -> None:
    with pytest.raises(ValueError, match="two names"):
        EvalCase(answer="a", response=None)


NEAREST = {
    "anwser": "answer",
    "Question": "question",
    "ground truth": "ground_truth",
    "retrievedContexts": "retrieved_contexts",
    "context_list": "contexts",
    "_id": "id",
    "colour": None,
}


@pytest.mark.parametrize("name", NEAREST)
def test_an_unknown_name_is_an_error_that_names_the_nearest(name: str) -> None:
    near = NEAREST[name]
    meant = rf" \(did you mean '{near}'\?\)" if near else "; known are id, question, .*metadata"
    with pytest.raises(ValueError, match=rf"'c7': unknown field '{name}'{meant}$"):
        EvalCase(**{"id": "c7", name: "a"})


def test_all_that_is_wrong_with_a_case_is_told_at_once() -> None:
    with pytest.raises(ValueError, match="two names") as raised:
        EvalCase(id="c7", questoin="Q", answer=40, response="A", colour="red", label="good", tags=3)
    assert str(raised.value) == (
        "case 'c7': unknown fields 'questoin' (did you mean 'question'?), 'colour'; known are "
        f"{', '.join(EvalCase.model_fields)}; anything else can go into metadata; 'answer' and "
        "'response' are two names for the field 'answer'; give one; field answer is a number; it "
        "takes a text: write the number in quotes, or convert a DataFrame's column with "
        ".astype(str); field tags is 3; it takes a list of texts; field label is 'good'; it takes "
        "'correct' or 'incorrect'"
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"answer": float("nan")}, "field answer is nan; it takes a text"),
        (
            {"question": {"a": [1, 2, 3, 4]}},
            "question is {'a': [1, 2, 3, ...]}; it takes a text",
        ),
        ({"answer": b"x"}, "field answer: it is bytes, not text; decode it"),
        ({"id": 1.5}, "field id is 1.5; it takes a text or a whole number"),
        ({"contexts": ["a", 7]}, "field retrieved_contexts.1 is 7; it takes a text or a document"),
        ({"contexts": 7}, "field retrieved_contexts is 7; it takes a list of texts or documents"),
        ({"ground_truths": [None]}, "field ground_truth_answers.0 is None; it takes a text"),
        ({"persona": 4}, "field persona is 4; it takes a text or a dict"),
        ({"metadata": []}, "field metadata is []; it takes a dict"),
        ({"minimums": {"faithfulness": 80}}, "field minimums: faithfulness: 80 is not a number"),
        ({"answer": ["x" * 5000]}, "field answer is ['xxxxxxxx"),
    ],
)
def test_a_wrong_value_is_shown_with_what_is_taken(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match="case ") as raised:
        EvalCase(**{"id": "c7", **fields})
    assert words in str(raised.value)
    assert len(str(raised.value)) < 200


def test_a_bare_context_is_an_error_that_says_what_to_write() -> None:
    with pytest.raises(ValueError, match="retrieved_contexts or ground_truth_contexts"):
        EvalCase(context=["a"])


def test_a_whole_float_is_an_id() -> None:
    case = EvalCase(
        id=2.0, retrieved_context_ids=[1.0, "1.5"], ground_truth_context_ids={1.0: 2, "b": 1}
    )
    assert case.id == "2"
    assert case.retrieved_context_ids == ["1", "1.5"]
    assert case.ground_truth_context_ids == {"1": 2.0, "b": 1.0}
    with pytest.raises(ValueError, match="retrieved_context_ids"):
        EvalCase(retrieved_context_ids=[1.5])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("answer", 5),
        ("answer", ["a"]),
        ("retrieved_contexts", [1]),
        ("retrieved_contexts", {"a": "b"}),
        ("retrieved_contexts", 5),
        ("ground_truth_answers", [None]),
        ("label", "right"),
        ("label", True),
        ("minimums", {"faithfulness": 1.5}),
        ("minimums", {"faithfulness": -0.1}),
        ("minimums", {"faithfulness": float("nan")}),
        ("minimums", {"faithfulness": "high"}),
        ("minimums", {"faithfulness": True}),
        ("tags", "a"),
        ("id", 1.5),
        ("id", True),
    ],
)
def test_a_wrong_value_is_an_error_at_once_and_on_assignment(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=field):
        EvalCase(**{field: value})
    case = EvalCase(id="c7")
    with pytest.raises(ValueError, match=field):
        setattr(case, field, value)
    assert case == EvalCase(id="c7")


def test_assignment_is_read_as_the_constructor_reads() -> None:
    case = EvalCase()
    case.retrieved_contexts = "one text"  # type: ignore[assignment]  # as people do
    assert case.retrieved_contexts == ["one text"]
    with pytest.raises(ValueError, match="reponse"):
        case.reponse = "a"  # the error's subject


def test_a_field_is_assigned_under_each_of_its_names() -> None:
    case: Any = EvalCase()
    case.user_input, case.response, case.reference = "Q", "A", "R"
    case.contexts = "one text"
    assert (case.question, case.answer, case.ground_truth_answer) == ("Q", "A", "R")
    assert case.retrieved_contexts == ["one text"]


@pytest.mark.parametrize("name", ["answer", "response"])
def test_a_wrong_assignment_names_case_and_field_in_one_line(name: str) -> None:
    with pytest.raises(ValueError, match=r"^case 'c7': field answer is \['a'\]; it takes a text$"):
        setattr(EvalCase(id="c7"), name, ["a"])


@pytest.mark.parametrize(("field", "empty"), [("metadata", {}), ("tags", []), ("minimums", {})])
def test_null_is_none_of_them(field: str, empty: Any) -> None:
    case = EvalCase(**{field: None})
    assert getattr(case, field) == empty
    setattr(case, field, None)
    assert getattr(case, field) == empty
    assert getattr(EvalCase(), field) is not getattr(case, field)


def test_every_field_is_optional_and_values_are_kept() -> None:
    assert EvalCase().model_dump(exclude_defaults=True) == {}
    fields: dict[str, Any] = {
        "id": 7,
        "answer": "",
        "retrieved_contexts": ["", None, "a"],
        "persona": {"age": 40},
        "source_units": [{"page": 3}],
        "generation_params": {"seed": 1},
        "metadata": {"type": "price"},
        "tags": ["smoke"],
        "minimums": {"faithfulness": 1, "factual_f1": 0},
        "label": "incorrect",
    }
    assert EvalCase(**fields).model_dump(exclude_defaults=True) == {**fields, "id": "7"}


def test_references_are_all_reference_answers_once() -> None:
    case = EvalCase(ground_truth_answer="a", ground_truth_answers=["b", "a", "b"])
    assert case.references == ["a", "b"]
    assert EvalCase().references == []


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"id": "c\n7", "question": "Why?"}, "c 7"),
        ({"question": "Why?", "answer": "So."}, "Why?"),
        ({"answer": "So."}, "So."),
        ({}, "without id and question"),
        ({"id": " ", "question": "Why?"}, "Why?"),
        ({"id": "", "question": " ", "answer": "So."}, "So."),
        ({"question": "long " * 20}, "long " * 7 + "long…"),
        ({"id": "x" * 500}, "x" * 79 + "…"),
    ],
)
def test_how_messages_call_a_case(fields: dict[str, Any], name: str) -> None:
    assert EvalCase(**fields).name == name


def test_a_fresh_case_shares_nothing() -> None:
    case = EvalCase(metadata={"a": []}, retrieved_contexts=["a"])
    copy = case.fresh()
    copy.metadata["a"].append(1)
    copy.retrieved_contexts = [*(copy.retrieved_contexts or []), "b"]
    copy.minimums["faithfulness"] = 0.1
    assert case == EvalCase(metadata={"a": []}, retrieved_contexts=["a"])


# -- files -----------------------------------------------------------------------------------------


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


LINES = '{"id": "a", "question": "Q1"}\n\n  \n{"user_input": "Q2", "contexts": "one"}\n'


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        LINES.rstrip("\n"),
        LINES.replace("\n", "\r\n"),
        b"\xef\xbb\xbf" + LINES.encode(),
        b"\xef\xbb\xbf" + LINES.replace("\n", "\r\n").encode(),
    ],
    ids=["plain", "no final newline", "crlf", "bom", "bom and crlf"],
)
def test_lines_are_read_and_blank_ones_passed_over(tmp_path: Path, content: str | bytes) -> None:
    cases = load_cases(written(tmp_path / "tram.jsonl", content))
    assert [(case.id, case.question) for case in cases] == [("a", "Q1"), ("tram-4", "Q2")]
    assert cases[1].retrieved_contexts == ["one"]


def test_other_line_ends_are_part_of_a_text(tmp_path: Path) -> None:
    text = "one\u2028two\x85three\u2029"
    line = json.dumps({"answer": text}, ensure_ascii=False)
    (case,) = load_cases(written(tmp_path / "a.jsonl", line + "\n"))
    assert case.answer == text


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ('[{"id": "x"}, {"answer": "b"}, {"id": null}]', ["x", "cases-2", "cases-3"]),
        ('{"id": 5}', ["5"]),
        ('[{"id": ""}, {"id": "  "}]', ["cases-1", "cases-2"]),
    ],
)
def test_a_json_file_has_a_list_or_one_case(tmp_path: Path, content: str, ids: list[str]) -> None:
    assert [case.id for case in load_cases(written(tmp_path / "cases.json", content))] == ids


@pytest.mark.parametrize("begin", ["", "\ufeff", "\n"])
def test_a_json_file_may_have_lines(tmp_path: Path, begin: str) -> None:
    cases = load_cases(written(tmp_path / "cases.json", f"{begin}{LINES}"))
    assert [(case.id, case.question) for case in cases] == [
        ("a", "Q1"),
        (f"cases-{4 + begin.count(chr(10))}", "Q2"),
    ]


def test_a_folder_is_read_by_name(tmp_path: Path) -> None:
    written(tmp_path / "b.jsonl", '{"answer": "b"}')
    written(tmp_path / "a.json", '[{"answer": "a1"}, {"answer": "a2"}]')
    written(tmp_path / "notes.md", "not a case")
    assert [case.id for case in load_cases(str(tmp_path))] == ["a-1", "a-2", "b-1"]


@pytest.mark.parametrize("name", ["absent.jsonl", "absent", "absent.csv", "folder"])
def test_what_is_not_there_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileNotFoundError, match=name):
        load_cases(tmp_path / name)


ARRAY = r"a\.jsonl: it is a JSON array, .* give it a name that ends in \.json$"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (
            "a.jsonl",
            '{"id": "a"}\n{"id": \n',
            r"a\.jsonl, line 2: not JSON: Expecting value \(column 8\)$",
        ),
        ("a.json", '[{"id":\n\n x}]', r"a\.json: not JSON: Expecting value \(line 3, column 2\)$"),
        ("a.jsonl", "\n\n[1]\n", r"a\.jsonl, line 3: a case must be a JSON object, not list"),
        ("a.jsonl", '{"anwser": "b"}', r"a\.jsonl, line 1: .*unknown field 'anwser'"),
        (
            "a.jsonl",
            '{"id": "a", "answer": 5}',
            r"a\.jsonl, line 1: case 'a': field answer is a number; it",
        ),
        ("a.jsonl", "[" * 100_000, r"a\.jsonl, line 1: not JSON"),
        ("a.jsonl", '[{"id": "a"}, {"id": "b"}]', ARRAY),
        ("a.jsonl", '\n[\n  {"id": "a"},\n  {"id": \n"b"}\n]', ARRAY),
        ("a.jsonl", '\ufeff[ {"id": "a"},\r\n{"id": 5}]', ARRAY),
        ("a.json", '[{"id": "a"}, 5]', r"a\.json, case 2: a case must be a JSON object, not int"),
        ("a.json", "", r"a\.json: not JSON: it is empty"),
        ("a.jsonl", "{}\n=======\r\n{}\n", r"a\.jsonl, line 2: git left a conflict here"),
        ("a.json", "[\n<<<<<<< HEAD\n{}]", r"a\.json: git left a conflict here"),
        ("a.json", '{"id": "a"}\n"b"', r"a\.json: not JSON: Extra data \(line 2, column 1\)"),
        ("a.jsonl", "{}".encode("utf-32"), r"a\.jsonl: it is UTF-32; save"),
        (
            "a.jsonl",
            b'{}\n{"answer": "caf\xe9"}',
            r"a\.jsonl: not UTF-8 \(it has the byte 0xe9\), first in line 2; save the file as ",
        ),
        (
            "a.xml",
            "<id/>",
            r"a\.xml: cases are read from \.jsonl, \.json, \.csv, .* files",
        ),
        (
            "a.jsonl",
            '{"id": "a"}\n{"id": "a"}',
            r"a\.jsonl, line 2: two cases have the id 'a'",
        ),
        ("a.jsonl", '{"id": "a", "id": "b"}', r"a\.jsonl, line 1: .*'id' appears twice"),
        ("a.json", '[{"metadata": {"a": 1, "a": 1}}]', r"a\.json: .*'a' appears twice"),
        ("a.jsonl", '{"id": "7"}\n{"id": 7}', "two cases have the id '7'"),
    ],
)
def test_what_can_not_be_read_is_named(
    tmp_path: Path, name: str, content: str | bytes, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        load_cases(written(tmp_path / name, content))


def test_one_id_in_two_files_is_an_error(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        written(tmp_path / name, '{"id": "twin"}')
    with pytest.raises(ValueError, match="'twin'"):
        load_cases(tmp_path)


def test_all_mistakes_of_a_folder_are_told_at_once(tmp_path: Path) -> None:
    rows = [{"id": f"c{n}", "questoin": "Q", "answer": "A"} for n in range(5)]
    written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)) + "\n{\n")
    written(tmp_path / "b.json", '[{"id": "b", "answer": 40}, {"id": "b2"}]')
    written(tmp_path / "c.jsonl", b"\xff")
    with pytest.raises(ValueError, match="4 mistakes") as raised:
        load_cases(tmp_path)
    told = str(raised.value).replace(str(tmp_path), "ROOT").splitlines()
    assert told[:2] == [
        "ROOT: 4 mistakes",
        "  a.jsonl, line 1 (and 4 more cases): case 'c0': unknown field 'questoin' (did you "
        "mean 'question'?)",
    ]
    assert told[2].startswith("  a.jsonl, line 6: not JSON: ")
    assert told[3].startswith("  b.json, case 1: case 'b': field answer is a number; it takes a ")
    assert told[4].startswith("  c.jsonl: not UTF-8")


def test_a_repeated_id_is_told_beside_other_mistakes(tmp_path: Path) -> None:
    rows = [{"id": "a", "anwser": "A"}, {"id": "b"}, {"id": "a", "answer": 40}, {"id": "b"}]
    written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match="4 mistakes") as raised:
        load_cases(tmp_path / "a.jsonl")
    told = str(raised.value)
    for id, line, first in (("a", 3, 1), ("b", 4, 2)):
        assert f"\n  line {line}: two cases have the id {id!r}, this one and that of" in told
        assert f"a.jsonl, line {first}; ids tell cases apart in reports" in told


def test_many_mistakes_are_counted(tmp_path: Path) -> None:
    rows = [{"id": f"c{n}", "answer": [n]} for n in range(30)]
    written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match="30 mistakes") as raised:
        load_cases(tmp_path / "a.jsonl")
    told = str(raised.value).splitlines()
    assert (len(told), told[-1]) == (22, "  and 10 more")
    rows = [{"id": f"c{n}", "answer": [n]} for n in range(3000)]
    written(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match=r"1000 or more mistakes\n(?s:.*)\n  and more$"):
        load_cases(tmp_path / "a.jsonl")


def test_numbers_in_the_place_of_texts_are_one_mistake_a_column() -> None:
    rows = [{"id": f"c{n}", "answer": n / 2, "question": n} for n in range(3000)]
    with pytest.raises(ValueError, match="the list: 2 mistakes") as raised:
        load_cases(rows)
    told = str(raised.value).splitlines()[1:]
    assert sorted(line.partition("field ")[2] for line in told) == [
        f"{field} is a number; it takes a text: write the number in quotes, or convert a "
        "DataFrame's column with .astype(str)"
        for field in ("answer", "question")
    ]
    assert all("case 1 of the list (and 2999 more cases): case 'c0'" in line for line in told)


def test_a_case_without_id_and_question_is_called_by_its_place() -> None:
    with pytest.raises(ValueError, match=r"^unknown field 'colour'; known are"):
        EvalCase(colour="red")
    with pytest.raises(ValueError, match=r"^field label is 'good'; it takes"):
        EvalCase(label="good")


def test_what_systems_and_editors_keep_beside_files_is_passed_over(tmp_path: Path) -> None:
    written(tmp_path / "cases.jsonl", '{"id": "a"}')
    for name in ("._cases.jsonl", ".cases.jsonl", ".#cases.jsonl", "#cases.jsonl", "~$cases.json"):
        written(tmp_path / name, b"\x00\x05\x16\x07")
    for name in (".DS_Store", ".cases.jsonl.swp", "cases.jsonl~", "cases.jsonl.bak"):
        written(tmp_path / name, b"\x00")
    assert [case.id for case in load_cases(tmp_path)] == ["a"]
    # who names a file means it
    with pytest.raises(ValueError, match="it contains a null character"):
        load_cases(tmp_path / "._cases.jsonl")


def test_two_files_of_one_stem_have_cases_of_their_own(tmp_path: Path) -> None:
    written(tmp_path / "a.json", '{"answer": "a"}')
    written(tmp_path / "a.jsonl", '{"answer": "b"}')
    assert len({case.id for case in load_cases(tmp_path)}) == 2


def test_blank_and_absent_ids_are_not_one(tmp_path: Path) -> None:
    from pytest_ragassert.datasets.distinct_cases import distinct

    assert len(list(distinct([EvalCase(), EvalCase(id=""), EvalCase()]))) == 3


@pytest.mark.parametrize("kind", [set, frozenset])
@pytest.mark.parametrize(
    "field", ["retrieved_contexts", "retrieved_context_ids", "retrieved_context_sources"]
)
def test_a_set_is_no_ranking(field: str, kind: type) -> None:
    said = f"field {field}: it is a set, which has no order; give a list in rank order"
    with pytest.raises(ValueError, match=f"^case 'c1': {said}$"):
        EvalCase(id="c1", **{field: kind("abc")})
    with pytest.raises(ValueError, match=field):
        EvalCase.of({"id": "c1", field: kind("abc")})
    case = EvalCase(id="c1")
    with pytest.raises(ValueError, match=said):
        setattr(case, field, kind("abc"))


def test_a_missing_relative_file_names_the_folder_and_a_similar_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("casses.jsonl").write_text("{}", encoding="utf-8")
    with pytest.raises(FileNotFoundError) as info:
        load_cases("cases.jsonl")
    assert str(info.value) == (
        f"no file 'cases.jsonl' in the current folder {tmp_path} (did you mean 'casses.jsonl'?); "
        "load_cases starts from the current folder, and @pytest.mark.rag_cases(path) from the "
        "folder of the test file"
    )
    with pytest.raises(FileNotFoundError, match=r"no file 'deep/cases\.jsonl' in the current"):
        load_cases(Path("deep/cases.jsonl"))
