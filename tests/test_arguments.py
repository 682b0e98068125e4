"""What is given wrongly is told in words; what is given in another form is taken."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from pytest_ragassert import (
    ConfigurationError,
    JudgeError,
    RagAssertionError,
    Settings,
    VerdictMissing,
    assert_factual_f1,
    assert_faithful,
    evaluate,
)
from pytest_ragassert.language.escaping import is_blank

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import FULL, NONE, case, says_verdicts

FAITHFUL = ["faithfulness"]
Asserting = Callable[..., None]


# -- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["foo", "http://", "http://[::1/v1", "http://127.0.0.1:99999/v1", "ftp://a/v1"]
)
def test_a_base_url_that_is_none_is_told(url: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"base_url: .*{re.escape(url)}.* is not a URL"):
        Settings(base_url=url)


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"])
def test_what_no_header_can_hold_is_told_by_its_variable(
    judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")
    monkeypatch.setenv("OPENAI_BASE_URL", judge.base_url)
    monkeypatch.setenv(name, "sk-very\nsecretkey")
    with pytest.raises(ConfigurationError, match=f"^{name}: .* a line break") as caught:
        evaluate(case(), FAITHFUL)
    assert "secretkey" not in str(caught.value)
    # nothing is sent
    evaluate(case(), FAITHFUL, settings=Settings(judge="offline"))
    assert not judge.requests


def test_a_key_of_the_settings_that_no_header_can_hold_is_told() -> None:
    with pytest.raises(ConfigurationError, match=r"settings: api_key: .* a line break") as caught:
        Settings(api_key="sk-very\nsecretkey")
    assert "secretkey" not in str(caught.value)


def test_an_unknown_minimum_of_a_case_names_the_case(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    with pytest.raises(ConfigurationError, match="case tram-1: minimums: unknown metric 'nope'"):
        evaluate(case(minimums={"nope": 0.5}), FAITHFUL, settings=settings())
    assert judge.count() == 0


@pytest.mark.parametrize("given", [{"model": "a"}, "judge-a", 3])
def test_settings_are_a_settings(given: Any) -> None:
    with pytest.raises(TypeError, match="settings must be a Settings, not"):
        evaluate(case(), FAITHFUL, settings=given)


class Frame:
    """What is used of a DataFrame, whose items are its columns' names."""

    columns = ("question", "answer")

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)


# -- arguments -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cases", "metrics", "options", "words"),
    [
        (None, FAITHFUL, {}, "case must be an EvalCase or a list of them, not None"),
        ("x", FAITHFUL, {}, "case must be an EvalCase or a list of them, not 'x'"),
        ([None], FAITHFUL, {}, "a case must be an EvalCase, not NoneType"),
        (
            Frame(),
            FAITHFUL,
            {},
            "a case must be an EvalCase, not Frame; load_cases makes cases from",
        ),
        (case(), None, {}, "metrics must be a list of names or a dict of options, not None"),
        (case(), "faithfulness", {}, "metrics must be a list of names"),
        (case(), [None], {}, "unknown metric None"),
        (case(), [["faithfulness"]], {}, "unknown metric"),
        (
            case(),
            {"faithfulness": None},
            {},
            "the options of faithfulness must be a dict, not None",
        ),
        (case(), FAITHFUL, {"votes": 0}, "votes must be a whole number of samples from 1, not 0"),
        (
            case(),
            FAITHFUL,
            {"votes": True},
            "votes must be a whole number of samples from 1, not True",
        ),
        (
            case(),
            FAITHFUL,
            {"votes": "3"},
            "votes must be a whole number of samples from 1, not '3'",
        ),
        (
            case(),
            FAITHFUL,
            {"votes": 2.5},
            "votes must be a whole number of samples from 1, not 2.5",
        ),
        (case(), {"faithfulness": {"votes": -1}}, {}, "votes must be a whole number of samples"),
        (case(), FAITHFUL, {"models": 3}, "models must be a list of model names, not 3"),
        (case(), FAITHFUL, {"models": [3]}, "models must be a list of model names"),
        (
            case(),
            FAITHFUL,
            {"verdict_scores": 3},
            "verdict_scores must be a dict of weights, not 3",
        ),
    ],
)
def test_a_wrong_argument_is_told_before_anything_is_asked(
    judge: LoopbackJudge,
    settings: MakeSettings,
    cases: Any,
    metrics: Any,
    options: dict[str, Any],
    words: str,
) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        evaluate(cases, metrics, settings=settings(), **options)
    assert judge.count() == 0


@pytest.mark.parametrize("least", [Decimal("0.8"), Fraction(4, 5), 1, 0.8])
def test_any_real_number_is_a_minimum(asserting: Asserting, least: Any) -> None:
    asserting()
    result = assert_faithful(case(), min=least)
    assert result.minimum == float(least)
    assert type(result.minimum) is float


@pytest.mark.parametrize(
    "least", [Decimal("1.1"), Decimal("NaN"), Decimal("sNaN"), float("nan"), "0.8", True, 1j]
)
def test_what_is_no_share_is_no_minimum(asserting: Asserting, least: Any) -> None:
    asserting()
    with pytest.raises((TypeError, ValueError), match="min must be a number from 0 to 1"):
        assert_faithful(case(), min=least)


def test_an_unknown_keyword_names_the_assertion(asserting: Asserting) -> None:
    asserting()
    wrong: Any = {"mni": 0.5}
    with pytest.raises(TypeError, match=r"assert_faithful\(\).*'mni'"):
        assert_faithful(case(), **wrong)


# -- what comes back -------------------------------------------------------------------------------


def test_the_reason_of_f1_tells_both_shares(judge: LoopbackJudge, asserting: Asserting) -> None:
    asserting()
    says_verdicts(judge, {"The tram runs daily.": NONE, "The tram runs.": FULL})
    told = case(answer="The tram runs daily.", ground_truth_answer="The tram runs.")
    with pytest.raises(RagAssertionError, match=r"precision 0/1, recall 1/1") as caught:
        assert_factual_f1(told)
    assert (caught.value.result.reason or "").startswith("precision 0/1, recall 1/1; 2 claims: ")


def test_a_failed_assertion_survives_pickling(asserting: Asserting) -> None:
    asserting()
    with pytest.raises(RagAssertionError) as caught:
        assert_faithful(case(answer="The boat sails at noon."))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is RagAssertionError
    assert str(copy) == str(caught.value)
    assert copy.results == caught.value.results
    assert copy.result.metric == "faithfulness"


@pytest.mark.parametrize(
    "error",
    [
        JudgeError("no", kind="quota", ends_judging=True),
        JudgeError("no").about("case a"),
        VerdictMissing("not stored").about("case a"),
        ConfigurationError("no"),
        RagAssertionError("below"),
    ],
    ids=repr,
)
def test_errors_survive_pickling(error: Exception) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (str(copy), copy.__dict__) == (str(error), error.__dict__)


# -- texts that show nothing -----------------------------------------------------------------------

UNSEEN = ["", " \n\t", "\u3164", "\u2800", "\ufe0f", "\u200b", "\u200b \u3164\u2800\ufe0f"]


@pytest.mark.parametrize("text", [None, *UNSEEN], ids=ascii)
def test_what_shows_nothing_is_blank(text: str | None) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", "\u2801", "\u200ba", "❤\ufe0f", "0", "."], ids=ascii)
def test_what_shows_something_is_not_blank(text: str) -> None:
    assert not is_blank(text)
