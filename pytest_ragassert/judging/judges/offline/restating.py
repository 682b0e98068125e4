"""Finds claims in the very words of a passage: repeated as they are, or with one fact changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ....language.detection import detected_language
from ....language.markup import plain
from ....language.sentences import sentence_texts
from ....language.words.claim_match import ReadPassage, Statement, Window
from ....language.words.days import DAYS, days_in
from ....language.words.frames import frame_of, may_have_slots
from ....language.words.languages import KNOWN
from ....language.words.reader import words_in_order
from .claim_extraction import claims_in
from .sentence_match import Match

DENSE = re.compile("[\u0e00-\u0eff\u2e80-\ua4cf\uac00-\ud7ff]")  # scripts without spaces
_MOST_WITH_NUMBER = 50  # maximum sentences of a passage
_MORE = 20  # characters by which the passage's version of the statement may be longer


def other_fact(statement: Statement, near: Sequence[Match], passages: Sequence[ReadPassage]) -> str:
    """Return what differs in a sentence that otherwise has the statement's words: a number or a
    unit.

    Returns "" if there is no such sentence, or if another one says all of the statement.
    """
    difference = ""
    if any(_stands_in(statement.text, match.sentence.text) for match in near):
        return difference
    # if a passage is in several languages, its main one need not be the claim's
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


def other_day(statement: Statement, near: Sequence[Match]) -> str:
    """Return the days of the week that sentences near a statement have instead of one of its own.

    Returns "" if they have the statement's days, or none.
    """
    own = days_in(statement.text, statement.code, surely=True)
    if not own:
        return ""
    theirs = frozenset[str]().union(
        *(days_in(match.sentence.text, statement.code) for match in near)
    )
    if not theirs or own <= theirs:
        return ""
    named = [", ".join(filter(days.__contains__, DAYS)) for days in (theirs, own - theirs)]
    return f"the passage has {named[0]} for {named[1]}"


def other_word(statement: Statement, near: Sequence[Match]) -> str:
    """Return what a sentence in an unknown language says instead of one of the statement's words.

    Function words are unknown in such a language, so the share of all words means little for a
    short sentence. Returns "" if the words are forms of one another, if more differs, or if another
    sentence says all of the statement.
    """
    difference = ""
    if statement.code in KNOWN:
        return difference
    own = words_in_order(statement.text, statement.code)
    for match in near:
        theirs = words_in_order(match.sentence.text, statement.code)
        if own == theirs:
            return ""
        (one, other), kept = _apart(own, theirs)
        few = 0 < len(one) <= _FEW and 0 < len(other) <= _FEW
        if few and kept > 1 and not _one_word(one, other):
            joint = "" if all(len(word) == 1 for word in [*one, *other]) else " "
            difference = difference or f"the passage has {joint.join(other)} for {joint.join(one)}"
    return difference


_FEW = 2  # words, or characters of a script without spaces
_STEM = 3  # letters that two forms of a word share


def _apart(
    one: Sequence[str], other: Sequence[str]
) -> tuple[tuple[Sequence[str], Sequence[str]], int]:
    """Return what remains of two sequences without a common beginning and end, and its length."""
    most = min(len(one), len(other))
    first = next((n for n in range(most) if one[n] != other[n]), most)
    last = next((n for n in range(most - first) if one[-1 - n] != other[-1 - n]), most - first)
    return (one[first : len(one) - last], other[first : len(other) - last]), first + last


def _one_word(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(one) == len(other) and all(
        len(a) >= _STEM and a[:_STEM] == b[:_STEM] for a, b in zip(one, other, strict=True)
    )


_GOES_ON = re.compile(r"\w|[.,:/]\d|\s?[%°€$£¥₽₹‰²³]|\s[ap]\.?m")


def _stands_in(text: str, other: str) -> bool:
    """Whether the other text contains this one verbatim: a quick test without parsing, not a
    certain one.
    """
    start = other.find(text)
    if start < 0 or _GOES_ON.match(other, start + len(text)):
        return False
    return start == 0 or other[start - 1].isspace()


def _alike(
    statement: Statement, near: Sequence[Match], passages: Sequence[ReadPassage]
) -> Iterator[str]:
    """Return the sentences that may have the statement's words: those near it, or with its number.

    A day alone may differ: "Sunday: 9-17" and "Monday: 9-17" share no content word. Any sentence
    may match a statement without content words and numbers. A sentence that is shorter than the
    statement is extended, because it may have been cut at an abbreviation.
    """
    found = [(passages[match.place].text, match.sentence) for match in near]
    if statement.content and statement.numbers:
        known = {id(match.sentence) for match in near}
        found += [
            (passage.text, sentence)
            for passage in passages
            for place in sorted(passage.sentences_holding(statement.numbers[0]))[:_MOST_WITH_NUMBER]
            if id(sentence := passage.sentences[place]) not in known
        ]
    elif not statement.content:
        found = [(passage.text, sentence) for passage in passages for sentence in passage.sentences]
    for text, sentence in found:
        end = max(sentence.end, sentence.start + len(statement.text) + _MORE)
        yield text[sentence.start : max(sentence.end, text.rfind(" ", sentence.start, end))]


def said_as_it_is(claim: str, passages: Sequence[ReadPassage]) -> Window | None:
    """Return where a passage makes the claim in the same words, or None."""
    text = spaced(claim)
    longest = max(text.split(" "), key=len)
    for place, passage in enumerate(passages):
        if not longest or longest not in passage.text or text not in spaced(passage.text):
            continue
        if text in _claims(passage.text):
            for sentence in passage.sentences:
                if text in spaced(sentence.text):
                    return Window(place, sentence.start, sentence.end)
            return Window(place, 0, len(passage.text))
    return None


def repeated(claim: str, passages: Sequence[ReadPassage]) -> bool:
    """Whether each sentence of the claim is in a passage word for word."""
    own = [bare for sentence in sentence_texts(claim) if (bare := _bare(sentence).strip())]
    return bool(own) and all(
        any((text if DENSE.search(text) else f" {text} ") in _bare(p.text) for p in passages)
        for text in own
    )


@lru_cache(maxsize=1024)
def _bare(text: str) -> str:
    """Return the text's words in lower case, with a space around each."""
    return f" {_BETWEEN.sub(' ', text.lower())} "


_BETWEEN = re.compile(r"\W+")


@lru_cache(maxsize=256)
def _claims(text: str) -> frozenset[str]:
    return frozenset(map(spaced, claims_in(text)))


@lru_cache(maxsize=1024)
def spaced(text: str) -> str:
    """Return the text without markup, with one space between words."""
    return " ".join(plain(text).split())
