"""Recognizes numbers with points that are not decimals: versions, sections, addresses.

"Python 3.10" is not "Python 3.1", and "section 2.10" is not "section 2.1". Two points make such a
number. One point does if the mark or word of a version is beside it, or a name directly before it.
"""

from __future__ import annotations

import re

from .language import Language
from .tokenizer import Token, Tokens
from .units import unit_of_symbol

_POINTS = re.compile(r"\d+(?:\.\d+)+")
_MARKED = re.compile(r"(?:\b[vV]\.?|§)\s?\Z")
_PREVIEW = re.compile(r"(?:a|b|rc|alpha|beta|dev|post|pre)\d+")
_COMPARED = re.compile(r"(?:[=~<>!^]=|[><~^@])\s?\Z")
_LATER = re.compile(
    r"[+*](?!\d)|\.[x*]|[-\s]?(?:versions?|releases?|series|branch|or (?:later|newer|above|higher)"
    r"|and (?:later|newer|above|up)|(?:oder|und) (?:neuer|höher|später)"
    r"|(?:и|или) (?:выше|новее|старше))\b|\s?(?:版|节|節|章|条|條|款|及以上|或更高)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s?(?:,|/|-|、|\b(?:and|or|to|und|oder|bis|и|или|до)\b|[和或至到与及])\s?\Z")
_BETWEEN = frozenset((" ", "\u00a0", "\u202f", " | ", " `", " ("))
_MOST_LISTED = 8


def is_version(tokens: Tokens, index: int, language: Language) -> bool:
    """Whether a token of digits with points in it is a version, a section or the like."""
    text = tokens[index].text
    if "." not in text or not _POINTS.fullmatch(text):
        return False
    for _ in range(_MOST_LISTED):
        by_form = _by_form(tokens, index, language)
        if by_form is not None:
            return by_form
        # "Python 3.9, 3.10 and 3.11"
        token = tokens[index]
        joint = _LISTED.search(tokens.text, max(0, token.start - 6), token.start)
        before = next(
            (n for n in (index - 1, index - 2) if _ends(tokens.at(n), joint)),
            None,
        )
        if before is None or not _POINTS.fullmatch(tokens[before].text):
            return False
        index = before
    return False


def _ends(token: Token | None, joint: re.Match[str] | None) -> bool:
    return bool(token and joint and token.kind == "digits" and token.end == joint.start())


def _by_form(tokens: Tokens, index: int, language: Language) -> bool | None:
    """Return whether a number's own form and neighbours make it a version; None: they do not
    decide.
    """
    token, text = tokens[index], tokens.text
    start = text[max(0, token.start - 4) : token.start]
    if (
        _MARKED.search(start)
        or _PREVIEW.fullmatch(token.tail)
        or (token.text.count(".") > 1 and not _is_grouped(token.text))
    ):
        return True
    previous, gap = tokens.at(index - 1), tokens.gap(index - 1) if index else ""
    if previous and previous.text in (".", ":"):
        previous, gap = tokens.at(index - 2), " "  # "Sec. 2.10"
    named = previous is not None and previous.kind in ("word", "dense")
    if (
        previous
        and named
        and (previous.text.lower() in language.sections or previous.text.endswith(_DENSE_SECTIONS))
    ):
        return True
    if token.text.count(".") > 1 or _is_measured(tokens, index, language):
        return False
    if _COMPARED.search(start) or _LATER.match(text, token.end):
        return True
    if previous is None or previous.text == "\n":
        return _heads(tokens.at(index + 1))  # "2.10 Opening hours"
    if not named or gap not in _BETWEEN or not previous.text[0].isupper():
        return None
    return None if unit_of_symbol(previous.text) or language.unit(previous.text) else True


def _is_grouped(text: str) -> bool:
    """Whether the points separate thousands, as in "1.000.000"; four bytes are an address."""
    first, *groups = text.split(".")
    if len(first) > 3 or any(len(group) != 3 for group in groups):
        return False
    return len(groups) != 3 or any(int(group) > 255 for group in (first, *groups))


def _heads(following: Token | None) -> bool | None:
    return True if following and following.kind == "word" and following.text[0].isupper() else None


_DENSE_SECTIONS = ("版本", "版", "第", "章节", "图", "表", "附录")
_SIGNS = re.compile(r"\s?[%°€$£¥₽₹‰]")


def _is_measured(tokens: Tokens, index: int, language: Language) -> bool:
    following = tokens.at(index + 1)
    if tokens[index].tail or _SIGNS.match(tokens.text, tokens[index].end):
        return True
    if following is None or following.kind != "word" or tokens.gap(index).strip():
        return False
    word = following.text
    return bool(language.unit(word)) or word.lower() in language.scales
