"""Which cases are written: their passages, their order, and what that depends on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.corpus.passages import Corpus, Document
from pytest_ragassert.generation.candidates import (
    KINDS,
    Candidate,
    CandidateStream,
    Kind,
    with_headings,
)
from pytest_ragassert.generation.passage_index import PassageIndex
from pytest_ragassert.generation.similarity import similarity_by_words
from pytest_ragassert.steps.write_case import KINDS as STEP_KINDS
from tests.asks import ScriptedAsk

from .drafts import candidates, corpus, document, passage

WORDS = ("ferry", "fares", "tickets", "lighthouse", "museum", "winter", "storms", "bicycles")
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
# Documents as lists of their passages' texts
FOLDERS = st.lists(st.lists(SENTENCES, min_size=1, max_size=4), min_size=1, max_size=5).map(
    lambda texts: [document(f"{n}.md", *each) for n, each in enumerate(texts)]
)
SEEDS = st.integers(-3, 3)


def taken(
    documents: Sequence[Document],
    kind: Kind,
    *,
    seed: int = 0,
    personas: Sequence[str] = (),
    parts: int = 1000,
) -> list[Candidate]:
    """All candidates of a kind.

    Args:
        parts: how many are taken at once.
    """
    made = corpus(*documents)
    texts = {one.id: with_headings(one) for doc in made.documents for one in doc.passages}
    stream = CandidateStream(made, PassageIndex(texts), kind, seed=seed, personas=personas)

    async def all_of_them() -> list[Candidate]:
        found: list[Candidate] = []
        while more := await stream.take(ScriptedAsk(), parts):
            assert len(more) <= parts
            found += more
        return found

    return asyncio.run(all_of_them())


def of_document(found: Sequence[Candidate], name: str) -> list[str]:
    return [one.key for one in found if one.passages[0].document == name]


@given(FOLDERS, SEEDS, st.sampled_from(KINDS))
def test_they_are_of_their_kind(folder: list[Document], seed: int, kind: Kind) -> None:
    for one in taken(folder, kind, seed=seed):
        documents = {passage.document for passage in one.passages}
        ids = {passage.id for passage in one.passages}
        assert len(ids) == len(one.passages) <= 3
        if kind == "single":
            assert len(ids) == 1
        elif kind == "several":
            assert len(ids) >= 2
            assert len(documents) == 1
        elif kind == "documents":
            assert len(ids) == len(documents) >= 2
        else:
            assert len(documents) == 1


@given(FOLDERS, SEEDS, st.sampled_from(KINDS), st.integers(1, 5), st.integers(0, 3))
def test_each_is_taken_once_in_the_same_order(
    folder: list[Document], seed: int, kind: Kind, parts: int, people: int
) -> None:
    personas = [f"Person {n}." for n in range(people)]
    found = taken(folder, kind, seed=seed, personas=personas)
    again = taken(folder[::-1], kind, seed=seed, personas=personas, parts=parts)
    assert again == found
    asked = Counter((frozenset(p.id for p in one.passages), one.persona) for one in found)
    assert set(asked.values()) <= {1}
    if kind == "single":
        passages = sum(len(one.passages) for one in folder)
        assert len(found) == passages * max(1, people)


@given(FOLDERS, SEEDS, st.sampled_from(["single", "several", "unanswerable"]), st.data())
def test_those_of_a_document_do_not_depend_on_others(
    folder: list[Document], seed: int, kind: Kind, data: st.DataObject
) -> None:
    found = taken(folder, kind, seed=seed)
    changed = data.draw(st.sampled_from(folder))
    rest = [one for one in folder if one is not changed]
    new = document(changed.name, *data.draw(st.lists(SENTENCES, min_size=1, max_size=4)))
    added = document("added.md", *data.draw(st.lists(SENTENCES, min_size=1, max_size=3)))
    for others in ([*rest, new], [*rest, new, added], rest):
        if not others:
            continue
        now = taken(others, kind, seed=seed)
        for one in rest:
            assert of_document(now, one.name) == of_document(found, one.name)


@given(FOLDERS, SEEDS, st.sampled_from(KINDS))
def test_the_documents_take_turns(folder: list[Document], seed: int, kind: Kind) -> None:
    counts: Counter[str] = Counter()
    left = Counter(one.passages[0].document for one in taken(folder, kind, seed=seed))
    if kind == "single":
        for one in taken(folder, kind, seed=seed):
            name = one.passages[0].document
            # nobody is a turn ahead of one who still has passages
            assert counts[name] <= min(counts[other] for other in left if left[other])
            counts[name] += 1
            left[name] -= 1


def test_seeds_choose_other_orders() -> None:
    folder = [document(f"{n}.md", "ferry", "fares", "winter") for n in range(4)]
    orders = {tuple(one.key for one in taken(folder, "single", seed=seed)) for seed in range(5)}
    assert len(orders) == 5
    firsts = {taken(folder, kind)[0].passages[0].id for kind in KINDS}
    assert len(firsts) > 1


def test_the_most_similar_passages_are_combined() -> None:
    folder = [
        document("a.md", "ferry fares tickets", "lighthouse museum", "ferry fares winter"),
        document("b.md", "bicycles", "ferry tickets fares"),
        document("c.md", "museum lighthouse", "storms"),
    ]
    together = [{p.id for p in one.passages} for one in taken(folder, "documents")]
    assert any({"a.md#0", "b.md#1"} <= ids for ids in together)
    assert any({"a.md#1", "c.md#0"} <= ids for ids in together)
    assert not any({"a.md#0", "b.md#0"} <= ids for ids in together)


@given(FOLDERS, st.sampled_from(["several", "documents", "unanswerable"]))
def test_the_most_similar_one_comes_first(folder: list[Document], kind: Kind) -> None:
    for one in taken(folder, kind):
        anchor, *rest = map(with_headings, one.passages)
        alike = [similarity_by_words(anchor, text) for text in rest]
        assert alike == sorted(alike, reverse=True)
        assert all(alike)


@given(FOLDERS, st.integers(1, 4))
def test_personas_take_turns(folder: list[Document], people: int) -> None:
    personas = [f"Person {n}." for n in range(people)]
    found = taken(folder, "single", personas=personas)
    by_passage: dict[str, list[str | None]] = {}
    for one in found:
        by_passage.setdefault(one.passages[0].id, []).append(one.persona)
    for asked in by_passage.values():
        assert sorted(map(str, asked)) == personas


@given(candidates(), st.data())
def test_the_key_depends_on_all_that_is_asked(one: Candidate, data: st.DataObject) -> None:
    other = data.draw(candidates())
    same = (one.kind, one.input) == (other.kind, other.input)
    assert (one.key == other.key) is same
    assert one.case_id == f"{one.passages[0].id}-{one.key[:8]}"


def test_what_the_judge_gets() -> None:
    fares = passage("fares.md#children", "A child pays 4 crowns.", "Fares", "Children")
    one = Candidate("documents", (fares, passage("b.md", "Dogs pay.")), "A skipper.", "de")
    assert one.input == {
        "passages": [
            {"id": 1, "text": "Fares\n\nChildren\n\nA child pays 4 crowns."},
            {"id": 2, "text": "Dogs pay."},
        ],
        "kind": "several",
        "persona": "A skipper.",
        "language": "de",
    }


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_are_known_to_the_step(kind: Any) -> None:
    one = Candidate(kind, (passage("a.md", "x"),))
    assert one.input["kind"] in STEP_KINDS


def test_a_corpus_of_one_passage() -> None:
    one: Corpus = corpus(document("a.md", "ferry"))
    counts = [len(taken(one.documents, kind)) for kind in KINDS]
    assert counts == [1, 0, 0, 1]
