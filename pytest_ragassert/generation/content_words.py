"""Counts the content words of a text, as stems, without a table of the whole corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from ..language.detection import detected_language
from ..language.words.languages import language_table
from ..language.words.lexicon import lexicon
from ..language.words.reader import pairs
from ..language.words.tokenizer import Token, Tokens, tidied

# Texts in Latin letters whose language is unknown are read in each of these.
_LATIN = ("en", "de")
_SHORT = 40  # characters of a part that is remembered
_REMEMBERED = 100_000  # parts


def content_words(text: str) -> Counter[str]:
    """Return how often each content word is in a text.

    Words are stems of the text's own language, as far as it is detected. In scripts without spaces,
    pairs of neighbouring characters count as words. Numbers count by their digits, so that "1,000"
    and "1000" are the same. Function words and words of degree ("very") are left out.
    """
    code = detected_language(text)
    codes = (code,) if code else _LATIN
    words: Counter[str] = Counter()
    for part in text.split():
        words.update(_remembered(part, codes) if len(part) <= _SHORT else _words_of(part, codes))
    return words


@lru_cache(maxsize=_REMEMBERED)
def _remembered(part: str, codes: tuple[str, ...]) -> tuple[str, ...]:
    return _words_of(part, codes)


def _words_of(part: str, codes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the content words of a part between spaces, each stem once for each word."""
    tidy = tidied(part)
    tokens = Tokens(tidy, language_table(codes[0])).all
    return tuple(word for token in tokens for word in _words_in(token, codes))


def _words_in(token: Token, codes: tuple[str, ...]) -> Iterator[str]:
    if token.kind in ("dense", "numeral"):
        yield from pairs(token.text)
    elif token.kind == "word":
        written = token.text.lower()
        entries = [lexicon(code).entry(written) for code in codes]
        if any(entry.role == "fixed" for entry in entries):
            yield from pairs(token.text)
        elif all(entry.role == "content" for entry in entries):
            yield from dict.fromkeys(entry.stem for entry in entries)
        elif len(token.text) > 1 and token.text.isupper():
            yield written  # an acronym that is spelled like a function word: "IT", "WHO"
    elif token.kind != "mark":
        yield "".join(filter(str.isalnum, token.text)).lstrip("0") or "0"
        if token.tail:
            yield token.tail
