"""Which language a text is in, as far as cutting it into sentences needs to know."""

from __future__ import annotations

import re

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)
_WORD = re.compile(r"[^\W\d_]+")
# Frequent words that each stand in one of these languages only.
_FREQUENT = {
    "en": "the of and is are was were to with that this it from by which has have not",
    "de": "der die das und ist sind ein eine einen dem den nicht mit auf für von zu auch bei uhr",
    "fr": "le les des est et une du dans que qui pour pas sur avec sont au aux ce cette",
    "es": "el los las es y una del que por para con son al está como más pero este esta",
    "it": "il lo gli è e una della di che per con sono del dei nel non questo questa",
    "nl": "het een en van is zijn niet met op voor dat die aan ook wordt",
    "pt": "o os as é e uma do da que por para com são ao não mais este esta",
}
_LANGUAGES_OF_WORD: dict[str, list[str]] = {}
for _language, _words in _FREQUENT.items():
    for _word in _words.split():
        _LANGUAGES_OF_WORD.setdefault(_word, []).append(_language)
_SAMPLE = 2_000


def language_of(text: str) -> str:
    """An ISO 639-1 code, by script and frequent words; `en` where nothing tells."""
    sample = text[:_SAMPLE]
    if not sample.isascii():
        for language, script in _SCRIPTS:
            if len(script.findall(sample)) * 5 > len(sample):
                return language
    counts = dict.fromkeys(_FREQUENT, 0)
    for word in _WORD.findall(sample.lower()):
        for language in _LANGUAGES_OF_WORD.get(word, ()):
            counts[language] += 1
    return max(counts, key=lambda language: (counts[language], language == "en"))
