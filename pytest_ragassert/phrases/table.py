"""One language's table of phrases, its lookup, and the little logic that all languages share."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from ..text.language import detected_language
from ..text.sentences import sentence_texts

NEVER = re.compile(r"(?!)")
ALWAYS = re.compile("")

_SURE = 200  # characters from which the language of a text is told for sure
# What ends a lead-in, where its word could as well begin a statement: "Sure Start", "No dogs".
STOP = r"(?:\s*(?:[,.!…،，。！、]+|$)|\s[-–]\s|\s?—)"
# The end of a sentence that holds no more than the phrase before.
END = r"[.!…。！]*\s*$"


@dataclass(frozen=True)
class Phrases:
    """The patterns of one language; the default of each finds nothing."""

    leads: re.Pattern[str] = NEVER  # matched at a sentence's start, cut off there
    nothing: re.Pattern[str] = NEVER  # matched at the start of the rest, which then says nothing
    not_in_sources: re.Pattern[str] = NEVER  # searched anywhere
    turns: re.Pattern[str] = NEVER  # splits where a half that says nothing may be dropped
    # A separator of two clauses. Its group `alone` stands for a subject that needs no more proof
    # than itself; its groups `bare` and `listed` for a weak "and", which often joins less than
    # clauses, the second only where it isn't followed by such a subject.
    joints: re.Pattern[str] = NEVER
    finite: re.Pattern[str] = ALWAYS  # what the clause before a joint has to hold
    bound: re.Pattern[str] = NEVER  # searched there: a weak "and" goes on with it
    opens: re.Pattern[str] = NEVER  # matched at its start: it is none of its own ("If ...")
    opinion: frozenset[str] = frozenset()  # words (Chinese: parts of words) that state no fact
    yes_no: re.Pattern[str] = NEVER  # matches an answer that is only yes or no


_MODULES = {
    "en": "english",
    "de": "german",
    "ru": "russian",
    "zh": "chinese",
    "fr": "french",
    "es": "spanish",
    "ja": "japanese",
    "ar": "arabic",
}


def phrases_of(code: str) -> Phrases:
    """The table of a language by its ISO 639-1 code (`en`, `en-GB`); an empty one if unknown."""
    return _table(_MODULES.get(re.split("[-_]", code, maxsplit=1)[0].lower(), ""))


@lru_cache(maxsize=16)
def _table(module: str) -> Phrases:
    if not module:
        return Phrases(nothing=opening(rf"(?:n/a|[-–—?]){END}"))
    # imported late: most runs read one language
    phrases: Phrases = importlib.import_module(f"{__package__}.{module}").PHRASES
    return phrases


def compiled(pattern: str) -> re.Pattern[str]:
    """`pattern` ignoring case, with any apostrophe for its `'` and any white space for its ` `.

    Neither may stand in a set of characters.
    """
    pattern = pattern.replace("'", "['’ʼ´]").replace(" ", r"\s")
    return re.compile(pattern, re.IGNORECASE)


def opening(*phrases: str) -> re.Pattern[str]:
    """A pattern of any of the phrases, to be matched at the start of a text."""
    return compiled(r"\s*(?:" + "|".join(phrases) + ")")


@lru_cache(maxsize=1)
def _dont_know() -> re.Pattern[str]:
    from .dont_know import DONT_KNOW

    return DONT_KNOW


def without_leads(text: str, code: str) -> str:
    """The text without the greetings, "Sure," and the like that it opens with."""
    leads = phrases_of(code).leads
    for _ in range(3):
        text = text[lead.end() :].strip() if (lead := leads.match(text)) else text.strip()
    return text


def says_nothing(text: str, code: str) -> bool:
    """Whether a sentence is only thanks, an offer, a refusal or not knowing, in all its halves."""
    rest = without_leads(text, code)
    # so short that its language may have been mistaken
    if not rest or _dont_know().match(rest):
        return True
    return all(_is_nothing(half, code) for half in phrases_of(code).turns.split(rest))


_CODES = tuple(_MODULES)
# What stands in every way of not knowing: a negation, or a word for what is not known.
_NOT_KNOWING = compiled(
    r"\b(?:not|no|cannot|never|unable|unsure|unknown|insufficient|n/a|nicht|kein\w*|nichts|unbekannt"
    r"|не|нет|ничего|неизвестно|ne|pas|aucun\w*|inconnu\w*|ignore|non|sé|desconocid\w*|ni)\b|n't\b"
    r"|不|没|沒|无|無|未|ません|ない|لا|ليس|غير|لم|لن"
)


def says_only_dont_know(text: str) -> bool:
    """Whether an answer, in any language known here, says nothing but that it does not know.

    One that only thanks or greets is none.
    """
    parts = sentence_texts(text)
    if not parts or not _NOT_KNOWING.search(text):
        return False
    return any(all(says_nothing(part, code) for part in parts) for code in _likely(text))


def _likely(text: str) -> tuple[str, ...]:
    """The languages that a text may be in; short ones are easily mistaken."""
    own = detected_language(text)
    return (own,) if own in _CODES and len(text) > _SURE else _CODES


def _is_nothing(half: str, code: str) -> bool:
    phrases = phrases_of(code)
    half = without_leads(half, code)
    if not half or phrases.nothing.match(half):
        return True
    if not phrases.not_in_sources.search(half):
        return False
    # "The ferry runs daily, and its fee is not mentioned in the documents" says something
    return all(
        phrases.nothing.match(clause) or phrases.not_in_sources.search(clause)
        for clause in clauses(half, code)
    )


# Clauses

_WINDOW = 300  # characters before a joint that are looked at; bounded, so that reading is linear
# Two signs of a script without spaces count as a word.
_WORD = re.compile("[\u0e00-\u0eff\u2e80-\ua4cf\uac00-\ud7ff]{2}|[^\\W\u0e00-\u0eff\u2e80-\ud7ff]+")
_LETTER = re.compile(r"[^\W\d_]")
_CLOSING = {
    "(": ")",
    "[": "]",
    "{": "}",
    "（": "）",
    "【": "】",
    "《": "》",
    "「": "」",
    "『": "』",
    "“": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    '"': '"',
}
_ENCLOSING = re.compile(r"[()\[\]{}（）【】《》「」『』“”„«»\"]")


def clauses(text: str, code: str) -> list[str]:
    """The text cut into clauses that each state something; whole where that is in doubt."""
    phrases = phrases_of(code)
    text = text.strip()
    marks = _ENCLOSING.finditer(text)
    mark = next(marks, None)
    awaited: list[str] = []  # what closes the brackets and quotation marks open so far
    spans: list[tuple[int, int]] = []
    start = 0
    for joint in phrases.joints.finditer(text):
        while mark and mark.start() < joint.start():
            if awaited and mark[0] in awaited[-1]:
                awaited.pop()
            elif mark[0] in _CLOSING:
                awaited.append(_CLOSING[mark[0]])
            mark = next(marks, None)
        if not awaited and _splits(phrases, text, start, joint):
            spans.append((start, joint.start()))
            start = joint.end()
    if spans and not _is_enough(text[start:]):
        start, _ = spans.pop()
    return [text[first:last].strip() for first, last in [*spans, (start, len(text))]]


def _splits(phrases: Phrases, text: str, start: int, joint: re.Match[str]) -> bool:
    """Whether what stands between `start` and the joint is a clause of its own."""
    groups = joint.groupdict()
    before = text[max(start, joint.start() - _WINDOW) : joint.start()]
    if not _is_enough(before) or phrases.opens.match(text[start : start + _WINDOW]):
        return False
    alone = groups.get("alone")
    weak = groups.get("bare") or (groups.get("listed") and not alone)
    if weak and phrases.bound.search(before):
        return False
    return bool(alone or phrases.finite.search(before))


def _is_enough(part: str) -> bool:
    """Whether there are two words, and letters in them."""
    return len(list(islice(_WORD.finditer(part), 2))) == 2 and bool(_LETTER.search(part))
