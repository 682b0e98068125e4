"""Cases of a retriever with five passages, and what people change: passages, or a sentence.

An answer has ten sentences, a claim each. Eight stand word for word in one passage each, one is
contradicted there, and of one no passage speaks. No claim stands in the fifth passage.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Case = dict[str, Any]

TESTS = """\
import pytest
from pytest_ragassert import assert_rag


@pytest.mark.rag_cases("cases.jsonl")
def test_answer(rag_case):
    assert_rag(rag_case, faithfulness=0.0, context_precision=0.0)
"""
PASSAGES = 5
CONTRADICTED, UNTOLD = 6, 9  # which of the answer's sentences, from 0
# What the passages say, sentence by sentence; those of an answer are told apart by number.
ANSWER = (
    "{house} charges {price} pounds for a room with breakfast.",
    "Guests of {house} check out at {hour}:00.",
    "The kitchen of {house} serves dinner until {late}:30.",
    "{house} was built in {year} for a merchant.",
    "The garden of {house} has {trees} apple trees.",
    "{house} rents out {bikes} bicycles a day.",
    "The tower of {house} has {steps} stairs.",
    "The ferry lands {walk} minutes from {house}.",
    "{house} closes for {weeks} weeks in winter.",
    "The cellar of {house} holds {bottles} bottles.",
)
PADDING = (
    "{house} stands near the harbour, behind the old customs house.",
    "Parking behind {house} is free for guests, and the gate is locked at night.",
    "The rooms of {house} look over the water or over the garden.",
    "Dogs are welcome in {house}, but not in the dining room.",
    "A deposit is taken when a room in {house} is booked by telephone.",
    "The lounge of {house} has a fireplace and a small library.",
    "Children under six stay in {house} in their parents' room.",
    "The owners of {house} keep hens and sell eggs to guests.",
    "Letters for guests of {house} are left at the front desk.",
    "The roof of {house} was renewed after the great storm.",
    "Linen in {house} is changed every second day.",
    "The staff of {house} speak English and Norwegian.",
    "Boots are dried overnight in the hall of {house}.",
    "The piano in {house} may be played until ten.",
    "The path from {house} to the beach is lit in summer.",
    "Packed lunches from {house} are ordered on the evening before.",
)
# The answer's sentences in each passage; what else it says comes from the padding in turn.
TOLD = ((0, 1, 2), (3, 4, CONTRADICTED), (5, 7), (8,), ())


@dataclass(frozen=True)
class Change:
    """
    Attributes:
        what: as the table has it.
        of: the changed case of a number.
        judgements: how many of ours a case asks for, beside those that are stored or carried.
    """

    what: str
    of: Callable[[int], Case]
    judgements: int


def write_cases(folder: Path, cases: Sequence[Case]) -> None:
    """Write the cases, and our test of their faithfulness and context precision."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "test_rag.py").write_text(TESTS)
    (folder / "cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases))


def base(number: int) -> Case:
    """The case as it was judged first."""
    answer = [_sentence(text, number) for text in ANSWER]
    return {
        "id": f"house-{number}",
        "question": f"What do guests of House {number} have to know?",
        "answer": " ".join(answer),
        "retrieved_contexts": [_passage(number, rank) for rank in range(PASSAGES)],
        "ground_truth_answer": f"{answer[0]} {answer[1]}",
    }


def _reordered(number: int) -> Case:
    case = base(number)
    return {**case, "retrieved_contexts": case["retrieved_contexts"][::-1]}


def _without(*ranks: int) -> Callable[[int], Case]:
    def changed(number: int) -> Case:
        case = base(number)
        kept = [p for rank, p in enumerate(case["retrieved_contexts"]) if rank not in ranks]
        return {**case, "retrieved_contexts": kept}

    return changed


def _with(*ranks: int, instead_of: Sequence[int] = ()) -> Callable[[int], Case]:
    """Passages of these ranks, beyond the fifth, are new."""

    def changed(number: int) -> Case:
        case = _without(*instead_of)(number)
        new = [_passage(number, rank) for rank in ranks]
        return {**case, "retrieved_contexts": [*case["retrieved_contexts"], *new]}

    return changed


def _with_news(number: int) -> Case:
    """The new passage tells what one claim says already, and what no passage said before."""
    case = base(number)
    told = [_sentence(ANSWER[n], number) for n in (0, UNTOLD)]
    return {
        **case,
        "retrieved_contexts": [*case["retrieved_contexts"], _passage(number, 5, told)],
    }


def _with_a_changed_sentence(number: int) -> Case:
    case = base(number)
    old = _sentence(ANSWER[4], number)
    return {**case, "answer": case["answer"].replace(old, _sentence(ANSWER[4], number + 1, number))}


def _rechunked(number: int) -> Case:
    """The same text, cut elsewhere: no passage is what one was."""
    case = base(number)
    sentences = " ".join(case["retrieved_contexts"]).replace(". ", ".\n").splitlines()
    size = -(-len(sentences) // (PASSAGES - 1))
    cut = [" ".join(sentences[n : n + size]) for n in range(0, len(sentences), size)]
    return {**case, "retrieved_contexts": cut}


def _passage(number: int, rank: int, told: Sequence[str] | None = None) -> str:
    if told is None:
        told = [_told(n, number) for n in (TOLD[rank] if rank < PASSAGES else ())]
    padding = [_sentence(PADDING[(rank * 4 + n) % len(PADDING)], number) for n in range(4)]
    # which guide says it: no passage beyond the fifth is one that was there
    return " ".join([f"Guide {rank + 1} to House {number} has this.", *told, *padding])


def _told(sentence: int, number: int) -> str:
    """What a passage says: of one sentence something else than the answer does."""
    return _sentence(ANSWER[sentence], number + (sentence == CONTRADICTED), number)


def _sentence(text: str, number: int, house: int | None = None) -> str:
    return text.format(
        house=f"House {number if house is None else house}",
        price=100 + number,
        hour=8 + number % 4,
        late=18 + number % 4,
        year=1700 + number,
        trees=12 + number,
        bikes=20 + number,
        steps=200 + number,
        walk=3 + number,
        weeks=2 + number,
        bottles=400 + number,
    )


CHANGES = (
    Change("nothing", base, 0),
    Change("the passages' order", _reordered, 0),
    Change("k from 5 to 4, no quoted passage left", _without(4), 0),
    Change("k from 5 to 4, one quoted passage left", _without(3), 1),
    # ten claims against the new passage, two of them against all, and whether it is relevant
    Change("k from 5 to 6, nothing new on the claims", _with(5), 10 + 1),
    Change("k from 5 to 6, something new on two claims", _with_news, 10 + 2 + 1),
    # those whose passage left go to all that there are now, the others to the new ones
    Change("two of five passages replaced", _with(5, 6, instead_of=(3, 4)), 1 + 9 + 2),
    Change("three of five replaced", _with(5, 6, 7, instead_of=(2, 3, 4)), 3 + 7 + 3),
    # the claims of it and of the two sentences behind it, and the verdict on its own
    Change("one of ten sentences of the answer", _with_a_changed_sentence, 3 + 1),
    Change("the chunks: the same text, cut elsewhere", _rechunked, 10 + 4),
)
