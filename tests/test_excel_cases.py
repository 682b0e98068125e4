"""Cases from Excel workbooks: sheets, cells, formulas, and hostile archives."""

from __future__ import annotations

import datetime
import gzip
import io
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.errors import ConfigurationError, RagAssertWarning
from pytest_ragassert.language.escaping import is_blank

HEADER = ["id", "question", "answer", "contexts"]
ROWS: list[list[Any]] = [HEADER, ["a", "Why?", "So.", '["one", "two"]'], ["b", "How?", None, None]]
READ = [
    EvalCase(id="a", question="Why?", answer="So.", retrieved_contexts=["one", "two"]),
    EvalCase(id="b", question="How?"),
]


def book_of(**sheets: Sequence[Sequence[Any]]) -> Any:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return book


def saved(book: Any, path: Path) -> Path:
    book.save(path)
    return path


def changed(path: Path, part: str, change: Callable[[bytes], bytes]) -> Path:
    """The archive with a part changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts.get(part, b""))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


SHEET, TEXTS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"


def shared(path: Path, texts: bytes) -> Path:
    """The workbook with the texts of a list, the first in A2 and the second in B2, as Excel has."""
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    entry = b'<Override PartName="/%b" ContentType="%b"/></Types>' % (TEXTS.encode(), kind)
    changed(path, "[Content_Types].xml", lambda xml: xml.replace(b"</Types>", entry))
    changed(path, TEXTS, lambda _: texts)

    def change(xml: bytes) -> bytes:
        for number, name in enumerate((b"A2", b"B2")):
            before, _, rest = xml.partition(b'<c r="%b"' % name)
            behind = rest.partition(b"</c>")[2]
            xml = before + b'<c r="%b" t="s"><v>%d</v></c>' % (name, number) + behind
        return xml

    return changed(path, SHEET, change)


@pytest.mark.parametrize("name", ["tram.xlsx", "tram.XLSM", "tram.xlsx.gz", "tram"])
@pytest.mark.parametrize("way", ["a path", "open", "a folder"])
def test_each_source(tmp_path: Path, name: str, way: str) -> None:
    path = saved(book_of(Cases=ROWS), tmp_path / "tram.xlsx").rename(tmp_path / name)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    if way == "open":
        with open(path, "rb") as file:
            assert load_cases(file) == READ
        assert load_cases(io.BytesIO(path.read_bytes())) == READ
    elif way == "a folder" and name != "tram":
        (tmp_path / "~$tram.xlsx").write_bytes(b"the lock of a file that is open")
        assert load_cases(tmp_path) == READ
    else:
        assert load_cases(path) == READ
        assert load_cases(io.BytesIO(path.read_bytes()), format="excel") == READ


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (5.0, "5"),
        (-1.5, "-1.5"),
        (1e20, "1e+20"),
        ("007", "007"),
        ("5.0", "5.0"),
        (True, "TRUE"),
        (datetime.date(2024, 5, 1), "2024-05-01"),
        (datetime.datetime(2024, 5, 1, 10, 30), "2024-05-01T10:30:00"),
        (datetime.time(10, 30), "10:30:00"),
        ("'quoted", "'quoted"),
        ("two\nlines", "two\nlines"),
        ("two_x000D_\nlines", "two\r\nlines"),
    ],
)
def test_a_cell_is_a_text(tmp_path: Path, value: Any, text: str) -> None:
    rows = [["id", "answer", "topic"], ["a", value, value]]
    path = saved(book_of(Cases=rows), tmp_path / "a.xlsx")
    (case,) = load_cases(path, fields={"topic": "metadata"})
    assert (case.answer, case.metadata) == (text, {"topic": text})


def test_texts_are_shared(tmp_path: Path) -> None:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rich = "<si><r><t>Why</t></r><r><rPr><b/></rPr><t>?</t></r></si>"
    texts = f'<sst xmlns="{space}"><si><t>a</t></si>{rich}</sst>'.encode()
    assert load_cases(shared(saved(book_of(Cases=ROWS), tmp_path / "a.xlsx"), texts)) == READ


# XML has no place for the others, and openpyxl refuses them
letters = st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")
texts = st.text(letters, min_size=1).filter(
    lambda text: not is_blank(text) and not text.startswith("=") and text[:1] != "#"
)


@given(rows=st.lists(st.tuples(texts, st.none() | texts), min_size=1, max_size=4))
def test_what_openpyxl_writes_is_read(rows: list[tuple[str, str | None]]) -> None:
    file = io.BytesIO()
    book_of(Cases=[["answer", "question"], *map(list, rows)]).save(file)
    cases = load_cases(io.BytesIO(file.getvalue()))
    assert [(case.answer, case.question) for case in cases] == rows


def test_empty_rows_and_columns_are_passed_over(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active["C4"], book.active["E4"] = "id", "answer"
    book.active["C6"], book.active["E9"] = "a", "x"
    book.active["Z20"] = " "
    path = saved(book, tmp_path / "a.xlsx")
    assert [(case.id, case.answer) for case in load_cases(path)] == [("a", None), ("a-2", "x")]
    book.active["D9"] = "y"
    words = "row 9: column D has the value 'y' and no name"
    with pytest.raises(ValueError, match=words):
        load_cases(saved(book, path))


def test_a_title_is_no_row_of_names(tmp_path: Path) -> None:
    rows = [["Questions of May"], [], ["as of today"], *ROWS]
    assert load_cases(saved(book_of(Cases=rows), tmp_path / "a.xlsx")) == READ
    one = [["prompt"], ["Why?"], ["How?"]]
    path = saved(book_of(Cases=one), tmp_path / "a.xlsx")
    assert len(load_cases(path, fields={"prompt": "question"})) == 2


@pytest.mark.parametrize("header", [["Frage", "Thema"], ["question", "answer"]])
def test_a_title_may_have_several_cells(tmp_path: Path, header: list[str]) -> None:
    fields = {"Frage": "question", "Thema": "metadata"} if header[0] == "Frage" else {}
    rows = [["Evaluation 2024", "by Anna", "v2"], header, ["Why?", "x"]]
    path = saved(book_of(Cases=rows), tmp_path / "a.xlsx")
    assert [case.question for case in load_cases(path, fields=fields)] == ["Why?"]


def test_row_numbers_of_pandas_are_no_column(tmp_path: Path) -> None:
    path = saved(book_of(Cases=[[None, "answer"], [0, "x"], [1, "y"]]), tmp_path / "a.xlsx")
    assert [case.answer for case in load_cases(path)] == ["x", "y"]


# -- sheets ----------------------------------------------------------------------------------------


def test_the_sheet_with_fields_is_read(tmp_path: Path) -> None:
    book = book_of(Notes=[["written by", "on"], ["Ada", 1]], Empty=[], Cases=ROWS)
    path = saved(book, tmp_path / "a.xlsx")
    assert load_cases(path) == READ
    book["Cases"]["B1"] = "qestion"
    words = r"sheet 'Cases', row 2.*unknown field 'qestion' \(did you mean 'question'\?\)"
    with pytest.raises(ValueError, match=words):
        load_cases(saved(book, path))


def test_several_sheets_with_cases_are_named(tmp_path: Path) -> None:
    book = book_of(May=ROWS, June=ROWS)
    path = saved(book, tmp_path / "a.xlsx")
    words = "several sheets that may have the cases: 'May', 'June'; hide all except one"
    with pytest.raises(ValueError, match=words):
        load_cases(path)
    book["June"].sheet_state = "hidden"
    assert load_cases(saved(book, path)) == READ


def test_the_sheet_with_mapped_columns_is_read(tmp_path: Path) -> None:
    fields = {"Frage": "question", "Thema": "metadata"}
    book = book_of(Notes=[["Thema", "von"], ["x", "Ada"]], Cases=[["Frage", "Thema"], ["Q", "x"]])
    (case,) = load_cases(saved(book, tmp_path / "a.xlsx"), fields=fields)
    assert (case.question, case.metadata) == ("Q", {"Thema": "x"})


def test_merged_cells_have_their_text_in_each_row(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["topic", "question", "answer"],
        ["Ferry", "Q1", "A"],
        [None, "Q2", "B"],
        [None, None, None],
        [None, "Q3", None],
    ]
    book = book_of(Cases=rows)
    book["Cases"].merge_cells("A2:A4")
    book["Cases"].merge_cells("C3:C1000")
    path = saved(book, tmp_path / "a.xlsx")
    cases = load_cases(path, fields={"topic": "metadata"})
    assert [(case.question, case.answer, case.metadata) for case in cases] == [
        ("Q1", "A", {"topic": "Ferry"}),
        ("Q2", "B", {"topic": "Ferry"}),
        ("Q3", "B", {}),
    ]


# -- formulas and errors ---------------------------------------------------------------------------


def with_value(path: Path, value: bytes, type: bytes = b"str") -> Path:
    """The workbook with a value stored for its formula in B2, as Excel stores it."""

    def change(xml: bytes) -> bytes:
        before, _, rest = xml.partition(b'<c r="B2"')
        formula, _, behind = rest.partition(b"</c>")
        formula = formula[formula.index(b"<f>") : formula.index(b"</f>")] + b"</f>"
        return before + b'<c r="B2" t="%b">%b<v>%b</v></c>' % (type, formula, value) + behind

    return changed(path, SHEET, change)


FORMULA = [["id", "answer"], ["a", '=UPPER("x")'], ["b", "plain"]]


def test_a_formula_has_the_value_that_is_stored(tmp_path: Path) -> None:
    path = with_value(saved(book_of(Cases=FORMULA), tmp_path / "a.xlsx"), b"X")
    assert [case.answer for case in load_cases(path)] == ["X", "plain"]
    path = with_value(saved(book_of(Cases=FORMULA), tmp_path / "a.xlsx"), b"2", b"n")
    assert [case.answer for case in load_cases(path)] == ["2", "plain"]
    path = with_value(saved(book_of(Cases=FORMULA), tmp_path / "a.xlsx"), b"")
    assert [case.answer for case in load_cases(path)] == [None, "plain"]


def test_a_formula_without_a_value_is_named(tmp_path: Path) -> None:
    path = saved(book_of(Cases=FORMULA), tmp_path / "a.xlsx")
    words = r"row 2: cell B2 has the formula '=UPPER\(\"x\"\)' without its value, .* and save it"
    with pytest.raises(ValueError, match=words):
        load_cases(path)
    with pytest.warns(RagAssertWarning, match="skipped 1 case"):
        assert [case.id for case in load_cases(path, on_error="skip")] == ["b"]


def test_an_error_in_a_cell_is_named(tmp_path: Path) -> None:
    path = with_value(saved(book_of(Cases=FORMULA), tmp_path / "a.xlsx"), b"#N/A", b"e")
    with pytest.raises(ValueError, match="row 2: cell B2 has the error #N/A; correct the cell, or"):
        load_cases(path)


# -- what is wrong, and hostile archives -----------------------------------------------------------

WRONG: dict[str, tuple[dict[str, Sequence[Sequence[Any]]], str]] = {
    "nothing": ({"Cases": []}, r"a\.xlsx: it is empty; a sheet's first row must have"),
    "one name twice": ({"Cases": [["answer", "answer"], ["a", "b"]]}, "called 'answer'; give each"),
    "an unknown column": ({"Cases": [["id", "anwser"], ["a", "b"]]}, "row 2: case 'a': unknown fi"),
    "no JSON": (
        {"Cases": [["id", "metadata"], ["a", "b"]]},
        "field metadata is 'b'; a cell must",
    ),
    "too many columns": ({"Cases": [["id"] + [f"c{n}" for n in range(1500)]]}, "it has 1501 col"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(tmp_path: Path, name: str) -> None:
    sheets, words = WRONG[name]
    path = saved(book_of(**sheets), tmp_path / "a.xlsx")
    with pytest.raises(ValueError, match=words) as raised:
        load_cases(path)
    assert str(raised.value).startswith(str(path))


def archive(parts: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in parts.items():
            written.writestr(name, content)
    return file.getvalue()


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no archive": (lambda path: path.write_bytes(b"\xff\xfe\0"), "it is not an Excel workbook"),
    "a table": (
        lambda path: path.write_bytes(b"id,answer\n"),
        r'a text; give it a name that ends in \.csv, or add format="csv"',
    ),
    "lines": (
        lambda path: path.write_bytes(b'{"id": "a"}\n{"id": "b"}\n'),
        r'a text; give it a name that ends in \.jsonl, or add format="jsonl"',
    ),
    "another table": (
        lambda path: path.write_bytes("Frage;Größe\n".encode()),
        'it is a text; if it is a table, add format="csv"',
    ),
    "nothing": (lambda path: path.write_bytes(b""), "it is not an Excel workbook"),
    "a cut archive": (
        lambda path: path.write_bytes(path.read_bytes()[:-50]),
        "not a valid Excel workbook: ",
    ),
    "an old workbook": (
        lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0" + b"\0" * 600),
        r"an Excel workbook in the old format \(\.xls\), or one with a password; save it as \.xlsx",
    ),
    "another archive": (
        lambda path: path.write_bytes(archive({"a.txt": b"text"})),
        "it is a ZIP archive, or an Excel workbook",
    ),
    "a bomb of zeros": (
        lambda path: changed(path, TEXTS, lambda _: b" " * 2**27),
        "it unpacks to more than a workbook of its size may; if that is intended, save it again",
    ),
    "a bomb in no sheet": (
        lambda path: changed(path, "xl/media/a.png", lambda _: b"\0" * 2**27),
        "it unpacks to more than a workbook of its size may",
    ),
    "a million cells in a row": (
        lambda path: changed(
            path,
            SHEET,
            lambda xml: xml.replace(b"<sheetData>", b"<sheetData><row>" + b"<c/>" * 2**20),
        ),
        "it has more cells and texts than a workbook of its size may",
    ),
    "a million texts": (
        lambda path: changed(path, TEXTS, lambda _: b"<sst>" + b"<si/>" * 2**20 + b"</sst>"),
        "it has more cells and texts than",
    ),
    "a billion laughs": (
        lambda path: changed(
            path,
            SHEET,
            lambda xml: (
                b'<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]>'
                + xml.replace(b"answer", b"&b;")
            ),
        ),
        f"its part '{SHEET}' has a document type",
    ),
    "a file of the system": (
        lambda path: changed(
            path,
            SHEET,
            lambda xml: (
                '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE x [<!ENTITY a SYSTEM '
                '"file:///etc/passwd">]><x/>'
            ).encode("utf-16"),
        ),
        f"its part '{SHEET}' has a document type",
    ),
    "a row far away": (
        lambda path: changed(
            path,
            SHEET,
            lambda xml: xml.replace(b"</sheetData>", b'<row r="999999999999"/></sheetData>'),
        ),
        "it has a row 1048577, but a sheet has at most 1048576",
    ),
    "a column far away": (
        lambda path: changed(path, SHEET, lambda xml: xml.replace(b'r="A2"', b'r="ZZZZZZ2"')),
        "not a valid Excel workbook: ",
    ),
    "a text that is not there": (
        lambda path: shared(path, b"<sst/>"),
        "not a valid Excel workbook: IndexError",
    ),
    "broken XML": (
        lambda path: changed(path, SHEET, lambda xml: xml[:-40]),
        "not a valid Excel workbook: ParseError",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archives(tmp_path: Path, name: str) -> None:
    make, words = HOSTILE[name]
    path = saved(book_of(Cases=ROWS), tmp_path / "a.xlsx")
    make(path)
    assert path.stat().st_size < 1_000_000
    began = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=words) as raised:
            load_cases(path)
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()
    assert str(raised.value).startswith(str(path))
    assert len(str(raised.value)) < 1000
    assert time.process_time() - began < 60


def test_a_wrong_size_is_no_matter(tmp_path: Path) -> None:
    path = saved(book_of(Cases=ROWS), tmp_path / "a.xlsx")
    changed(path, SHEET, lambda xml: xml.replace(b'ref="A1:D3"', b'ref="A1:XFD1048576"'))
    assert load_cases(path) == READ


def test_many_rows_are_within_bounds(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["id", "answer"], *([n, "the same answer"] for n in range(5000))]
    assert len(load_cases(saved(book_of(Cases=rows), tmp_path / "a.xlsx"))) == 5000


# -- elsewhere -------------------------------------------------------------------------------------


def test_calibrate_reads_it_too(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["claim", "context", "label"], ["Tea.", "Tea is hot.", "supported"]]
    path = saved(book_of(Claims=rows, Notes=[["by"], ["Ada"]]), tmp_path / "c.xlsx")
    with LabelledFiles([path]) as files:
        (row,) = files.rows
        assert (row.id, files.text(row)) == ("c.xlsx:1", ("Tea.", ["Tea is hot."]))
    rows[1][2] = "maybe"
    with pytest.raises(ConfigurationError, match=r"1 of 1 rows .*: row 2: label is 'maybe'"):
        LabelledFiles([saved(book_of(Claims=rows), path)])


def test_openpyxl_is_imported_for_workbooks_alone(tmp_path: Path) -> None:
    saved(book_of(Cases=ROWS), tmp_path / "a.xlsx")
    (tmp_path / "a.jsonl").write_text('{"id": "a"}')
    code = (
        "import sys, pytest_ragassert.plugin\nfrom pytest_ragassert import load_cases\n"
        "load_cases('a.jsonl'); print('openpyxl' in sys.modules)\n"
        "load_cases('a.xlsx'); print('openpyxl' in sys.modules)\n"
        "print('pandas' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True", "False"]


def test_what_to_install_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(book_of(Cases=ROWS), tmp_path / "a.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    words = r"a\.xlsx: it is read with openpyxl, which is not installed: pip install .*\[excel\]"
    with pytest.raises(ValueError, match=words):
        load_cases(path)
