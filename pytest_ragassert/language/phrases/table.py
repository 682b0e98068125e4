"""Finds what a sentence says apart from courtesy and not knowing, by the patterns of its
language.
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from itertools import islice

from .dont_know import DONT_KNOW
from .patterns import END, Phrases, opening

_MODULES = {
    "en": "english_phrases",
    "de": "german_phrases",
    "ru": "russian_phrases",
    "zh": "chinese_phrases",
    "fr": "french_phrases",
    "es": "spanish_phrases",
    "ja": "japanese_phrases",
    "ar": "arabic_phrases",
}
CODES = tuple(_MODULES)


def phrases_of(code: str) -> Phrases:
    """Return the table of a language by its ISO 639-1 code (`en`, `en-GB`); an empty one if
    unknown.
    """
    return _table(_MODULES.get(re.split("[-_]", code, maxsplit=1)[0].lower(), ""))


@lru_cache(maxsize=16)
def _table(module: str) -> Phrases:
    if not module:
        return Phrases(nothing=opening(rf"(?:n/a|[-–—?]){END}"))
    # imported late: most runs read one language
    phrases: Phrases = importlib.import_module(f"{__package__}.{module}").PHRASES
    return phrases


def without_leads(text: str, code: str) -> str:
    """Return the text without greetings, "Sure," and the like at its beginning."""
    leads = phrases_of(code).leads
    for _ in range(3):
        text = text[lead.end() :].strip() if (lead := leads.match(text)) else text.strip()
    return text


_MARKUP = " \t\n\r*_`"
_BULLET = re.compile(r"(?:[-•>]\s+)+(?=\S)")
_QUOTED = re.compile(r"""["'“”„«»‘「『](.*[^"'“”„«»’」』])["'“”«»’」』]([.!。]?)""", re.DOTALL)


def unwrapped(text: str) -> str:
    """Return the text without markup and quotation marks around all of it."""
    text = text.strip(_MARKUP)
    if bullet := _BULLET.match(text):
        text = text[bullet.end() :]
    if (quoted := _QUOTED.fullmatch(text)) and not re.search(r"[\"“”„«»「」『』]", quoted[1]):
        text = (quoted[1] + quoted[2]).strip(_MARKUP)
    return text


def says_nothing(text: str, code: str) -> bool:
    """Whether a sentence is only thanks, an offer, a refusal or not knowing, in all its halves."""
    rest = bare(text, code)
    # so short that its language may have been mistaken
    if not rest or is_whole_dont_know(rest):
        return True
    return all(is_nothing(half, code) for half in halves(rest, code))


def bare(text: str, code: str) -> str:
    """Return a sentence without markup, and without courtesy at its beginning and end."""
    rest = without_leads(unwrapped(text), code)
    if (closing := phrases_of(code).closings.search(rest, max(0, len(rest) - _WINDOW))) and (
        closing.start()
    ):
        rest = rest[: closing.start()]
    return rest


def is_whole_dont_know(text: str) -> bool:
    """Whether a text is one of the short answers of not knowing, in any language."""
    return DONT_KNOW.match(text) is not None


def is_nothing(half: str, code: str) -> bool:
    """Whether one of the `halves` begins by saying nothing and never says more."""
    return _begins_with_nothing(half, code) and not phrases_of(code).exceeds.search(half)


def _begins_with_nothing(half: str, code: str) -> bool:
    phrases = phrases_of(code)
    half = without_leads(half, code)
    if not half or phrases.nothing.match(half) or is_whole_dont_know(half):
        return True
    if not phrases.not_in_sources.search(half):
        return False
    # "The ferry runs daily, and its fee is not mentioned in the documents" says something
    return all(
        phrases.nothing.match(clause) or phrases.not_in_sources.search(clause)
        for clause in clauses(half, code)
    )


# Halves

# A mark between clauses, which a colon in "8:30" and a comma in "1,000" are not.
MARK = re.compile(r"[，；：、—（]|[,;:،؛](?=\s)|\s[–-](?=\s)|\s\(")
# number of marks that are examined in a sentence, limited so that reading is linear
_MOST_MARKS = 12
_WEAK = ",،，、"
_DIGIT = re.compile(r"\d(?!\d*-[^\W\d])")  # "2-day tickets" may be in a list
_BARE_NUMBER = re.compile(r"\W*\d+\W*$")
_FEW = 3  # words after an "and" that name one more thing


def halves(text: str, code: str) -> list[str]:
    """Cut the text so that halves that say nothing may be dropped; whole if that is in doubt."""
    return [part for half in phrases_of(code).turns.split(text) for part in _of_half(half, code)]


def _of_half(half: str, code: str) -> list[str]:
    """Return the part that begins by saying nothing, and what it then says, if anything."""
    if not _begins_with_nothing(half, code):
        return [half]
    phrases = phrases_of(code)
    for turn in phrases.corrects.finditer(half):
        rest = half[turn.end() :]
        if _states(rest, code) and _begins_with_nothing(half[: turn.start()], code):
            return [half[: turn.start()], rest]
    marks = list(islice(MARK.finditer(half), _MOST_MARKS))
    for place, mark in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(half)
        segment = half[mark.end() : end]
        if not _is_stated_after(mark[0].strip(), half[: mark.start()], segment, half[end:], code):
            continue
        if _begins_with_nothing(half[: mark.start()], code):
            rest = half[mark.end() :].strip()
            return [half[: mark.start()], _unclosed(rest) if mark[0].strip() in "(（" else rest]
    return [half]


def _unclosed(text: str) -> str:
    """Return the text in a bracket, without the sign that closed it."""
    return re.sub(r"[)）](?=[.!?。！？]?$)", "", text)


def _states(text: str, code: str) -> bool:
    """Whether it has a number, or subject and verb, and is not another way to say nothing."""
    text = text.strip()
    if _begins_with_nothing(text, code):
        return False
    return bool(_DIGIT.search(text) or phrases_of(code).asserts.match(text))


def _is_stated_after(mark: str, before: str, segment: str, after: str, code: str) -> bool:
    """Whether a segment states something, rather than continuing what is not known."""
    phrases = phrases_of(code)
    segment = segment.strip()[:_WINDOW]
    if phrases.goes_on.match(segment) or not _states(segment, code):
        return False
    if mark not in _WEAK:
        return True
    joined = phrases.lists.match(segment)
    if joined and len(segment.split()) <= _FEW + 1:
        return False
    if not phrases.asserts.match(segment):
        # not a clause: it may be an item of a list, "fares for 2030, 2031 and 2032"
        listed = phrases.lists.search(segment) or phrases.lists.search(after[:_WINDOW])
        return not (_BARE_NUMBER.match(segment) or listed)
    # "whether dogs, cats and bikes are allowed" is one clause, which began before the comma
    opened = before.rsplit(None, 2)[-2:] if phrases.lists.search(segment) else []
    return not any(phrases.goes_on.match(f"{word} ") for word in opened)


# Clauses

_WINDOW = 300  # characters before a joint that are examined, limited so that reading is linear
# Two characters of a script without spaces count as a word.
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
    """Cut the text into clauses that each state something; whole if that is in doubt."""
    phrases = phrases_of(code)
    text = text.strip()
    marks = _ENCLOSING.finditer(text)
    mark = next(marks, None)
    awaited: list[str] = []  # what closes the brackets and quotation marks that are open so far
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
    """Whether the text between `start` and the joint is a separate clause."""
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
    """Whether there are two words with letters in them."""
    return len(list(islice(_WORD.finditer(part), 2))) == 2 and bool(_LETTER.search(part))
