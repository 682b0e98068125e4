"""Which language a text is in, as far as cutting and reading it needs to know."""

from __future__ import annotations

import re
import string
from functools import lru_cache

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)
# Frequent words; some stand in several languages and count for each.
_FREQUENT = {
    "en": """the of and is are was were to with that this it from by which has have not its their
        an at as be been can for had he his in no on or she they will you your every also""",
    "de": """der die das und ist sind ein eine einen einem einer dem den des nicht mit auf für von
        zu auch bei uhr wird wurde werden wurden war im am zum zur sich nach aus über als oder
        kein keine hat haben kann können wie nur noch bis ab vor in an""",
    "fr": """le la les des de est et un une du dans que qui pour pas sur avec sont au aux ce cette
        par il elle en""",
    "es": "el la los las de es y una un del que por para con son al está como más pero este en",
    "it": "il la lo gli di è e una un della che per con sono del dei nel non questo questa in",
    "nl": "het een de en van is zijn niet met op voor dat die aan ook wordt in",
    "pt": "o a os as de é e uma um do da que por para com são ao não mais este esta em",
}
_LANGUAGES_OF_WORD: dict[str, list[str]] = {}
for _language, _words in _FREQUENT.items():
    for _word in _words.split():
        _LANGUAGES_OF_WORD.setdefault(_word, []).append(_language)
# No other language has them, so that one is enough: "Parken ist hier erlaubt."
_ALONE = "und ist sind nicht mit auf für auch wird wurde werden wurden kein keine oder nach über"
_GERMAN_ALONE = frozenset(_ALONE.split())
_GERMAN = re.compile("[äöüß]", re.IGNORECASE)
_SAMPLE = 600  # characters
_EDGES = string.punctuation + "«»„“”‘’–—…"


def language_of(text: str) -> str:
    """An ISO 639-1 code, by script and frequent words; `en` where nothing tells."""
    return detected_language(text) or "en"


@lru_cache(maxsize=2048)
def detected_language(text: str) -> str | None:
    """An ISO 639-1 code, None where script and frequent words don't tell.

    Latin text needs two frequent words of one language, and more of them than of any other.
    """
    sample = text[:_SAMPLE]
    if not sample.isascii():
        for language, script in _SCRIPTS:
            if len(script.findall(sample)) * 5 > len(sample):
                return language
    counts = dict.fromkeys(_FREQUENT, 0)
    words = [word.strip(_EDGES) for word in sample.lower().split()]
    for word in words:
        for language in _LANGUAGES_OF_WORD.get(word, ()):
            counts[language] += 1
    if not sample.isascii() and _GERMAN.search(sample):
        counts["de"] += 1
    first, second = sorted(counts.values(), reverse=True)[:2]
    if first == second == counts["en"] == counts["de"]:
        return "en" if first >= 2 else None  # "They die in the war": German words are English too
    if first < 2 and not (counts["de"] == 1 and not counts["en"] and _GERMAN_ALONE & set(words)):
        return None
    if first < 2:
        return "de"
    if first == second:
        return None
    return max(counts, key=counts.__getitem__)
