"""Cuts a text into tokens: words, digits, dates, times, marks, and scripts without spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from .language import Language
from .languages import language_table

Kind = Literal["word", "digits", "fraction", "version", "date", "time", "mark", "dense", "numeral"]

# Han and kana: written without spaces.
_DENSE = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_FRACTION = "\u00bc-\u00be\u2150-\u215e"
# Scripts from Hebrew on, and Hangul: their words contain no digits, but marks for vowels.
_FURTHER = "\u0590-\u1c7f\ua840-\uab2f\uabc0-\ud7ff"
_OTHERS = "\x00-\u058f\u1c80-\ua83f\uab30-\uabbf\ud800-\U0010ffff"


def _marks(first: int, last: int) -> str:
    return "".join(c for c in map(chr, range(first, last)) if unicodedata.category(c)[0] == "M")


_ACCENTS = _marks(0x0300, 0x0590)
_VOWELS = _marks(0x0590, 0x1C80) + _marks(0xA840, 0xABF0) + "\u200c\u200d"  # joiners too
MARKS = _ACCENTS + _VOWELS
_LETTERS = rf"[^\W_{_DENSE}{_FURTHER}]*(?:[{_ACCENTS}]+[^\W_{_DENSE}{_FURTHER}]*)*"
_FURTHER_WORD = rf"[^\W\d_{_OTHERS}]+(?:[{_VOWELS}]+[^\W\d_{_OTHERS}]*)*"
_TYPOGRAPHY = str.maketrans(
    {"’": "'", "ʼ": "'", "−": "-", "‐": "-", "‑": "-", "–": "-", "ﬁ": "fi", "ﬂ": "fl"}
    | {
        "ё": "е",
        "Ё": "Е",
        "％": "%",
        "．": ".",
        "：": ":",
        "。": ".",
        "；": ";",
        "！": "!",
        "？": "?",
    }
    | {"（": "(", "）": ")", "￥": "¥"}
    | {chr(0x2460 + n): f"({n + 1})" for n in range(20)}  # ① is a number like (1)
    | dict.fromkeys("\u00ad\u200b\ufeff", "")
)
# Each alternative consumes all that it has examined, so that reading stays linear. Most are words.
_TOKEN = re.compile(
    rf"""
      (?P<version>(?<![^\W_])[vV]\.?\d+(?:\.\d+)+(?:-?[a-z]+\.?\d*)?)
    | (?P<word>(?!(?<=\d)T\d\d:)
        [^\W\d_{_DENSE}{_FURTHER}{_FRACTION}]{_LETTERS}(?:'[^\W\d_{_DENSE}]+)*
        | {_FURTHER_WORD})
    | (?P<date>\d{{4}}-\d{{2}}-\d{{2}}(?![\d-]) | \d{{1,2}}\.\d{{1,2}}\.\d{{4}}(?!\d|\.\d)
        | \d{{1,2}}/\d{{1,2}}/\d{{4}}(?![\d/])
        | \d{{4}}年\d{{1,2}}月(?:\d{{1,2}}[日号])? | \d{{1,2}}月(?:\d{{1,2}}[日号])?)
    | (?P<time>\d{{1,2}}:\d{{2}}(?!\d)(?::\d{{2}}(?!\d))?)
    | (?P<fraction>(?:\d+[ ]?)?[{_FRACTION}])
    | (?P<digits>(?:\d+ | (?<![\w.])\.\d+)(?:[.,']\d+ | [\u0020\u00a0\u202f\u2009]\d{{3}}(?!\d))*)
      (?:[eE](?P<power>\d{{1,2}})(?!\w) | (?P<tail>[^\W\d_{_DENSE}{_FURTHER}]{_LETTERS}))?
    | (?P<dense>[{_DENSE}]+)
    | (?P<mark>[.;:!?,，、\n])
    """,
    re.VERBOSE,
)
NUMERALS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
MULTIPLIERS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_KILO = frozenset({"千克", "千米", "千瓦"})
_DIGIT = "".join(NUMERALS)
# 三点五 is a decimal, 三点一刻 and 三点五分 are times of day
_POINT = f"点(?![一三]刻|[{_DIGIT}]分)[{_DIGIT}]+[百千万亿]*(?!十)"
_NUMERAL = rf"[{_DIGIT}{''.join(MULTIPLIERS)}]+(?:{_POINT})?"

# 每周三次 is three times a week
_WEEKDAY = "每?(?:周|星期|礼拜)[一二三四五六日天](?![次回个個]|[一二三四五六七八九十])"
_DATE = f"[{_DIGIT}]{{4}}年[一二三四五六七八九十]{{1,2}}月(?:[一二三四五六七八九十]{{1,3}}[日号])?"


class Token(NamedTuple):
    """A token with its half-open offsets in the tidied text.

    `tail` contains letters directly after digits ("kg" of "5KG"; `written_tail` as written),
    `power` the exponent of "1e3".
    """

    kind: Kind
    text: str
    start: int
    end: int
    tail: str = ""
    power: int = 0
    written_tail: str = ""


def tidied(text: str) -> str:
    """Return the text with uniform typography."""
    if text.isascii():
        return text
    # not NFKC: it would change 10² to 102
    return unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY)


class Tokens:
    """The tokens of a tidied text, with access to neighbours."""

    def __init__(self, text: str, language: Language) -> None:
        self.text = text
        self.all = list(_tokens(text, language))

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, index: int) -> Token:
        return self.all[index]

    def at(self, index: int) -> Token | None:
        return self.all[index] if 0 <= index < len(self.all) else None

    def lower(self, index: int) -> str:
        token = self.at(index)
        return token.text.lower() if token else ""

    def gap(self, index: int) -> str:
        """Return the text between a token and the next."""
        following = self.at(index + 1)
        return self.text[self.all[index].end : following.start if following else None]


def _tokens(text: str, language: Language) -> Iterator[Token]:
    numbered = -1  # where a number ended
    for match in _TOKEN.finditer(text):
        kind: Kind = match.lastgroup  # type: ignore[assignment]  # the names are the kinds
        start, end = match.span()
        if kind == "dense":
            yield from _lexemes(text, start, end, language, numbered == start)
        elif match["digits"]:
            tail, power = match["tail"] or "", match["power"] or "0"
            yield Token("digits", match["digits"], start, end, tail.lower(), int(power), tail)
            numbered = end
        else:
            yield Token(kind, match[0], start, end)


def _lexemes(
    text: str, start: int, end: int, language: Language, numbered: bool
) -> Iterator[Token]:
    """Cut a stretch without spaces at the words that its language's table contains."""
    if not language.fixed:
        yield Token("dense", text[start:end], start, end)
        return
    known = _pattern(language.code)
    place = start
    while place < end:
        if numbered:
            for length in range(min(4, end - place), 0, -1):
                word = text[place : place + length]
                if word in language.scales or word in language.units or word in language.counters:
                    yield Token("word", word, place, place + length)
                    place += length
                    numbered = word in language.scales
                    break
            else:
                numbered = False
            continue
        found = known.search(text, place, end)
        stop = found.start() if found else end
        if stop > place:
            yield Token("dense", text[place:stop], place, stop)
        if found:
            numbered = found.lastgroup == "numeral"
            end_of_word = found.end()
            if numbered and len(found[0]) > 1 and text[end_of_word - 1 : end_of_word + 1] in _KILO:
                end_of_word -= 1  # 十五千克 is fifteen kilograms
            kind: Kind = found.lastgroup or "word"  # type: ignore[assignment]  # the names are kinds
            yield Token(kind, text[stop:end_of_word], stop, end_of_word)
        place = end_of_word if found else end


@lru_cache(maxsize=4)
def _pattern(code: str) -> re.Pattern[str]:
    """Return a pattern of every known word, longer ones first; numerals before words of one
    character.
    """
    language = language_table(code)
    words = {*language.stop_words, *language.light, *language.negators, *language.fixed}
    words |= {half for half in language.day_halves if len(half) > 1}
    words |= {*language.times, *language.not_negating, *language.hedges, *language.first_person}
    ordered = sorted(map(re.escape, words), key=len, reverse=True)
    longer, single = (
        "|".join(w for w in ordered if (len(w) > 1) is many) for many in (True, False)
    )
    firsts = "".join(sorted({word[0] for word in words} | {*NUMERALS, *MULTIPLIERS, *"每周星礼"}))
    # most characters begin no known word: one look-up instead of hundreds shows this
    known = f"(?P<date>{_DATE})|(?:{_WEEKDAY}|{longer})|(?P<numeral>{_NUMERAL})|(?:{single})"
    return re.compile(f"(?=[{firsts}])(?:{known})")
