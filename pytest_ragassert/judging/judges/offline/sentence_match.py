"""Finds the sentences that matter to a statement: those that agree, lack, differ or oppose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from heapq import nsmallest

from ....language.words.claim_match import ReadPassage, Sentence, Statement
from ....language.words.languages import language_table
from ....language.words.notation import decimal_text
from ....language.words.numbers import Number, agree
from ....language.words.reader import Words

# minimum share of a statement's content words for a sentence to match it at all
RELATED_SHARE = 0.5
MATCHING_SHARE = 0.75  # the same, so that one number or negation in it can contradict the statement
PAIRS_SHARE = 0.6  # the same in a script without spaces
_MOST_LOOKED_AT = 500  # maximum sentences of a passage that share a word with the statement
LIKE_SHARE = 0.6  # share of a sentence's words that the statement has, so that both say one thing


@dataclass(frozen=True, slots=True)
class Match:
    """A sentence that matches a statement.

    Attributes:
        place: the index of the passage among those asked about.
        share: the share of the statement's content words that it has.
        kind: it "agrees"; it "lacks" a number of the statement without contradicting it; it
            "differs", so that it can't support the statement; or it "opposes" the statement, so
            that only one of them can be true.
        difference: what differs, for people.
        borrowed: some of the words are in the previous sentence, to which a pronoun refers.
    """

    place: int
    sentence: Sentence
    share: float
    kind: str = "agrees"
    difference: str = ""
    borrowed: bool = False

    def become(self, kind: str, difference: str) -> Match:
        return replace(self, kind=kind, difference=difference)


def matches(statement: Statement, passages: Sequence[ReadPassage]) -> Iterator[Match]:
    """Return the sentences that match the statement, in order."""
    needed = RELATED_SHARE * len(statement.content)
    for place, passage in enumerate(passages):
        if statement.share(passage.holdings) < RELATED_SHARE:
            continue
        found, subject = statement.found_by_sentence(passage), _subject(statement)
        for number in _likely(found, needed - len(subject)):
            own, sentence = found[number], passage.sentences[number]
            borrowed = subject & found.get(number - 1, set()) - own
            if len(own) + len(borrowed) < needed:
                continue
            # the previous sentence counts if this one has a pronoun for something in it
            if not borrowed or sentence.antecedent is None:
                borrowed = set()
            share = len(own | borrowed) / len(statement.content)
            if share >= RELATED_SHARE:
                match = Match(place, sentence, share, borrowed=bool(borrowed))
                yield _compared(statement, match, borrowed, passages)


def _likely(found: Mapping[int, set[str]], least: float) -> list[int]:
    """Return the sentences with enough words, in order; if there are very many, those with the
    most.
    """
    counts = {number: len(words) for number, words in found.items() if len(words) >= least}
    if len(counts) > _MOST_LOOKED_AT:
        return sorted(nsmallest(_MOST_LOOKED_AT, counts, key=lambda n: (-counts[n], n)))
    return sorted(counts)


def _subject(statement: Statement) -> set[str]:
    """Return the subject of the statement: its names and its first content word."""
    return {*statement.words.names, *statement.words.content[:1]}


def _compared(
    statement: Statement, match: Match, borrowed: set[str], passages: Sequence[ReadPassage]
) -> Match:
    words = match.sentence.words
    missing = [number for number in statement.numbers if not match.sentence.holds(number)]
    available = words.available | borrowed
    enough = enough_for_opposing(statement.code)
    matching = match.share >= enough and _same_subject(statement, available, words)
    # a long sentence may negate a word or date an event without affecting the statement
    like = len(statement.content & available) >= LIKE_SHARE * len({*words.content, *borrowed})
    if difference := _negation(statement, words):
        shared, text = difference
        negations = statement.words.negations, words.negations
        if like and _negate_alike(statement.words, words):
            pass  # "dogs are not allowed" and "no dogs are allowed"
        elif matching and like and shared and not missing and sum(negations) == 1:
            return match.become("opposes", text)
        else:
            return match.become("differs", text)
    if missing:
        certain = matching and (like or not _dates(missing) or _happens_once(statement, words))
        text = _other_number(statement, missing, words, passages) if certain else ""
        kind = "opposes" if text else "lacks"
        return match.become(kind, text)
    if text := _other_name(statement, words):
        return replace(match, share=1.0, kind="opposes", difference=text)
    if text := _opposite(statement, words):
        return match.become("differs", text)
    return match


def enough_for_opposing(code: str) -> float:
    """Return the share of a statement's content words that an opposing sentence must have."""
    # pairs of characters overlap, so one different word breaks two of them
    return PAIRS_SHARE if language_table(code).fixed else MATCHING_SHARE


def _same_subject(statement: Statement, available: frozenset[str], words: Words) -> bool:
    """Whether all names and the first content word are there, and more than one word is shared.

    One word is enough only if neither side has another: "it weighs" does not say what weighs.
    """
    content = statement.content
    return (
        statement.words.names <= available
        and statement.words.content[0] in available
        and (len(content & available) > 1 or content == set(words.content))
    )


def _negation(statement: Statement, words: Words) -> tuple[bool, str] | None:
    """Return in words that only one side negates, if it negates a word that both share."""
    ours, theirs = statement.words, words
    if word := _first(ours.content, (theirs.negated - theirs.plain) & (ours.plain - ours.negated)):
        return True, f"the passage negates {word!r}"
    if word := _first(ours.content, (ours.negated - ours.plain) & (theirs.plain - theirs.negated)):
        return True, f"only the claim negates {word!r}"
    if ours.negations and not theirs.negations:
        return False, "only the claim negates"
    return None


def at_odds(statement: Statement, words: Words) -> bool:
    """Whether words say the opposite of a statement's words, or only one side negates."""
    negate = bool(statement.words.negations) != bool(words.negations)
    return negate or bool(_opposite(statement, words))


def _negate_alike(ours: Words, theirs: Words) -> bool:
    """Whether each side negates something that the other side mentions."""
    return not ours.negated.isdisjoint(theirs.content) and not theirs.negated.isdisjoint(
        ours.content
    )


def _first(order: Sequence[str], among: frozenset[str]) -> str | None:
    return next((word for word in order if word in among), None)


def _other_number(
    statement: Statement, missing: Sequence[Number], words: Words, passages: Sequence[ReadPassage]
) -> str:
    """Return what the sentence has instead of the claim's number, or "" if that is uncertain."""
    if not may_be_missing(missing):
        return ""
    pairs = [(number, _counterpart(number, statement, words)) for number in missing]
    for number, other in pairs:
        if other is None or said_of_subject(number, statement, passages):
            return ""
    number, other = pairs[0]
    return f"the passage has {other.text} for {number.text}" if other else ""


def may_be_missing(numbers: Sequence[Number]) -> bool:
    """Whether a sentence may contradict a statement although it lacks these of its numbers."""
    return len(numbers) < 2 or all(map(_calendar, numbers))


def _dates(missing: Sequence[Number]) -> bool:
    return any(number.kind in ("year", "month") for number in missing)


def _happens_once(statement: Statement, words: Words) -> bool:
    once = language_table(statement.code).once_stems
    return not once.isdisjoint(statement.content & words.available)


def _calendar(number: Number) -> bool:
    return number.kind in ("year", "month") or (not number.unit and len(number.value) <= 2)


def _counterpart(number: Number, statement: Statement, words: Words) -> Number | None:
    free = [
        other
        for other in words.numbers
        if _comparable(number, other) and not any(agree(other, ours) for ours in statement.numbers)
    ]
    return free[0] if len(free) == 1 and not _rounded(number.value, free[0].value) else None


def _comparable(one: Number, other: Number) -> bool:
    """Whether both measure the same thing, so that different values contradict each other."""
    if one.kind != other.kind or one.hedged or other.hedged:
        return False
    if not _readings(one).isdisjoint(_readings(other)):
        return False
    if one.kind == "year":
        # what follows a year is not counted; in German it may be the verb
        return one.before == other.before or (one.after == other.after != "")
    if one.unit or other.unit or one.after or other.after:
        return (one.unit or one.after) == (other.unit or other.after)
    return one.kind == "month" or one.before == other.before


_GROUPED = re.compile(r"\D*(\d{1,3})[.,](\d{3})(?!\d)")
_POINT_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.\d{4}")


def _readings(number: Number) -> set[str]:
    """Return the values that the number may have for readers in different countries.

    "1.000" is one or a thousand, and "03.05.1999" is in March or in May.
    """
    if grouped := _GROUPED.match(number.text):
        whole, thousandths = grouped.groups()
        return {
            number.value,
            decimal_text(whole + thousandths),
            decimal_text(f"{whole}.{thousandths}"),
        }
    if date := _POINT_DATE.fullmatch(number.text):
        return {number.value, *map(decimal_text, date.groups())}
    return {number.value}


def _rounded(one: str, other: str) -> bool:
    """Whether one is a round thousand near the other: "2 million" and 2,004,000."""
    try:
        first, second = Decimal(one), Decimal(other)
    except ArithmeticError:
        return False
    largest = max(abs(first), abs(second))
    return largest >= 1000 and abs(first - second) <= largest / 50 and "000" in one + other


def said_of_subject(number: Number, statement: Statement, passages: Sequence[ReadPassage]) -> bool:
    """Whether some sentence has the claim's own number and may have the same subject."""
    for passage in passages:
        for place in passage.sentences_holding(number):
            content = passage.sentences[place].words.content
            if not content or content[0] in statement.content:
                return True
    return False


def _other_name(statement: Statement, words: Words) -> str:
    """Return the name that an otherwise identical sentence has instead of the claim's."""
    ours, theirs = list(statement.words.content), list(words.content)
    kept = 0
    for end in (0, -1):
        while ours and theirs and ours[end] == theirs[end]:
            ours.pop(end), theirs.pop(end)
            kept += 1
    if kept < 2 or not ours or not theirs:
        return ""
    if not statement.words.names.issuperset(ours) or not words.names.issuperset(theirs):
        return ""
    if any(a.startswith(b) or b.startswith(a) for a in ours for b in theirs):
        return ""  # an initial, a short form
    if len(ours) != len(theirs):
        return ""  # "US" and "United States" are one name
    return f"the passage has {' '.join(theirs)} for {' '.join(ours)}"


def _opposite(statement: Statement, words: Words) -> str:
    table = language_table(statement.code).opposite_stems
    for word in statement.words.content:
        if word in table and word not in words.available:
            for other in words.content:
                if other in table[word] and other not in statement.content:
                    return f"the passage has {other!r} for {word!r}"
    return ""
