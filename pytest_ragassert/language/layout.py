"""Recognizes what a line of a text is: a Markdown heading, a table row, a list item, a rule."""

from __future__ import annotations

import re

# A year is not a mark: "1990. Then". A letter and a full stop begin an item only before a capital:
# "A. Buy a ticket", but "z. B." is an abbreviation.
_MARK = (
    r"(?:[-*+–—→✓✔✅❌](?=\s|\Z)|[•·‣◦▪●○■□☐☑☒]|\[[ xX]\](?=\s)"
    r"|[(（](?:\d{1,3}|[^\W\d_]|[ivxIVX]{1,5}|[一二三四五六七八九十]{1,3})[)）]"
    r"|(?:\d{1,3}|[^\W\d_]|[ivxIVX]{1,5})[)）](?=\s|\Z)"
    r"|\d{1,3}(?:\.\d{1,3}){1,4}\.?(?=\s+[^\W\d_])|\d{1,3}(?:\.\d{1,3}){2,4}\.?(?=\s|\Z)"
    r"|(?P<bold>\*{1,2}|__)\d{1,3}[.)](?:(?=\s)|(?P=bold)(?=\s))|\d{1,3}\.\)(?=\s|\Z)"
    r"|\d{1,3}\.(?=\s|[^\W\d]|[*_\"'“„«(]|\Z)"
    r"|[ivxIVX]{1,5}\.(?=\s)|[A-Za-zа-яёА-ЯЁء-ي]\.(?=\s+[^\W\d_a-zа-яё])"
    r"|\d{1,3}[、．](?!\d)|[一二三四五六七八九十]{1,3}[、．]|第[一二三四五六七八九十\d]{1,3}[、，：:]"
    r"|[①-⑳⑴-⒇⒈-⒛❶-❿➀-➓]|[0-9]\ufe0f?\u20e3)"
)
_LIST_MARK = re.compile(rf"[^\S\n\r]*(?:>[^\S\n\r]?)*(?P<marks>(?:{_MARK}[^\S\n\r]*)+)")
_QUOTED = re.compile(r"[^\S\n\r]*(?:>[^\S\n\r]?)*")
_HEADING = re.compile(r"[ \t]*(?:>[ \t]?)*(?P<marks>#{1,6})(?=[ \t])")
_BOLD = re.compile(
    r"(?:(?P<mark>\*\*\*|\*\*|__)(?=\S)(?:(?!(?P=mark)).){1,200}(?P=mark)[:：]?|<(?P<tag>b|strong)>"
    r"[^<>]{1,200}</(?P=tag)>[:：]?)\s*\Z"
)
_UNDERLINE = re.compile(r" {0,3}(?P<one>=)+[ \t]*\Z| {0,3}-{2,}[ \t]*\Z")
_TABLE_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:[|+][ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
# of a grid: "+-----+" below the header row, or "+=====+" if each row has "+-----+" below it
_GRID_RULE = re.compile(r"[ \t>]*\+(?:[-=:]+\+)+[ \t]*\Z")
_ROW = re.compile(r"[ \t]*(?:>[ \t]?)*\|")
_TITLE_END = re.compile(r"[.!?:;,。！？：]\s*\Z")
_LONGEST_TITLE = 100  # characters
_LEADS_IN = re.compile(r"[:：][*_\"”»)]{0,4}\s*\Z")
_WORDLESS = re.compile(r"[\W_]+\Z")
FENCE = re.compile(r"[ \t]*(```|~~~)")
_RULE = re.compile(r"[ \t>]*(?P<sign>[-*_=~–—·•#+])(?:[ \t]*(?P=sign)){2,}[ \t]*\Z")


def is_fence(line: str) -> bool:
    """Whether a line begins or ends a block of code."""
    return FENCE.match(line) is not None


def list_mark_end(text: str, start: int, end: int) -> int:
    """Return where the list marks at the beginning of a line end; `start` if there are none."""
    mark = _LIST_MARK.match(text, start, end)
    return mark.end() if mark else start


def is_list_mark(text: str, start: int, end: int) -> bool:
    """Whether a stretch consists of list marks, considering the text after it."""
    mark = _LIST_MARK.match(text, start)
    return mark is not None and mark.end() >= end


def list_mark(line: str) -> str | None:
    """Return the kind of a list item's innermost mark, the same for all items of a list, or
    None.
    """
    mark = _LIST_MARK.match(line)
    if mark is None:
        return None
    innermost = mark["marks"].split()[-1]
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"[\d①-⒛❶-➓]+", "1", innermost))


def heading_level(line: str) -> int | None:
    """Return 1 to 6 for "# …" to "###### …", 7 for a line that is all bold, or None."""
    if marks := _HEADING.match(line):
        return len(marks["marks"])
    return 7 if _BOLD.match(line, _quoted(line)) else None


def underlined(line: str, below: str) -> str | None:
    """Return what the next line makes of a line: "table" for a header row, "1" or "2" for a
    heading.

    "|---|---|" makes it a header row, "===" and "---" a heading of level 1 and 2.
    """
    if is_row(line) and _GRID_RULE.match(below):
        return "table"
    if "-" in below and "|" in line and _TABLE_RULE.match(below):
        return "table" if "|" in below or is_row(line) else None
    mark = _UNDERLINE.match(below)
    if mark is None or not line.strip() or len(line) > _LONGEST_TITLE:
        return None
    if _TITLE_END.search(line) or _LIST_MARK.match(line) or _HEADING.match(line):
        return None
    return "1" if mark["one"] else "2"


def is_row(line: str) -> bool:
    """Whether a line is a row of a table: it begins with "|"."""
    return _ROW.match(line) is not None


def is_rule(line: str) -> bool:
    """Whether a line is a rule between parts of a text: "---", "* * *", "+---+"."""
    return _RULE.match(line) is not None or _GRID_RULE.match(line) is not None


def is_bold_item(line: str) -> bool:
    """Whether a list item is a title: all of it is bold."""
    return _BOLD.match(line, list_mark_end(line, 0, len(line))) is not None


def leads_in(line: str) -> bool:
    """Whether a line ends with a colon, so that it introduces the text below it."""
    return _LEADS_IN.search(line[-8:]) is not None


def is_wordless(text: str) -> bool:
    """Whether a text has neither letters nor digits."""
    return _WORDLESS.match(text) is not None


def indentation(line: str) -> int:
    """Return how far a line is indented; a tab counts as four spaces."""
    return len(line[: len(line) - len(line.lstrip())].expandtabs(4))


def _quoted(line: str) -> int:
    mark = _QUOTED.match(line)
    return mark.end() if mark else 0
