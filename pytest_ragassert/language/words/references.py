"""Finds whether a text refers to something that it does not name: "It opened in 1889"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from ..detection import detected_language
from .language import NEVER, word_set
from .languages import language_table
from .lexicon import bare, lexicon
from .reader import prepared
from .tokenizer import Token, Tokens


@dataclass(frozen=True)
class _References:
    """The words of a language that may refer to something.

    Attributes:
        open: what they refer to is named elsewhere: "it", "there".
        bound: the same, unless it is before them in the text: "its".
        begun: a reference at the start of a text: "that" of "That costs more".
        none: words that contain such a word or look like it, but are not references: "es gibt".
    """

    open: frozenset[str]
    bound: frozenset[str]
    begun: re.Pattern[str] = NEVER
    none: re.Pattern[str] = NEVER


_TABLES = {
    "en": _References(
        open=word_set("""it he him she they them theirs hers this these those there here then
            thereof therein thereby thereafter latter aforementioned"""),
        bound=word_set("its his her their"),
        begun=re.compile(r"\W*(?:that|such|both|the same|the other|another one)\b", re.IGNORECASE),
    ),
    "de": _References(
        open=word_set("""er es sie ihm ihn ihnen dies diese diesem diesen dieser dieses jene jenem
            jenen jener jenes derselbe dieselbe dasselbe denselben demselben dieselben letztere
            letzteren letzterer letzteres erstere ersteren ersterer ersteres dort dorthin dorther
            hier hierfür hierzu hierbei damals"""),
        bound=word_set("""ihr ihre ihrem ihren ihrer ihres sein seine seinem seinen seiner seines
            dessen deren daran darauf daraus darin dafür dagegen damit danach daneben darunter
            darüber davor davon dazu dabei dadurch dahin daher"""),
        # "Das kostet mehr", but not "Das Museum kostet mehr"
        begun=re.compile(
            r"\W*(?i:das|der|die|beide|solche)\s(?:[a-zäöüß]+t|war|waren|sind|wird|werden|wurde"
            r"|wurden|hatte|hatten|haben|kann|können|muss|müssen|soll|sollen|darf|dürfen)\b"
        ),
        none=re.compile(
            r"\b(?:es (?:gibt|gab|gäbe)|(?:gibt|gab|gäbe) es|es handelt sich|handelt es sich)\b",
            re.IGNORECASE,
        ),
    ),
    "ru": _References(
        open=word_set("""он она оно они ему ей им ими нем ней них нему него нее нею ним этот эта
            это эти этого этой этому этим этими этом эту этих тот та те той ту тех теми там тут
            здесь туда оттуда сюда отсюда тогда"""),
        bound=word_set("его ее их"),
        # "Башня — это символ"
        none=re.compile(r"[-–—]\s*это\b", re.IGNORECASE),
    ),
    "zh": _References(
        open=word_set("它 他 她 该 此 这 那"),
        bound=word_set("其"),
        none=re.compile(
            "应该|活该|该隐|因此|此外|如此|彼此|从此|由此|其他|其它|其中|其实|其余|其次|尤其|极其|与其|何其"
            "|土耳其|吉他|他人|维他命|他乡|排他|那么|那不勒斯|那曲|刹那"
        ),
    ),
}
_LATIN = ("en", "de")


def knows_references(code: str) -> bool:
    """Whether references can be found in a language."""
    return code in _TABLES


@lru_cache(maxsize=4096)
def open_reference(text: str, code: str) -> str | None:
    """Return the first word that refers to something which the text does not name, or None.

    Finding too many is better than missing one: "there" in "There are two towers" counts too. In
    languages for which `knows_references` is False, none is found.

    Args:
        code: the language in which to read a text whose own language is unknown.
    """
    own = detected_language(text)
    if own is not None:
        return _in_language(text, own)
    found = (_in_language(text, one, sure=one == code) for one in dict.fromkeys((code, *_LATIN)))
    return next(filter(None, found), None)


def _in_language(text: str, code: str, *, sure: bool = True) -> str | None:
    """Return the reference in one language.

    Args:
        sure: it is the text's language; otherwise its words are not looked up, because reading its
            table takes a while.
    """
    table = _TABLES.get(code)
    if table is None:
        return None
    ready = prepared(text, code)
    if begun := table.begun.match(ready):
        return begun[0].strip()
    ready = table.none.sub(" - ", ready)
    if code == "zh":
        return _in_signs(ready, table)
    capitals = code == "de"
    tokens = Tokens(ready, language_table("en")).all
    return _in_words(tokens, table, _names(code) if sure else len, capital_nouns=capitals)


def _names(code: str) -> Callable[[str], bool]:
    """Whether a word in lower case is a name for something to which a later one may refer."""
    entry = lexicon(code).entry

    def names(word: str) -> bool:
        role, _, counts = entry(word)
        return role == "content" and not counts

    return names


def _in_signs(text: str, table: _References) -> str | None:
    """Return the reference in a script without spaces, where each is a single character."""
    if found := next((sign for sign in text if sign in table.open), None):
        return found
    bound = next((at for at, sign in enumerate(text) if sign in table.bound), None)
    if bound is None or any(map(str.isalnum, text[:bound])):
        return None
    return text[bound]


def _in_words(
    tokens: list[Token],
    table: _References,
    names: Callable[[str], object],
    *,
    capital_nouns: bool,
) -> str | None:
    shouts = all(token.text.isupper() for token in tokens if token.kind == "word")
    named = False
    begins = True
    for token in tokens:
        if token.kind != "word":
            begins = token.kind == "mark"
            continue
        written, word = token.text, token.text.lower()
        # "IT", or the "Sie" of polite German
        other = (len(written) > 1 and written.isupper()) or (
            capital_nouns and not begins and written[0].isupper()
        )
        refers = bare(word) in table.open or (not named and bare(word) in table.bound)
        if refers and (shouts or not other):
            return written
        named = named or bool(names(word))
        begins = False
    return None
