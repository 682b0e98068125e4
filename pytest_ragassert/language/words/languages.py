"""The known languages: their names, and the tables of those that are read by words."""

from __future__ import annotations

import importlib
from functools import lru_cache

from .language import Language

KNOWN = {"en": "english", "de": "german", "ru": "russian", "zh": "chinese"}
NAMES = {
    "am": "Amharic",
    "ar": "Arabic",
    "bn": "Bengali",
    "bo": "Tibetan",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "gu": "Gujarati",
    "he": "Hebrew",
    "hi": "Hindi",
    "hy": "Armenian",
    "it": "Italian",
    "ja": "Japanese",
    "ka": "Georgian",
    "km": "Khmer",
    "kn": "Kannada",
    "ko": "Korean",
    "lo": "Lao",
    "ml": "Malayalam",
    "my": "Burmese",
    "nl": "Dutch",
    "or": "Odia",
    "pa": "Punjabi",
    "pt": "Portuguese",
    "ru": "Russian",
    "si": "Sinhala",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "zh": "Chinese",
}


@lru_cache(maxsize=32)
def language_table(code: str) -> Language:
    """Return the language's table, or one that contains only the code if the language is
    unknown.
    """
    if code not in KNOWN:
        return Language(code)
    table: Language = importlib.import_module(f"{__package__}.{KNOWN[code]}").LANGUAGE
    return table
