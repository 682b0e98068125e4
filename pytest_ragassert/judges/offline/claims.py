"""What of a text is a claim: sentences, list items and table rows, cut at clear conjunctions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...phrases.answers import looks_unknowing
from ...phrases.table import clauses, halves, phrases_of, says_nothing, without_leads
from ...text.language import language_of
from ...text.sentences import is_question
from ...words.language import language_table
from ...words.lexicon import SPEAKER
from ...words.reader import read_words


@dataclass(slots=True)
class _Unit:
    """What may be one claim or more: a sentence, a list item or a table row."""

    sentence: int
    text: str
    kind: str  # "text", "row", "title"


_SHORT = 200  # characters up to which a text's language is easily mistaken
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s*#{1,6}\s")
_BULLET = re.compile(r"\s*(?:>\s?)*(?:(?:[-*+•·–]|\(?\d{1,3}[.)])(?:\s+|$))?(?:\[[ xX]\]\s)?")
_MARKUP = re.compile(
    r"(?<![0-9A-Za-z])(?P<mark>\*{1,3}|__|`)(?=\S)(?P<marked>[^*_`\n]{1,300})(?P=mark)"
    r"(?![0-9A-Za-z])"
    r"|\[(?P<link>[^\]\[\n]{1,200})\]\([^)\s]{1,500}\)"
    r"|\s?\[\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9}\]"  # a citation's number is none of the claim's
)
_BOLD_TITLE = re.compile(r"(\*\*|__)[^*_.!?\d]+\1")


def claims_of(sentences: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The claims of sentences `{"id", "text"}`, as they stand there: `{"sentence", "text"}`.

    "Yes" and "No" alone are no claims: what they affirm stands in the question.
    """
    whole = "\n".join(sentence["text"] for sentence in sentences)
    if len(whole) <= _SHORT and looks_unknowing(whole):
        return
    code = language_of(whole)
    units = list(_units((sentence["id"], sentence["text"]) for sentence in sentences))
    for place, unit in enumerate(units):
        if unit.kind == "title" and place + 1 < len(units):
            continue
        for text in _statements(unit, code):
            yield {"sentence": unit.sentence, "text": text}


def _units(sentences: Iterable[tuple[int, str]]) -> list[_Unit]:
    units: list[_Unit] = []
    fenced = False
    for sentence, text in sentences:
        joins = False  # a plain line goes on with the line before it
        for line in text.splitlines():
            if _FENCE.match(line):
                fenced = not fenced
            if fenced or _FENCE.match(line) or not line.strip() or _HEADING.match(line):
                joins = False
            elif set(line) <= set("|:-=+ \t") and ("--" in line or "==" in line):
                joins = False
                if units and units[-1].kind == "row":
                    units.pop()  # the row above names the columns
            else:
                unit = _unit(sentence, line)
                if joins and unit.kind == "text" and not _is_item(line):
                    units[-1].text += " " + unit.text
                elif unit.text:
                    units.append(unit)
                joins = unit.kind == "text" and bool(unit.text)
    return units


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
    plain = _MARKUP.sub(lambda m: m["marked"] or m["link"] or "", _BULLET.sub("", line, count=1))
    if bare.startswith("|"):
        cells = [cell.strip() for cell in plain.strip().strip("|").split("|")]
        return _Unit(sentence, " | ".join(filter(None, cells)), "row")
    return _Unit(sentence, plain.strip(), kind)


def _statements(unit: _Unit, code: str) -> list[str]:
    """The unit's clauses that say something; halves around "but" that say nothing are dropped."""
    text = without_leads(unit.text, code)
    if is_question(text) or phrases_of(code).yes_no.match(text):
        return []
    parts = halves(text, code)
    saying = [part for part in parts if _says_something(part, code)]
    if len(saying) == len(parts):
        saying = [text] if saying else []
    if unit.kind == "row":
        return saying
    return [clause for half in saying for clause in _parts(without_leads(half, code), code)]


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
