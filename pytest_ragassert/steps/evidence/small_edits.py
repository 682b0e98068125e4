"""Small edits: allowed differences between a quote and the passage's words.

They must not include anything that decides a claim: a number, a name, a negation, one of two
opposites, or a word that replaces one that the claim has. In scripts without capitals, every word
that is more than a particle may be a name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...language.words.language import Language
from ...language.words.numbers import Number
from ...language.words.reader import read_numbers
from .quotes import negates
from .token_boundaries import DENSE

_DENSE_CHAR = re.compile(f"[{DENSE}]")
_NUMBER = re.compile(r"[\d\u00b2\u00b3\u00b9\u2070-\u2089]|[〇零一二三四五六七八九十百千万亿两]")
_THOUSANDS = re.compile(r"(?<=\d)[,'](?=\d{3}(?!\d))")
_PREFIX = re.compile(
    r"(?:un|in|im|il|ir|dis|non|mis|miss|anti|не|без|бес|недо)-?(?=\w{3})", re.IGNORECASE
)
# Words that change a statement without negating it, and numbers and dates without a digit.
_TURNING = (
    "all always any both each every few fewer half least less many more most much often only",
    "several some sometimes usually after before until since during while above below over under",
    "can could may might must shall should will would",
    "double dozen quarter score single third thrice triple twice once",
    "daily hourly monthly weekly yearly annually",
    "monday tuesday wednesday thursday friday saturday sunday",
    "january february march april june july august september october november december",
    "alle immer jede jeder jedes einige manche manchmal meist oft nur viele wenige weniger mehr",
    "vor nach bis seit kann darf muss soll wird",
    "täglich stündlich halbstündlich wöchentlich monatlich jährlich",
    "einmal zweimal dreimal halb doppelt",
    "все всегда каждый каждая каждое иногда часто только много мало более менее больше меньше",
    "после может должен должна должны можно нужно ежедневно раз дважды половина",
    "tous toujours souvent quelques moins plus avant après peut doit",
    "siempre todos algunos menos más antes después puede debe sempre mai",
)
_TURNS = frozenset(word for line in _TURNING for word in line.split())


class Edit(NamedTuple):
    """A token of the quote and the passage's token in its place; None if there is none."""

    mine: str | None
    theirs: str | None


def are_small(
    edits: Sequence[Edit], texts: tuple[str, str], claim: Iterable[str], language: Language
) -> bool:
    """Whether nothing that decides the claim differs.

    Args:
        texts: the quote and the stretch that it copies, whole.
        claim: the tokens of the claim.
    """
    mine = [edit.mine for edit in edits if edit.mine is not None]
    theirs = [edit.theirs for edit in edits if edit.theirs is not None]
    for token in (*mine, *theirs):
        if negates(token) or token.lower() in language.negators or token.lower() in _TURNS:
            return False
    about = frozenset(_key(token, language) for token in claim)
    if any(_is_about(edit, about, language) for edit in edits):
        return False
    if _numbers(mine) != _numbers(theirs):
        return False
    if not (_has_names(mine, theirs, language) and _has_names(theirs, mine, language)):
        return False
    if _oppose(mine, theirs, language):
        return False
    return _values(texts[0], language) == _values(texts[1], language)


def _is_about(edit: Edit, about: frozenset[str], language: Language) -> bool:
    """Whether one word replaces another, and the claim has one of them."""
    if edit.mine is None or edit.theirs is None:
        return False
    if language.is_small(edit.mine.lower()) and language.is_small(edit.theirs.lower()):
        return False
    mine, theirs = _key(edit.mine, language), _key(edit.theirs, language)
    return mine != theirs and not about.isdisjoint((mine, theirs))


def _numbers(tokens: Iterable[str]) -> list[str]:
    """Return numbers and the signs beside them, in order."""
    return [
        _THOUSANDS.sub("", token)
        for token in tokens
        if _NUMBER.search(token) or not token[-1].isalnum()
    ]


def _values(text: str, language: Language) -> list[tuple[str, str, str]]:
    def facts(number: Number) -> tuple[str, str, str]:
        return number.value, number.unit, number.kind

    return [facts(n) for n in read_numbers(text, language.code) if n.demanded]


def _has_names(tokens: Sequence[str], others: Sequence[str], language: Language) -> bool:
    """Whether each word that may be a name is also on the other side, perhaps inflected."""
    known = Counter(_key(token, language) for token in others)
    names = Counter(_key(t, language) for t in tokens if _may_be_name(t, language))
    return names <= known


def _is_acronym(token: str) -> bool:
    return len(token) > 1 and token.isupper()


def _may_be_name(token: str, language: Language) -> bool:
    if _is_acronym(token):
        return True
    if language.is_small(token.lower()) or _NUMBER.search(token):
        return False
    return token != token.lower() or token == token.upper() or bool(_DENSE_CHAR.match(token))


def _key(token: str, language: Language) -> str:
    return token if _is_acronym(token) else language.stem(token.lower())


def _oppose(mine: Iterable[str], theirs: Iterable[str], language: Language) -> bool:
    """Whether a word excludes one on the other side: `open`, `shut`; `usual`, `unusual`."""
    ours = [token.lower() for token in mine]
    others = [token.lower() for token in theirs]
    stems = language.stems(others)
    excluded = (language.opposite_stems.get(language.stem(word), frozenset()) for word in ours)
    if any(not stems.isdisjoint(group) for group in excluded):
        return True
    return any(
        language.stem(_PREFIX.sub("", long, count=1)) == language.stem(short)
        for long, short in ((a, b) for one in ours for two in others for a, b in _both(one, two))
        if _PREFIX.match(long)
    )


def _both(one: str, two: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (one, two), (two, one)
