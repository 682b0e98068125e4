"""What `load_cases` takes: names of columns, packed and open files, folders, rows in memory."""

from __future__ import annotations

import gc
import gzip
import io
import json
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.errors import RagAssertWarning

ROWS = [{"id": "a", "prompt": "Why?", "topic": "x"}, {"id": "b", "prompt": "", "topic": None}]
FIELDS = {"prompt": "question", "topic": "metadata"}
AS_LINES = "".join(json.dumps(row) + "\n" for row in ROWS)


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def told(cases: list[EvalCase]) -> list[tuple[str | None, str | None, dict[str, Any]]]:
    return [(case.id, case.question, case.metadata) for case in cases]


READ = [("a", "Why?", {"topic": "x"}), ("b", None, {})]


# -- names of columns ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [AS_LINES, json.dumps(ROWS), json.dumps({"rows": ROWS}), "id,prompt,topic\na,Why?,x\nb,,\n"],
)
def test_columns_are_fields_by_name(tmp_path: Path, content: str) -> None:
    assert told(load_cases(written(tmp_path / "cases", content), fields=FIELDS)) == READ
    assert told(load_cases(ROWS, fields=FIELDS)) == READ


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"topic": "metadata"},
            r'; fields=\{"prompt": "question"\} reads this column as the question\. '
            r'fields=\{"prompt": "metadata"\} keeps it in the metadata\. format="ragas", or ',
        ),
        ({"promt": "question"}, r"no column 'promt' \(did you mean 'prompt'\?\); there are 'id', "),
        (
            {"prompt": "questoin"},
            r"'questoin', .* 'prompt', is not a field \(did you mean 'question",
        ),
        ({"prompt": "context"}, "'context', for the column 'prompt', is not a field"),
        ({"prompt": "id"}, "columns 'id' and 'prompt' are both the field 'id'; map one"),
        ({"topic": "metadata"}, r"unknown field 'prompt'; known are .*fields=\{\"prompt\": \""),
    ],
)
def test_a_wrong_name_is_told(tmp_path: Path, fields: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        load_cases(written(tmp_path / "cases.jsonl", AS_LINES), fields=fields)


@pytest.mark.parametrize("fields", [{"prompt": 5}, {5: "question"}, ["prompt"]])
def test_fields_are_a_dict_of_texts(fields: Any) -> None:
    with pytest.raises(TypeError, match="fields must be a dict of fields by column"):
        load_cases(ROWS, fields=fields)


def test_of_a_mistyped_name_only_the_right_one_is_said() -> None:
    with pytest.raises(
        ValueError, match=r"unknown field 'questoin' \(did you mean 'question'\?\)$"
    ):
        load_cases([{"questoin": "Q"}])
    with pytest.raises(ValueError, match=r'fields=\{"colour": "question"\}') as raised:
        load_cases([{"questoin": "Q", "colour": "red"}])
    assert '"questoin"' not in str(raised.value)


def test_what_is_null_or_empty_is_no_field(tmp_path: Path) -> None:
    row: dict[str, Any] = {
        "question": " ",
        "user_input": "Q",
        "answer": None,
        "response": float("nan"),
        "colour": None,
        "sizes": [],
        "retrieved_contexts": [],
    }
    (case,) = load_cases(written(tmp_path / "a.jsonl", json.dumps(row)))
    assert case == EvalCase(id="a-1", question="Q", retrieved_contexts=[])


def test_more_unknown_names_than_a_message_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = set[str]()

    def no_suggestion(name: str, _: object) -> str:
        compared.add(name)
        return ""

    monkeypatch.setattr("pytest_ragassert.case.did_you_mean", no_suggestion)
    with pytest.raises(ValueError, match=r"'f49'.*, and 99950 more; known are") as raised:
        load_cases([{f"f{n}": 1 for n in range(100_000)}])
    assert len(str(raised.value)) < 2000
    assert compared == {f"f{n}" for n in range(50)}


# -- JSON ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        ({"examples": [{"id": "x"}, {"id": "y"}], "version": 1}, ["x", "y"]),
        ({"id": "set", "metadata": {}, "cases": [{"id": "x"}]}, ["x"]),
        ({"id": "x", "history": [{"role": "user", "content": "Hi"}]}, ["x"]),
        ({"id": "x", "contexts": [{"text": "one"}]}, ["x"]),
    ],
)
def test_the_one_list_of_an_object_has_the_cases(
    tmp_path: Path, value: Any, ids: list[str]
) -> None:
    path = written(tmp_path / "a.json", json.dumps(value, indent=1))
    assert [case.id for case in load_cases(path)] == ids


def test_several_lists_of_an_object_are_named(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", '{"train": [{"id": 1}], "test": [{"id": 2}]}')
    with pytest.raises(ValueError, match="several lists: 'train', 'test'; remove all but"):
        load_cases(path)


# -- packed files ----------------------------------------------------------------------------------

CONTENTS = {
    "cases.jsonl": AS_LINES,
    "cases.json": json.dumps(ROWS),
    "cases.csv": "id,prompt,topic\na,Why?,x\nb,,\n",
    "cases.tsv": "id\tprompt\ttopic\na\tWhy?\tx\nb\t\t\n",
}


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_each_format_may_be_packed(tmp_path: Path, name: str, suffix: str) -> None:
    # the content says that it is packed, whatever the name says
    path = written(tmp_path / (name + suffix), gzip.compress(CONTENTS[name].encode()))
    assert told(load_cases(path, fields=FIELDS)) == READ
    (tmp_path / "notes.md").touch()
    assert told(load_cases(tmp_path, fields=FIELDS)) == READ


def test_a_case_of_a_packed_file_has_its_plain_name(tmp_path: Path) -> None:
    path = written(tmp_path / "tram.jsonl.gz", gzip.compress(b'{"answer": "A"}'))
    assert [case.id for case in load_cases(path)] == ["tram-1"]


def test_calibrate_reads_packed_files(tmp_path: Path) -> None:
    rows = [{"claim": f"{n}", "context": ["It is."], "label": "supported"} for n in range(3)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path = written(tmp_path / "c.jsonl.gz", gzip.compress(text.encode()))
    with LabelledFiles([path]) as files:
        assert [files.text(row)[0] for row in reversed(files.rows)] == ["2", "1", "0"]


def packed_zeros(size: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    made = [packer.compress(b" " * 2**20) for _ in range(size // 2**20)]
    return b"".join([*made, packer.flush()])


@pytest.mark.parametrize("name", ["bomb.jsonl.gz", "bomb.json.gz", "bomb.csv.gz"])
def test_a_bomb_is_an_error_in_bounded_memory(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, packed_zeros(2**27))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"bomb.*: it unpacks to more than 64 MiB"):
            load_cases(path)
        assert tracemalloc.get_traced_memory()[1] < 2**28
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("damage", ["cut", "changed", "no more than a beginning"])
def test_a_damaged_file_is_named(tmp_path: Path, damage: str) -> None:
    packed = bytearray(gzip.compress(AS_LINES.encode()))
    if damage == "changed":
        packed[-8] ^= 1
    del packed[{"cut": -12, "changed": len(packed)}.get(damage, 2) :]
    with pytest.raises(ValueError, match=r"a\.jsonl\.gz: a damaged gzip file"):
        load_cases(written(tmp_path / "a.jsonl.gz", bytes(packed)), fields=FIELDS)


# -- open files and formats ------------------------------------------------------------------------


def test_open_files_are_read(tmp_path: Path) -> None:
    for name, content in CONTENTS.items():
        path = written(tmp_path / name, content)
        with open(path, "rb") as binary, open(path, newline="") as text:
            assert told(load_cases(binary, fields=FIELDS)) == READ
            assert told(load_cases(text, fields=FIELDS)) == READ
        assert told(load_cases(io.StringIO(content), fields=FIELDS)) == READ
        assert told(load_cases(io.BytesIO(content.encode()), fields=FIELDS)) == READ
    with open(written(tmp_path / "l.csv", b"id,question\na,caf\xe9\n"), encoding="cp1252") as file:
        assert load_cases(file)[0].question == "café"


def test_cases_of_open_files_are_called_by_them(tmp_path: Path) -> None:
    with open(written(tmp_path / "tram.jsonl", '{"answer": "A"}')) as file:
        assert load_cases(file)[0].id == "tram-1"
    assert load_cases(io.StringIO('{"answer": "A"}'))[0].id == "case-1"
    with pytest.raises(ValueError, match=r"^the open file, line 2: .* 'anwser'"):
        load_cases(io.StringIO('{"id": "b"}\n{"anwser": "A"}'))


def test_an_open_file_that_gives_nothing(tmp_path: Path) -> None:
    with open(tmp_path / "new", "w") as file, pytest.raises(ValueError, match="open for reading"):
        load_cases(file)
    with pytest.raises(ValueError, match="the file is closed"):
        load_cases(file)


def test_a_format_may_be_said(tmp_path: Path) -> None:
    path = written(tmp_path / "cases.txt", '{"id": "a"}')
    assert [case.id for case in load_cases(path, format="jsonl")] == ["a"]
    with pytest.raises(ValueError, match="line 1: a case must be a JSON object, not list"):
        load_cases(written(path, "[1]"), format="jsonl")
    with pytest.raises(ValueError, match=r"'jsnl' .*did you mean 'jsonl'\?\); known are jsonl, js"):
        load_cases(path, format="jsnl")
    with pytest.raises(ValueError, match="format: list is not a file"):
        load_cases([], format="json")


def test_what_is_no_format_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a\.toml: cases are read from \.jsonl, .* format= gives"):
        load_cases(written(tmp_path / "a.toml", 'id = "a"\n'))


# -- folders and mistakes --------------------------------------------------------------------------


def test_other_data_of_a_folder_is_named(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", '{"id": "a"}')
    for name in ("b.zip", "c.ods", "notes.md", ".d.zip"):
        written(tmp_path / name, "")
    with pytest.warns(RagAssertWarning, match=r"skipped b\.zip, c\.ods; cases are") as all:
        assert [case.id for case in load_cases(tmp_path)] == ["a"]
    assert len(all) == 1


def test_cases_with_mistakes_may_be_skipped(tmp_path: Path) -> None:
    lines = ['{"id": "a"}', '{"id": ', '{"id": "a", "answer": "twin"}', '{"anwser": 1}', "{}"]
    path = written(tmp_path / "a.jsonl", "\n".join(lines))
    with pytest.warns(RagAssertWarning, match=r"^skipped 3 cases: .*3 mistakes\n  line 2: not JSO"):
        cases = load_cases(path, on_error="skip")
    assert [case.id for case in cases] == ["a", "a-5"]
    with pytest.raises(ValueError, match="3 mistakes"):
        load_cases(path)
    with pytest.raises(ValueError, match="on_error must be 'raise' or 'skip', not 'ignore'"):
        load_cases(path, on_error="ignore")  # type: ignore[arg-type]  # the subject


def test_a_file_that_can_not_be_read_is_never_skipped(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", '{"id": "a"}')
    written(tmp_path / "b.jsonl", b"\xff")
    with pytest.raises(ValueError, match=r"b\.jsonl: not UTF-8"):
        load_cases(tmp_path, on_error="skip")


# -- rows in memory --------------------------------------------------------------------------------


class Pandas:
    """What is used of pandas' DataFrame."""

    columns = ("id", "contexts", 3)

    def itertuples(self, *, index: bool, name: None) -> Iterator[tuple[Any, ...]]:
        assert (index, name) == (False, None)
        yield from [(Scalar(1), Array(["one"]), float("nan")), (Scalar(2), None, NAType())]


class Scalar:
    dtype = "int64"

    def __init__(self, value: int) -> None:
        self.value = value

    def item(self) -> int:
        return self.value


class Array:
    dtype = "object"

    def __init__(self, values: list[str]) -> None:
        self.values = values

    def tolist(self) -> list[str]:
        return self.values


class NAType:
    def __bool__(self) -> bool:
        raise TypeError


class Polars:
    columns = ("id", "contexts")

    def iter_rows(self, *, named: bool) -> Iterator[dict[str, Any]]:
        assert named
        yield {"id": "1", "contexts": ["one"]}
        yield {"id": "2", "contexts": None}


class Table:
    column_names = ("id", "contexts")

    def to_pylist(self) -> list[dict[str, Any]]:
        return list(Polars().iter_rows(named=True))


@pytest.mark.parametrize("frame", [Pandas(), Polars(), Table(), Table().to_pylist()])
def test_frames_are_read_by_their_own_methods(frame: Any) -> None:
    cases = load_cases(frame)
    assert [(case.id, case.retrieved_contexts) for case in cases] == [("1", ["one"]), ("2", None)]


@pytest.mark.parametrize("library", ["pandas", "polars", "datasets"])
def test_real_frames_are_read(library: str) -> None:
    module = pytest.importorskip(library)
    columns = {"id": [1, 2], "contexts": [["one"], None], "answer": [None, "A"]}
    make = module.Dataset.from_dict if library == "datasets" else module.DataFrame
    cases = load_cases(make(columns))
    assert [(c.id, c.retrieved_contexts, c.answer) for c in cases] == [
        ("1", ["one"], None),
        ("2", None, "A"),
    ]


class DataFrame(Polars):
    """What `read_csv` makes of a table."""

    def iter_rows(self, *, named: bool) -> Iterator[dict[str, Any]]:
        row = {"contexts": "['a', 'b']", "reference_context_ids": '["1"]', "metadata": '{"x": 1}'}
        yield {"Unnamed: 0": 0, "id": "1", **row, "retrieved_context_ids": 1.0, "answer": "['a']"}


def test_a_frames_texts_are_read_as_cells() -> None:
    (case,) = load_cases(DataFrame())
    assert case.retrieved_contexts == ["a", "b"]
    assert case.metadata == {"x": 1}
    assert case.retrieved_context_ids == case.ground_truth_context_ids == ["1"]
    assert case.answer == "['a']"
    (case,) = load_cases([{"contexts": "['a', 'b']"}])
    assert case.retrieved_contexts == ["['a', 'b']"]


def test_a_frame_is_called_by_its_type() -> None:
    with pytest.raises(ValueError, match=r"^the DataFrame: fields: there is no column 'prompt'"):
        load_cases(DataFrame(), fields={"prompt": "question"})


def test_dates_of_a_frame_are_texts() -> None:
    (case,) = load_cases(
        [{"id": "a", "asked": datetime(2026, 3, 1, 9, 30)}], fields={"asked": "metadata"}
    )
    assert case.metadata == {"asked": "2026-03-01T09:30:00"}


def test_a_row_of_a_frame_is_named() -> None:
    class Wrong(Polars):
        def iter_rows(self, *, named: bool) -> Iterator[dict[str, Any]]:
            yield from [{"id": "1"}, {"id": "2", "anwser": "A"}]

    with pytest.raises(ValueError, match=r"^row 2: case '2': unknown field 'anwser'"):
        load_cases(Wrong())


def test_a_frames_columns_have_different_names() -> None:
    class Twice(Pandas):
        columns = ("id", "id", 3)

    with pytest.raises(ValueError, match="two columns are called 'id'"):
        load_cases(Twice())


class DatasetDict(dict[str, Any]):
    pass


class LazyFrame:
    def collect(self) -> None: ...

    def collect_schema(self) -> None: ...


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (DatasetDict(train=[], test=[]), "give one of its data sets: 'train', 'test'"),
        ({"id": "a"}, r"it is a single dict, but cases must be a list of dicts"),
        (LazyFrame(), r"LazyFrame; give what its collect\(\) returns"),
        (EvalCase(), "neither a file nor a list of cases"),
        (b"bytes", "neither a file nor a list of cases"),
        (5, "neither a file nor a list of cases"),
        ([5], "a case must be an EvalCase or a dict, not int"),
    ],
)
def test_what_is_no_source_is_said(source: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        load_cases(source)


def test_cases_of_a_list_have_ids_and_the_users_cases_stay() -> None:
    own = EvalCase(question="Q")
    cases = load_cases(row for row in ({"question": "Q"}, own, {"id": 0}))
    assert [case.id for case in cases] == ["case-1", None, "0"]
    assert cases[1] is own
    with pytest.raises(ValueError, match="case 2 of the list: two cases have the id '0'"):
        load_cases([{"id": 0}, {"id": "0"}])


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"id": 10**5000}, r"case 1 of the list: case .*digits: field id"),
        ({"id": "a", "answer": 10**5000}, "field answer is a number; it takes a text"),
        ({"id": "a", "answer": [10**5000]}, "field answer is .*digits; it takes a text"),
    ],
)
def test_a_number_that_python_does_not_write_is_an_error_like_others(
    row: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        load_cases([row])


def test_what_holds_itself_is_no_value() -> None:
    itself: dict[str, Any] = {}
    itself["x"] = [itself]
    for field in ("metadata", "persona", "generation_params"):
        with pytest.raises(ValueError, match=f"field {field}: it nests deeper than 100 levels"):
            load_cases([{"id": "a", field: itself}])


def test_columns_may_change_their_names() -> None:
    swap = {"question": "answer", "answer": "question"}
    (case,) = load_cases([{"question": "A", "answer": "Q"}], fields=swap)
    assert (case.question, case.answer) == ("Q", "A")


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
def test_memory_grows_by_little_more_than_the_texts_of_each_row(
    tmp_path: Path, suffix: str
) -> None:
    text = "lorem ipsum " * 50

    def peak(count: int) -> int:
        rows = [
            {"id": f"row-{n}", "question": "?", "answer": f"{n}", "contexts": [f"{n} {text}"] * 3}
            for n in range(count)
        ]
        file = tmp_path / f"rows-{count}{suffix}"
        written = "".join(json.dumps(row) + "\n" for row in rows).encode()
        file.write_bytes(gzip.compress(written) if suffix.endswith(".gz") else written)
        del rows, written
        gc.collect()
        tracemalloc.start()
        try:
            assert len(load_cases(file)) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # what is loaded once
    few, many = peak(300), peak(1300)
    assert (many - few) / 1000 < 3 * len(text) + 2000


def test_a_table_with_its_columns_and_data(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    table = {
        "columns": ["question", "contexts"],
        "index": [0, 1],
        "data": [["Q", ["c"]], ["R", []]],
    }
    path.write_text(json.dumps(table))
    assert load_cases(path) == [
        EvalCase(id="a-1", question="Q", retrieved_contexts=["c"]),
        EvalCase(id="a-2", question="R", retrieved_contexts=[]),
    ]
    path.write_text(json.dumps({**table, "data": [["Q"]]}))
    with pytest.raises(
        ValueError, match="case 1: it is not a list with a value for each of the 2 col"
    ):
        load_cases(path)
    path.write_text(json.dumps({**table, "columns": ["answer", "answer"]}))
    with pytest.raises(ValueError, match="two columns are called 'answer'"):
        load_cases(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"question,answer\n"),
        ("a.json", b"[]"),
        ("a.json", b'{"examples": []}'),
        ("a.yaml", b"# none\n"),
        ("a.jsonl", b"\n"),
    ],
)
def test_a_source_without_cases_is_told(tmp_path: Path, name: str, content: bytes) -> None:
    path = written(tmp_path / name, content)
    with pytest.warns(RagAssertWarning, match=rf"{name} has no cases$"):
        assert load_cases(path) == []
    with pytest.warns(RagAssertWarning, match=r"^the source has no cases$"):
        assert load_cases([]) == []


@pytest.mark.parametrize("address", ["https://x.y/z.jsonl", "s3://bucket/cases.csv"])
def test_an_address_is_not_read(address: str) -> None:
    with pytest.raises(ValueError, match=f"{address}: URLs are not read; download the file"):
        load_cases(address)


def test_json_in_utf_16(tmp_path: Path) -> None:
    line = '{"question": "Как часто?"}'
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        for name, text in (("a.json", f"[{line}]"), ("a.jsonl", f"{line}\n{line}\n")):
            path = written(tmp_path / name, text.encode(encoding))
            assert {case.question for case in load_cases(path)} == {"Как часто?"}


def test_an_open_document_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    with pytest.raises(
        ValueError, match=r"a\.xlsx: it is an OpenDocument file, such as \.ods; save it"
    ):
        load_cases(path)


def test_an_index_of_a_fields_name_is_a_column() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"answer": ["A"]}, index=pandas.Index(["Q"], name="question"))
    assert load_cases(frame) == [EvalCase(id="case-1", question="Q", answer="A")]
    frame.index.name = "number"
    assert load_cases(frame) == [EvalCase(id="case-1", answer="A")]
