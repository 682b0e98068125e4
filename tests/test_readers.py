"""Readers of cases: what each promises, and that one more is one file and one line."""

from __future__ import annotations

import importlib.util
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import load_cases
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.datasets import readers
from pytest_ragassert.datasets.case_reader import CaseReader
from pytest_ragassert.datasets.json_lines_reader import JsonLinesReader
from pytest_ragassert.datasets.json_reader import JsonReader

from .contributing import shown_code

values = st.text() | st.none() | st.booleans() | st.floats() | st.lists(st.text(), max_size=3)
rows = st.lists(st.dictionaries(st.text(), values, max_size=4), max_size=5)


def as_lines(records: list[dict[str, Any]], ends: str = "\n") -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + ends for one in records)


@pytest.mark.parametrize(
    ("reader", "written"),
    [(JsonLinesReader(), as_lines), (JsonReader(), json.dumps)],
    ids=["JSON lines", "JSON"],
)
@given(records=rows, begin=st.sampled_from(["", "\ufeff", "\r\n \n"]))
def test_what_was_written_is_read(
    reader: CaseReader,
    written: Callable[[list[dict[str, Any]]], str],
    records: list[dict[str, Any]],
    begin: str,
) -> None:
    file = io.BytesIO(f"{begin}{written(records)}".encode("utf-8", "replace"))
    read = list(reader.read(file))
    # by their texts: NaN is no number that equals itself
    assert repr([row.content for row in read]) == repr(
        json.loads(json.dumps(records, ensure_ascii=False).encode("utf-8", "replace"))
    )
    assert all(row.place.endswith(f" {row.number}") for row in read)
    for row in read:
        if row.offset is not None:
            file.seek(row.offset)
            again = next(iter(reader.read(file)))
            assert (again.offset, repr(again.content)) == (row.offset, repr(row.content))


@pytest.mark.parametrize(
    ("suffix", "content", "reader"),
    [
        (".jsonl", b"", JsonLinesReader),
        (".jsonl", b"[\n]", JsonLinesReader),
        (".json", b'{"id": 1}\n{"id": 2', JsonLinesReader),
        (".json", b'\xef\xbb\xbf\n{"id": 1}\r\n\r\n{"id": 2}', JsonLinesReader),
        (".json", b'{"id": 1}\n', JsonReader),
        (".json", b'{"id":\n{}}', JsonReader),
        (".json", b'[{"id": 1},\n{"id": 2}]', JsonReader),
        (".json", b"\xff\n{", JsonReader),
        (".json", b"[" * 100_000 + b"\n{", JsonReader),
        (".json", b"", JsonReader),
    ],
)
def test_suffix_and_content_choose_the_reader(
    suffix: str, content: bytes, reader: type[CaseReader]
) -> None:
    file = io.BytesIO(content)
    assert isinstance(readers.reader_of(file, readers.readers_of(suffix)), reader)
    assert file.tell() == 0


def test_where_none_accepts_the_last_one_reads() -> None:
    several = (JsonLinesReader(), JsonLinesReader())
    assert readers.reader_of(io.BytesIO(b"[]"), several) is several[1]
    assert readers.reader_of(io.BytesIO(b"{}\n{}"), several) is several[0]


@pytest.fixture
def recutils(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of CONTRIBUTING.md, added as it says."""
    code, registered = shown_code("Read another format")
    name = "pytest_ragassert.datasets.rec_reader"
    (tmp_path / "rec_reader.py").write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, tmp_path / "rec_reader.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(readers, "READERS", readers.READERS)
    monkeypatch.setattr(readers, "RecReader", None, raising=False)
    exec(registered, vars(readers))


@pytest.mark.usefixtures("recutils")
def test_one_more_format_is_one_file(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "tram.rec").write_text("id: a\nquestion: Q1\n\n\nquestion: Q2: why?\ncontexts: one\n")
    (data / "more.jsonl").write_text('{"id": "b"}')
    cases = load_cases(data)
    assert [(case.id, case.question) for case in cases] == [
        ("b", None),
        ("a", "Q1"),
        ("tram-2", "Q2: why?"),
    ]
    assert [case.retrieved_contexts for case in cases] == [None, None, ["one"]]

    unnamed = tmp_path / "unnamed"
    unnamed.write_text("id: c\n")
    assert [case.id for case in load_cases(unnamed)] == ["c"]
    assert [case.id for case in load_cases(unnamed, format="rec")] == ["c"]

    (data / "tram.rec").write_text("id: a\nanwser: A\n\nid: b\nid: c\n")
    with pytest.raises(ValueError, match="2 mistakes") as raised:
        load_cases(data / "tram.rec")
    assert str(raised.value).splitlines()[1:3] == [
        "  line 1: case 'a': unknown field 'anwser' (did you mean 'answer'?)",
        "  line 4: 'id: c' is not a new field such as 'question: Why?'",
    ]
    (data / "tram.rec").write_bytes(b"id: caf\xe9")
    with pytest.raises(ValueError, match=r"tram\.rec: not UTF-8 .* first in line 1"):
        load_cases(data)
    other = tmp_path / "tram.xml"
    other.touch()
    with pytest.raises(ValueError, match=r"read from .* and \.rec files"):
        load_cases(other)


@pytest.mark.usefixtures("recutils")
def test_calibrate_reads_it_too(tmp_path: Path) -> None:
    (tmp_path / "c.rec").write_text("claim: Tea is hot.\ncontext: It is.\nlabel: supported\n")
    with LabelledFiles([tmp_path / "c.rec"]) as files:
        (row,) = files.rows
        assert (row.id, files.text(row)) == ("c.rec:1", ("Tea is hot.", ["It is."]))
