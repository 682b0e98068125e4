"""What people know to be right of a case: ids with grades, claims with weights, and mistakes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.ground_truth import grades_of, weights_of
from pytest_ragassert.language.escaping import is_blank

TEXTS = st.text(min_size=1).filter(lambda text: not is_blank(text))
POSITIVE = st.floats(0, 1e300, exclude_min=True)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["a", 1, "1", "a"], ["a", "1"]),
        ((), []),
        ({"a": 2, 7: 0, "b": -1, "c": 0.5}, {"a": 2, "7": 0, "b": -1, "c": 0.5}),
        ({}, {}),
        (None, None),
    ],
)
def test_right_ids_are_texts_each_once(given: Any, kept: Any) -> None:
    assert EvalCase(ground_truth_context_ids=given).ground_truth_context_ids == kept
    case = EvalCase()
    case.ground_truth_context_ids = given
    assert case.ground_truth_context_ids == kept


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("a", "ground_truth_context_ids is 'a'; it takes a list of ids, or a dict of grades by id"),
        (7, "ground_truth_context_ids is 7; it takes a list of ids, or a dict of grades by id"),
        (
            ["a", " "],
            "ground_truth_context_ids: ' ' is not an id; an id is a text or a whole number",
        ),
        ([None], "ground_truth_context_ids: None is not an id; an id is a text or a whole number"),
        ([1.5], "ground_truth_context_ids: 1.5 is not an id; an id is a text or a whole number"),
        ([True], "ground_truth_context_ids: True is not an id; an id is a text or a whole number"),
        ({"a": True}, "ground_truth_context_ids: the grade of 'a' is True, not a number"),
        ({"a": "2"}, "ground_truth_context_ids: the grade of 'a' is '2', not a number"),
        ({"a": None}, "ground_truth_context_ids: the grade of 'a' is None, not a number"),
        ({"a": float("nan")}, "ground_truth_context_ids: the grade of 'a' is nan, not a number"),
        ({"a": float("inf")}, "ground_truth_context_ids: the grade of 'a' is inf, not a number"),
        (
            {"a": 1e301},
            "ground_truth_context_ids: the grade of 'a' is 1e+301, not a number from -1e+3",
        ),
        ({"a": 10**400}, "ground_truth_context_ids: the grade of 'a' is 1000"),
        (
            {1: 1, "1": 2},
            "ground_truth_context_ids: the id '1' has two grades: as a text and as a number",
        ),
    ],
)
def test_what_are_no_ids_and_no_grades(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=r"^case 'c1': field ") as error:
        EvalCase(id="c1", ground_truth_context_ids=value)
    assert str(error.value).startswith(f"case 'c1': field {said}")


def test_an_id_may_have_its_grade_twice() -> None:
    assert EvalCase(ground_truth_context_ids={1: 1, "1": 1.0}).ground_truth_context_ids == {"1": 1}


@given(st.dictionaries(TEXTS, st.integers(-(2**40), 2**40)))
def test_grades_of_a_dict_are_its_own_and_those_of_a_list_1(grades: dict[str, int]) -> None:
    kept = EvalCase(ground_truth_context_ids=grades).ground_truth_context_ids
    assert kept is not None
    assert grades_of(kept) == grades
    listed = EvalCase(ground_truth_context_ids=list(grades)).ground_truth_context_ids
    assert listed is not None
    assert grades_of(listed) == dict.fromkeys(grades, 1)


@given(st.dictionaries(TEXTS.map(str.strip).filter(bool), st.none() | POSITIVE, min_size=1))
def test_claims_keep_their_texts_and_weights(weights: dict[str, float | None]) -> None:
    claims = [
        text if weight is None else {"text": text, "weight": weight}
        for text, weight in weights.items()
    ]
    case = EvalCase(ground_truth_claims=claims)
    assert case.ground_truth_claims == claims
    assert weights_of(case.ground_truth_claims) == {
        text: 1 if weight is None else weight for text, weight in weights.items()
    }


def test_one_text_is_one_claim_and_no_claims_are_none() -> None:
    assert EvalCase(ground_truth_claims="It runs.").ground_truth_claims == ["It runs."]
    assert EvalCase(ground_truth_claims=[{"text": "A"}]).ground_truth_claims == ["A"]
    assert EvalCase(ground_truth_claims=[]).ground_truth_claims is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (7, ' is 7; it takes a list of texts or of {"text": …, "weight": …}'),
        ([7], ': claim 1 is 7; it takes a text or {"text": …, "weight": …}'),
        (["A", " "], ": claim 2 has the text ' '; it must be a text, not blank"),
        ([{"text": None}], ": claim 1 has the text None; it must be a text, not blank"),
        ([{"weight": 1}], ": claim 1 is {'weight': 1}; it takes a text or "),
        ([{"text": "A", "wieght": 1}], ": claim 1 is {'text': 'A', 'wieght': 1}; it takes a text"),
        (["A", "B", {"text": " A"}], ": claim 3 repeats claim 1, ' A'"),
        ([{"text": "A", "weight": 0}], ": claim 1 has the weight 0; it takes a number above 0"),
        ([{"text": "A", "weight": -1}], ": claim 1 has the weight -1; it takes a number above 0"),
        ([{"text": "A", "weight": True}], ": claim 1 has the weight True; it takes a number abov"),
        ([{"text": "A", "weight": "2"}], ": claim 1 has the weight '2'; it takes a number above 0"),
        (
            [{"text": "A", "weight": 1e301}],
            ": claim 1 has the weight 1e+301; it takes a number above 0, at most 1e+300",
        ),
        ([{"text": "A", "weight": float("nan")}], ": claim 1 has the weight nan; it takes a numb"),
    ],
)
def test_what_are_no_claims(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=r"^case 'c1': field ground_truth_claims") as error:
        EvalCase(id="c1", ground_truth_claims=value)
    assert str(error.value).startswith(f"case 'c1': field ground_truth_claims{said}")


# -- in files --------------------------------------------------------------------------------------


def test_ids_and_claims_of_json_lines(tmp_path: Path) -> None:
    rows = [
        {"user_input": "?", "retrieved_context_ids": [3], "reference_context_ids": [3, "b"]},
        {"question": "?", "ground_truth_context_ids": {"b": 2}, "ground_truth_claims": ["A", "B"]},
    ]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)))
    ragas, own = load_cases(tmp_path / "set.jsonl")
    assert (ragas.retrieved_context_ids, ragas.ground_truth_context_ids) == (["3"], ["3", "b"])
    assert (own.ground_truth_context_ids, own.ground_truth_claims) == ({"b": 2}, ["A", "B"])


@pytest.mark.parametrize(
    ("cell", "ids"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("[1, 2]", ["1", "2"]),
        ("['a', 2]", ["a", "2"]),
        ('{"a": 2, "b": 0}', {"a": 2, "b": 0}),
        ("{'a': 2, 3: 1}", {"a": 2, "3": 1}),
        ("[]", []),
        ("d7", ["d7"]),
        ("", None),
    ],
)
def test_ids_in_a_cell(tmp_path: Path, cell: str, ids: Any) -> None:
    with (tmp_path / "set.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["question", "reference_context_ids"], ["?", cell]])
    [case] = load_cases(tmp_path / "set.csv")
    assert case.ground_truth_context_ids == ids


@pytest.mark.parametrize("column", ["retrieved_context_ids", "ground_truth_context_ids"])
@pytest.mark.parametrize("cell", ["[a, b]", "{a: 1}", "['a' 'b']", "[1 2]"])
def test_a_cell_of_ids_that_is_no_json(tmp_path: Path, column: str, cell: str) -> None:
    with (tmp_path / "set.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["question", column], ["?", cell]])
    with pytest.raises(
        ValueError, match=rf"set\.csv, line 2: field {column} is .*must have JSON here$"
    ):
        load_cases(tmp_path / "set.csv")


def test_claims_in_a_cell(tmp_path: Path) -> None:
    claims = ["It runs.", {"text": "It is red.", "weight": 2.0}]
    with (tmp_path / "set.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["ground_truth_claims"], [json.dumps(claims)], ["One."]])
    several, one = load_cases(tmp_path / "set.csv")
    assert (several.ground_truth_claims, one.ground_truth_claims) == (claims, ["One."])
