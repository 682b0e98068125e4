"""How sure the offline judge says it is: more where more decides, less where less is known."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, Settings, evaluate
from pytest_ragassert.judging.judges.offline.confidence import (
    MOST,
    UNKNOWN,
    Grounds,
    confidence_of,
)
from pytest_ragassert.language.words.claim_match import Statement

from .offline import AGAINST, FULL, NONE, verdicts_of

FERRY = (
    "The red ferry to Orrin Bay carries 40 cars and sails daily at 8:30. "
    "Dogs travel free of charge on its lower deck. A ticket for the crossing is sold on board."
)
GERMAN = "Hunde fahren auf dem Unterdeck kostenlos. Die Fahrt dauert zwölf Minuten."
GROUNDS = st.builds(
    Grounds,
    st.sampled_from([FULL, NONE, AGAINST]),
    st.floats(0, 1),
    decided=st.sampled_from(["share", "missing", "difference", "plainly", "nothing"]),
    missing=st.integers(0, 30),
    copied=st.booleans(),
    statements=st.integers(0, 40),
    english=st.booleans(),
)


def sureness(claim: str, *passages: str) -> float:
    [verdict] = verdicts_of([claim], list(passages))
    confidence: float = verdict["confidence"]
    return confidence


@given(GROUNDS)
def test_a_confidence_is_a_chance_that_nothing_makes_certain(grounds: Grounds) -> None:
    assert UNKNOWN <= confidence_of(grounds) <= MOST < 1


@given(GROUNDS, st.floats(0, 1))
def test_more_words_found_make_support_surer_and_its_lack_less_sure(
    grounds: Grounds, share: float
) -> None:
    low, high = sorted((share, grounds.share))
    less, more = (confidence_of(replace(grounds, share=s)) for s in (low, high))
    assert less <= more if grounds.verdict == FULL else more <= less


@given(GROUNDS, st.integers(0, 40))
def test_it_is_no_surer_of_many_statements_or_in_other_languages(
    grounds: Grounds, more: int
) -> None:
    longer = replace(grounds, statements=grounds.statements + more)
    assert confidence_of(longer) <= confidence_of(grounds)
    assert confidence_of(replace(grounds, english=False)) <= confidence_of(
        replace(grounds, english=True)
    )


@given(GROUNDS, st.integers(1, 10))
def test_more_that_stands_nowhere_makes_it_no_less_sure(grounds: Grounds, more: int) -> None:
    assert confidence_of(replace(grounds, missing=grounds.missing + more)) >= confidence_of(grounds)


def test_what_can_not_be_compared_is_known_by_no_one() -> None:
    assert sureness("yes", FERRY) == UNKNOWN
    assert sureness("Паром красный и возит машины.", FERRY) == UNKNOWN


@pytest.mark.parametrize(
    ("surer", "less_sure"),
    [
        # word for word; in other words
        ("Dogs travel free of charge on its lower deck.", "Dogs travel free on the lower deck."),
        # all words found; most
        ("The ferry sails daily.", "The ferry sails daily as planned."),
        # several names that stand nowhere; one
        ("Here sing Ada, Berit and Cora.", "Here sings Ada."),
        # a number that differs in a sentence with all the words; a number that stands nowhere
        (
            "The red ferry to Orrin Bay carries 60 cars and sails daily at 8:30.",
            "The ferry has 60 seats in a warm saloon.",
        ),
        # next to nothing found; some
        ("Penguins breed here.", "Dogs travel with a muzzle."),
        # what no passage says of itself; what none says of all
        ("I love penguins.", "All penguins swim."),
        # the same copy in a language that is known better
        (
            "Dogs travel free of charge on its lower deck.",
            "Hunde fahren auf dem Unterdeck kostenlos.",
        ),
    ],
)
def test_it_is_surer_where_more_decides(surer: str, less_sure: str) -> None:
    assert sureness(surer, FERRY, GERMAN) > sureness(less_sure, FERRY, GERMAN)


@pytest.mark.parametrize(
    ("surer", "less_sure"),
    [
        (Grounds(NONE, 0.6, "missing", 3), Grounds(NONE, 0.6, "missing", 1)),
        (Grounds(NONE, 0.6, "missing", 1), Grounds(NONE, 0.6, "share")),
        (Grounds(NONE, 0.9, "plainly"), Grounds(NONE, 0.9, "difference")),
        (Grounds(FULL, 1.0, copied=True), Grounds(FULL, 1.0)),
    ],
)
def test_each_ground_counts(surer: Grounds, less_sure: Grounds) -> None:
    assert confidence_of(surer) > confidence_of(less_sure)


def test_words_are_never_certain() -> None:
    assert confidence_of(Grounds(NONE, 0.0, "missing", 30)) == MOST


def test_a_text_copied_from_several_passages_is_copied_in_any_case_and_punctuation() -> None:
    passages = ["He said: \u201cThe mill, it is old.\u201d Few know.", "The WEIR is new; it hums."]
    sure = sureness("The mill it is old. The weir is new, it hums!", *passages)
    assert sure > 0.9
    assert sureness("The mill, it is old. The hums weir is new.", *passages) < sure
    # a part of a word is no word
    other = "Another mill is old."
    assert sureness("Her mill is old.", other) < sureness(other, other)


def test_a_copy_in_a_script_without_spaces_is_one() -> None:
    passage = "据说这座桥建于1889年。"
    assert sureness("这座桥建于1889年。", passage) > sureness("建于1889年这座桥。", passage)


def test_of_a_long_text_one_statement_is_easily_missed() -> None:
    missing = "The moorings were restored by divers."
    found = (
        "The red ferry to Orrin Bay carries 40 cars. Dogs travel free of charge on its lower deck."
    )
    assert sureness(missing, FERRY) > sureness(f"{missing} {found}", FERRY) > UNKNOWN


def test_no_score_depends_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    case = EvalCase(
        question="What does the ferry carry?",
        answer="The red ferry carries 40 cars. Dogs travel free. Ann Holt owns it.",
        retrieved_contexts=[FERRY],
        ground_truth_answer="The ferry carries 40 cars. Dogs travel free of charge.",
    )
    metrics = ["faithfulness", "factual_f1", "context_recall", "evidence"]
    settings = Settings(judge="offline")
    before = evaluate(case, metrics, settings=settings)
    monkeypatch.setattr(
        "pytest_ragassert.judging.judges.offline.claim_verdicts.confidence_of", lambda grounds: 0.5
    )
    after = evaluate(case, metrics, settings=settings)
    assert {name: before[name].score for name in metrics} == {
        name: after[name].score for name in metrics
    }
    said, said_now = (
        [one.confidence for one in by["faithfulness"].claims] for by in (before, after)
    )
    assert said != said_now


@given(st.lists(st.text("bcdfgkm", min_size=3, max_size=12), min_size=6, max_size=30, unique=True))
def test_the_share_is_the_same_in_whatever_order_a_process_has_the_words(words: list[str]) -> None:
    statement = Statement(" ".join(words), "en")
    assert statement.support(frozenset(sorted(statement.asked))) == 1.0
    assert statement.support(frozenset(sorted(statement.asked, reverse=True))) == 1.0
