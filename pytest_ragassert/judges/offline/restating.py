"""Claims in the very words of a passage: said there as they are, or with another fact in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ...text.language import detected_language
from ...text.markup import plain
from ...words.frames import frame_of, may_have_slots
from ...words.passages import Passage, Statement, Window
from .claims import claims_in
from .matching import Match

_MORE = 20  # characters by which a passage may put the statement longer


def other_fact(statement: Statement, near: Sequence[Match], passages: Sequence[Passage]) -> str:
    """What a sentence says in the statement's words but for a number, a unit or the like.

    "" where none does, or where another says all of it.
    """
    difference = ""
    if any(_stands_in(statement.text, match.sentence.text) for match in near):
        return difference
    # where a passage is in several languages, its own is not the claim's
    code = detected_language(statement.text) or statement.code
    if not (statement.words.numbers or may_have_slots(statement.text, code)):
        return difference
    own = frame_of(plain(statement.text), code)
    if not own.slots:
        return difference
    for text in _alike(statement, near, passages):
        for slots in own.fillings(frame_of(plain(text), code)):
            if own.agrees(slots):
                return ""
            difference = difference or f"the passage has {own.differing(slots)}"
    return difference


_GOES_ON = re.compile(r"\w|[.,:/]\d|\s?[%°€$£¥₽₹‰²³]|\s[ap]\.?m")


def _stands_in(text: str, other: str) -> bool:
    """Whether the other has the text as it is: told without reading, and not for sure."""
    start = other.find(text)
    if start < 0 or _GOES_ON.match(other, start + len(text)):
        return False
    return start == 0 or other[start - 1].isspace()


def _alike(
    statement: Statement, near: Sequence[Match], passages: Sequence[Passage]
) -> Iterator[str]:
    """The sentences that may have the statement's words: those near it; any where it has none.

    One that is shorter than the statement goes on: it may have been cut at an abbreviation.
    """
    if statement.content:
        found = [(passages[match.place].text, match.sentence) for match in near]
    else:
        found = [(passage.text, sentence) for passage in passages for sentence in passage.sentences]
    for text, sentence in found:
        end = max(sentence.end, sentence.start + len(statement.text) + _MORE)
        yield text[sentence.start : max(sentence.end, text.rfind(" ", sentence.start, end))]


def said_as_it_is(claim: str, passages: Sequence[Passage]) -> Window | None:
    """Where a passage makes the claim in the same words; None where none does."""
    text = _spaced(claim)
    longest = max(text.split(" "), key=len)
    for place, passage in enumerate(passages):
        if not longest or longest not in passage.text or text not in _spaced(passage.text):
            continue
        if text in _claims(passage.text):
            for sentence in passage.sentences:
                if text in _spaced(sentence.text):
                    return Window(place, sentence.start, sentence.end)
            return Window(place, 0, len(passage.text))
    return None


@lru_cache(maxsize=256)
def _claims(text: str) -> frozenset[str]:
    return frozenset(map(_spaced, claims_in(text)))


@lru_cache(maxsize=1024)
def _spaced(text: str) -> str:
    return " ".join(plain(text).split())
