"""Recognizes answers that only say that they do not know: strictly, and by likely phrases."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from ..detection import detected_language
from ..sentences import sentence_texts
from .patterns import Phrases, compiled
from .table import (
    CODES,
    MARK,
    bare,
    is_nothing,
    is_whole_dont_know,
    phrases_of,
    says_nothing,
    unwrapped,
    without_leads,
)

_SURE = 200  # characters from which the language of a text is certain
# Part of most ways of saying that one does not know: a negation, or a word for what is unknown.
_NOT_KNOWING = compiled(
    r"\b(?:not|no|none|cannot|never|unable|unsure|unknown|insufficient|unanswerable|i?dk|dunno|beats|guess"
    r"|impos+ible|трудно|сложно|n/a|nicht|kein\w*|nichts"
    r"|unbekannt|überfragt|не|нет|ничего|неизвестно|недостаточно|отсутству\w+|затрудняюсь|без"
    r"|ne|pas|aucun\w*|inconnu\w*|ignore|rien|non|sé|sin|descono\w*|ignoro|ni|haven't)\b|n't\b"
    r"|不|没|沒|无|無|未|ません|ない|なし|لا|ليس|لست|غير|لم|لن|ما عندي"
)


def looks_unknowing(text: str) -> bool:
    """Whether each sentence of an answer, in any language known here, seems to say nothing.

    A sentence that only thanks or greets does not count.
    """
    text = unwrapped(text)
    parts = sentence_texts(text)
    if not parts or not (_NOT_KNOWING.search(text) or any(map(is_whole_dont_know, parts))):
        return False
    return any(all(says_nothing(part, code) for part in parts) for code in _likely(text))


def says_only_dont_know(answer: str, question: str = "") -> bool:
    """Whether an answer, in any language known here, certainly says only that it does not know.

    All its words have to be the question's, or to be about sources and not knowing. Doubtful
    answers do not count: callers have other means, and a wrong verdict would cost more.
    """
    if not looks_unknowing(answer) or _reports(answer, question):
        return False
    parts = sentence_texts(unwrapped(answer))
    return any(
        all(_adds_nothing(part, question, code) for part in parts) for code in _likely(answer)
    )


def _likely(text: str) -> tuple[str, ...]:
    """Return the possible languages of a text; short texts are easily attributed to a wrong one."""
    own = detected_language(text)
    return (own,) if own in CODES and len(text) > _SURE else CODES


def _adds_nothing(sentence: str, question: str, code: str) -> bool:
    """Whether a sentence says only what the question says too."""
    phrases = phrases_of(code)
    if _affirms_or_denies(unwrapped(sentence), phrases) or not says_nothing(sentence, code):
        return False
    text = bare(sentence, code)
    if not text or is_whole_dont_know(text):
        return True
    if phrases.doubtful.search(text) or _Words(text, question, phrases).new():
        return False
    return all(
        not piece
        or is_nothing(piece, code)
        or phrases.goes_on.match(piece)
        or _Words(piece, "", phrases).new() is False
        for piece in (without_leads(piece, code) for piece in MARK.split(text))
    )


def _reports(answer: str, question: str) -> bool:
    """Whether both have a word of reporting, so that the answer may simply mean no."""
    for code in CODES:
        exact, prefixes, dense = _read(phrases_of(code).reporting)
        if dense and any(sign in question for sign in dense.findall(answer)):
            return True
        said, asked = (
            {word for word in _words(text) if word in exact or word.startswith(prefixes)}
            for text in (answer, question)
        )
        if any(_has(asked, word) for word in said):
            return True
    return False


def _affirms_or_denies(text: str, phrases: Phrases) -> bool:
    """Whether it begins with yes or no, which is a full answer to many questions."""
    lead = phrases.leads.match(text)
    return bool(phrases.yes_no.match((lead[0] if lead else text).strip(" \t,.!…،，。！、—–-")))


# Words

_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile("['’ʼ´]")
_DENSE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_STEM = 3  # minimum letters that two forms of a word share
_ENDING = 2  # letters by which they may differ


class _Words:
    """The words of a text that is only its question, or of the question itself."""

    def __init__(self, text: str, question: str, phrases: Phrases) -> None:
        self._text, self._question = text, question
        self._empty, self._prefixes, self._dense = _read(phrases.empty)

    def new(self) -> bool:
        """Whether any word is neither empty nor the question's."""
        text = self._text
        if _DENSE.search(text):
            if self._dense:
                text = self._dense.sub(" ", text)
            known = set(self._question)
            text = "".join(" " if char in known and _DENSE.match(char) else char for char in text)
        asked = _words(self._question)
        return not all(self._is_empty(word) or _has(asked, word) for word in _words(text))

    def _is_empty(self, word: str) -> bool:
        return word in self._empty or word.startswith(self._prefixes)


def _has(words: set[str], word: str) -> bool:
    """Whether a form of the word is among them; a number has no other forms."""
    if word in words:
        return True
    if any(map(str.isdigit, word)):
        return False
    return any(_alike(word, other) for other in words)


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) <= _STEM:
        return len(short) == _STEM and long.startswith(short) and len(long) - _STEM <= _ENDING
    return short[: max(_STEM, len(short) - _ENDING)] == long[: max(_STEM, len(short) - _ENDING)]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(_folded(text)))


def _folded(text: str) -> str:
    plain = _APOSTROPHE.sub("", text).casefold()
    if _DENSE.search(plain):
        return plain  # the sound marks of kana belong to the character
    plain = unicodedata.normalize("NFKD", plain)
    return "".join(char for char in plain if not unicodedata.combining(char))


@lru_cache(maxsize=32)
def _read(
    words: frozenset[str],
) -> tuple[frozenset[str], tuple[str, ...], re.Pattern[str] | None]:
    """Return whole words, beginnings of words, and a pattern of those in scripts without spaces."""
    dense = sorted(filter(_DENSE.search, words), key=len, reverse=True)
    spaced = [word for word in words if not _DENSE.search(word)]
    return (
        frozenset(_folded(word) for word in spaced if not word.endswith("*")),
        tuple(_folded(word[:-1]) for word in spaced if word.endswith("*")),
        re.compile("|".join(map(re.escape, dense))) if dense else None,
    )
