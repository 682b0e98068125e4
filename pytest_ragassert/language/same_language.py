"""Decides whether a text is in a language, and whether two texts are in the same one, as far as
scripts and words show it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .detection import BY_SCRIPT, FREQUENT, detected_language
from .language_names import language_code

_LATIN = "Latin"
# The code that the detection returns for a script, for each language that is written in it.
_SCRIPT_OF = {
    **{code: code for code in BY_SCRIPT},
    **dict.fromkeys(("uk", "be", "bg", "sr", "mk", "kk"), "ru"),
    **dict.fromkeys(("fa", "ur"), "ar"),
    "mr": "hi",
}
# Letters by which a language is known among those with its script.
_LETTERS = {
    "be": re.compile("ў|і.*ы|ы.*і", re.DOTALL),
    "kk": re.compile("[әғқңұһ]"),
    "uk": re.compile("[їєґі]"),
    "sr": re.compile("[ђћ]"),
    "mk": re.compile("[ѓќѕ]"),
    "fa": re.compile("[پژ]"),
    "ur": re.compile("[ٹڈڑں]"),
}
_LATIN_LETTER = re.compile("[a-zà-öø-ɏḀ-ỿ]", re.IGNORECASE)
_FEWEST = 6  # Latin letters below which nothing is known
_FEWEST_WORDS = 2  # different words that show a language; a question's first word counts twice
_WORD = re.compile(r"[^\W\d_]+")
# How questions begin.
_ASKING = {
    "en": """what which who whom whose how when where why does did is are was were can may must
        should do""",
    "de": """was welche welcher welches welchen welchem wer wem wen wessen wie wann wo woher wohin
        warum wieso weshalb kann muss darf soll hat gibt""",
    "fr": """quel quelle quels quelles qui que quoi combien comment quand où pourquoi peut faut
        dois doit""",
    "es": """qué cuál cuáles quién quiénes cuánto cuánta cuántos cuántas cómo cuándo dónde puede
        puedo debe debo hay""",
    "it": "che cosa quale quali chi quanto quanta quanti quante come quando dove perché può deve",
    "nl": "wat welke wie hoe wanneer waar waarom hoeveel kan moet mag heeft",
    "pt": """que qual quais quem quanto quanta quantos quantas como quando onde pode deve há""",
}
# Other frequent words of short texts, besides those of the detection.
_MORE = {
    "en": "you much many should if without",
    "de": "ich man mein meine viel viele es beim ohne dauert",
    "fr": "le de par sans coûte mon ma mes je on ont",
    "es": "si mi mis su cuesta sin sus cada",
    "it": "i a ai il si mio mia costa nella dei sotto ogni alla delle sul",
    "nl": "ik men mijn kost er bij naar uit elk om zonder laat",
    "pt": "na se meu minha custa das dos sem cada horas",
}
# Some words belong to several languages and count for each.
_BY_WORD: dict[str, list[str]] = {}
for _language in _ASKING:
    _listed = f"{FREQUENT[_language]} {_ASKING[_language]} {_MORE[_language]}"
    for _word in set(_listed.split()):
        _BY_WORD.setdefault(_word, []).append(_language)
_SAMPLE = 2_000  # characters


def is_language(text: str, tag: str) -> bool | None:
    """Whether a text is in a language; None if the text is too short or the language is not known
    well enough.

    Scripts distinguish most languages that do not use Latin letters. Of those that do, only
    English, German, French, Spanish, Italian, Dutch and Portuguese are known, by their words.

    Args:
        tag: as `language_code` accepts it.
    """
    code, found = language_code(tag), _found(text)
    return None if code is None or found is None else _is(found, code)


def same_language(a: str, b: str) -> bool | None:
    """Whether two texts are in the same language; None as in `is_language`."""
    first, second = _found(a), _found(b)
    if first is None or second is None:
        return None
    if first == second:
        return None if first == _LATIN else True
    apart = _is(first, second)
    return _is(second, first) if apart is None else apart


def _is(found: str, code: str) -> bool | None:
    """Whether a text in which `found` was found is in the language `code`, or in the script."""
    if found == code:
        return True
    script, wanted = _script(found), _script(code)
    if script != wanted:
        return False
    if script == _LATIN:
        # the words of other languages with Latin letters are not known
        return False if found in _ASKING and code in _ASKING else None
    # A script's main language may have been found for lack of letters that only another has.
    return None if found == script and code in _SCRIPT_OF else False


def _script(code: str) -> str:
    return _SCRIPT_OF.get(code, _LATIN)


@lru_cache(maxsize=2048)
def _found(text: str) -> str | None:
    """Return the language of a text, "Latin" if only its script is clear, or None."""
    sample = text[:_SAMPLE]
    code = detected_language(sample)
    if code in BY_SCRIPT:
        return _by_letters(sample.lower(), str(code))
    if len(_LATIN_LETTER.findall(sample)) < _FEWEST:
        return None
    return _by_words(sample) or _LATIN


def _by_letters(sample: str, script: str) -> str:
    """Return the language whose own letters the text has; the script's main one if there are
    none.
    """
    for code, letters in _LETTERS.items():
        if _SCRIPT_OF[code] == script and letters.search(sample):
            return code
    return script


def _by_words(sample: str) -> str | None:
    """Return the language of which the most words are there, if it is clear."""
    if "¿" in sample or "¡" in sample:
        return "es"
    words = _WORD.findall(sample.lower())
    counts = dict.fromkeys(_ASKING, 0)
    english = False  # there is a word that is surely English, unlike "a", "i" and "do"
    for word in set(words):
        codes = _BY_WORD.get(word, ())
        for code in codes:
            counts[code] += 1
        english = english or (len(word) > 1 and codes == ["en"])
    first = _BY_WORD.get(words[0], ()) if words else ()
    if len(first) == 1 and words[0] in _ASKING[first[0]].split():
        counts[first[0]] += 1  # "Who pays?"
    best = max(counts, key=counts.__getitem__)
    clear = sum(count == counts[best] for count in counts.values()) == 1
    if not clear or counts[best] < _FEWEST_WORDS or (best == "en" and not english):
        return None
    return best
