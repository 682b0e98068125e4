"""Chooses what cases are written about: a kind of question, its passages, and who asks it.

The choice for a document depends on this document, the seed and, for questions on several
documents, on those that it is combined with. If one document changes, the candidates of the others
stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Literal, TypeVar, get_args

from ..corpus.passages import Corpus, Passage
from ..metrics.metric import Ask
from ..runtime.canonical_json import Json, digest
from .passage_index import PassageIndex

Thing = TypeVar("Thing")

Kind = Literal["single", "several", "documents", "unanswerable"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# What the step `write_case` calls a kind: it sees passages, not documents.
WRITTEN_AS: Mapping[Kind, str] = {
    "single": "single",
    "several": "several",
    "documents": "several",
    "unanswerable": "unanswerable",
}

_MOST_PASSAGES = 3  # of one case
_NEAR = 20  # neighbours among which those of different documents are looked for
_KEY_DIGITS, _ID_DIGITS = 16, 8  # hexadecimal


@dataclass(frozen=True)
class Candidate:
    """A case that can be written.

    Attributes:
        passages: what the question is about, at least one; for the kind `documents`, each from
            another document.
        persona: who asks; None for nobody in particular.
        language: the language to write in, as the user named it; None for that of the passages.
    """

    kind: Kind
    passages: tuple[Passage, ...]
    persona: str | None = None
    language: str | None = None

    @property
    def input(self) -> Json:
        """What the step `write_case` is asked."""
        return {
            "passages": [
                {"id": number, "text": with_headings(passage)}
                for number, passage in enumerate(self.passages, start=1)
            ],
            "kind": WRITTEN_AS[self.kind],
            "persona": self.persona,
            "language": self.language,
        }

    @cached_property
    def key(self) -> str:
        """A hash of everything that the case depends on, except the judge."""
        return digest({"kind": self.kind, "asked": self.input})[:_KEY_DIGITS]

    @property
    def case_id(self) -> str:
        """The id of the case: the first passage's, and the beginning of the key."""
        return f"{self.passages[0].id}-{self.key[:_ID_DIGITS]}"


def with_headings(passage: Passage) -> str:
    """Return a passage's text below the headings that it is under in its document."""
    return "\n\n".join([*passage.headings, passage.text])


class CandidateStream:
    """The candidates of a kind, each once, in the order in which they are to be tried.

    The documents take turns, in an order that the seed decides, and so do the passages of each.
    When all had their turn, each is tried again for the next persona.
    """

    def __init__(
        self,
        corpus: Corpus,
        index: PassageIndex,
        kind: Kind,
        *,
        seed: int,
        personas: Sequence[str] = (),
        language: str | None = None,
    ) -> None:
        self._kind = kind
        self._index = index
        self._seed = seed
        self._personas = personas
        self._language = language
        self._passages = corpus.passages
        self._anchors = (
            (anchor, turn)
            for turn in range(max(1, len(personas)))
            for anchor in _in_turns(corpus, kind, seed)
        )
        self._chosen: set[tuple[frozenset[str], str | None]] = set()

    async def take(self, ask: Ask, most: int) -> list[Candidate]:
        """Return the next candidates, fewer than `most` if there are no more.

        Raises:
            JudgeError, VerdictMissing: the embedder gave no vectors.
        """
        taken: list[Candidate] = []
        while len(taken) < most and (next_one := next(self._anchors, None)) is not None:
            anchor, turn = next_one
            together = [anchor, *await self._partners(ask, anchor)]
            persona = self._persona(anchor, turn)
            asks_this = frozenset(one.id for one in together), persona
            combines = self._kind in ("several", "documents")
            if asks_this in self._chosen or (combines and len(together) < 2):
                continue
            self._chosen.add(asks_this)
            taken.append(Candidate(self._kind, tuple(together), persona, self._language))
        return taken

    async def _partners(self, ask: Ask, anchor: Passage) -> list[Passage]:
        """Return the passages to combine an anchor with, the most similar first."""
        if self._kind == "single":
            return []
        own = self._kind != "documents"
        among = [
            one.id for one in self._passages.values() if (one.document == anchor.document) is own
        ]
        near = await self._index.neighbours(ask, anchor.id, most=_NEAR, among=among)
        passages = [self._passages[one.id] for one in near]
        if not own:
            best: dict[str, Passage] = {}
            for one in passages:
                best.setdefault(one.document, one)
            passages = [*best.values()]
        return passages[: _MOST_PASSAGES - 1]

    def _persona(self, anchor: Passage, turn: int) -> str | None:
        if not self._personas:
            return None
        number = int(digest([self._seed, self._kind, anchor.id])[:8], 16) + turn
        return self._personas[number % len(self._personas)]


def _in_turns(corpus: Corpus, kind: Kind, seed: int) -> Iterator[Passage]:
    """Yield all passages, one of each document in each round."""
    documents = _shuffled(corpus.documents, lambda one: one.name, seed, kind)
    waiting = [_shuffled(one.passages, lambda each: each.id, seed, kind) for one in documents]
    for of_a_round in zip_longest(*waiting):
        yield from (passage for passage in of_a_round if passage is not None)


def _shuffled(
    things: Iterable[Thing], name_of: Callable[[Thing], str], seed: int, kind: Kind
) -> list[Thing]:
    """Return them in an order in which the place of two does not depend on the others."""
    return sorted(things, key=lambda one: digest([seed, kind, name_of(one)]))
