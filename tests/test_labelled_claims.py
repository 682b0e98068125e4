"""Rows of labelled claims: what fits, what does not and why, and that they are read again."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.errors import ConfigurationError

from .labelled import ferries, write

GOOD = {"claim": "Tea is hot.", "context": ["Tea is hot."], "label": "supported"}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({**GOOD, "label": "maybe"}, "label is 'maybe'; valid are supported, unsupported"),
        ({**GOOD, "label": None}, "label is null; valid are supported, unsupported"),
        (
            {**GOOD, "label": "Suported"},
            "label is 'Suported' (did you mean 'supported'?); valid are supported",
        ),
        (
            {"claim": 5, "context": 6, "label": "maybe", "id": {}},
            "claim is 5, not a text | context is 6, not a text or list of texts | label is "
            "'maybe'; valid are supported, unsupported, neutral, contradicted | id is {}, not a "
            "text",
        ),
        ({**GOOD, "claim": None}, "claim is null"),
        ({**GOOD, "claim": " "}, "claim is empty"),
        ({**GOOD, "claim": 5}, "claim is 5, not a text"),
        ({**GOOD, "answer": "Tea."}, "it has both claim and answer"),
        ({**GOOD, "context": None}, "context is null"),
        ({**GOOD, "context": {"a": 1}}, "context is {'a': 1}, not a text or list of texts"),
        ({**GOOD, "context": ["Tea.", None]}, "text 2 of context is None, not a text"),
        ({**GOOD, "context": ["", " "]}, "context has no text"),
        ({**GOOD, "id": {}}, "id is {}, not a text"),
        ({**GOOD, "lang": ["en"]}, "lang is ['en'], not a text"),
        ([GOOD], "a row must be a JSON object, not list"),
        (b"{", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b'{"claim": "a", "claim": "b"}', "not JSON: the key 'claim' appears twice in one object"),
        (b"<<<<<<< HEAD", "git left a conflict here; resolve it and delete its markers"),
    ],
)
def test_what_does_not_fit(tmp_path: Path, row: object, says: str) -> None:
    raw = row if isinstance(row, bytes) else json.dumps(row).encode()
    good = json.dumps(GOOD).encode()
    data = tmp_path / "claims.jsonl"
    data.write_bytes(b"\n".join([good, b"", raw, good]))
    with pytest.raises(ConfigurationError, match="1 of 3 rows are invalid") as raised:
        LabelledFiles([data], ["lang"])
    assert f"line 3: {says}" in str(raised.value)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"claim": "a", "contexts": ["b"], "label": "neutral"}, "context; did you mean the column"),
        (
            {"Claim": "a", "context": ["b"], "label": "neutral"},
            "claim; did you mean the column 'Claim'",
        ),
        (
            {"claim": "a", "context": ["b"], "lable": "neutral"},
            "label; did you mean the column 'lable'",
        ),
        ({"claim": "a", "docs": ["b"], "label": "neutral"}, "context; it has 'claim', 'docs', 'l"),
    ],
)
def test_a_missing_column_is_told_with_the_one_that_may_be_meant(
    tmp_path: Path, row: dict[str, object], says: str
) -> None:
    data = write(tmp_path / "claims.jsonl", [GOOD, row])
    with pytest.raises(ConfigurationError) as raised:
        LabelledFiles([data])
    assert f"line 2: it has no {says}" in str(raised.value)


def test_many_wrong_rows_are_not_all_listed(tmp_path: Path) -> None:
    data = write(tmp_path / "claims.jsonl", ferries(8, label="maybe"))
    with pytest.raises(ConfigurationError, match="; and 3 more") as raised:
        LabelledFiles([data])
    assert "line 5" in str(raised.value)
    assert "line 6" not in str(raised.value)


def test_rows_are_read_again_when_their_turn_comes(tmp_path: Path) -> None:
    rows = ferries(4)
    rows[2] = {"answer": "Ünd \u2028 \ud800.", "context": "One text.", "label": "neutral", "n": 3}
    data = tmp_path / "claims.jsonl"
    lines = [json.dumps(row, ensure_ascii=place != 1) for place, row in enumerate(rows)]
    data.write_bytes("\ufeff".encode() + "\r\n\n".join(lines).encode())
    with LabelledFiles([data], ["lang", "n"]) as files:
        assert files.counts() == {"claims.jsonl": 4}
        texts = [files.text(row) for row in reversed(files.rows)][::-1]
        assert [text[0] for text in texts] == [row.get("claim", row.get("answer")) for row in rows]
        assert texts[2][1] == ["One text."]
        assert texts[1][1] == rows[1]["context"]
        assert [row.id for row in files.rows] == ["f0", "f1", "claims.jsonl:5", "f3"]
        assert [row.groups for row in files.rows[1:3]] == [("de", None), (None, "3")]


@pytest.mark.parametrize("name", ["claims.jsonl", "claims.json", "claims.txt", "claims"])
def test_files_are_read_as_cases_are(tmp_path: Path, name: str) -> None:
    rows = ferries(3)
    data = write(tmp_path / name, rows)
    with LabelledFiles([data]) as files:
        assert [files.text(row)[0] for row in files.rows] == [row["claim"] for row in rows]
    if data.suffix == ".json":
        del rows[1]["id"]
        data.write_text(json.dumps(rows, indent=1))
        with LabelledFiles([data]) as files:
            assert [row.id for row in files.rows] == ["f0", "claims.json:2", "f2"]
            texts = [files.text(row) for row in files.rows]
        assert texts == [(row["claim"], row["context"]) for row in rows]
        data.write_text(json.dumps([GOOD, {**GOOD, "label": "maybe"}]))
        with pytest.raises(ConfigurationError, match=r"1 of 2 rows .*: case 2: label is 'maybe'"):
            LabelledFiles([data])
        data.write_text("[")
        with pytest.raises(ConfigurationError, match=r"claims\.json: not JSON: "):
            LabelledFiles([data])


def test_an_array_in_a_file_of_lines_is_told_once(tmp_path: Path) -> None:
    data = tmp_path / "claims.jsonl"
    data.write_text(json.dumps(ferries(3), indent=1))
    with pytest.raises(ConfigurationError, match=r"claims\.jsonl: it is a JSON array, .*\.json$"):
        LabelledFiles([data])


def test_rows_of_one_context_are_one_cluster(tmp_path: Path) -> None:
    rows = ferries(4)
    rows[3]["context"] = rows[0]["context"]
    with LabelledFiles([write(tmp_path / "claims.jsonl", rows)]) as files:
        clusters = [row.cluster for row in files.rows]
    assert clusters[0] == clusters[3]
    assert len(set(clusters)) == 3


def test_a_file_changed_meanwhile(tmp_path: Path) -> None:
    data = write(tmp_path / "claims.jsonl", ferries(4))
    with LabelledFiles([data]) as files:
        write(data, ferries(2))
        with pytest.raises(ConfigurationError, match=r"claims\.jsonl was changed"):
            files.text(files.rows[3])
        write(data, reversed(ferries(4)))
        with pytest.raises(ConfigurationError, match=r"claims\.jsonl was changed"):
            files.text(files.rows[0])


def test_the_limit_is_each_file_s(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.jsonl", ferries(5)) for name in "ab"]
    paths.append(write(tmp_path / "wrong.jsonl", [*ferries(2), {"label": "wrong"}]))
    with LabelledFiles(paths, limit=2) as files:
        assert files.counts() == {"a.jsonl": 2, "b.jsonl": 2, "wrong.jsonl": 2}


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ('["Dogs travel free.", "A w\\u00e4rranty."]', ["Dogs travel free.", "A wärranty."]),
        ("['Dogs travel free.', 'It is late.']", ["Dogs travel free.", "It is late."]),
        ("Dogs travel free [1].", ["Dogs travel free [1]."]),
    ],
)
def test_contexts_in_a_cell_are_read_as_those_of_cases(
    tmp_path: Path, cell: str, contexts: list[str]
) -> None:
    path = tmp_path / "claims.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["claim", "context", "label"], ["a", cell, "supported"]])
    with LabelledFiles([path]) as files:
        assert [files.text(row)[1] for row in files.rows] == [contexts]


def test_a_cell_that_looks_like_a_list_and_is_none_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_text('claim,context,label\na,"[”Dogs.”, ”Cats.”]",supported\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match="line 2: context looks like a list but is not"):
        LabelledFiles([path])
