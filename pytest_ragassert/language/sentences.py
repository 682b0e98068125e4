"""Finds a text's sentences as offsets: lines first, then each one with sentencex and
`sentence_ends`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import sentencex

from .detection import language_of
from .escaping import without_surrogates
from .layout import (
    FENCE,
    heading_level,
    is_list_mark,
    is_row,
    is_rule,
    is_wordless,
    list_mark_end,
    underlined,
)
from .sentence_ends import ends_of, stops_of, without_signs

_LINE = re.compile(r"[^\n\r]+")
_ONE_BREAK = frozenset({"\n", "\r", "\r\n"})
_OPEN_END = re.compile(r"[\w,'’)%]\s*\Z")
_CLOSED_END = re.compile(r"[.!?…。！？][\"'”’»)]*\s*\Z")
_NO_PROSE = re.compile(r"\s*(?:[|#>]|```|~~~)")
_WORDS_BEFORE = re.compile(r"\s*(?:\S+\s+){2}\S")  # three words
_SMALL = re.compile(r"\s*(?:(?P<letter>[^\W\d_])|\d(?!\d{0,2}[.)](?:\s|\Z)))")
_WIDTH = 40  # characters from which a line may have been wrapped
_WIDE_STOP = re.compile("[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\u2019\uff09]*")
_STOP = re.compile("[.!?;:]")  # an ASCII line without any of these is one sentence
# Ends that the splitter misses: after a word that is not an abbreviation, before a digit, and the
# marks of Khmer and Tibetan.
_PASSED_OVER = re.compile(
    "\\bMay\\.(?=\\s+[A-Z])|[\u3002\uff01\uff1f](?=\\d)|[\u17d4\u17d5\u0f0d\u0f0e]+(?=\\s*\\w)"
)
_MONTH = "May."  # of these the only one in ASCII
# Splitting takes n² time. After the first number of characters a line is cut at a wide full stop. A
# line longer than the last is cut, after the second, at a certain end of a sentence or anywhere.
_BLOCK, _LONG, _LONGEST = 1_000, 2_000, 8_000
# Places where certainly no abbreviation, initial or number continues.
_SURE_END = re.compile(r"(?:(?<=[^\W\d_]{4})[.!?…]+|[।॥۔؟]+)[\"'”’»)]*\s+(?=[^\W\d_])")
_FARTHEST = 100  # characters
_CLOSED = re.compile(
    r"""(?:[\s"'“”’»)\]}*_」』）］¹²³⁰⁴-⁹]|\[[^\[\]]{1,30}\]|【[^【】]{1,80}】|"""
    r"""[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\u200d])+\Z"""
)
_ASKS = ("?", "？", "؟", "፧", "\u037e")


@lru_cache(maxsize=512)
def split_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Return half-open offsets of the sentences, in order, without surrounding space or blank ones.

    A line break ends a sentence, except in hard-wrapped text: a line without an end whose
    continuation starts in lower case. One sentence each: a heading with its underline, a row of a
    table, a header row with the rule below it, a fenced code block. A list's marks, quotation marks
    and other signs belong to the sentence beside them; a rule or other signs on a separate line
    belong to none.
    """
    language = language_of(text)
    spans: list[tuple[int, int]] = []
    for start, end, whole in _lines(text) or [(0, len(text), True)]:
        spans.extend([(start, end)] if whole else _of_line(text[start:end], start, language))
    trimmed = [span for span in (_trimmed(text, *s) for s in spans) if span[0] < span[1]]
    return tuple(_with_list_marks(text, trimmed))


def sentence_texts(text: str) -> list[str]:
    """Return the sentences' texts, in order."""
    return [text[start:end] for start, end in split_sentences(text)]


def is_question(sentence: str) -> bool:
    """Whether a sentence ends with a question mark, apart from quotation and citation marks."""
    end = sentence[-_FARTHEST:]
    closed = _CLOSED.search(end)
    return (end[: closed.start()] if closed else end).endswith(_ASKS)


def _lines(text: str) -> list[tuple[int, int, bool]]:
    """Yield the lines, joined if they were wrapped, each with whether it is one sentence."""
    lines: list[tuple[int, int, bool]] = []
    begun = 0  # where the last line that was read begins
    table = -1  # where the last line of a table ends
    fence: tuple[str, int] | None = None
    for match in _LINE.finditer(text):
        start, end = match.span()
        line = match[0]
        if mark := FENCE.match(line):
            if fence is None:
                fence = (mark[1], start)
            elif mark[1] == fence[0]:
                if not is_wordless(text[fence[1] : end]):
                    lines.append((fence[1], end, True))
                fence = None
            begun = start
            continue
        if fence is not None:
            continue
        first, last, whole = lines[-1] if lines else (0, 0, True)
        below = bool(lines) and text[last:start] in _ONE_BREAK
        if below and begun == first and (kind := underlined(text[first:last], line)):
            lines[-1] = first, end, True
            table = end if kind == "table" else table
        elif is_wordless(line):
            if below and not is_rule(line):
                lines[-1] = first, end, whole
                begun = start
        elif below and not whole and _goes_on(text, first, begun, last, line):
            lines[-1] = first, end, False
            begun = start
        else:
            row = is_row(line) or (below and last == table and "|" in line)
            table = end if row else table
            lines.append((start, end, row or heading_level(line) is not None))
            begun = start
    if fence is not None and not is_wordless(text[fence[1] :]):
        lines.append((fence[1], len(text), True))
    return lines


def _goes_on(text: str, first: int, begun: int, last: int, following: str) -> bool:
    """Whether the break after a line is within a sentence.

    Args:
        first: where the first of the lines begins that this line was joined to.
        begun: where the line itself begins, which ends at `last`.
    """
    line = text[begun:last]
    small = _SMALL.match(following)
    if not small or _NO_PROSE.match(text, first, last) or not _OPEN_END.search(line):
        return False
    listed = list_mark_end(following, 0, len(following))  # "a) By card"
    if small["letter"] and (listed or not small["letter"].islower()):
        return False
    wide = len(line) >= _WIDTH or _CLOSED_END.search(following)
    return bool(wide and _WORDS_BEFORE.match(text, first, last))


def _of_line(line: str, offset: int, language: str) -> list[tuple[int, int]]:
    if line.isascii() and not _STOP.search(line, 0, len(line) - 1):
        return [(offset, offset + len(line))]
    marks = list_mark_end(line, 0, len(line))
    stops = stops_of(line[marks:])
    # the splitter accepts only UTF-8; the replacement keeps every offset
    clean = without_signs(line[marks:], stops)
    clean = clean if clean.isascii() else without_surrogates(clean)
    clean = clean.replace("\n", " ").replace("\r", " ")
    begins: list[int] = []
    for start, end, goes_on in _blocks(clean):
        found = sentencex.get_sentence_boundaries(language, clean[start:end])
        begins += [start + one["start_index"] for one in found[goes_on:]]
    ends = ends_of(line[marks:], stops, [at for at in begins if at], language, line[:marks])
    cuts = {offset + marks + end for end in ends}
    if not line.isascii() or _MONTH in line:
        cuts.update(offset + cut.end() for cut in _PASSED_OVER.finditer(line, marks))
    return _with_signs(line, offset, list(pairwise([offset, *sorted(cuts), offset + len(line)])))


def _blocks(line: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the line whole, or a long one in parts, because splitting takes n² time.

    Each comes with whether it continues the previous sentence.
    """
    cuts = [0]
    if len(line) > _BLOCK:
        for stop in _WIDE_STOP.finditer(line):
            if stop.end() - cuts[-1] >= _BLOCK:
                cuts.append(stop.end())
    for start, end in pairwise([*cuts, len(line)]):
        goes_on = False
        while end - start > _LONGEST:
            sure = _SURE_END.search(line, start + _LONG, start + _LONGEST)
            space = line.rfind(" ", start + _LONG, start + _LONG + _BLOCK)
            cut = sure.end() if sure else (space + 1 or start + _LONG)
            yield start, cut, goes_on
            start, goes_on = cut, sure is None
        yield start, end, goes_on


def _with_list_marks(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Yield the spans, with those of a list's mark alone joined to the next one."""
    whole: list[tuple[int, int]] = []
    begun: int | None = None  # where the marks before the next sentence begin
    for start, end in spans:
        start, begun = (start if begun is None else begun), None
        if is_list_mark(text, start, end):
            begun = start
        else:
            whole.append((start, end))
    return whole if begun is None else [*whole, (begun, spans[-1][1])]


def _with_signs(line: str, offset: int, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Yield a line's spans, with those without letters and digits joined to the previous or next
    one.
    """
    whole: list[tuple[int, int]] = []
    begun: int | None = None
    for start, end in spans:
        if not is_wordless(line[start - offset : end - offset]):
            whole.append((start if begun is None else begun, end))
            begun = None
        elif whole:
            whole[-1] = whole[-1][0], end
        else:
            begun = start if begun is None else begun
    return whole or spans[:1]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    stretch = text[start:end]
    left = len(stretch) - len(stretch.lstrip())
    return (start + left, start + len(stretch.rstrip())) if left < len(stretch) else (start, start)
