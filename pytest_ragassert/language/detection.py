"""Detects a text's language, as far as this is needed to split and read it."""

from __future__ import annotations

import re
import string
from functools import lru_cache

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ar", re.compile("[\u0600-\u06ff\u0750-\u077f]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("ko", re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("hy", re.compile("[\u0530-\u058f]")),
    ("bn", re.compile("[\u0980-\u09ff]")),
    ("pa", re.compile("[\u0a00-\u0a7f]")),
    ("gu", re.compile("[\u0a80-\u0aff]")),
    ("or", re.compile("[\u0b00-\u0b7f]")),
    ("ta", re.compile("[\u0b80-\u0bff]")),
    ("te", re.compile("[\u0c00-\u0c7f]")),
    ("kn", re.compile("[\u0c80-\u0cff]")),
    ("ml", re.compile("[\u0d00-\u0d7f]")),
    ("si", re.compile("[\u0d80-\u0dff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("lo", re.compile("[\u0e80-\u0eff]")),
    ("bo", re.compile("[\u0f00-\u0fff]")),
    ("my", re.compile("[\u1000-\u109f]")),
    ("ka", re.compile("[\u10a0-\u10ff]")),
    ("am", re.compile("[\u1200-\u139f]")),
    ("km", re.compile("[\u1780-\u17ff]")),
)
_NEAR = 4  # scripts that are looked for in every text; the others only if one of them is found
_FURTHER = re.compile("[\u0530-\u17ff\u3130-\u318f\uac00-\ud7a3]")
# Languages identified by their script, which no other of these languages uses.
BY_SCRIPT = frozenset(language for language, _ in _SCRIPTS)
# Fewer words are certainly German than count as German.
_COUNTING = """zwei drei vier fünf sechs sieben acht neun zehn zwölf alle hatte tag tage tagen woche
    wochen stunde stunden monat monate monaten jahr jahre jahren jahres uhr mio mrd millionen
    milliarden
    prozent täglich wöchentlich monatlich jährlich geöffnet geschlossen montag montags dienstag
    dienstags mittwoch mittwochs donnerstag donnerstags freitag freitags samstag samstags sonntag
    sonntags januar februar märz juni juli oktober dezember kostet beträgt dauert wiegt"""
# Frequent words. Some belong to several languages and count for each.
FREQUENT = {
    "en": """the of and is are was were to with that this it from by which has have not its their
        an at as be been can for had he his in no on or she they will you your every also a if
        but there these those when what who how than into only must may we our my i do does""",
    "de": f"""{_COUNTING}
        der die das und ist sind ein eine einen einem einer dem den des nicht mit auf für von
        zu auch bei wird wurde werden wurden war im am zum zur sich nach aus über als oder
        kein keine keinen keinem keiner gibt darf dürfen hat haben kann können wie nur noch
        bis ab vor in an""",
    "fr": """le la les des de est et un une du dans que qui pour pas sur avec sont au aux ce cette
        par il elle en""",
    "es": "el la los las de es y una un del que por para con son al está como más pero este en",
    "it": "il la lo gli di è e una un della che per con sono del dei nel non questo questa in",
    "nl": "het een de en van is zijn niet met op voor dat die aan ook wordt in",
    "pt": "o a os as de é e uma um do da que por para com são ao não mais este esta em",
}
# Also in English texts, as words, abbreviations or parts of names: "as a", "p.m. ET", "La Paz".
# Alone they do not identify another language.
_ENGLISH_TOO = """a as o e do da de del des di el en et for gli in is la las le les
    lo los no per van un une al die den der am an was war"""
_IN_ENGLISH = frozenset(_ENGLISH_TOO.split())
_LANGUAGES_OF_WORD: dict[str, list[str]] = {}
for _language, _words in FREQUENT.items():
    for _word in _words.split():
        _LANGUAGES_OF_WORD.setdefault(_word, []).append(_language)
_OF_LANGUAGE = {
    language: frozenset(words.split()) - _IN_ENGLISH for language, words in FREQUENT.items()
}
_GERMAN_WORDS = frozenset(FREQUENT["de"].split())
_SURE = 2  # different words that identify a language: in no English text, or only in English ones
_MANY = 3  # different words that do so although English texts have each of them
# No other language has them, so one is enough: "Parken ist hier erlaubt."
_ALONE = """und ist sind nicht mit auf für auch wird wurde werden wurden einen einem kein keine
    keinen keinem keiner gibt darf dürfen oder nach über"""
_GERMAN_ALONE = frozenset(f"{_ALONE} {_COUNTING}".split())
_GERMAN = re.compile("[äöüß]", re.IGNORECASE)
_SAMPLE = 600  # characters
_EDGES = string.punctuation + "«»„“”‘’–—…"


def language_of(text: str) -> str:
    """Return an ISO 639-1 code, by script and frequent words; `en` if these do not decide."""
    return detected_language(text) or "en"


@lru_cache(maxsize=2048)
def detected_language(text: str) -> str | None:
    """Return an ISO 639-1 code, or None if script and frequent words do not decide.

    Latin text needs two frequent words of one language, and more of them than of any other. Words
    that also appear in English texts do not identify another language: no language is a better
    result than a wrong one.
    """
    sample = text[:_SAMPLE]
    words = [word.strip(_EDGES) for word in sample.lower().split()]
    met = set(words)
    if not sample.isascii():
        letters = sum(map(str.isalpha, sample))
        english = len(_OF_LANGUAGE["en"] & met) >= _SURE
        for language, script in _SCRIPTS if _FURTHER.search(sample) else _SCRIPTS[:_NEAR]:
            written = len(script.findall(sample))
            # a name in another script does not make English text foreign
            if written * 5 > letters and not (english and written * 2 < letters):
                return language
    counts = dict.fromkeys(FREQUENT, 0)
    for word in words:
        for language in _LANGUAGES_OF_WORD.get(word, ()):
            counts[language] += 1
    german = not sample.isascii() and _GERMAN.search(sample) is not None
    sure_german = german or not _OF_LANGUAGE["de"].isdisjoint(met)
    if counts["de"] and not sure_german and len(_GERMAN_WORDS & met) < _MANY:
        counts["de"] = 0
    counts["de"] += german
    for language in counts.keys() - {"en", "de"}:
        if not counts[language]:
            continue
        sure = len(_OF_LANGUAGE[language] & met)
        if sure < _SURE and (not sure or sample.isascii() or counts[language] < _MANY):
            counts[language] = 0
    first, second = sorted(counts.values(), reverse=True)[:2]
    if first == second == counts["en"] == counts["de"]:
        # "They die in the war": German words are English too
        return ("de" if german else "en") if first >= 2 else None
    if first < 2 and not (counts["de"] == 1 and not counts["en"] and _GERMAN_ALONE & set(words)):
        return None
    if first < 2:
        return "de"
    if first == second:
        return None
    return max(counts, key=counts.__getitem__)
