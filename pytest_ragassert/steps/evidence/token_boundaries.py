"""Finds where the tokens of a text as it is printed begin and end, and how much they weigh."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice

from ...language import folding
from ...language.folding import DASHES, IGNORED, JOINERS, Span, attaches

# Evidence is weighed in units: two for a word or number, one for a character of a script without
# spaces. So three words and six Han characters weigh the same, and mixtures come out in between.
_WORD_UNITS = 2

_UNSEEN = IGNORED + JOINERS
TRIMMED = folding.WHITE_SPACE + _UNSEEN
_DASH = re.escape(DASHES)

_WORD, _DIGIT, _NUMERAL, _DENSE = "w", "d", "n", "s"
_HAN_NUMERALS = frozenset("\u3007零一二三四五六七八九十百千万萬亿億兆两")
_SCRIPT_SIGNS = frozenset("\u207a\u207b\u208a\u208b")  # the sign of a super- or subscript number
# Characters of scripts without spaces, for a class of a regular expression.
DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3041-\u30fa\u30fc-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_DENSE_SCRIPT = re.compile(f"[{DENSE}]")
_BULLET_NUMBER = re.compile("[\u2460-\u24ff\u2776-\u2793]")
# Categories of letters that no reader separates from their neighbours.
_TRAILING = frozenset("\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3\uff9e\uff9f" + JOINERS)
_LEADING = frozenset(
    "\u0e40\u0e41\u0e42\u0e43\u0e44\u0ec0\u0ec1\u0ec2\u0ec3\u0ec4\u1039\u17d2" + JOINERS
)


def _kind(char: str) -> str:
    """Return word, digit, Han numeral, other character of a script without spaces, or '' for the
    rest.

    Korean has spaces between words and appends negation to them, so its words are kept whole.
    """
    if char.isascii():
        return _WORD if char.isalpha() else _DIGIT if char.isdigit() else ""
    if char in _HAN_NUMERALS:
        return _NUMERAL
    if not char.isalnum():
        return _DIGIT if char in _SCRIPT_SIGNS else ""
    if unicodedata.category(char)[0] == "N":
        return "" if _BULLET_NUMBER.match(char) else _DIGIT
    return _DENSE if _DENSE_SCRIPT.match(char) else _WORD


_REACH = 64
_IGNORED_RUN = re.compile(f"[{IGNORED}]+")
_BREAK = rf"([{_DASH}{folding.SOFT_HYPHEN}])[\s{IGNORED}]*[{folding.LINE_BREAKS}][\s{IGNORED}]*"
_BREAK_BEFORE = re.compile(_BREAK + r"\Z")
_BREAK_AFTER = re.compile(_BREAK)
_GAP_WITH_BREAK = re.compile(rf"[\s{IGNORED}]*[{folding.LINE_BREAKS}][\s{IGNORED}]*")
_GROUP_BEFORE = re.compile(r"(?<!\d)\d{1,3}\s?\Z")
_GROUP_AFTER = re.compile(r"\s?\d{3}(?!\d)")
# The article before an apostrophe, as in "l'usine", is a separate word; "n'" is a negation.
_ARTICLE = re.compile(rf"(?<!\w)(?:[cdjlmst]|qu)[{folding.SINGLE_QUOTES}]\Z", re.IGNORECASE)

_LETTER_JOINTS = frozenset(folding.HYPHENS + "_")
_APOSTROPHES = frozenset(folding.SINGLE_QUOTES)
_DIGIT_JOINTS = frozenset(".,:/^\u00b7\u00d7\u066b\u066c\uff0e\uff0c\uff1a\uff0f" + DASHES)
_UNCLEAR = frozenset(TRIMMED + DASHES)
_SIGNS = frozenset("+\u00b1" + DASHES) - frozenset(folding.LONG_DASHES)
_POINTS = frozenset(".\u066b\uff0e")


def _at_boundary(text: str, at: int) -> bool:
    """Whether a quote may start or end at this offset of the passage as it is printed."""
    if not 0 < at < len(text):
        return True
    left, right = text[at - 1], text[at]
    # The usual places, decided without examining the surroundings.
    if left in " \n" and right.isalpha() and right < "\u0e00":
        if text[at - 2 : at - 1] not in _UNCLEAR:
            return True
    elif right in " .,;:!?\n" and (left.isalpha() or (left in ".,;:!?" and right in " \n")):
        return True
    return _parted(*_surroundings(text, at))


def _surroundings(text: str, at: int) -> tuple[str, str]:
    """Return the text before and after, without invisible characters and line breaks of
    hyphenation.
    """
    before, after = text[max(at - _REACH, 0) : at], text[at : at + _REACH]
    if before[-1] in DASHES or before[-1] == folding.SOFT_HYPHEN:
        after = _GAP_WITH_BREAK.sub("", after, count=1) if _GAP_WITH_BREAK.match(after) else after
    before = _BREAK_BEFORE.sub(r"\1", before)
    if _BREAK_AFTER.match(after):
        after = _BREAK_AFTER.sub(r"\1", after, count=1)
    return _IGNORED_RUN.sub("", before), _IGNORED_RUN.sub("", after)


def _base_kind(text: str) -> str:
    """Return the kind of the last character, or of the one that carries the marks at the end."""
    for char in reversed(text):
        if not attaches(char):
            return _kind(char)
    return ""


def _parted(before: str, after: str) -> bool:
    if not before or not after:
        return True
    left, right = before[-1], after[0]
    if attaches(right) or right in _TRAILING or left in _LEADING or "🏻" <= right <= "🏿":
        return False
    one, two = _base_kind(before), _kind(right)
    if one and two:
        return not _one_token(one, two)
    if one:
        # "5 mg/kg" is not 5 mg; "and/or" may be divided before its second half.
        next_kind = _kind(after[1:2])
        joined = _joins(right, one, next_kind) or (right == "/" and next_kind)
        return not (joined or _grouped(before, after))
    if two and left in _APOSTROPHES and _ARTICLE.search(before):
        return True
    if two and _joins(left, _base_kind(before[:-1]), two):
        return False
    return not (_signed(before, after) or _grouped(before, after))


def _one_token(one: str, two: str) -> bool:
    if _DENSE in (one, two):
        return False
    return _NUMERAL not in (one, two) or _WORD not in (one, two)


def _joins(char: str, one: str, two: str) -> bool:
    """Whether the character joins its two neighbours into one token."""
    if one == two == _DIGIT and char in _DIGIT_JOINTS:
        return True
    return {one, two} <= {_WORD, _DIGIT} and (char in _LETTER_JOINTS or char in _APOSTROPHES)


def _grouped(before: str, after: str) -> bool:
    """Whether a number written with spaces, such as "10 000", continues here."""
    if not (before[-1].isspace() ^ after[0].isspace()):
        return False
    return bool(_GROUP_BEFORE.search(before) and _GROUP_AFTER.match(after))


def _signed(before: str, after: str) -> bool:
    """Whether the text before ends with the sign or the decimal point of the number that
    follows.
    """
    number = after[1:] if after[0] in _POINTS else after
    if _kind(number[:1]) != _DIGIT:
        return False
    left, outer = before[-1], before[-2:-1]
    if left in _SIGNS:
        return _base_kind(before[:-1]) not in (_WORD, _DIGIT)
    opens = not outer or outer.isspace() or unicodedata.category(outer) in ("Ps", "Sc")
    return left in _POINTS and (opens or outer in _SIGNS)


def between_tokens(text: str, start: int, end: int) -> Span | None:
    """Return the stretch, or None if it begins or ends within a token."""
    return (start, end) if _at_boundary(text, start) and _at_boundary(text, end) else None


_ASCII_TOKEN = re.compile(r"[A-Za-z0-9]+(?:[-'`_.,:/][A-Za-z0-9]+)*")
_TOKEN_JOINTS = _LETTER_JOINTS | _APOSTROPHES | _DIGIT_JOINTS


def weight(text: str, enough: int) -> int:
    """Return the weight of a text in units; counting stops once it is enough."""
    if text.isascii():
        tokens = islice(_ASCII_TOKEN.finditer(text), enough)
        return _WORD_UNITS * sum(1 for _ in tokens)
    total, inside, joint = 0, False, False
    for char in text:
        kind = _kind(char)
        if kind in (_WORD, _DIGIT):
            total += 0 if inside else _WORD_UNITS
            inside, joint = True, False
        elif kind:
            total += 1
            inside = False
        elif char not in _UNSEEN and not attaches(char):
            inside = joint = inside and not joint and char in _TOKEN_JOINTS
        if total >= enough:
            break
    return total


def core(text: str) -> str:
    """Return the text without its outer punctuation; all of it if it is nothing else."""
    start, end = 0, len(text)
    while start < end and not _kind(text[start]):
        start += 1
    while end > start and not (_kind(text[end - 1]) or attaches(text[end - 1])):
        end -= 1
    return text[start:end] or text.strip()
