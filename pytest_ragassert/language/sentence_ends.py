"""Finds where sentences end within a line: checks the splitter's ends against their
surroundings.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from .abbreviations import ends_sentence, is_abbreviation
from .citations import citations_end
from .layout import is_list_mark

_STOP = re.compile("[.!?\u2026\u061f\u06d4\u0964\u3002\uff01\uff1f]+")
# The end of the line or of most sentences, where nothing follows a full stop.
_NOTHING = re.compile(r"\Z| [A-Za-z]")
_EMOJI = "\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\u200d"
_CLOSING = re.compile(
    r"""[”’»›)\]}）】」』〉》］]|\s[»”](?=\s|\Z)|["'“‘«‹](?=[\s,;:.!?…"'”’»)\]]|\Z)"""
)
# A straight one with space or letters on both sides closes what another opened.
_EITHER_QUOTE = re.compile(r"""\s?"(?=[\s\w])""")
_SIGNS = re.compile(
    rf"[*_]{{1,3}}(?=[\s.,;:!?]|\Z)|\s?[{_EMOJI}]+(?=\s|\Z|[\u3040-\u9fff])"
    r"|\s?[:;][-']?[()DPp](?=\s|\Z)"
)
_NUMBERED = re.compile(r"(?<=[.!?])\(\d{1,3}(?:,\s?\d{1,3}){0,5}\)(?=\s|\Z)")  # "at 9.(1) Then"
_QUOTE = re.compile("[\"'“”‘’»›‹」』]")
_OPENING = re.compile("[\"'“”„«»‘「『《—–]")
_BRACKET = re.compile(r"[)\]）］】]")
_NEXT = re.compile(r"[\s\"'“”„«‘(\[*_`¿¡「『《（—–-]*")
_IN_SENTENCE = frozenset(",;:，、；：,،؛")
_ATTACHED = frozenset("ºª-–/@")
# "“Open?”她问。", "「Open.」と言う", "«Open?» سألت"
_SAID = re.compile(
    r"\s*(?:[\u4e00-\u9fff]{1,6}(?:[问說说道喊叫答]|回答)[了着道]?[。，,！!]|[是的]"
    r"|(?:と|って|という|との)|(?:و?(?:سأل|قال|أجاب|صاح|أضاف)\w{0,3}\b))"
)
_LISTED = re.compile(r"(?:[:;]\s+|[：；]\s*)[(（]?(?:\d{1,2}|[A-Za-zа-я]|[ivx]{1,4})\Z")
_DECIMAL = re.compile(r"\d\.\d{1,3}\Z")
_NAME_END = re.compile(r"(?<!\w)[A-Z]\w+\Z")  # "Yahoo! was"
# What a full stop after a number leaves open: "Step 1. Buy a ticket."
_LABEL = re.compile(
    r"[*_#\s]{0,4}(?:Step|Part|Phase|Stage|Rule|Tip|Task|Chapter|Section|Article|Table|Figure|Day|Week"
    r"|Schritt|Teil|Stufe|Regel|Tipp|Aufgabe|Kapitel|Abschnitt|Artikel|Tabelle|Abbildung|Tag|Woche"
    r"|Étape|Partie|Règle|Conseil|Chapitre|Tableau|Jour|Paso|Parte|Regla|Consejo|Capítulo|Sección"
    r"|Artículo|Tabla|Figura|Día|Fase|Шаг|Часть|Этап|Правило|Совет|Глава|Раздел|Статья|Таблица"
    r"|Рисунок|День|Art|Fig|Tab|Abb|Nr|Рис|Табл|Ст|Гл|№|§|步骤|手順|ステップ|الخطوة|خطوة|المرحلة)"
    r"\.?[^\S\n]?\d{1,3}(?:\.\d{1,3}){0,3}\Z",
    re.IGNORECASE,
)
_LONGEST_ITEM = 500  # characters
_ITEM = re.compile(r"(?P<number>\d{1,2})[.)]\s+(?=[^\W\d_])")
# Only if something is before a capital: "In 44 B.C. Caesar died."
_WHEN = re.compile(
    r"(?:In|At|By|Around|About|Circa|Since|From|Until|Before|After|En|Vers|Dès|Depuis|Hacia|Desde|A|À"
    r"|Hasta|Em|В|Во|К|Около|С|До|После)\s[^,;:]{0,20}\d[^,;:]{0,12}?(?:[ap]\.\s?m|B\.\s?C|A\.\s?D"
    r"|C\.\s?E|н\.\s?э|[ad]\.\s?C|J\.-C)\Z"
)
_SHORT_WORD = re.compile(r"(?<!\w)[^\W\d_]{1,4}\Z")
_SMALL_AFTER_ABBREVIATION = frozenset({"ru", "fr", "es"})
_VOWEL = re.compile("[aeiouyäöü]", re.IGNORECASE)
_FARTHEST = 40  # characters beside a full stop
_PAIRS = re.compile(
    r"“[^“”]{0,400}”|«[^«»]{0,400}»|„[^„“”]{0,400}[“”]|「[^「」]{0,400}」|『[^『』]{0,400}』"
    r"|[(（][^()（）]{0,400}[)）]|(?<!\w)\"[^\"]{0,400}\""
)


class Stop(NamedTuple):
    """A full stop, or several marks that end a sentence.

    Attributes:
        begin: the offset in the line at which it begins.
        end: the offset after its last mark.
        closed: where the quotation marks, brackets, citation marks and other signs after it end.
        signs: the offsets of signs other than quotation marks and brackets.
    """

    begin: int
    end: int
    closed: int
    signs: tuple[tuple[int, int], ...]


def stops_of(line: str) -> list[Stop]:
    """Return the full stops and the like in a line, in order."""
    quotes = [at for at, char in enumerate(line) if char == '"'] if '"' in line else []
    return [_stop(line, match.start(), match.end(), quotes) for match in _STOP.finditer(line)]


def _stop(line: str, begin: int, end: int, quotes: Sequence[int]) -> Stop:
    closed = end
    signs: list[tuple[int, int]] = []
    if _NOTHING.match(line, end):
        return Stop(begin, end, end, ())
    while True:
        at = closed
        if closing := _CLOSING.match(line, at):
            closed = closing.end()
            continue
        if (either := _EITHER_QUOTE.match(line, at)) and bisect_left(quotes, at) % 2:
            closed = either.end()
            continue
        sign = _SIGNS.match(line, at) or (at == end and _NUMBERED.match(line, at))
        closed = sign.end() if sign else citations_end(line, at)
        if closed == at:
            return Stop(begin, end, closed, tuple(signs))
        signs.append((at, closed))


def without_signs(line: str, stops: Sequence[Stop]) -> str:
    """Return the line with spaces instead of the signs after full stops; offsets do not change.

    The splitter takes these signs for the beginning of a sentence.
    """
    parts: list[str] = []
    last = 0
    for stop in stops:
        for start, end in stop.signs:
            if start >= last:
                parts += line[last:start], " " * (end - start)
                last = end
    return "".join([*parts, line[last:]]) if parts else line


def ends_of(
    line: str, stops: Sequence[Stop], found: Sequence[int], language: str, listed: str = ""
) -> list[int]:
    """Return where the sentences of a line end, without the end of the line.

    Args:
        found: where the splitter begins another sentence, in order.
        listed: the list marks before the line.
    """
    ends: list[int] = []
    pairs = _Pairs(line)
    begun = 0
    at = 0  # in found
    for stop in stops:
        if stop.begin < begun:
            continue  # in what closes the previous sentence
        while at < len(found) and found[at] <= stop.begin:
            ends.append(found[at])  # at no full stop
            begun = max(begun, found[at])
            at += 1
        following = _NEXT.match(line, stop.closed)
        first = following.end() if following else stop.closed
        cut = False
        while at < len(found) and found[at] <= first:
            cut = True
            at += 1
        if first < len(line) and _ends(line, begun, stop, first, cut, language, pairs, listed):
            ends.append(stop.closed)
            begun = stop.closed
            while line[begun].isspace():
                begun += 1
    ends.extend(found[at:])
    return ends


class _Pairs:
    """The stretches of a line between pairs of brackets or quotation marks."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._starts: list[int] | None = None
        self._ends: list[int] = []

    def hold(self, start: int, end: int) -> bool:
        """Return whether one of them begins before a stretch and ends after it."""
        if self._starts is None:
            spans = [match.span() for match in _PAIRS.finditer(self._line)]
            self._starts = [one for one, _ in spans]
            self._ends = [other for _, other in spans]
        place = bisect_right(self._starts, start) - 1
        return place >= 0 and self._ends[place] > end


def _ends(
    line: str,
    begun: int,
    stop: Stop,
    first: int,
    cut: bool,
    language: str,
    pairs: _Pairs,
    listed: str,
) -> bool:
    """Whether a sentence ends at a full stop.

    Args:
        begun: where the sentence begins.
        first: where the next word begins.
        cut: whether the splitter ends it there.
        listed: the list marks before the line.
    """
    mark, closing = line[stop.begin : stop.end], line[stop.end : stop.closed]
    between, letter = line[stop.closed : first].lstrip(), line[first]
    spaced = line[stop.closed].isspace()
    if (between or letter)[0] in _IN_SENTENCE:
        return False
    if not spaced and (letter.islower() or line[stop.closed] in _ATTACHED):
        return False
    if is_list_mark(line, begun, stop.closed) or _LABEL.match(line, begun, stop.begin):
        return False
    before = line[max(begun, stop.begin - _FARTHEST) : stop.begin]
    if _QUOTE.search(closing) and (
        (letter.islower() and not between.strip("—–- ")) or _SAID.match(line, stop.closed)
    ):
        return False
    abbreviated = None
    if mark == ".":
        if _LISTED.search(before):
            return False
        following = "" if _OPENING.search(between) else line[first : first + _FARTHEST]
        abbreviated = ends_sentence(line, stop.begin, following, language)
        if abbreviated or (abbreviated is not None and not closing):
            if _WHEN.match(line, begun, stop.begin):
                return False
            return abbreviated and (cut or not pairs.hold(stop.begin, stop.closed))
        if (
            letter.islower()
            and not closing
            and _is_abbreviated(before, line[begun], between, language)
        ):
            return False
    if spaced and _begins_item(listed, line, stop.begin, first):
        return not pairs.hold(stop.begin, stop.closed)
    if mark == "!" and letter.islower() and not closing and _NAME_END.search(before):
        return False
    if cut or abbreviated is not None:
        return cut
    bracketed = _BRACKET.search(closing) and (
        (spaced and letter.isupper()) or line[begun] in "(（[【"
    )
    trailing = mark[0] == "…" and spaced and letter.isupper()
    return bool(bracketed or trailing) and not pairs.hold(stop.begin, stop.closed)


def _begins_item(listed: str, line: str, before: int, first: int) -> bool:
    """Whether the next item of a list begins, "2. Board", shortly after its previous one."""
    item = _ITEM.match(line, first)
    if item is None:
        return False
    near = max(0, before - _LONGEST_ITEM)
    # the line's own marks, or what follows a space or a sign
    begins = r"(?:\A|[\s:;(*])" if near == 0 else r"[\s:;(*]"
    last = rf"{begins}{int(item['number']) - 1}(?:[)]|\.(?=\s))"
    return re.search(last, (listed if near == 0 else "") + line[near:before]) is not None


def _is_abbreviated(before: str, begin: str, between: str, language: str) -> bool:
    """Whether a full stop before a lower-case letter certainly ends only a word or a number.

    Args:
        begin: the first character of the sentence.
        between: the text before the lower-case letter, apart from space.
    """
    if _DECIMAL.search(before):
        return True
    # a writer who begins sentences in lower case may do so again; "(p. 3)" may be between two
    word = _SHORT_WORD.search(before) if begin.isupper() and not between else None
    # "I don't know. it stops here": some write no capitals
    return word is not None and (
        language in _SMALL_AFTER_ABBREVIATION
        or word[0][0].isupper()
        or not _VOWEL.search(word[0])
        or is_abbreviation(before, language)
    )
