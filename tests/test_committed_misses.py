"""Why a question has no committed verdict."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_ragassert.storage.committed.closest_text import LEAST, ClosestTexts, words_of
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from pytest_ragassert.storage.committed.misses import Miss, MissedQuestion, causes
from pytest_ragassert.storage.committed.verdict_line import VerdictLine

from .committed_lines import JUDGE, key_of, line

OTHER_JUDGE = "openai https://api.openai.com/v1 gpt-5"
RECORDED = [
    line(1, about="A child's ticket costs 4 crowns; Dogs travel free"),
    line(2, about="The ferry runs every 40 minutes", judge=OTHER_JUDGE),
    line(3, about="The ferry runs every 40 minutes", step="extract_claims"),
    line(4, about="成人票价是四十元，儿童免费"),
    line(5, about="Паром ходит каждые сорок минут"),
]


def asked(about: str, **more: Any) -> MissedQuestion:
    given = {"key": key_of("asked"), "step": "verify_claims", "judge": JUDGE, "about": about}
    return MissedQuestion(**{**given, **more})


def cause_of(question: MissedQuestion, folder: Path, *used: str) -> Miss:
    write_verdicts(folder / "verdicts.jsonl", RECORDED)
    [miss] = causes(open_verdicts(folder / "verdicts.jsonl"), [question], set(used))
    assert miss.question is question
    return miss


@pytest.mark.parametrize("cause", ["other model", "prompt version changed", "other settings"])
def test_a_key_tells(tmp_path: Path, cause: str) -> None:
    question = asked("anything", other_keys={cause: [key_of(9), key_of(2)]})
    miss = cause_of(question, tmp_path)
    assert (miss.cause, miss.recorded) == (cause, key_of(2))
    assert (miss.judge, miss.about) == (OTHER_JUDGE, "The ferry runs every 40 minutes")


def test_the_least_change_is_told(tmp_path: Path) -> None:
    keys = {"other model": [key_of(2)], "prompt version changed": [key_of(1)]}
    assert cause_of(asked("x", other_keys=keys), tmp_path).cause == "prompt version changed"
    keys = {"other model": [key_of(2)], "other settings": [key_of(1)]}
    assert cause_of(asked("x", other_keys=keys), tmp_path).cause == "other settings"
    about = RECORDED[0].about
    keys = {"other model": [key_of(2)]}
    assert cause_of(asked(about, other_keys=keys), tmp_path).cause == "other model"


@pytest.mark.parametrize(
    ("about", "like"),
    [
        ("A child's ticket costs 4 crowns; Dogs travel free", 1),
        ("A child's ticket costs 7 crowns; Dogs travel free", 1),
        ("a CHILD's ticket costs 4 crowns", 1),
        ("成人票价是五十元，儿童免费", 4),
        ("Паром ходит каждые тридцать минут", 5),
    ],
)
def test_a_changed_text_is_told_with_the_recorded_one(
    tmp_path: Path, about: str, like: int
) -> None:
    miss = cause_of(asked(about), tmp_path)
    expected = RECORDED[like - 1]
    assert (miss.cause, miss.recorded) == ("text changed", expected.key)
    assert (miss.judge, miss.about) == (JUDGE, expected.about)


@pytest.mark.parametrize(
    "about",
    [
        "Seals rest on the northern pier",
        "儿童需要出示护照才能登船",
        "",
        "…",
        "The ferry runs every 40 min",
    ],
)
def test_another_text_was_never_recorded(tmp_path: Path, about: str) -> None:
    """The last: by another judge, and at another step, it was."""
    question = asked(about, other_keys={"other model": [key_of(9)], "other settings": []})
    assert cause_of(question, tmp_path) == Miss(question, "never recorded")


def test_no_text_has_changed_from_one_that_is_still_used(tmp_path: Path) -> None:
    like = RECORDED[0].about.replace("4", "7")
    assert cause_of(asked(like), tmp_path, key_of(2)).cause == "text changed"
    assert cause_of(asked(like), tmp_path, key_of(1)).cause == "never recorded"


def test_a_text_that_is_still_used_has_other_passages_elsewhere(tmp_path: Path) -> None:
    about = RECORDED[0].about
    assert cause_of(asked(about), tmp_path, key_of(1)).cause == "text changed"


ASKED, OTHERWISE = "a" * 64, "b" * 64
OLD, NEW = ("1" * 32, "2" * 32), ("1" * 32, "3" * 32)
CLAIM = "The ferry needs forty minutes"


@pytest.mark.parametrize(
    ("recorded", "cause"),
    [
        ([line(7, about=CLAIM, asked=ASKED, passages=OLD)], "passages changed"),
        ([line(7, about=CLAIM, asked=OTHERWISE, passages=OLD)], "text changed"),
        (
            [line(7, about=CLAIM, asked=OTHERWISE, passages=NEW, judge=OTHER_JUDGE)],
            "other model",
        ),
        # no earlier version says how it was asked
        ([line(7, about=CLAIM)], "text changed"),
        ([line(7, about="Seals rest", asked=ASKED, passages=OLD)], "never recorded"),
    ],
)
def test_a_claim_that_was_held_against_other_passages(
    tmp_path: Path, recorded: list[VerdictLine], cause: str
) -> None:
    write_verdicts(tmp_path / "verdicts", recorded)
    question = asked(CLAIM, asked=ASKED, passages=NEW)
    [miss] = causes(open_verdicts(tmp_path / "verdicts"), [question])
    assert miss.cause == cause
    if cause == "passages changed":
        assert (miss.passages, miss.used, miss.recorded) == (OLD, False, key_of(7))


def test_passages_differ_whether_or_not_their_hashes_are_written(tmp_path: Path) -> None:
    write_verdicts(tmp_path / "verdicts", [line(7, about=CLAIM, asked=ASKED)])
    verdicts = open_verdicts(tmp_path / "verdicts")
    [miss] = causes(verdicts, [asked(CLAIM, asked=ASKED, passages=NEW)])
    assert (miss.cause, miss.passages) == ("passages changed", ())


def test_of_several_passages_those_that_are_not_used_any_more_are_named(tmp_path: Path) -> None:
    lines = [line(n, about=CLAIM, asked=ASKED, passages=("4" * 31 + str(n),)) for n in (1, 2, 3)]
    write_verdicts(tmp_path / "verdicts", lines)
    question = asked(CLAIM, asked=ASKED, passages=NEW)
    verdicts = open_verdicts(tmp_path / "verdicts")
    for used, found in (([1, 2], 3), ([2, 3], 1), ([1, 2, 3], min((1, 2, 3), key=key_of))):
        [miss] = causes(verdicts, [question], set(map(key_of, used)))
        assert (miss.recorded, miss.used) == (key_of(found), len(used) == 3)


@pytest.mark.parametrize(
    ("step", "cause"),
    [
        ("extract_claims", "text changed"),
        ("verify_claims", "text changed"),
        ("judge_passages", "passages changed"),
        ("rate_relevance", "never recorded"),
    ],
)
def test_what_is_new_beside_what_is_known(tmp_path: Path, step: str, cause: str) -> None:
    verdicts = open_verdicts(tmp_path / "none")
    for beside, expected in ((2, cause), (0, "never recorded")):
        [miss] = causes(verdicts, [asked("Seals rest", step=step, beside=beside)])
        assert miss.cause == expected


def test_each_question_gets_its_cause_in_their_order(tmp_path: Path) -> None:
    questions = [
        asked("Seals rest on the pier", key=key_of("a")),
        asked("x", key=key_of("b"), other_keys={"other model": [key_of(2)]}),
        asked(RECORDED[0].about, key=key_of("c")),
        asked("Seals rest on the pier", key=key_of("d")),
        asked("The ferry runs every 50 minutes", key=key_of("e"), step="extract_claims"),
    ]
    write_verdicts(tmp_path / "verdicts", RECORDED)
    misses = causes(open_verdicts(tmp_path / "verdicts"), questions)
    assert [miss.question for miss in misses] == questions
    assert [(miss.cause, miss.recorded) for miss in misses] == [
        ("never recorded", None),
        ("other model", key_of(2)),
        ("text changed", key_of(1)),
        ("never recorded", None),
        ("text changed", key_of(3)),
    ]


def test_without_verdicts_nothing_was_recorded(tmp_path: Path) -> None:
    question = asked("A ticket", other_keys={"other model": [key_of(2)]})
    assert causes(open_verdicts(tmp_path / "none"), [question]) == [
        Miss(question, "never recorded")
    ]
    assert causes(open_verdicts(tmp_path / "none"), []) == []


@given(how=st.randoms(use_true_random=False))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_order_of_the_lines_makes_no_difference(
    how: random.Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    same = [line(number, about=f"ticket {'abc'[number % 3]} costs") for number in range(20)]
    path = tmp_path_factory.mktemp("any") / "verdicts.jsonl"
    how.shuffle(same)
    path.write_text("".join(f"{one.to_text()}\n" for one in same))
    [near, exact] = causes(open_verdicts(path), [asked("ticket d costs"), asked("ticket b costs")])
    assert (near.about, exact.about) == ("ticket a costs", "ticket b costs")
    first = min(one.key for one in same if one.about == "ticket b costs")
    assert exact.recorded == first


words = st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" ".join)


@given(many=st.sets(words, max_size=12), text=words)
def test_the_most_like_text_is_found_as_if_all_were_compared(many: set[str], text: str) -> None:
    def likeness(other: str) -> float:
        either = words_of(text) | words_of(other)
        return len(words_of(text) & words_of(other)) / len(either) if either else 0.0

    best = max(sorted(many), key=likeness, default="")
    expected = {text: best} if likeness(best) >= LEAST else {}
    assert ClosestTexts(many, {text}).found == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The 2 ferries, the FERRIES!", {"the", "2", "ferries"}),
        ("四十元", {"四十", "十元"}),
        ("票", {"票"}),
        ("第3章 ok", {"第", "3", "章", "ok"}),
        ("ตั๋ว", {"ตั", "ั๋", "๋ว"}),
        ("Größe STRASSE straße", {"grösse", "strasse"}),
        (" … _ ", set()),
    ],
)
def test_words(text: str, found: set[str]) -> None:
    assert words_of(text) == found
