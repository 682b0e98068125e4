"""Cases from Parquet and Arrow: what pyarrow writes, types, bombs, and damaged files."""

from __future__ import annotations

import contextlib
import datetime
import decimal
import gzip
import io
import struct
import subprocess
import sys
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.datasets.parquet_reader import ParquetReader
from pytest_ragassert.errors import ConfigurationError, RagAssertWarning

TABLE = pa.table(
    {
        "id": ["a", "b"],
        "question": ["Why?", None],
        "contexts": [["one", None, "two"], []],
        "metadata": [{"topic": "x", "page": 5}, None],
        "history": [[{"role": "user", "content": "Hi"}], None],
    }
)
READ = [
    EvalCase(
        id="a",
        question="Why?",
        retrieved_contexts=["one", None, "two"],
        metadata={"topic": "x", "page": 5},
        history=[{"role": "user", "content": "Hi"}],
    ),
    EvalCase(id="b", retrieved_contexts=[]),
]
Write = Callable[[Any, Path], None]


def as_parquet(table: Any, path: Path) -> None:
    pq.write_table(table, path)


def as_feather(table: Any, path: Path) -> None:
    feather.write_feather(table, path)


def as_stream(table: Any, path: Path) -> None:
    with pa.ipc.new_stream(path, table.schema) as stream:
        stream.write_table(table)


WRITE: dict[str, Write] = {
    "tram.parquet": as_parquet,
    "tram.pq": as_parquet,
    "tram.feather": as_feather,
    "tram.arrow": as_feather,
    "stream.arrow": as_stream,
}


@pytest.mark.parametrize("name", WRITE)
@pytest.mark.parametrize("way", ["a path", "packed", "another name", "open", "a folder"])
def test_each_source(tmp_path: Path, name: str, way: str) -> None:
    path = tmp_path / name
    WRITE[name](TABLE, path)
    if way == "packed":
        path.write_bytes(gzip.compress(path.read_bytes()))
        path = path.rename(f"{path}.gz")
    elif way == "another name":
        path = path.rename(tmp_path / "tram")
    if way == "open":
        with open(path, "rb") as file:
            assert load_cases(file) == READ
    else:
        assert load_cases(tmp_path if way == "a folder" else path) == READ


@pytest.mark.parametrize("format", ["parquet", "arrow", "feather"])
def test_its_format_may_be_said(tmp_path: Path, format: str) -> None:
    (as_parquet if format == "parquet" else as_feather)(TABLE, tmp_path / "tram.csv")
    with open(tmp_path / "tram.csv", "rb") as file:
        assert load_cases(io.BytesIO(file.read()), format=format) == READ


def test_rows_are_called_by_file_and_place(tmp_path: Path) -> None:
    pq.write_table(pa.table({"answer": ["x", "y", "z"]}), tmp_path / "tram.parquet", 2)
    assert [case.id for case in load_cases(tmp_path)] == ["tram-1", "tram-2", "tram-3"]


def test_columns_are_fields_by_name(tmp_path: Path) -> None:
    as_parquet(pa.table({"prompt": ["Why?"], "score": [0.5]}), tmp_path / "a.parquet")
    fields = {"prompt": "question", "score": "metadata"}
    (case,) = load_cases(tmp_path / "a.parquet", fields=fields)
    assert (case.question, case.metadata) == ("Why?", {"score": 0.5})


def test_row_numbers_of_pandas_are_no_column(tmp_path: Path) -> None:
    as_parquet(pa.table({"answer": ["x"], "__index_level_0__": [7]}), tmp_path / "a.parquet")
    assert load_cases(tmp_path / "a.parquet") == [EvalCase(id="a-1", answer="x")]


# -- types -----------------------------------------------------------------------------------------

NOON = datetime.datetime(2024, 5, 1, 12, 0, 0, 250)


@pytest.mark.parametrize("write", [as_parquet, as_feather])
@pytest.mark.parametrize(
    ("array", "value"),
    [
        (pa.array([NOON], pa.timestamp("us")), "2024-05-01T12:00:00.000250"),
        (pa.array([1], pa.timestamp("ns")), "1970-01-01T00:00:00"),
        (pa.array([NOON], pa.timestamp("us", "UTC")), "2024-05-01T12:00:00.000250+00:00"),
        (pa.array([NOON.date()], pa.date32()), "2024-05-01"),
        (pa.array([1_000_000_001], pa.time64("ns")), "00:00:01"),
        (pa.array([1_000_000_001], pa.duration("ns")), "0:00:01"),
        (pa.array([decimal.Decimal("1.50")]), 1.5),
        (pa.array([decimal.Decimal("15")], pa.decimal128(5, 0)), 15),
        (pa.array([b"caf\xc3\xa9"]), "café"),
        (pa.array([b"ab"], pa.binary(2)), "ab"),
        (pa.array([True]), True),
        (pa.array([2**63], pa.uint64()), 2**63),
        (pa.array([0.5], pa.float32()), 0.5),
        (pa.array(["x"]).dictionary_encode(), "x"),
        (pa.array(["x"], pa.large_string()), "x"),
        (pa.array([["x"]], pa.large_list(pa.string())), ["x"]),
        (pa.array([["x", "y"]], pa.list_(pa.string(), 2)), ["x", "y"]),
        (pa.array([[("k", NOON.date())]], pa.map_(pa.string(), pa.date32())), {"k": "2024-05-01"}),
        (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int8())), {"k": 1}),
        (pa.array([[{"at": NOON.date(), "n": 1}]]), [{"at": "2024-05-01", "n": 1}]),
        (pa.array([{"at": [NOON.date(), None]}]), {"at": ["2024-05-01", None]}),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else None,
)
def test_each_type(tmp_path: Path, write: Write, array: Any, value: Any) -> None:
    path = tmp_path / ("a.parquet" if write is as_parquet else "a.arrow")
    write(pa.table({"x": array}), path)
    (case,) = load_cases(path, fields={"x": "metadata"})
    assert case.metadata == {"x": value}


@pytest.mark.parametrize("rows", [slice(None), slice(1, None)])
def test_texts_may_be_views(tmp_path: Path, rows: slice) -> None:
    # as polars writes them
    texts = ["a" * 20, "b", None, "c" * 20]
    lists = [["one"], None, ["two" * 9, None], []]
    table = pa.table(
        {
            "answer": pa.array(texts, pa.string_view()),
            "contexts": pa.array(lists, pa.list_(pa.string_view())),
        }
    )
    as_feather(table[rows], tmp_path / "a.arrow")
    cases = load_cases(tmp_path / "a.arrow")
    assert [case.answer for case in cases] == texts[rows]
    assert [case.retrieved_contexts for case in cases] == lists[rows]


def test_a_uuid_is_a_text(tmp_path: Path) -> None:
    one = uuid.uuid4()
    storage = pa.array([one.bytes], pa.binary(16))
    as_feather(pa.table({"id": pa.ExtensionArray.from_storage(pa.uuid(), storage)}), tmp_path / "a")
    assert [case.id for case in load_cases(tmp_path / "a")] == [str(one)]


values = st.none() | st.text(st.characters(exclude_categories=["Cs"]))


@given(rows=st.lists(st.tuples(values, st.none() | st.lists(values, max_size=3)), max_size=5))
def test_what_pyarrow_writes_is_read(rows: list[tuple[Any, Any]]) -> None:
    schema = pa.schema([("answer", pa.string()), ("contexts", pa.list_(pa.string()))])
    table = pa.Table.from_arrays(
        [pa.array([row[place] for row in rows], schema.types[place]) for place in (0, 1)],
        schema=schema,
    )
    file = io.BytesIO()
    pq.write_table(table, file, row_group_size=2, dictionary_pagesize_limit=10)
    read = list(ParquetReader().read(io.BytesIO(file.getvalue())))
    assert [row.content for row in read] == table.to_pylist()
    assert [row.place for row in read] == [f"row {n + 1}" for n in range(len(rows))]


# -- what is wrong ---------------------------------------------------------------------------------

NOT_UTF_8 = pa.array([b"x", b"\xff"]).view(pa.string())
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown column": (
        {"id": ["a"], "anwser": ["x"]},
        r"row 1: case 'a': unknown field 'anwser' \(did you mean 'answer'\?\)",
    ),
    "a number": ({"id": ["a"], "answer": [5]}, r"row 1: case 'a': .*answer is a number"),
    "bytes": (
        {"id": ["a", "b"], "answer": [b"x", b"\xff\xfe"]},
        r"row 2: the column 'answer': b'\\xff\\xfe' is bytes, not text in UTF-8",
    ),
    "bytes, deep": ({"metadata": [{"a": [b"\xff"]}]}, "row 1: the column 'metadata': b'"),
    "too many columns": ({f"c{n}": [1] for n in range(2000)}, "it has 2000 columns, more than the"),
}


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, suffix: str) -> None:
    columns, words = WRONG[name]
    path = tmp_path / f"a.{suffix}"
    (as_parquet if suffix == "parquet" else as_feather)(pa.table(columns), path)
    with pytest.raises(ValueError, match=words) as raised:
        load_cases(path)
    assert str(raised.value).startswith(str(path))
    assert len(str(raised.value)) < 1000


def test_texts_that_are_not_utf8(tmp_path: Path) -> None:
    table = pa.table({"id": ["a", "b"], "answer": NOT_UTF_8})
    as_parquet(table, tmp_path / "a.parquet")
    words = r"row 2: the column 'answer': not UTF-8 \(it has the byte 0xff\)"
    with pytest.raises(ValueError, match=words):
        load_cases(tmp_path / "a.parquet")
    with pytest.warns(RagAssertWarning, match="skipped 1 case"):
        assert len(load_cases(tmp_path / "a.parquet", on_error="skip")) == 1
    as_feather(table, tmp_path / "a.arrow")
    with pytest.raises(
        ValueError, match=r"not a valid Arrow file: In column 1: Invalid: Invalid UTF8 seq"
    ):
        load_cases(tmp_path / "a.arrow")


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["x"]), pa.array(["y"])], ["answer", "answer"])
    for write, name in ((as_parquet, "a.parquet"), (as_stream, "a.arrow")):
        write(table, tmp_path / name)
        with pytest.raises(ValueError, match="two columns are called 'answer'"):
            load_cases(tmp_path / name)


@pytest.mark.parametrize(
    "array",
    [
        pa.array([["x"]], pa.list_view(pa.string())),
        pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
        pa.UnionArray.from_dense(
            pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])]
        ),
        pa.RunEndEncodedArray.from_arrays(pa.array([10**9], pa.int32()), pa.array(["x"])),
    ],
    ids=lambda array: str(array.type),
)
def test_a_type_that_no_case_has(tmp_path: Path, array: Any) -> None:
    with pa.ipc.new_file(tmp_path / "a.arrow", pa.schema([("x", array.type)])) as file:
        file.write_batch(pa.record_batch([array.slice(0, 1)], ["x"]))
    with pytest.raises(
        ValueError, match=r"the column 'x': values of the type .* are not supported"
    ):
        load_cases(tmp_path / "a.arrow")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.parquet", b"", "not a valid Parquet file: "),
        ("a.parquet", b"PAR1", "not a valid Parquet file: "),
        ("a.parquet", b"id,question\na,b\n", "it is a text; give it a name that ends in .csv"),
        ("a.parquet", b"PAR1" + b"\xff" * 100 + b"PAR1", "not a valid Parquet file: "),
        ("a.parquet", b"PARE" + b"\0" * 100 + b"PARE", "it is encrypted Parquet; write it without"),
        ("a.arrow", b"", "not a valid Arrow file: "),
        ("a.arrow", b"ARROW1\0\0", "not a valid Arrow file: "),
        ("a.arrow", b"\xff\xff\xff\xff\xff\xff\xff\x7f", "not a valid Arrow file: "),
        ("a.feather", b"FEA1" + b"\0" * 100, "it is the first version of Feather"),
        ("a.feather", b"\x89PNG", "it is a picture"),
    ],
)
def test_what_is_no_such_file(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=words) as raised:
        load_cases(tmp_path / name)
    assert len(str(raised.value)) < 1000


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "s.arrow"])
@given(
    places=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=8),
    cut=st.none() | st.floats(0, 1),
)
def test_damage_is_an_error_or_read(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    places: list[tuple[float, int]],
    cut: float | None,
) -> None:
    path = tmp_path_factory.mktemp("damaged") / name
    (as_parquet if "parquet" in name else as_feather if "feather" in name else as_stream)(
        TABLE, path
    )
    raw = bytearray(path.read_bytes())
    for place, value in places:
        raw[int(place * len(raw))] = value
    path.write_bytes(raw if cut is None else raw[: int(cut * len(raw))])
    with contextlib.suppress(ValueError), warnings.catch_warnings():
        # the number of rows may be what is damaged
        warnings.filterwarnings("ignore", ".* has no cases", RagAssertWarning)
        load_cases(path)


def test_a_footer_that_names_what_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    table = pa.table({"answer": ["x" * 10_000, "y"]})
    with pa.ipc.new_file(path, table.schema) as file:
        for number in range(2):
            file.write_table(table.slice(number, 1))
    raw = path.read_bytes()
    footer = len(raw) - 10 - int.from_bytes(raw[-10:-6], "little")
    blocks = raw.index(struct.pack("<I", 2), footer) + 4  # after how many there are
    first, second = raw[blocks : blocks + 24], raw[blocks + 24 : blocks + 48]
    begin, metadata_size, body_size = struct.unpack("<qi4xq", first)
    assert len(load_cases(path)) == 2
    assert struct.unpack("<qi4xq", second)[0] == begin + metadata_size + body_size
    longer = struct.pack("<qi4xq", begin, metadata_size + 8, body_size)
    for wrong in (longer + second, first * 2):
        path.write_bytes(raw.replace(first + second, wrong))
        with pytest.raises(ValueError, match="its footer does not match its messages"):
            load_cases(path)


# -- bombs -----------------------------------------------------------------------------------------

BOMBS = r"""
import pyarrow as pa
import pyarrow.parquet as pq

def one_in_many(size, rows):
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["a" * size])

def in_one_list(array):
    return pa.ListArray.from_arrays(pa.array([0, len(array)], pa.int32()), array)

def views(size, rows):
    one = pa.array(["a" * size], pa.string_view()).buffers()
    many = pa.py_buffer(one[1].to_pybytes() * rows)
    return pa.Array.from_buffers(pa.string_view(), rows, [None, many, one[2]])

MANY = 200_000
BOMBS = {
    "zeros": [pa.array(["0" * 2**21] * 300)],
    "one text in many rows": [one_in_many(2**24, MANY)],
    "one text many times in a row": [in_one_list(one_in_many(2**24, MANY))],
    "rows of nothing": [pa.nulls(20_000_000, pa.string())],
    "rows of null": [pa.nulls(20_000_000)],
    "views of one text": [views(2**24, MANY), in_one_list(views(2**24, MANY))],
    "one viewed text in many rows": [
        pa.DictionaryArray.from_arrays(pa.array([0] * MANY, pa.int32()), views(2**24, 1))
    ],
}

def parquet(array, path):
    options = {"use_dictionary": "zeros" not in path, "store_schema": False}
    pq.write_table(pa.table({"answer": array}), path, compression="zstd", **options)

def arrow(array, path):
    schema = pa.schema([("answer", array.type)])
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, schema, options=options) as writer:
        writer.write_batch(pa.record_batch([array], schema=schema))

for name, arrays in BOMBS.items():
    for number, array in enumerate(arrays):
        arrow(array, f"{name} {number}.arrow")
        if "view" not in name:
            parquet(array, f"{name} {number}.parquet")
"""
READ_BOMBS = r"""
import os, time
from resource import RUSAGE_SELF, getrusage
from pytest_ragassert import load_cases
import pyarrow.parquet

for path in sorted(os.listdir()):
    before = getrusage(RUSAGE_SELF).ru_maxrss
    began = time.monotonic()
    try:
        print(f"{path}: {len(load_cases(path))} cases")
    except ValueError as error:
        more = (getrusage(RUSAGE_SELF).ru_maxrss - before) // 1024
        refused = "it unpacks to more than 512 MiB" in str(error)
        print(f"{path}: {refused and more < 600 and time.monotonic() - began < 60} {more} {error}")
"""


def test_bombs_are_refused(tmp_path: Path) -> None:
    for code in (BOMBS, READ_BOMBS):
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert all(path.stat().st_size < 2_000_000 for path in tmp_path.iterdir())
    lines = done.stdout.splitlines()
    assert len(lines) == 13
    assert [line for line in lines if ": True " not in line] == []


def test_a_text_may_stand_in_many_rows(tmp_path: Path) -> None:
    contexts = [["the same long text " * 20]] * 20_000
    as_parquet(pa.table({"contexts": contexts}), tmp_path / "a.parquet")
    rows = list(ParquetReader().read(io.BytesIO((tmp_path / "a.parquet").read_bytes())))
    assert len(rows) == 20_000


INSTALL = r"it is read with pyarrow, which is not installed: pip install .pytest-ragassert\[parq"


# -- elsewhere -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WRITE)
def test_calibrate_reads_it_too(tmp_path: Path, name: str) -> None:
    rows = [
        {"claim": f"{n}", "context": [f"It is {n}."], "label": "supported", "lang": "en"}
        for n in range(3)
    ]
    WRITE[name](pa.Table.from_pylist(rows), tmp_path / name)
    with LabelledFiles([tmp_path / name], ["lang"], limit=2) as files:
        assert [row.id for row in files.rows] == [f"{name}:1", f"{name}:2"]
        assert [files.text(row) for row in reversed(files.rows)] == [
            ("1", ["It is 1."]),
            ("0", ["It is 0."]),
        ]
    WRITE[name](pa.table({"claim": ["x"], "context": ["y"], "label": ["maybe"]}), tmp_path / name)
    with pytest.raises(ConfigurationError, match=r"1 of 1 rows .*: row 1: label is 'maybe'"):
        LabelledFiles([tmp_path / name])


def test_pyarrow_is_imported_for_its_files_alone(tmp_path: Path) -> None:
    as_parquet(TABLE, tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text('{"id": "a"}')
    code = (
        "import sys, pytest_ragassert.plugin\nfrom pytest_ragassert import load_cases\n"
        "load_cases('a.jsonl'); print('pyarrow' in sys.modules)\n"
        "load_cases('a.parquet'); print('pyarrow' in sys.modules)\n"
        "print('pandas' in sys.modules or 'polars' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True", "False"]


@pytest.mark.parametrize("name", ["a.parquet", "a.feather"])
def test_what_to_install_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    WRITE[f"tram.{name[2:]}"](TABLE, tmp_path / name)
    for module in [one for one in sys.modules if one.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=f"{name}: {INSTALL}"):
        load_cases(tmp_path / name)
