"""Extracts claims from a text: sentences, list items and table rows, cut at clear conjunctions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ....language.detection import language_of
from ....language.markup import plain
from ....language.phrases.lead_ins import (
    ANNOUNCES,
    DEFINITION,
    LEAD_IN,
    POINTS_ON,
    SOURCE_ENTRY,
    SOURCES_HEADING,
    SOURCES_LINE,
)
from ....language.phrases.not_knowing import looks_unknowing
from ....language.phrases.table import clauses, halves, phrases_of, says_nothing, without_leads
from ....language.sentences import is_question, sentence_texts
from ....language.words.languages import language_table
from ....language.words.lexicon import SPEAKER
from ....language.words.reader import read_words


@dataclass(slots=True)
class _Unit:
    """A part of the text that may make one claim or several: a sentence, a list item or a table
    row.
    """

    sentence: int
    text: str
    kind: str  # "text", "row", "title"


_SHORT = 200  # texts up to this many characters are easily attributed to the wrong language
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s*#{1,6}\s")
_BULLET = re.compile(
    r"\s*(?:>\s?)*(?:(?:[-*+•·–]|\(\d{1,3}\)(?!\s*\d)|\d{1,3}[.)])(?:\s+|$))?(?:\[[ xX]\]\s)?"
)
_WITHIN = 80  # characters at the end of a sentence that introduces what follows
_DIGIT = re.compile(r"\d")
_COLON = re.compile("[:：|]")
_BOLD_TITLE = re.compile(r"(\*\*|__)[^*_.!?\d]+\1")


def claims_of(sentences: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Return the claims of sentences `{"id", "text"}`, in their own words: `{"sentence", "text"}`.

    "Yes" and "No" alone are not claims: what they affirm is in the question.
    """
    whole = "\n".join(sentence["text"] for sentence in sentences)
    if len(whole) <= _SHORT and looks_unknowing(whole):
        return
    code = language_of(whole)
    units = _units(((sentence["id"], sentence["text"]) for sentence in sentences), code)
    for place, unit in enumerate(units):
        if unit.kind == "title" and place + 1 < len(units) and not _has_fact(unit.text, code):
            continue
        for text in _statements(unit, code):
            yield {"sentence": unit.sentence, "text": text}


def claims_in(text: str) -> list[str]:
    """Return the text's claims in the form that `extract_claims` expects."""
    sentences = [{"id": n, "text": sentence} for n, sentence in enumerate(sentence_texts(text), 1)]
    return [claim["text"] for claim in claims_of(sentences)]


def _units(sentences: Iterable[tuple[int, str]], code: str) -> list[_Unit]:
    units: list[_Unit] = []
    fenced = False
    sources = _Sources(code)
    for sentence, text in sentences:
        joins = False  # a plain line continues the line before it
        for line in text.splitlines():
            if _FENCE.match(line):
                fenced = not fenced
                if fenced and units and POINTS_ON.search(units[-1].text[-_WITHIN:]):
                    units.pop()  # it introduces the code
            silent = fenced or _FENCE.match(line) or not line.strip()
            if silent or sources.hold(line) or _HEADING.match(line):
                joins = False
            elif set(line) <= set("|:-=+ \t") and ("--" in line or "==" in line):
                joins = False
                if units and units[-1].kind == "row" and not _DIGIT.search(units[-1].text):
                    units.pop()  # the row above names the columns
            else:
                unit = _unit(sentence, line)
                if joins and unit.kind == "text" and not _is_item(line):
                    units[-1].text += " " + unit.text
                elif unit.text:
                    units.append(unit)
                joins = unit.kind == "text" and bool(unit.text)
    return units


class _Sources:
    """Tracks which lines of an answer list its sources."""

    def __init__(self, code: str) -> None:
        self._finite = phrases_of(code).finite
        self._listed = False  # the previous line was one

    def hold(self, line: str) -> bool:
        """Return whether the next line lists a source: it starts such a list, is an entry, or has
        no verb.
        """
        self._listed = bool(
            SOURCES_HEADING.match(line)
            or SOURCES_LINE.match(line)
            or (self._listed and not _HEADING.match(line) and self._goes_on(line))
        )
        return self._listed or DEFINITION.match(line) is not None

    def _goes_on(self, line: str) -> bool:
        if SOURCE_ENTRY.match(line):
            return True
        return not (_COLON.search(line) or _BOLD_TITLE.match(line) or self._finite.search(line))


def _has_fact(title: str, code: str) -> bool:
    """Whether a title has a number other than the count of what follows: "From 1 May 2031:"."""
    if LEAD_IN.match(title) or not _DIGIT.search(title):
        return False
    return any(
        number.kind != "number" or number.unit or len(number.value) > 2
        for number in read_words(title, code).numbers
    )


def _is_item(line: str) -> bool:
    bullet = _BULLET.match(line)
    return bool(bullet and bullet[0].strip())


def _unit(sentence: int, line: str) -> _Unit:
    bare = line.strip()
    kind = (
        "title"
        if bare.rstrip("*_").endswith((":", "：")) or _BOLD_TITLE.fullmatch(bare)
        else "text"
    )
    text = plain(_BULLET.sub("", line, count=1)).strip()
    if bare.startswith("|"):
        cells = [cell.strip() for cell in text.strip("|").split("|")]
        return _Unit(sentence, " | ".join(filter(None, cells)), "row")
    return _Unit(sentence, text, kind)


def _statements(unit: _Unit, code: str) -> list[str]:
    """Return the unit's clauses that say something, without halves around "but" that say
    nothing.
    """
    text = without_leads(_led(unit.text), code)
    if ANNOUNCES.match(text) or is_question(text) or phrases_of(code).yes_no.match(text):
        return []
    parts = halves(text, code)
    saying = [part for part in parts if _says_something(part, code)]
    if len(saying) == len(parts):
        saying = [text] if saying else []
    if unit.kind == "row":
        return saying
    return [clause for half in saying for clause in _parts(without_leads(half, code), code)]


def _led(text: str) -> str:
    """Return the text without its lead-in."""
    lead = LEAD_IN.match(text)
    return text[lead.end() :] if lead else text


def _parts(text: str, code: str) -> list[str]:
    parts = clauses(text, code)
    saying = [part for part in parts if _says_something(part, code)]
    return saying if len(saying) == len(parts) else [text]


def _says_something(text: str, code: str) -> bool:
    if says_nothing(text, code):
        return False
    words = read_words(text, code)
    if words.numbers:
        return True
    return not _opinion_stems(code).issuperset(words.content)


@lru_cache(maxsize=16)
def _opinion_stems(code: str) -> frozenset[str]:
    stems = {SPEAKER}
    for word in phrases_of(code).opinion:
        stems.update(read_words(word, code).content or (language_table(code).stem(word),))
    return frozenset(stems)
