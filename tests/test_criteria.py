"""The metric `criteria`: what it makes of a judge's words, and of a project's."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import (
    ConfigurationError,
    EvalCase,
    MetricResult,
    MissingFieldError,
    RagAssertionError,
    aio,
    applicable_metrics,
    assert_criteria,
    assert_rag,
    evaluate,
    load_cases,
)
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.criteria import Criteria
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.evidence.claim_ids import criterion_id
from pytest_ragassert.storage.committed.verdict_line import BY_HAND, OVERRIDE, VerdictLine

from .asks import One, Reply, ScriptedAsk

ANSWER = "You can return any item within 30 days for a full refund."
CASE = EvalCase(id="r1", question="Can I return it?", answer=ANSWER)


NOTHING = {"reason": None, "quote": None}


def saying(*said: str | tuple[str, str | None]) -> One:
    """A reply with these words, in order, some with a quote."""

    def reply(input: Json, model: str) -> Json:
        checks = []
        for criterion, one in zip(input["criteria"], said, strict=True):
            met, quote = (one, None) if isinstance(one, str) else one
            reason = f"because {criterion['id']}"
            checks.append({"id": criterion["id"], "reason": reason, "quote": quote, "met": met})
        return {"checks": checks}

    return reply


def measured(reply: Reply, *criteria: str, **more: Any) -> tuple[MetricResult, ScriptedAsk]:
    options = {name: more.pop(name) for name in ("aggregate",) if name in more}
    ask = ScriptedAsk({"check_criteria": reply}, **more)
    listed = list(criteria) or ["a", "b", "c"]
    return without_loop(Criteria().measure(CASE, ask, criteria=listed, **options)), ask


def met(result: MetricResult) -> list[str]:
    return [one["met"] for one in result.details["criteria"]]


# -- the score -------------------------------------------------------------------------------------


def test_the_score_is_the_share_that_is_met() -> None:
    result, ask = measured(saying("YES", "UNCLEAR", "NO"))
    assert result.score == pytest.approx(1 / 3)
    assert result.reason == "3 criteria: 1 not met, 1 unclear, 1 met"
    assert result.details["unclear"] == 1
    assert ask.inputs == [
        {
            "question": "Can I return it?",
            "answer": ANSWER,
            "criteria": [{"id": n, "text": text} for n, text in enumerate("abc", 1)],
        }
    ]


def test_a_criterion_is_kept_with_what_was_said_of_it() -> None:
    result, _ = measured(saying(("YES", "full refund"), "NO"), "mentions a refund", "is polite")
    first, second = result.details["criteria"]
    start = ANSWER.index("full refund")
    assert first == {
        "criterion": "mentions a refund",
        "met": "YES",
        "id": first["id"],
        "reason": "because 1",
        "quote": "full refund",
        "span": (start, start + len("full refund")),
    }
    assert second.keys() == {"criterion", "met", "id", "reason"}


@pytest.mark.parametrize(
    ("quote", "found", "note"),
    [
        ("refund", "refund", None),
        ('"refund"', "refund", None),
        ("within  30 days", "within 30 days", None),
        (
            "You can return any items within 30 days for a full refund",
            "You can return any item within 30 days for a full refund",
            "quote corrected",
        ),
        ("a refund in 14 days", None, "the judge's quote is not in the answer, so it is left out"),
        ("fund", None, "the judge's quote is not in the answer, so it is left out"),
    ],
)
@pytest.mark.parametrize("word", ["YES", "NO"])
def test_a_quote_is_the_answers_own_words_or_left_out(
    quote: str, found: str | None, note: str | None, word: str
) -> None:
    result, _ = measured(saying((word, quote)), "a")
    [said] = result.details["criteria"]
    assert (said.get("quote"), said.get("note"), said["met"]) == (found, note, word)
    if found is not None:
        assert ANSWER[slice(*said["span"])] == found
    assert result.score == float(word == "YES")


# -- votes, ensembles, people ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("votes", "winner"),
    [
        (("YES", "YES", "NO"), "YES"),
        (("YES", "NO"), "NO"),
        (("YES", "UNCLEAR"), "UNCLEAR"),
        (("UNCLEAR", "NO"), "NO"),
        (("YES", "UNCLEAR", "NO"), "NO"),
        (("UNCLEAR", "YES", "UNCLEAR"), "UNCLEAR"),
    ],
)
def test_most_votes_decide_and_where_they_tie_the_worse(
    votes: tuple[str, ...], winner: str
) -> None:
    result, ask = measured([saying(vote) for vote in votes], "a", votes=len(votes))
    [said] = result.details["criteria"]
    assert said["met"] == winner
    assert said["votes"] == {word: votes.count(word) for word in dict.fromkeys(votes)}
    assert list(ask.splits.values()) == [True]


def test_votes_are_counted_by_criterion() -> None:
    samples = [saying("YES", "YES"), saying("YES", "NO"), saying("YES", "YES")]
    _, ask = measured(samples, "a", "b", votes=3)
    assert list(ask.splits.values()) == [False, True]


@pytest.mark.parametrize(
    ("aggregate", "score"), [("mean", 0.5), ("min", 0.0), ("median", 0.5), ("majority", 0.5)]
)
def test_an_ensemble_has_a_score_of_each_model(aggregate: str, score: float) -> None:
    says = {"x": saying("YES", "YES"), "y": saying("NO", "NO"), "z": saying("YES", "NO")}

    def reply(input: Json, model: str) -> Json:
        made = says[model]
        assert callable(made)
        return made(input, model)

    result, _ = measured(reply, "a", "b", models=("x", "y", "z"), aggregate=aggregate)
    assert result.score == pytest.approx(score)
    assert result.by_model == {"x": 1.0, "y": 0.0, "z": 0.5}
    assert met(result) == ["YES", "NO"]


def by_hand(criterion: str, verdict: str, **changed: Any) -> VerdictLine:
    judgement = {
        "question": CASE.question,
        "answer": CASE.answer,
        "criterion": criterion,
        **changed,
    }
    reply = {"verdict": verdict, "reason": "we said so"}
    return VerdictLine(criterion_id(judgement), OVERRIDE, BY_HAND, criterion, reply)


def test_a_person_takes_precedence() -> None:
    overrides = [by_hand("a", "YES"), by_hand("b", "NO", answer="Another.")]
    result, ask = measured(saying("NO", "YES", "YES"), overrides=overrides)
    assert result.score == 1.0
    first, second, _ = result.details["criteria"]
    assert (first["met"], first["judged"], first["by_hand"]) == ("YES", "NO", "we said so")
    assert "by_hand" not in second
    assert [(use.claim, use.applied) for use in ask.by_hands] == [("a", True), ("b", False)]


def test_a_judge_that_can_not_tell_is_asked_about_what_no_person_decided() -> None:
    def reply(input: Json, model: str) -> Json:
        if any(one["text"] == "a" for one in input["criteria"]):
            raise ConfigurationError("can't tell a")
        return {"checks": [{**one, "met": "YES", **NOTHING} for one in input["criteria"]]}

    result, ask = measured(reply, "b", "a", "c", overrides=[by_hand("a", "NO")], votes=2)
    assert met(result) == ["YES", "NO", "YES"]
    assert "judged" not in result.details["criteria"][1]
    assert [len(one["criteria"]) for one in ask.inputs] == [3, 2, 2]
    assert met(measured(reply, "a", overrides=[by_hand("a", "YES")])[0]) == ["YES"]
    with pytest.raises(ConfigurationError, match="can't tell a"):
        measured(reply, "b", "a", overrides=[by_hand("b", "YES")])


def test_a_verdict_on_a_claim_of_the_same_words_is_none_on_the_criterion() -> None:
    overrides = [by_hand("a", "CONTRADICTORY")]
    result, ask = measured(saying("YES"), "a", overrides=overrides)
    assert (result.score, ask.by_hands) == (1.0, [])


# -- where criteria come from ----------------------------------------------------------------------


def test_the_criteria_of_the_call_take_the_place_of_the_cases() -> None:
    case = CASE.model_copy(update={"criteria": ['mentions "voucher"']})
    with pytest.raises(RagAssertionError, match=r"^criteria 0\.00 < 1\.00: case r1 \(1 criterion"):
        assert_criteria(case)
    assert assert_criteria(case, 'mentions "refund"', "names 30 days").score == 1.0
    assert assert_criteria(case, min=0).minimum == 0


def test_min_is_the_share_that_must_be_met() -> None:
    assert assert_criteria(CASE, 'mentions "refund"', 'mentions "x"', min=0.5).score == 0.5
    assert evaluate(CASE, {"criteria": {"criteria": 'mentions "x"'}})["criteria"].score == 0.0
    case = EvalCase(answer=ANSWER, criteria='mentions "refund"', minimums={"criteria": 0.2})
    assert assert_rag(case, criteria=1.0)["criteria"].score == 1.0


def test_its_coroutine_does_the_same() -> None:
    result = asyncio.run(aio.assert_criteria(CASE, 'mentions "refund"'))
    assert result.score == 1.0


def test_an_answer_that_does_not_know_is_judged_all_the_same() -> None:
    case = EvalCase(answer="I don't know.")
    assert assert_criteria(case, 'doesn\'t mention "refund"').score == 1.0


@pytest.mark.parametrize("answer", [None, "", "  \n"])
def test_an_answer_is_needed(answer: str | None) -> None:
    with pytest.raises(MissingFieldError, match=r"answer.* case r2"):
        assert_criteria(EvalCase(id="r2", answer=answer), 'mentions "x"')


def test_criteria_are_needed_of_the_case_or_the_call() -> None:
    with pytest.raises(MissingFieldError, match=r"the field criteria, which is None in case r1;"):
        assert_criteria(CASE)
    assert "criteria" not in applicable_metrics(CASE)
    assert "criteria" in applicable_metrics(EvalCase(answer=ANSWER, criteria="is short"))


WRONG: list[tuple[Any, str]] = [
    ([""], "criterion 1 is ''; it must be a text, not blank"),
    (["a", " \u200b"], "criterion 2 is .*; it must be a text, not blank"),
    (["a", 3], "criterion 2 is 3; it must be a text, not blank"),
    ([None], "criterion 1 is None; it must be a text, not blank"),
    (["a", "b", " a\n"], r"criterion 3 repeats criterion 1, ' a\\n'"),
    ([["a"]], r"criterion 1 is the list \['a'\]; .* unpack the list with \* in the call"),
]


@pytest.mark.parametrize(("criteria", "said"), WRONG)
def test_a_wrong_criterion_is_named(criteria: Any, said: str) -> None:
    with pytest.raises(ValueError, match=rf"^case 'r1': field criteria: {said}"):
        EvalCase(id="r1", criteria=criteria)
    with pytest.raises(ValueError, match=rf"^case r1: criteria: {said}"):
        assert_criteria(CASE, *criteria)
    with pytest.raises(ValueError, match=rf"^case r1: criteria: {said}"):
        evaluate(CASE, {"criteria": {"criteria": criteria}})


@pytest.mark.parametrize("value", [5, {"a": 1}, b"a"])
def test_what_is_no_list_is_named(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^case 'r1': field criteria is"):
        EvalCase(id="r1", criteria=value)
    with pytest.raises(ValueError, match=r"^case r1: criteria is .*; it takes a list of texts"):
        evaluate(CASE, {"criteria": {"criteria": value}})


@pytest.mark.parametrize("text", ["", " \u200b"])
def test_one_text_is_a_criterion_as_in_a_list(text: str) -> None:
    assert EvalCase(criteria=" is kind ").criteria == ["is kind"]
    with pytest.raises(
        ValueError, match=r"field criteria: criterion 1 is .*; it must be a text, not blank"
    ):
        EvalCase(criteria=text)
    with pytest.raises(ValueError, match=r"claim 1 has the text .*; it must be a text, not blank"):
        EvalCase(ground_truth_claims=text)


def test_no_criteria_are_none() -> None:
    assert EvalCase(criteria=[]).criteria is None
    with pytest.raises(ValueError, match=r"^case r1: criteria is empty"):
        evaluate(CASE, {"criteria": {"criteria": []}})


def test_500_criteria_are_judged() -> None:
    criteria = [f'doesn\'t mention "thing {number}"' for number in range(499)]
    assert assert_criteria(CASE, *criteria, f'mentions "{ANSWER}"').score == 1.0


def test_files_have_them(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"answer": "A", "criteria": [" x ", "y"]}\n{"criteria": "z"}'
    )
    assert [one.criteria for one in load_cases(tmp_path / "a.jsonl")] == [["x", "y"], ["z"]]
    (tmp_path / "b.csv").write_text('answer,criteria\nA,"[""x"", ""y""]"\nB,"is short, and kind"\n')
    listed = [one.criteria for one in load_cases(tmp_path / "b.csv")]
    assert listed == [["x", "y"], ["is short, and kind"]]
    (tmp_path / "c.yaml").write_text("- answer: A\n  criteria:\n    - names a date\n")
    assert [one.criteria for one in load_cases(tmp_path / "c.yaml")] == [["names a date"]]
    (tmp_path / "d.jsonl").write_text('{"id": "d4", "criteria": ["x", "x"]}')
    with pytest.raises(ValueError, match=r"d\.jsonl, line 1: .*criteria: criterion 2 repeats"):
        load_cases(tmp_path / "d.jsonl")
