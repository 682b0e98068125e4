"""Votes as text: the split beside what was decided, and the run's flip rate."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import MetricResult
from pytest_ragassert.analysis.records.figures import vote_figures
from pytest_ragassert.analysis.records.row_types import MeasuredRow
from pytest_ragassert.metrics.votes import split_words
from pytest_ragassert.report.summary import summary_lines
from pytest_ragassert.report.terminal import Screen

from .measured import PRICE, claim, judged, recorded, result, row, table

VOTES = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 9), min_size=1)


def is_printed(made: MetricResult, expected: str) -> bool:
    first = "case price  What does the crossing cost?"
    assert table(row(made)) == [first, *dedent(expected).strip("\n").splitlines()]
    return True


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        ({}, ""),
        ({"a": 3}, ""),
        ({"a": 2, "b": 1}, "2:1"),
        ({"a": 1, "b": 1, "c": 1}, "1:1:1"),
        ({"c": 1, "b": 3, "a": 4}, "4:3:1"),
        ({"a": 4, "b": 5}, "4:5"),  # models' majorities may outvote their votes
    ],
)
def test_the_winners_votes_stand_first(votes: dict[str, int], said: str) -> None:
    assert split_words(votes, "a") == said


@given(VOTES)
def test_a_split_tells_every_vote_where_they_differ(votes: dict[str, int]) -> None:
    words = split_words(votes, next(iter(votes)))
    told = [int(count) for count in words.split(":")] if words else []
    assert sorted(told) == (sorted(votes.values()) if len(votes) > 1 else [])


def test_claims_whose_votes_differ_show_the_split() -> None:
    split = {"CONTRADICTORY": 2, "NO_EVIDENCE": 1}
    claims = [
        claim("It costs 5 euros.", "CONTRADICTORY", quote=PRICE, passage=1, votes=split),
        claim("It costs 6 euros.", "CONTRADICTORY", quote=PRICE, passage=1, votes={"X": 3}),
        claim("Cats fly.", votes={"NO_EVIDENCE": 1, "FULLY_SUPPORTED": 1}, reason="no word of it"),
        claim("Cows swim.", votes={"NO_EVIDENCE": 3}, reason="no word of it"),
    ]
    assert is_printed(
        result("faithfulness", 0.0, 0.8, claims=claims, reason="4 claims"),
        """
        faithfulness 0.00 < 0.80   4 claims    judge judge-a
          ✗ It costs 5 euros.                                           contradicted 2:1
              [2] "The crossing costs 9 euros."
          ✗ It costs 6 euros.                                               contradicted
              [2] "The crossing costs 9 euros."
          ? Cats fly.                                                    no evidence 1:1
              no word of it
          ? Cows swim.                                                       no evidence
              no word of it
        where it broke: the answer added 4 claims (2 contradicted); check the prompt
        """,
    )


def test_contexts_whose_votes_differ_show_the_split() -> None:
    details = judged(True, False)
    for context, votes in zip(details["contexts"], ([2, 1], [1, 2]), strict=True):
        context["votes"] = dict(zip(("relevant", "not relevant"), votes, strict=True))
    assert is_printed(
        result("context_relevance", details=details, reason="1 of 2 contexts relevant"),
        """
        context_relevance 0.50 < 0.70   1 of 2 contexts relevant    judge judge-a
          ✓ [1] relevant 2:1   it is about dogs
              "Dogs are not allowed on board."
          · [2] not relevant 2:1   it is about dogs
              "The ferry runs every 40 minutes. The crossing costs 9 euros."
        where it broke: 1 of 2 passages not relevant; check the retriever
        """,
    )
    details["contexts"][0]["votes"] = {"relevant": 3}
    made = result("context_relevance", details=details, reason="1 of 2")
    assert table(row(made))[2] == "  ✓ [1] relevant       it is about dogs"


def test_a_label_whose_votes_differ_shows_the_split() -> None:
    details: dict[str, Any] = {"decided_by": "judge", "votes": {"WRONG": 2, "CORRECT": 1}}
    made = result("answer_class", 0.0, None, label="WRONG", reason="WRONG", details=details)
    assert is_printed(
        made,
        """
        answer_class WRONG    judge judge-a
          decided by the judge, votes 2:1
        """,
    )
    details["votes"] = {"WRONG": 3}
    made = result("answer_class", 0.0, None, label="WRONG", reason="WRONG", details=details)
    assert table(row(made))[-1] == "  decided by the judge"


def test_scores_that_differ_are_shown() -> None:
    details = {
        "correctness": {"score": 40, "reason": "the price is wrong", "votes": [40, 20, 60]},
        "completeness": {"score": 60, "reason": "all there", "votes": [60, 60, 60]},
        "consistency": {"score": 50, "reason": None, "votes": [50, 100]},
    }
    assert is_printed(
        result("factual_accuracy", 0.48, 0.6, grade="C", details=details, reason="grade C: …"),
        """
        factual_accuracy 0.48 < 0.60   grade C    judge judge-a
          correctness     40 x 0.5  votes 40, 20, 60; the price is wrong
          completeness    60 x 0.3  all there
          consistency     50 x 0.2  votes 50, 100
        """,
    )
    rated = {"method": "direct", "reason": "it evades", "votes": [0.5, 0.25, 0.75]}
    assert is_printed(
        result("answer_relevancy", details=rated, reason="rated directly: it evades"),
        """
        answer_relevancy 0.50 < 0.70   rated directly: it evades    judge judge-a
          votes 0.5, 0.25, 0.75
        """,
    )


# -- the run ---------------------------------------------------------------------------------------


def voted(splits: dict[str, bool], votes: int = 3, metric: str = "faithfulness") -> MeasuredRow:
    return row(result(metric, votes=votes), splits=splits)


def votes_lines(*rows: MeasuredRow) -> list[str]:
    lines = summary_lines(recorded(*rows), Screen())
    return [line for line in lines if line.startswith("votes")]


def test_the_flip_rate_counts_each_judgement_once() -> None:
    rows = [
        voted({"a": True, "b": False}),
        voted({"b": False, "c": False}),
        voted({"a": True, "d": False}, metric="factual_f1"),
        row(result("bert_score")),
    ]
    assert votes_lines(*rows) == ["votes: 3 a question; 1 of 4 judgements split (25.0 %)"]


def test_votes_of_several_numbers() -> None:
    # more votes on the same may differ where fewer agree, in whichever order they come
    rows = [voted({"a": False}, 2), voted({"a": True}, 5), voted({"a": False}, 3)]
    assert votes_lines(*rows) == ["votes: 2 to 5 a question; 1 of 1 judgement split (100.0 %)"]
    assert votes_lines(*rows[::-1]) == votes_lines(*rows)


def test_votes_that_all_agree_are_told_too() -> None:
    assert votes_lines(voted({"a": False, "b": False})) == [
        "votes: 3 a question; 0 of 2 judgements split (0.0 %)"
    ]


def test_without_votes_nothing_is_said_of_them() -> None:
    assert votes_lines(row(result("faithfulness"))) == []
    assert vote_figures([]) is None
