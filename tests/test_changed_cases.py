"""The cases in which the benchmark of reuse changes something: what is known before and after."""

from __future__ import annotations

from collections import Counter

import pytest

from .benchmarks.changes import CHANGES, CONTRADICTED, PASSAGES, UNTOLD, Case, Change, base
from .loopback.judge import verify_claims

NUMBER = 7
BY_NAME = {change.what: change for change in CHANGES}


def sentences(text: str) -> list[str]:
    return text.replace(". ", ".\n").splitlines()


def verdicts(case: Case) -> list[str]:
    claims = [{"id": n, "text": text} for n, text in enumerate(sentences(case["answer"]))]
    passages = [{"id": n, "text": text} for n, text in enumerate(case["retrieved_contexts"])]
    said = verify_claims({"passages": passages, "claims": claims})["verdicts"]
    return [one["verdict"] for one in said]


def kept(change: Change) -> int:
    """How many of the case's first passages are there still."""
    left = set(change.of(NUMBER)["retrieved_contexts"])
    return len(left & set(base(NUMBER)["retrieved_contexts"]))


def test_a_case_has_supported_contradicted_and_untold_claims() -> None:
    said = verdicts(base(NUMBER))
    assert Counter(said) == {"FULLY_SUPPORTED": 8, "CONTRADICTORY": 1, "NO_EVIDENCE": 1}
    assert said[CONTRADICTED] == "CONTRADICTORY"
    assert said[UNTOLD] == "NO_EVIDENCE"


@pytest.mark.parametrize(
    ("what", "before", "now"),
    [
        ("nothing", 5, 5),
        ("the passages' order", 5, 5),
        ("k from 5 to 4, no quoted passage left", 4, 4),
        ("k from 5 to 4, one quoted passage left", 4, 4),
        ("k from 5 to 6, nothing new on the claims", 5, 6),
        ("k from 5 to 6, something new on two claims", 5, 6),
        ("two of five passages replaced", 3, 5),
        ("three of five replaced", 2, 5),
        ("one of ten sentences of the answer", 5, 5),
        ("the chunks: the same text, cut elsewhere", 0, 4),
    ],
)
def test_passages_are_kept_as_the_change_says(what: str, before: int, now: int) -> None:
    change = BY_NAME[what]
    passages = change.of(NUMBER)["retrieved_contexts"]
    assert (kept(change), len(set(passages))) == (before, now)
    assert len(passages) == now


def test_every_change_is_tried() -> None:
    assert len(BY_NAME) == len(CHANGES) == 10


def test_only_the_order_changes() -> None:
    first, other = (change.of(NUMBER)["retrieved_contexts"] for change in CHANGES[:2])
    assert first != other
    assert sorted(first) == sorted(other)


def test_what_was_untold_is_news() -> None:
    said = verdicts(BY_NAME["k from 5 to 6, something new on two claims"].of(NUMBER))
    assert said[UNTOLD] == "FULLY_SUPPORTED"


def test_a_quoted_passage_is_missed() -> None:
    lost = BY_NAME["k from 5 to 4, one quoted passage left"].of(NUMBER)
    unquoted = BY_NAME["k from 5 to 4, no quoted passage left"].of(NUMBER)
    assert Counter(verdicts(lost))["FULLY_SUPPORTED"] == 7
    assert verdicts(unquoted) == verdicts(base(NUMBER))


def test_one_sentence_of_the_answer_changes() -> None:
    changed = BY_NAME["one of ten sentences of the answer"].of(NUMBER)
    pairs = zip(sentences(base(NUMBER)["answer"]), sentences(changed["answer"]), strict=True)
    assert [old == new for old, new in pairs].count(False) == 1


def test_the_chunks_hold_the_same_text() -> None:
    cut = BY_NAME["the chunks: the same text, cut elsewhere"].of(NUMBER)["retrieved_contexts"]
    assert " ".join(cut) == " ".join(base(NUMBER)["retrieved_contexts"])
    assert len(cut) < PASSAGES
