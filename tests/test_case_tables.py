"""Cases from CSV and TSV: delimiters, encodings, quotes, lists in cells, and what is wrong."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.datasets.odd_values import OddValues
from pytest_ragassert.datasets.table_reader import TableReader
from pytest_ragassert.errors import RagAssertWarning
from pytest_ragassert.language.escaping import is_blank

TEXT = 'id,question,answer\na,"Fähre, wann?","Alle ""40""\nMinuten."\n\nb,Why?,\n'


def table(folder: Path, content: str | bytes, name: str = "tram.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_what_a_spreadsheet_writes_is_read(tmp_path: Path, encoding: str, ends: str) -> None:
    raw = TEXT.replace("\n", ends).encode(encoding)
    first, second = load_cases(table(tmp_path, raw))
    assert (first.id, first.question) == ("a", "Fähre, wann?")
    assert first.answer == f'Alle "40"{ends}Minuten.'
    # an empty cell is no field
    assert (second.id, second.answer) == ("b", None)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["tram.csv", "tram.tsv", "tram.txt", "tram"])
def test_the_delimiter_is_found_out(tmp_path: Path, delimiter: str, name: str) -> None:
    rows = [["id", "question", "contexts"], ["a", f"Why{delimiter} how, where; when?", "one"]]
    with open(tmp_path / name, "w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    (case,) = load_cases(tmp_path / name)
    assert (case.question, case.retrieved_contexts) == (rows[1][1], ["one"])


def test_excel_may_say_the_delimiter(tmp_path: Path) -> None:
    (case,) = load_cases(table(tmp_path, "sep=;\r\nid;question\r\na;x,y\r\n"))
    assert (case.id, case.question) == ("a", "x,y")


cell = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1)
texts = cell.filter(lambda text: not is_blank(text))


@given(rows=st.lists(st.tuples(texts, st.lists(cell, max_size=3)), min_size=1, max_size=4))
def test_what_the_csv_module_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, list[str]]]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "answer", "contexts"])
        writer.writerows([[n, answer, json.dumps(texts)] for n, (answer, texts) in enumerate(rows)])
    cases = load_cases(path)
    assert [(case.answer, case.retrieved_contexts) for case in cases] == rows


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ('["json one", "json two"]', ["json one", "json two"]),
        ('["one", null, {"page_content": "two"}]', ["one", None, "two"]),
        ("""['python one', "it's two"]""", ["python one", "it's two"]),
        ("('tuple one', \"it's two\")", ["tuple one", "it's two"]),
        ("('tuple one',)", ["tuple one"]),
        ("[]", []),
        ("('quoted') and more", ["('quoted') and more"]),
        ('{"price": 3}', ['{"price": 3}']),
        ("[see(a)] and more", ["[see(a)] and more"]),
        ("plain text; chunk, one", ["plain text; chunk, one"]),
        ("[1] see footnote", ["[1] see footnote"]),
        ("[1]", ["[1]"]),
        ("=HYPERLINK(1)", ["=HYPERLINK(1)"]),
    ],
)
def test_a_list_in_a_cell(tmp_path: Path, cell: str, contexts: list[str]) -> None:
    with open(tmp_path / "a.csv", "w", newline="") as file:
        csv.writer(file).writerows([["contexts", "tags"], [cell, "x, y"]])
    (case,) = load_cases(tmp_path / "a.csv")
    assert case.retrieved_contexts == contexts
    assert case.tags == ["x", "y"]


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ("['no comma' 'numpy style']", ["['no comma' 'numpy style']"]),
        ("['unterminated", ["['unterminated"]),
        ("[" + "'a', [" * 10_000, ["[" + "'a', [" * 10_000]),
        ("('no comma' 'numpy style')", ["('no comma' 'numpy style')"]),
        ("array(['x', 'y'], dtype=object)", ["array(['x', 'y'], dtype=object)"]),
        ("[array(['x'])]", ["[array(['x'])]"]),
        ("[Document(page_content='x')]", ["[Document(page_content='x')]"]),
        ("{'text': 'd'}", ["{'text': 'd'}"]),
        ('{"page_content": "d"}', ['{"page_content": "d"}']),
        ("[nan]", ["[nan]"]),
        ("[['a'], ['b']]", ["[['a'], ['b']]"]),
        ("[“a”, “b”]", ["[“a”, “b”]"]),
        ("nan", None),
        ("None", None),
    ],
)
def test_an_odd_list_is_warned_of(tmp_path: Path, cell: str, contexts: list[str] | None) -> None:
    with open(tmp_path / "a.csv", "w", newline="") as file:
        csv.writer(file).writerows([["id", "contexts"], ["a", cell]])
    with pytest.warns(RagAssertWarning, match=r"a\.csv, line 2: retrieved_contexts ") as warned:
        (case,) = load_cases(tmp_path / "a.csv")
    assert case.retrieved_contexts == contexts
    assert [Path(one.filename).name for one in warned] == [Path(__file__).name]
    assert len(str(warned[0].message)) < 400


@pytest.mark.parametrize("column", ["question", "answer", "ground_truth_answer", "persona"])
@pytest.mark.parametrize("cell", ["nan", " NaN", "<NA>"])
def test_a_missing_text_is_warned_of(tmp_path: Path, column: str, cell: str) -> None:
    message = rf"a\.csv, line 2: {column} is '{cell.strip()}': taken for a missing value"
    with pytest.warns(RagAssertWarning, match=message):
        (case,) = load_cases(table(tmp_path, f"id,{column}\na,{cell}\n", "a.csv"))
    assert case == EvalCase(id="a")


def test_none_may_be_an_answer(tmp_path: Path) -> None:
    (case,) = load_cases(table(tmp_path, "id,answer\na,None\n"))
    assert case.answer == "None"


@pytest.mark.parametrize("field", ["retrieved_context_ids", "ground_truth_context_ids"])
@pytest.mark.parametrize("cell", ["d1, d2", "d1;d2", "d1 | d2", "d1\nd2"])
def test_ids_that_are_not_written_as_a_list_are_warned_of(
    tmp_path: Path, field: str, cell: str
) -> None:
    message = rf'{field} is .*: taken for one id; write \["d1", "d2"\] for several, or '
    with pytest.warns(RagAssertWarning, match=message):
        (case,) = load_cases(table(tmp_path, f'id,{field}\na,"{cell}"\n'))
    assert getattr(case, field) == [cell]


@pytest.mark.parametrize(
    ("cell", "ids"),
    [
        ('["d1, d2"]', ["d1, d2"]),
        ("('d1', 'd2')", ["d1", "d2"]),
        ("d1", ["d1"]),
        ("d1,", ["d1,"]),
    ],
)
def test_ids_in_a_cell(tmp_path: Path, cell: str, ids: list[str]) -> None:
    with open(tmp_path / "a.csv", "w", newline="") as file:
        csv.writer(file).writerows([["id", "retrieved_context_ids"], ["a", cell]])
    (case,) = load_cases(tmp_path / "a.csv")
    assert case.retrieved_context_ids == ids


def test_odd_cells_of_a_column_are_one_warning_with_a_count(tmp_path: Path) -> None:
    rows = "".join(f"{n},[“It runs {n}.”],{n if n % 3 else 'nan'}\n" for n in range(30))
    with pytest.warns(RagAssertWarning) as warned:
        load_cases(table(tmp_path, f"id,contexts,answer\n{rows}"))
    texts, answers = (str(one.message).partition("tram.csv, ")[2] for one in warned)
    assert texts == (
        "line 2: retrieved_contexts looks like a list but is not one: '[“It runs 0.”]'; "
        "taken for one text; the same in 29 more rows"
    )
    assert answers == "line 2: answer is 'nan': taken for a missing value; the same in 9 more rows"


def test_many_odd_things_are_counted() -> None:
    odd = OddValues()
    for number in range(50):
        odd.note(f"line {number}", f"there is no answer to question {number}")
    warnings = odd.warnings("tram.csv")
    assert warnings[0] == "line 0: there is no answer to question 0"
    assert warnings[20:] == ["tram.csv: 30 more like these"]


@pytest.mark.parametrize("cell", ["1.0", "[1.0]", "1", '["1"]', "[1]"])
def test_a_whole_number_is_one_id_however_it_is_written(tmp_path: Path, cell: str) -> None:
    path = table(
        tmp_path,
        f"id;retrieved_context_ids;reference_context_ids;answer\n1.0;{cell};{cell};1.0\n",
    )
    (case,) = load_cases(path)
    assert case == EvalCase(
        id="1", retrieved_context_ids=["1"], ground_truth_context_ids=["1"], answer="1.0"
    )
    (case,) = load_cases(table(tmp_path, 'retrieved_context_ids\n"[""1.0""]"\n'))
    assert case.retrieved_context_ids == ["1.0"]


def test_dicts_and_turns_are_json_in_a_cell(tmp_path: Path) -> None:
    cells = {
        "metadata": '{"a": [1]}',
        "minimums": '{"faithfulness": 0.5}',
        "history": '[{"role": "user", "content": "Hi"}]',
        "persona": "commuter",
        "source_units": "faq.md",
        "label": "correct",
    }
    with open(tmp_path / "a.csv", "w", newline="") as file:
        csv.writer(file).writerows([cells, cells.values()])
    (case,) = load_cases(tmp_path / "a.csv")
    assert case == EvalCase(
        id="a-1",
        metadata={"a": [1]},
        minimums={"faithfulness": 0.5},
        history=[{"role": "user", "content": "Hi"}],
        persona="commuter",
        source_units=["faq.md"],
        label="correct",
    )


def test_row_numbers_of_pandas_are_no_column(tmp_path: Path) -> None:
    for name in ("", "Unnamed: 0"):
        (case,) = load_cases(table(tmp_path, f"{name},question\n0,Why?\n"))
        assert (case.id, case.question) == ("tram-1", "Why?")


WRONG: dict[str, tuple[str | bytes, str]] = {
    "no quotes": ("id,answer\na,b,c\n", "line 2: it has 3 values for 2 columns"),
    "too few": ("id,answer\na,b\nc\n", "line 3: it has 1 value for 2 columns"),
    "open quote": ('id,answer\na,b\nc,"d\ne', "line 3: a quote opens here and never closes"),
    "wrong quotes": ('id,answer\na,"b "c" d"\n', "line 2: its quotes are wrong"),
    "one name twice": ("id,answer,answer\na,b,c\n", r"tram\.csv: two columns are called 'answer'"),
    "no name": ("id,,answer\na,b,c\n", "line 2: column 2 has the value 'b' and no name"),
    "unknown": (
        "id,anwser,colour\na,b,c\n",
        r"line 2: case 'a': unknown fields 'anwser' \(did you mean 'answer'\?\), 'colour'; .*; "
        r'fields=\{"colour": "question"\} reads .* fields=\{"colour": "metadata"\} keeps',
    ),
    "two names": ("question,user_input\na,b\n", "two names for the field 'question'"),
    "no JSON": ("id,metadata\na,b\n", "line 2: field metadata is 'b'; a cell must have JSON here"),
    "empty": ("", r"tram\.csv: it is empty"),
    "Latin-1": (b"id,answer\na,5 \x80\n", r"0x80\), first in line 2; .*encoding=ENCODING"),
    "UTF-32": ("id".encode("utf-32"), "it is UTF-32; save the file as UTF-8"),
    "half a letter": (b"\xff\xfei", r"damaged UTF-16 \(at byte "),
    "null": ("id,answer\na,b\0c\n", "not text: it has a null character, first in line 2"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "it is a picture"),
    "a million columns": ("a," * 1_000_000 + "\n", "1000001 columns, more than the limit of 1000"),
    "one id twice": ("id\na\na\n", "line 3: two cases have the id 'a'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(tmp_path: Path, name: str) -> None:
    content, words = WRONG[name]
    began = time.process_time()
    with pytest.raises(ValueError, match=words) as raised:
        load_cases(table(tmp_path, content))
    assert len(str(raised.value)) < 1000
    assert time.process_time() - began < 30


def test_a_broken_row_leaves_the_others(tmp_path: Path) -> None:
    path = table(tmp_path, 'id,answer\na,b\nc,"d"e\nf,g\nh\ni,j\n')
    with pytest.raises(ValueError, match=r"tram\.csv: 2 mistakes\n  line 3: .*\n  line 5: "):
        load_cases(path)
    with pytest.warns(RagAssertWarning, match=r"skipped 2 cases: .*tram\.csv: 2 mistakes"):
        cases = load_cases(path, on_error="skip")
    assert [case.id for case in cases] == ["a", "f", "i"]


def test_a_cell_may_be_long(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    (case,) = load_cases(table(tmp_path, f'answer\n"{"long " * 100_000}"\n'))
    assert len(case.answer or "") == 500_000
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize(
    ("head", "accepted"),
    [
        (b"id;question\n", True),
        (b'"question"\nWhy?\n', True),
        (b"\xff\xfei\0d\0,\0x\0\n\0", True),
        (b"name,colour\n", False),
        (b"\xff\xfe\xff", False),
        (b'"id\n', False),
        (b"", False),
    ],
)
def test_a_table_is_known_by_its_columns(head: bytes, accepted: bool) -> None:
    assert TableReader("csv", (".csv",), ",").accepts(head) is accepted


def test_calibrate_reads_tables_too(tmp_path: Path) -> None:
    text = "claim,context,label\nTea is hot.,It is.,supported\n"
    with LabelledFiles([table(tmp_path, text, "c.csv")]) as files:
        (row,) = files.rows
        assert (row.id, files.text(row)) == ("c.csv:1", ("Tea is hot.", ["It is."]))
