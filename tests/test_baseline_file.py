"""The committed baseline: its lines, stable to the byte, and what is said of a damaged one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_ragassert import ConfigurationError
from pytest_ragassert.analysis.records.baseline_file import (
    Baseline,
    open_baseline,
    read_baseline,
    update_baseline,
)
from pytest_ragassert.analysis.records.measurement import MeasuredClaim, Measurement

texts = st.text(st.characters(exclude_categories=()), min_size=1, max_size=12)
verdicts = st.sampled_from(
    ["FULLY_SUPPORTED", "PARTIALLY_SUPPORTED", "NO_EVIDENCE", "CONTRADICTORY"]
)
claims = st.builds(
    MeasuredClaim, st.sampled_from(["answer", "reference"]), texts, verdicts, st.booleans()
)
measurements = st.builds(
    Measurement,
    texts,
    st.sampled_from(["faithfulness", "factual_f1"]),
    st.sampled_from(["a", "b, c"]),
    st.floats(0, 1),
    label=st.none() | texts,
    inputs=st.dictionaries(st.sampled_from(["question", "answer"]), texts),
    claims=st.lists(claims, max_size=3).map(tuple),
    steps=st.dictionaries(st.sampled_from(["extract_claims", "verify_claims"]), texts),
)
distinct = st.lists(measurements, max_size=6, unique_by=lambda one: one.key)

ONE = Measurement(
    "fares",
    "faithfulness",
    "judge-a",
    0.5,
    inputs={"question": "q1", "answer": "a1"},
    claims=(MeasuredClaim("answer", "It costs 9 euros.", "FULLY_SUPPORTED"),),
    steps={"verify_claims": "v1 abc"},
)
LINE = (
    '{"case": "fares", "metric": "faithfulness", "judge": "judge-a", "score": 0.5, "label": null, '
    '"inputs": {"answer": "a1", "question": "q1"}, "steps": {"verify_claims": "v1 abc"}, '
    '"claims": [{"source": "answer", "text": "It costs 9 euros.", "verdict": "FULLY_SUPPORTED"}]}\n'
)


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "baseline.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def changed(**fields: Any) -> str:
    return json.dumps({**json.loads(LINE), **fields}) + "\n"


def test_the_form_of_a_line() -> None:
    assert Baseline([ONE]).to_text() == LINE


@given(distinct, st.randoms(use_true_random=False))
def test_the_same_content_has_the_same_bytes_in_any_order(
    several: list[Measurement], random: Any
) -> None:
    text = Baseline(several).to_text()
    random.shuffle(several)
    assert Baseline(several).to_text() == text
    keys = [(one["case"], one["metric"], one["judge"]) for one in map(json.loads, _lines(text))]
    assert keys == sorted(keys)


@given(several=distinct)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read(tmp_path: Path, several: list[Measurement]) -> None:
    path = tmp_path / "b.jsonl"
    update_baseline(path, lambda _: Baseline(several))
    read = read_baseline(path)
    assert sorted(read, key=lambda one: one.key) == sorted(several, key=lambda one: one.key)
    assert read.to_text() == path.read_text(encoding="utf-8")


def _lines(text: str) -> list[str]:
    return text.split("\n")[:-1]


def test_any_order_line_ends_repeats_and_spelling_are_read(tmp_path: Path) -> None:
    other = changed(case="times")
    text = "\ufeff" + other.replace("\n", "\r\n") + "\r\n" + LINE + LINE + '{ "case"' + LINE[7:]
    read = read_baseline(written(tmp_path, text))
    assert len(read) == 2
    assert read.find("fares", "faithfulness", "judge-a") == ONE


def test_a_file_that_has_its_text_already_is_left_alone(tmp_path: Path) -> None:
    path = written(tmp_path, LINE)
    path.chmod(0o640)
    before = path.stat()
    update_baseline(path, lambda _: Baseline([ONE]))
    assert path.stat().st_ino == before.st_ino
    update_baseline(path, lambda _: Baseline([]))
    assert path.read_bytes() == b""
    assert path.stat().st_mode == before.st_mode


def test_a_place_that_takes_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"b\.jsonl can't be written: Not a directory"):
        update_baseline(written(tmp_path, LINE) / "b.jsonl", lambda _: Baseline([ONE]))
    assert [file.name for file in tmp_path.iterdir()] == ["baseline.jsonl"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LINE + "<<<<<<< HEAD\n", "line 2: git left a conflict here; keep the lines of both sides"),
        (LINE + "=======\n", "line 2: git left a conflict"),
        (LINE[:20], "line 1, character 19: not JSON (Unterminated string"),
        (LINE.replace("0.5", "NaN"), "line 1: NaN is not a JSON number"),
        (LINE.replace("0.5", "0.5.1"), "line 1, character 77: not JSON"),
        (LINE.replace("0.5", '0.5, "score": 0.6'), "line 1: the key 'score' appears twice in one"),
        ("[1]\n", "line 1: a line must be a JSON object, not list"),
        (b"\xff\n", "not UTF-8"),
        (LINE + "\0\x1b]0;t\x07\n", "not JSON (Expecting value)\n  \\x00\\x1b]0;t\\x07\n  ^"),
        (changed(score=1.5), "line 1: score must be a number from 0 to 1, not 1.5"),
        (changed(score=True), "line 1: score must be a number from 0 to 1, not True"),
        (changed(score="1"), "line 1: score must be a number from 0 to 1, not '1'"),
        (changed(case=""), "line 1: case must be a text, not ''"),
        (changed(metric=3), "line 1: metric must be a text, not 3"),
        (changed(extra=1), "line 1: it has an unknown field 'extra'"),
        (LINE.replace('"label": null, ', ""), "line 1: it has no field 'label'"),
        (changed(claims=[{"text": "x"}]), "line 1: claims must be a list of objects"),
        (changed(claims=[{"source": "answer", "text": "x", "verdict": "TRUE"}]), "line 1: claims"),
        (changed(inputs={"answer": 1}), "line 1: inputs must be an object of texts"),
        (changed(label=1), "line 1: label must be a text or null"),
        (LINE + "\n" + changed(score=0.25), "line 1 and 3: two different lines for case fares"),
        (LINE + changed(claims=[]), "faithfulness, judge judge-a; delete one of them"),
        ('{"case": ' + "[" * 100_000, "line 1: maximum recursion"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_told_by_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_baseline(written(tmp_path, text))
    assert said in str(caught.value)
    assert "baseline.jsonl" in str(caught.value)


def test_broken_json_is_pointed_at(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_baseline(written(tmp_path, LINE.replace(' "score"', ' x"score"')))
    _, shown, arrow = str(caught.value).split("\n")
    assert shown[arrow.index("^")] == "x"


def test_a_missing_file_is_none_only_where_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    assert len(open_baseline(path, update=True)) == 0
    with pytest.raises(ConfigurationError, match="a run with --ragassert-update-baseline writes"):
        open_baseline(path, update=False)
    with pytest.raises(ConfigurationError, match="no baseline is configured"):
        open_baseline(None, update=False)


# -- updates ---------------------------------------------------------------------------------------


def of(case: str, score: float | None, judge: str = "judge-a", **more: Any) -> Measurement:
    return Measurement(case, "faithfulness", judge, score, test=f"test_{case}", **more)


def told(baseline: Baseline) -> dict[str, float]:
    return {f"{one.case} {one.judge}": one.value for one in baseline}


def test_an_update_replaces_what_was_measured_and_keeps_the_rest() -> None:
    old = Baseline([of("a", 0.1), of("b", 0.2), of("c", 0.3), of("a", 0.4, "judge-b")])
    new = old.updated([of("a", 0.9), of("b", None), of("d", 1.0)])
    assert told(new) == {
        "a judge-a": 0.9, "b judge-a": 0.2, "c judge-a": 0.3, "a judge-b": 0.4, "d judge-a": 1.0
    }  # fmt: skip
    assert told(old.updated([of("a", 0.9)], prune=old.keys())) == {"a judge-a": 0.9}


def test_vacuous_results_are_no_part_of_it() -> None:
    old = Baseline([of("a", 0.1)])
    assert told(old.updated([of("a", 1.0, vacuous=True), of("b", 1.0, vacuous=True)])) == {}


def test_one_case_with_two_results_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="case a: faithfulness has two different results"):
        Baseline().updated([of("a", 0.1), of("a", 0.2)])
    assert told(Baseline().updated([of("a", 0.1), of("a", 0.1)])) == {"a judge-a": 0.1}


def test_scores_are_found_with_and_without_the_judge() -> None:
    baseline = Baseline([of("a", 0.1), of("b", 0.2), of("b", 0.3, "judge-b")])
    assert baseline.score("a", "faithfulness") == 0.1
    assert baseline.score("b", "faithfulness", "judge-b") == 0.3
    assert baseline.score("b", "faithfulness") is None
    assert baseline.score("a", "factual_f1") is None
    assert baseline.judges() == {"judge-a", "judge-b"}


@pytest.mark.parametrize("flag", ["by_hand", "carried"])
def test_what_the_judge_was_not_asked_for_is_marked_and_read(tmp_path: Path, flag: str) -> None:
    marked: Any = {flag: True}
    claims = (ONE.claims[0]._replace(**marked), ONE.claims[0]._replace(text="It is red."))
    text = Baseline([replace(ONE, claims=claims)]).to_text()
    assert text.count(f'"{flag}"') == 1
    (read,) = read_baseline(written(tmp_path, text))
    assert read.claims == claims
    with pytest.raises(ConfigurationError, match="claims must be a list of objects"):
        read_baseline(written(tmp_path, text.replace("true", "1")))
