"""Recognizes what a question asks for, and answers that are only yes or no."""

from __future__ import annotations

import re

from ....language.detection import language_of
from ....language.phrases.patterns import compiled
from ....language.phrases.table import phrases_of
from ....language.sentences import sentence_texts
from ....language.words.reader import read_words

# What asks for a number or a date, in the languages that the judge reads.
_ASKS_NUMBER = compiled(
    r"\b(?:when|how (?:much|many|often|long|old|far|high|tall|deep|wide|heavy|fast|big|large|early"
    r"|late|frequently)|(?:what|which) (?:time|year|date|day|month|age|price|percentage|number)"
    r"|wann|wie ?viele?|wie (?:oft|lange?|alt|weit|hoch|tief|breit|groß|schwer|schnell|früh|spät"
    r"|häufig|teuer)|welche[mnrs]? (?:jahr|tag|datum|monat|alter|preis|uhrzeit)"
    r"|когда|сколько|как (?:часто|долго|далеко|давно|рано|поздно)"
    r"|как(?:ой|ого|ом|ая|ую) (?:год\w*|числ\w*|дат\w*|месяц\w*|день|дня|час\w*|цен\w*))\b"
    r"|什么时候|什么时间|何时|几(?:点|月|号|个|年|岁|天|时|次|名|层)|多少|多久|多长|多大|多远|多高|多深"
    r"|哪一?[年月天日]"
)
_QUESTION_MARK = re.compile("[?？]")
_YES = compiled(r"\W*(?:(?:yes|yeah|yep|ja|да)\b|[是对](?:的|\W|$)|没错)")
_NO = compiled(r"\W*(?:(?:no|nope|nein|nee|нет|неа)\b|不|没|否)")
# A word or two, whose language can't be determined reliably.
_ALONE = compiled(r"\W*(?:yes|no|ja|nein|да|нет|是的?|不是的?|对的?|不对|不)\W*$")


def asks_number(question: str) -> bool:
    """Whether it asks when, how much, how often and so on."""
    return _ASKS_NUMBER.search(question) is not None


def topic_of(question: str) -> str:
    """Return the question without the words that ask for a number."""
    return _ASKS_NUMBER.sub(" ", question)


def as_statement(text: str) -> str:
    """Return the text with its questions as statements, so that no words are read differently."""
    return _QUESTION_MARK.sub(".", text)


def is_yes_or_no(answer: str) -> bool:
    """Whether the answer only says yes or no."""
    if _ALONE.match(answer):
        return True
    return phrases_of(language_of(answer)).yes_no.match(answer) is not None


def says_no(text: str) -> bool:
    """Whether a text answers with no: in its first word, or by a negation in its first sentence."""
    if _YES.match(text):
        return False
    if _NO.match(text):
        return True
    first = next(iter(sentence_texts(text)), "")
    return bool(read_words(first, language_of(text)).negated)
