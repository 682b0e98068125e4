"""Scores among a test's properties: their names, and that any text survives in them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, cast

import execnet
import junitparser
import pytest
from _pytest.junitxml import LogXML
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.analysis.records.row_types import MeasuredRow
from pytest_ragassert.plugin.score_properties import properties_of, put_on_item, renew
from pytest_ragassert.runtime.redaction import hide

from .measured import case, claim, failed, result, row

NO_CLAIMS = "CONTRADICTORY=0 NO_EVIDENCE=0 PARTIALLY_SUPPORTED=0 FULLY_SUPPORTED="


def test_names_and_values() -> None:
    claims = [claim("a", "CONTRADICTORY"), claim("b", "FULLY_SUPPORTED"), claim("c", "NO_EVIDENCE")]
    rows = [
        row(result("faithfulness", 1 / 3, 0.8, claims=claims)),
        row(result("answer_relevancy", 0.9, None, passed=True)),
    ]
    assert properties_of(rows) == [
        ("evals.scores.faithfulness.value", 1 / 3),
        ("ragassert.faithfulness.minimum", 0.8),
        ("evals.scores.answer_relevancy.value", 0.9),
        ("ragassert.case", "price"),
        (
            "ragassert.claims",
            "CONTRADICTORY=1 NO_EVIDENCE=1 PARTIALLY_SUPPORTED=0 FULLY_SUPPORTED=1",
        ),
    ]


def test_of_several_results_the_lowest_with_its_case() -> None:
    rows = [
        row(result("faithfulness", score, minimum), case(id=name))
        for name, score, minimum in (("one", 0.9, 0.8), ("two", 0.5, 0.4), ("three", 0.7, 0.8))
    ]
    for one in rows:
        one["passed"] = one["case"] != "three"
    found = dict(properties_of(rows))
    assert found["evals.scores.faithfulness.value"] == 0.5
    assert found["ragassert.faithfulness.minimum"] == 0.4
    assert found["ragassert.faithfulness.case"] == found["ragassert.case"] == "two"
    # of several metrics the case is that of one that failed
    rows.append(row(result("factual_f1", 0.6), case(id="four")))
    found = dict(properties_of(rows))
    assert (found["ragassert.faithfulness.case"], found["ragassert.case"]) == ("two", "four")
    assert "ragassert.factual_f1.case" not in found


def test_what_has_no_score_has_no_value() -> None:
    assert properties_of([]) == []
    vacuous = row(result("factual_f1", 1.0, vacuous=True))
    known = row(result("context_recall", 0.0, interval=(0.8, 1.0)))
    assert properties_of([failed("faithfulness"), vacuous, known]) == [("ragassert.case", "price")]
    unnamed = row(result("faithfulness", 1.0), case(id=None))
    assert [name for name, _ in properties_of([unnamed])] == [
        "evals.scores.faithfulness.value",
        "ragassert.faithfulness.minimum",
    ]


def test_a_claim_that_several_metrics_rest_on_counts_once() -> None:
    def rows(*cases: Any) -> list[MeasuredRow]:
        return [
            row(result(metric, 1.0, claims=[claim("a", "FULLY_SUPPORTED")]), one)
            for metric in ("factual_f1", "factual_precision")
            for one in cases
        ]

    assert dict(properties_of(rows(case())))["ragassert.claims"] == f"{NO_CLAIMS}1"
    # that of another case is another claim, also of one without id
    others = rows(case(id=None), case(id=None, answer="It costs 6 euros."))
    assert dict(properties_of(others))["ragassert.claims"] == f"{NO_CLAIMS}2"


class Item:
    """What of a test's item is needed."""

    def __init__(self) -> None:
        self.user_properties: list[tuple[str, object]] = [("own", 1)]
        self.stash = pytest.Stash()


def test_a_tests_own_properties_stay() -> None:
    item = cast(Any, Item())
    own = ("evals.scores.factual_f1.value", "by the project")
    put_on_item(item, [])
    assert item.user_properties == [("own", 1)]
    put_on_item(item, [row(result("faithfulness", 0.5, None), case(id=None))])
    item.user_properties.append(own)
    second = [
        row(result(metric, 0.75, None), case(id=None)) for metric in ("faithfulness", "factual_f1")
    ]
    put_on_item(item, second)
    put_on_item(item, second)
    assert item.user_properties == [("own", 1), own, ("evals.scores.faithfulness.value", 0.75)]
    report = cast(Any, Item())
    report.user_properties = [*item.user_properties, ("added later", 2)]
    renew(report, item, second[1:])
    assert report.user_properties == [("own", 1), own, ("added later", 2)]
    assert item.user_properties == [("own", 1), own]
    # what was recorded before, with values that are equal
    put_on_item(item, [])
    assert item.user_properties == [("own", 1), own]


def test_no_secret_is_told() -> None:
    hide("sk-told-by-an-id")
    told = properties_of([row(result("m", 1.0), case(id="x sk-told-by-an-id"))])
    assert "sk-told-by-an-id" not in str(told)
    assert "ragassert.case" in dict(told)


def written(properties: list[tuple[str, float | str]], path: Path) -> dict[str, str]:
    """What junitparser reads of a test's properties in the file that pytest writes."""
    report = pytest.TestReport(
        "test_it.py::test_it",
        ("test_it.py", 0, "test_it"),
        {},
        "passed",
        None,
        "call",
        user_properties=properties,
    )
    # over the wire, as with xdist
    sent = execnet.loads(execnet.dumps(report._to_json()))
    xml = LogXML(str(path), None, family="xunit2")
    xml.pytest_sessionstart()
    for when in ("call", "teardown"):
        report = pytest.TestReport._from_json({**sent, "when": when})
        xml.pytest_runtest_logreport(report)
    xml.pytest_sessionfinish()
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    (test,) = cast(Any, suite)
    return {one.name: one.value for one in test.child(junitparser.Properties) or ()}


# all code points, with those that XML does not have, its own signs, and lone surrogates
TEXTS = st.text(st.characters() | st.sampled_from("\x00\x1b\r\n\t <>&'\"\ud800\udfff\ufffe\uffff]"))


@given(
    st.dictionaries(TEXTS.filter(bool), st.floats(0, 1), min_size=1, max_size=3),
    TEXTS,
)
def test_any_text_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, scores: dict[str, float], name: str
) -> None:
    rows = [row(result(metric, score), case(id=name)) for metric, score in scores.items()]
    told = properties_of(rows)
    read = written(told, tmp_path_factory.getbasetemp() / "junit.xml")
    assert read.keys() == dict(told).keys()
    values = [float(read[name]) for name in read if name.startswith("evals.scores.")]
    assert Counter(values) == Counter(scores.values())
    assert all(float(read[one]) == 0.7 for one in read if one.endswith(".minimum"))
    if name.isascii() and name.isprintable():
        assert read.get("ragassert.case", " ") == name or not name.strip()
