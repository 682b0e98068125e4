"""Reduces a text to its frame: its words, with a slot for each fact that may vary.

"Tea costs 3 €" and "Tea costs 4 €" have the same frame, "tea costs #", and differ in what fills it.
Such facts are numbers with their units, times, versions, months, words with digits in them ("H2O")
and words of a series ("Monday", "second").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .language import Language
from .languages import language_table
from .numbers import Number, agree, number_at
from .rates import rate_after
from .reader import prepared
from .tokenizer import MARKS, Tokens

_SLOT = "#"
_MOST_PLACES = 50  # limited so that reading is linear
_COMPARING = (
    r"[<>≤≥=≠≈±+*×÷⁺⁻]|(?<=\s)-(?=\s)"
    r"|[\u231a-\u23ff\u2600-\u27bf\u2b50-\u2b55\U0001f000-\U0001faff]"
)
_BETWEEN = re.compile(_COMPARING)
_SIGNS = re.compile(rf"[€$£¥₽₹₩₺₴₪฿₫₿¢%‰°℃℉]|{_COMPARING}")
# Function words that change with the sound of the next one, or mean the same.
_ONE_WORD = {"an": "a", "со": "с", "во": "в", "ко": "к", "об": "о", "обо": "о", "到": "至"}
Slot = Number | str


@dataclass(frozen=True, slots=True)
class Frame:
    """The words of a text, each between spaces, and what fills its slots, in order."""

    text: str
    slots: tuple[Slot, ...]

    def fillings(self, other: Frame) -> Iterator[tuple[Slot, ...]]:
        """Return what the slots contain where the other frame has this one, for a limited number of
        places.
        """
        first = counted = 0
        start = other.text.find(self.text)
        for _ in range(_MOST_PLACES):
            if start < 0:
                break
            first, counted = first + other.text.count(_SLOT, counted, start), start
            yield other.slots[first : first + len(self.slots)]
            start = other.text.find(self.text, start + 1)

    def agrees(self, slots: tuple[Slot, ...]) -> bool:
        """Whether the slots contain the same."""
        return all(map(_same, self.slots, slots))

    def differing(self, slots: tuple[Slot, ...]) -> str:
        """Return what the slots contain instead of this frame's own contents, for people."""
        one, other = next(pair for pair in zip(self.slots, slots, strict=True) if not _same(*pair))
        return f"{_shown(other)} for {_shown(one)}"


_UNWRITTEN = str.maketrans("", "", "'" + MARKS)  # not letters, but parts of words
_FACT = re.compile(
    rf"[\d\u00b2\u00b3\u00b9\u2070-\u209f\u2150-\u217f]|{_SIGNS.pattern}|(?<=\W)[A-ZА-Я](?!\w)"
)


def may_have_slots(text: str, code: str) -> bool:
    """False if a text without numbers certainly has no slot; this does not split it into tokens."""
    if _FACT.search(text):
        return True
    words = _WORD.findall(text.lower())
    language = language_table(code)
    if language.fixed:
        return True  # its words have no spaces between them
    return any(word in language.series or language.unit(word) for word in words)


_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=4096)
def frame_of(text: str, code: str) -> Frame:
    """Return the frame of one sentence or a few, read in a language given by its ISO 639-1 code."""
    language = language_table(code)
    words: list[str] = []
    slots: list[Slot] = []
    dated = 0  # where the numbers begin that nothing separates
    for item in _items(Tokens(prepared(text, code), language), language):
        if isinstance(item, Number) or item.startswith(_SLOT):
            words.append(_SLOT)
            slots.append(item)
            if len(slots) - dated <= len(_CALENDAR):
                slots[dated:] = _in_order(slots[dated:])
        else:
            words.append(item)
            dated = len(slots)
    return Frame(f" {' '.join(words)} ", tuple(slots))


_CALENDAR = ("year", "month", "number")


def _in_order(slots: list[Slot]) -> list[Slot]:
    """Return the parts of a date in one order, however it is written; others as they are."""
    numbers = [slot for slot in slots if isinstance(slot, Number) and slot.kind in _CALENDAR]
    if len(numbers) < len(slots) or all(number.kind != "month" for number in numbers):
        return slots
    return [*sorted(numbers, key=lambda number: _CALENDAR.index(number.kind))]


def _items(tokens: Tokens, language: Language) -> Iterator[Slot]:
    index, previous = 0, ""
    if len(tokens) and (signs := _BETWEEN.findall(tokens.text[: tokens[0].start])):
        yield _SLOT + "".join(signs)
    while index < len(tokens):
        token = tokens[index]
        reading = None if token.kind == "mark" else number_at(tokens, index, previous, language)
        if reading is not None:
            yield from reading.numbers
        end = max(index + 1, reading.end if reading else 0)
        if reading is None and token.kind != "mark":
            word = token.text.lower()
            if word in language.day_halves:
                following = tokens.at(end)
                if following and following.kind in ("digits", "time", "numeral"):
                    index = end  # the time after it has it
                    continue
                word = _SLOT + word
            series = language.series.get(word) or language.unit(token.text)
            if word.startswith(_SLOT):
                yield word
            elif (
                series
                or token.kind == "numeral"
                or _is_letter(tokens, index)
                or not word.translate(_UNWRITTEN).isalpha()
            ):
                yield f"{_SLOT}{series or word}"
            else:
                yield _ONE_WORD.get(word, word)
        rate = rate_after(tokens, tokens[end - 1].end, language)
        if rate is not None and (rate.in_words or reading):
            if not (reading and reading.numbers[-1].unit.endswith(rate.per)):
                yield f"{_SLOT}{rate.per}"  # otherwise the number's unit has it
            while end < len(tokens) and tokens[end].end <= rate.end:
                end += 1
        if signs := (_BETWEEN if reading else _SIGNS).findall(tokens.gap(end - 1)):
            yield _SLOT + "".join(signs)
        previous, index = tokens.lower(end - 1), end


def _is_letter(tokens: Tokens, index: int) -> bool:
    """Whether a capital is alone, as in "vitamin C", "Karl V."; not an article and not "I"."""
    text = tokens[index].text
    if len(text) > 1 or not text.isupper() or index == 0:
        return False
    return text != "I" or tokens[index - 1].text[:1].isupper()


def _same(one: Slot, other: Slot) -> bool:
    if isinstance(one, Number) and isinstance(other, Number):
        return agree(one, other)
    return one == other


def _shown(slot: Slot) -> str:
    return slot.text if isinstance(slot, Number) else slot[1:]
