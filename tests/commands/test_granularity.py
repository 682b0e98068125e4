"""`granularity`: what it measures of a judge that splits the same answer otherwise each time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_ragassert import load_cases
from pytest_ragassert.analysis.calibration.granularity import GranularityFile, holds_detail
from pytest_ragassert.commands.command_line import main

UNEVEN_JUDGE = '''
import json
import threading
from collections.abc import Mapping
from collections import Counter

ASKED = Counter()
LOCK = threading.Lock()

class Uneven:
    id = "uneven"

    def run(self, step, input):
        """One claim more each time that a text is split."""
        assert step.name == "extract_claims"
        text = input["sentences"][0]["text"]
        if "broken" in text:
            raise RuntimeError("no answer")
        with LOCK:
            ASKED[text] += "Nothing" not in text
            asked = ASKED[text]
        with open("asked.txt", "a") as log:
            print(text, file=log)
        return json.dumps({"claims": [
            {"sentence": 1, "text": text if not number else f"More, {number}."}
            for number in range(asked)
        ]})

def pytest_ragassert_make_judge(config, name):
    return Uneven() if name == "uneven" else None
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (tmp_path / "pytest.ini").write_text("[pytest]\nragassert_judge = uneven\n")
    (tmp_path / "conftest.py").write_text(UNEVEN_JUDGE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cases(*rows: Mapping[str, object]) -> str:
    Path("cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "cases.jsonl"


TOWER = {"id": "tower", "answer": "It opened in 1889.", "metadata": {"wrong": ["1889"]}}
NOTHING = {"id": "nothing", "answer": "Nothing is said here."}
BROKEN = {"id": "broken", "answer": "This is broken."}


def test_spread_of_claims_and_score(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = cases(TOWER, NOTHING, {"id": "no answer"})
    assert main(["granularity", file, "--output", "figures.json"]) == 0
    out = capsys.readouterr().out
    text = (folder / "figures.json").read_text(encoding="ascii")
    made = GranularityFile.model_validate_json(text)
    assert made.to_text() == text
    tower, nothing = made.answers
    assert sorted(map(len, tower.claims)) == [1, 2, 3]
    # s = 1 with n - 1, mean 2
    assert tower.spread == 0.5
    assert sorted(tower.scores) == pytest.approx([0, 1 / 2, 2 / 3])
    # of 0, 3/6 and 4/6: the mean is 7/18, the variance 13/108
    assert tower.score_spread == pytest.approx((13 / 108) ** 0.5)
    assert (nothing.spread, nothing.scores, nothing.claims) == (None, [], [[], [], []])
    assert made.spread is not None
    assert (made.spread.mean, made.spread.answers) == (0.5, 1)
    assert "number of claims, standard deviation / mean: 0.500 over 1 answer" in out
    assert "tower: " in out
    assert "nothing" not in out
    asked = (folder / "asked.txt").read_text().count("\n")
    assert asked == 6

    # each extraction is stored as a sample of its own
    assert main(["granularity", file, "--extractions", "4", "--output", "more.json"]) == 0
    assert (folder / "asked.txt").read_text().count("\n") == asked + 2
    again = GranularityFile.model_validate_json((folder / "more.json").read_text())
    assert again.answers[0].claims[:3] == tower.claims
    assert len(again.answers[0].claims) == 4


def test_what_can_not_be_measured(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = cases(TOWER, BROKEN)
    assert main(["granularity", file, "--extractions=2", "--output", "figures.json"]) == 1
    assert "not measured: 1; first broken:" in capsys.readouterr().out
    made = GranularityFile.model_validate_json((folder / "figures.json").read_text())
    assert [one.error is None for one in made.answers] == [True, False]
    assert made.spread is not None
    assert made.spread.answers == 1


def test_why_there_is_no_figure(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = ("number of claims, standard deviation / mean", "wrong, standard deviation")
    for rows, status, why in (
        ([NOTHING], 0, "no answer has any"),
        ([BROKEN, NOTHING], 1, "no measured answer has any"),
        ([BROKEN], 1, "asking failed for every answer"),
    ):
        assert main(["granularity", cases(*rows)]) == status
        out = capsys.readouterr().out
        for figure in figures:
            assert f"{figure}: not measured ({why})" in out


@pytest.mark.parametrize("name", ["nofile", "nofile.jsonl", "nofile.csv"])
def test_a_file_that_is_not_there(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert main(["granularity", name]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"error: no file {name!r} in the current folder {folder};")


def test_a_folder_without_cases(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty").mkdir()
    assert main(["granularity", "empty"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: empty: the folder has no .jsonl, .json, .csv, ")
    assert told.endswith(" file\n")


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([TOWER], ["--extractions=1"], "--extractions: 1 is not a number from 2 to 50"),
        ([TOWER], ["--extractions=51"], "--extractions: 51 is not a number from 2 to 50"),
        ([{"id": "a"}], [], "cases.jsonl: no case has an answer"),
        (
            [{**TOWER, "metadata": {"wrong": ["1888"]}}],
            [],
            "case tower: '1888' in metadata[\"wrong\"] is not in its answer",
        ),
        (
            [{**TOWER, "metadata": {"wrong": "1889"}}],
            [],
            'case tower: metadata["wrong"] must be a list of texts',
        ),
        ([{"id": "a", "wrong": ["1889"]}], [], "wrong"),
        ([TOWER], ["--output=none/f.json"], "--output: there is no folder none"),
        ([TOWER], ["--output=cases.jsonl"], "--output"),
    ],
)
def test_misuse(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    rows: list[Mapping[str, object]],
    options: list[str],
    message: str,
) -> None:
    assert main(["granularity", cases(*rows), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (folder / "asked.txt").exists()


@pytest.mark.parametrize(
    ("claim", "detail", "holds"),
    [
        ("It opened in 1889.", "1889", True),
        ("It costs 5 crowns.", "5 Crowns", True),
        ("It costs 15 crowns.", "5 crowns", False),
        ("It costs 2.5 crowns.", "5", False),
        ("It costs 5.50 crowns.", "5", False),
        ("It costs 5.", "5", True),
        ("Es kostet 1,5 Kronen.", "5", False),
        ("票价5元。", "5", True),
        ("票价15元。", "5元", False),
        ("The reds won.", "red", True),
    ],
)
def test_a_wrong_number_is_no_part_of_another(claim: str, detail: str, holds: bool) -> None:
    assert holds_detail(claim, detail) is holds


def test_the_answers_behind_the_figures_in_the_docs_hold_what_they_declare_false() -> None:
    answers = load_cases(Path(__file__).parents[1] / "benchmarks" / "answers_to_split.jsonl")
    assert len(answers) == 40
    kinds = Counter(tag for case in answers for tag in case.tags)
    assert {kinds[language] for language in ("en", "de", "ru", "zh")} == {10}
    for case in answers:
        assert case.answer
        assert case.metadata
        assert case.metadata["facts"], case.id
        for detail in case.metadata["wrong"]:
            assert detail.casefold() in case.answer.casefold(), case.id
