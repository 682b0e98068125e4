"""`calibrate` on criteria that people labelled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import ConfigurationError
from pytest_ragassert.analysis.calibration.labelled_claims import Criterion, LabelledFiles
from pytest_ragassert.analysis.records.calibration_file import CalibrationFile
from pytest_ragassert.commands.command_line import main

from .labelled import ferries, write
from .loopback.server import LoopbackJudge

ROWS: list[dict[str, Any]] = [
    {"id": "a", "criterion": "mentions refund", "answer": "A full refund.", "label": True},
    {"criterion": "mentions voucher", "answer": "A full refund.", "label": "NO"},
    {"criterion": "mentions", "answer": "Taxes are added.", "label": "UNCLEAR", "lang": "en"},
    {
        "criterion": "mentions taxes",
        "answer": "Taxes are added.",
        "label": False,
        "question": "Tax?",
    },
]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The labelled file, in the project's folder."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return write(tmp_path / "criteria.jsonl", ROWS)


def test_a_judge_is_measured(
    file: Path,
    judge: LoopbackJudge,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-labelled")
    monkeypatch.setenv("OPENAI_BASE_URL", judge.base_url)
    asked = ["calibrate", str(file), "--judge=openai", "--output=o.json", "--by="]
    assert main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:10] == [
        "labelled criteria: 4 of criteria.jsonl",
        "",
        "judge gpt-4o-mini: 4 criteria with a verdict",
        "",
        "people say  n  met  not met  unclear",
        "YES         1    1        0        0",
        "NO          2    1        1        0",
        "UNCLEAR     1    0        0        1",
        "",
        "met or not  n  balanced           95 %  recall  precision    F1  kappa  decided  right of "
        "these",
    ]
    assert "decided, not unclear: 75.0 % of the criteria, 33.3 % of these with a quote" in lines[12]
    read = CalibrationFile.model_validate_json(Path("o.json").read_text(encoding="ascii"))
    assert read.to_text() == Path("o.json").read_text(encoding="ascii")
    (first, *_) = read.claims
    (said,) = first.verdicts
    assert said is not None
    assert (first.label, said.verdict.value, said.quote, said.passage) == (
        "YES",
        "YES",
        "refund",
        0,
    )
    figures = read.judges[0].all
    yes = figures.supported
    assert (yes.tp, yes.fn, yes.fp, yes.tn) == (1, 0, 1, 2)
    assert figures.contradicted is None
    assert {one.step for one in judge.requests} == {"check_criteria"}
    assert [one.data["question"] for one in judge.requests].count("Tax?") == 1
    count = judge.count()
    assert main(asked) == 0
    assert judge.count() == count, "stored"


def test_two_judges_are_compared(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**row, "criterion": 'mentions "refund"'} for row in ROWS[:2]]
    write(file, rows)
    assert main(["calibrate", str(file), "--judge=offline"]) == 0
    assert "judge offline-3: 2 criteria with a verdict" in capsys.readouterr().out


def test_the_offline_judge_names_what_it_can_not_decide(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", str(file), "--judge=offline"]) != 0
    assert "can't tell whether an answer meets the criterion 'mentions refund'" in (
        capsys.readouterr().err
    )


def test_rows_are_read(file: Path, tmp_path: Path) -> None:
    with LabelledFiles([file], ["lang"]) as files:
        assert [row.label for row in files.rows] == ["YES", "NO", "UNCLEAR", "NO"]
        assert [row.supported for row in files.rows] == [True, False, False, False]
        assert files.text(files.rows[3]) == Criterion("mentions taxes", "Taxes are added.", "Tax?")
        assert files.rows[0].cluster == files.rows[1].cluster != files.rows[2].cluster
    table = "criterion,answer,label,question\nis kind,Sure.,yes,\nis short,Sure.,False,Why?\n"
    (tmp_path / "c.csv").write_text(table)
    with LabelledFiles([tmp_path / "c.csv"]) as files:
        assert [row.label for row in files.rows] == ["YES", "NO"]
        assert files.text(files.rows[0]) == Criterion("is kind", "Sure.", None)


GOOD = ROWS[0]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {**GOOD, "label": "maybe"},
            "label is 'maybe'; valid are YES, NO, UNCLEAR, true and false",
        ),
        ({**GOOD, "label": 1}, "label is 1; valid are YES"),
        ({**GOOD, "label": None}, "label is null; valid are YES"),
        ({**GOOD, "criterion": " "}, "criterion is empty"),
        ({**GOOD, "criterion": 3}, "criterion is 3, not a text"),
        ({**GOOD, "answer": ""}, "answer is empty"),
        ({"criterion": "a", "label": True}, "it has no answer"),
        ({**GOOD, "question": 3}, "question is 3, not a text"),
        ({**GOOD, "claim": "x"}, "it has both claim and criterion; give one"),
    ],
)
def test_a_row_that_does_not_fit_is_named(file: Path, row: Any, said: str) -> None:
    file.write_text(json.dumps(GOOD) + "\n" + json.dumps(row))
    with pytest.raises(ConfigurationError, match=r"criteria\.jsonl: 1 of 2 rows .* line 2: ") as e:
        LabelledFiles([file])
    assert said in str(e.value)


def test_claims_and_criteria_are_measured_apart(file: Path, tmp_path: Path) -> None:
    claims = write(tmp_path / "claims.jsonl", ferries(2))
    with pytest.raises(ConfigurationError, match="some rows have a claim and others a criterion"):
        LabelledFiles([file, claims])
