"""Compares a statement with sentences in the same words, and what they leave out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from ....language.headings import headings_of
from ....language.words.claim_match import ReadPassage, Sentence, Statement, Window
from ....language.words.days import days_in
from ....language.words.languages import language_table
from ....language.words.lexicon import SPEAKER
from ....language.words.reader import words_in_order
from .sentence_match import Match, at_odds

_ENDING = 3  # number of letters by which two forms of one word may differ
_IS = frozenset(["is", "are", "was", "were", "be", "been", "remains", "stays", "isn't"])
_UMLAUTS = str.maketrans("äöü", "aou")
_REFLEXIVE = re.compile("(?:ся|сь)$")


def most_verbatim(statement: Statement, near: Iterable[Match]) -> Match | None:
    """Return the match with the most words; of equal ones, the most verbatim, then the first."""
    matches = list(near)
    most = max((match.share for match in matches), default=0.0)
    best = [match for match in matches if match.share == most]
    if len(best) < 2:
        return best[0] if best else None
    own = set(words_in_order(statement.text, statement.code))
    return max(best, key=lambda m: len(own & set(words_in_order(m.sentence.text, statement.code))))


def other_form(statement: Statement, near: Sequence[Match]) -> str:
    """Return what the sentences have for a statement's only word if that is another kind of form.

    "It closes at 8 pm" does not say "it is closed". Returns "" if a sentence has the same kind of
    form.
    """
    if len(statement.content) != 1 or statement.numbers:
        return ""
    [stem] = statement.content
    own = list(_forms(statement.text, stem, statement.code))
    if not own:
        return ""  # a name of several words, a pair of characters
    found = [form for match in near for form in _forms(match.sentence.text, stem, statement.code)]
    if not found or any(_alike(one, other, statement.code) for one in own for other in found):
        return ""
    return f"the passage has {found[0][0]} for {own[0][0]}"


def _forms(text: str, stem: str, code: str) -> Iterator[tuple[str, bool]]:
    """Return a word's forms in a text, each with whether it is used as a predicate."""
    before = ""
    for word in words_in_order(text, code):
        if language_table(code).stem(word) == stem:
            yield word, before in _IS
        before = word


def _alike(one: tuple[str, bool], other: tuple[str, bool], code: str) -> bool:
    (first, is_it), (second, _) = one, other
    if first == second:
        return True
    if code == "en":
        # a plural is a noun, which is the same word in any number
        return (not is_it or first.endswith("s")) and first.endswith("ed") == second.endswith("ed")
    first, second = (word.translate(_UMLAUTS) for word in (first, second))
    if _REFLEXIVE.search(first) and _REFLEXIVE.search(second):
        first, second = first[:-2], second[:-2]
    kept = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))))
    return max(len(first), len(second)) - kept <= _ENDING


def with_days_and_names(
    statement: Statement, windows: Sequence[Window], passages: Sequence[ReadPassage]
) -> list[Window]:
    """Return the windows together with the sentences above them that supply their names and days.

    The days of a sentence apply to what is directly below it, or below it as a heading. Returns
    nothing if there is no such sentence: "Open from 9 am. Sunday: no entry" does not say when it is
    open on Sundays.
    """
    whole = list(windows)
    days = _days(statement.text, statement, surely=True)
    if days and not any(days & _days(_text(window, passages), statement) for window in windows):
        above = [
            (window, number)
            for window in windows
            for number in _directly_above(window, passages[window.place])
            if _bears_out(statement, days, passages[window.place].sentences[number])
        ]
        if windows and not above:
            return []
        for window, number in above[:1]:
            whole = _with(whole, window, number, passages)
    lacking = set(statement.words.names - {SPEAKER})
    held = {window: statement.found_by_sentence(passages[window.place]) for window in whole}
    for window in whole:
        lacking.difference_update(*(held[window].get(n, ()) for n in _places(window, passages)))
    for window in list(whole):
        first = _places(window, passages)[0]
        holding = [n for n, words in held[window].items() if n < first and lacking & words]
        if holding:
            lacking -= held[window][max(holding)]
            whole = _with(whole, window, max(holding), passages)
    return whole


def _with(
    windows: Sequence[Window], window: Window, number: int, passages: Sequence[ReadPassage]
) -> list[Window]:
    """Return the windows with one more sentence, merged with those windows that adjoin it."""
    sentences = passages[window.place].sentences
    above, first = sentences[number], _places(window, passages)[0]
    if number == first - 1 and not above.is_apart_from(sentences[first]):
        wider = replace(window, start=above.start)
        return [wider if one == window else one for one in windows]
    return [*windows, Window(window.place, above.start, above.end)]


def _days(text: str, statement: Statement, *, surely: bool = False) -> frozenset[str]:
    return days_in(text, statement.code, surely=surely)


def _bears_out(statement: Statement, days: frozenset[str], sentence: Sentence) -> bool:
    return days <= _days(sentence.text, statement) and not at_odds(statement, sentence.words)


def _text(window: Window, passages: Sequence[ReadPassage]) -> str:
    return passages[window.place].text[window.start : window.end]


def _places(window: Window, passages: Sequence[ReadPassage]) -> list[int]:
    return [
        number
        for number, sentence in enumerate(passages[window.place].sentences)
        if sentence.start >= window.start and sentence.end <= window.end
    ]


def _directly_above(window: Window, passage: ReadPassage) -> list[int]:
    first = next(n for n, s in enumerate(passage.sentences) if s.start >= window.start)
    head = headings_of(passage.text)[first]
    return sorted({n for n in (first - 1, head) if n is not None and n >= 0})
