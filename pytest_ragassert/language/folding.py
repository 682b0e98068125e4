"""Folds typography while keeping offsets.

Two texts that a reader takes for the same often differ in bytes: curly or straight quotes, a dozen
kinds of hyphens, ligatures and soft hyphens from a PDF, no-break spaces, decomposed accents. `fold`
brings them to one form and remembers where every folded character came from, so that a match in the
folded text can be located in the original.

Case, digits, superscripts, subscripts and full-width forms are never folded. They change what a
text says (10² is not 102), which is why this is NFC plus a table and not NFKC.

`Folded.joined` is a second form, without the hyphens inside words. It serves one purpose: words
broken over two lines. The removed hyphens are kept by kind, so that `agrees` can distinguish a
hyphen that a line break may have caused from one that belongs to the text.

`Folded.closed` is a third form, without the spaces that are only typography (see `spacing`).
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from .memo import TextCache
from .spacing import free_spaces

Span = tuple[int, int]
Edit = tuple[int, int, str]

DOUBLE_QUOTES = (
    '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\u2e42\u275d\u275e\u05f4\uff02'
    "\u301d\u301e\u301f\u300c\u300d\ufe41\ufe42\uff62\uff63"
)
SINGLE_QUOTES = (
    "'`\u00b4\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u2035\u02b9\u02bb\u02bc\u02bd\u0374\u1fef"
    "\u1ffd\u275b\u275c\u05f3\uff07\u300e\u300f\ufe43\ufe44"
)
# Hyphens build words; the longer dashes are only between words.
HYPHENS = "-\u2010\u2011\u058a\u05be\ufe63\uff0d"
SHORT_DASHES = "\u2012\u2013\u2212\u2043\u02d7\ufe32\ufe58"
LONG_DASHES = "\u2014\u2015\u2e3a\u2e3b\ufe31"
DASHES = HYPHENS + SHORT_DASHES + LONG_DASHES
ELLIPSIS = "\u2026"

SOFT_HYPHEN = "\u00ad"
# Soft hyphen, zero-width space, word joiner, byte order mark, and the direction marks.
IGNORED = (
    SOFT_HYPHEN + "\u200b\u2060\ufeff\u061c\u200e\u200f"
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
# ZWNJ and ZWJ spell words in Arabic and Indic scripts and build emoji. Elsewhere they are layout.
JOINERS = "\u200c\u200d"
_JOINING = (
    "\u0590-\u05bd\u05bf-\u05f2\u05f5-\u061b\u061d-\u10ff\u1200-\u1cff\u2190-\u21ff\u2300-\u2328"
    "\u232b-\u23ff\u2600-\u275a\u275f-\u27bf\u2b00-\u2bff\ua800-\uabff\ufb1d-\ufdff\ufe00-\ufe0f"
    "\ufe70-\ufefc\U00010800-\U0001ffff"
)
# Han and kana with their punctuation: white space between two of these is layout.
_WIDE = (
    "\u2329\u232a\u2e80-\u2fdf\u3001-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\U00020000-\U0003ffff"
)
WHITE_SPACE = (
    " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
LINE_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"

_TABLE = {
    **dict.fromkeys(DOUBLE_QUOTES, '"'),
    **dict.fromkeys(SINGLE_QUOTES, "'"),
    **dict.fromkeys(DASHES, "-"),
    ELLIPSIS: "...",
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_SIMPLE = "".join(char for char, folded in _TABLE.items() if char != folded)
_GAP = rf"\s{IGNORED}{JOINERS}"
# The single space between words, by far the most common character, stays in unchanged stretches.
_SPECIAL = re.compile(
    rf"[{_SIMPLE}]"
    rf"|(?:[^\S ]|[{IGNORED}]| (?=[{_GAP}])|(?<![{_JOINING}])[{JOINERS}])[{_GAP}]*"
    rf"|(?<=[{_WIDE}]) (?=[{_WIDE}])"
)
_SPACE = re.compile(r"\s")
_LINE_BREAK = re.compile(f"[{LINE_BREAKS}]")
_WIDE_CHAR = re.compile(f"[{_WIDE}]")
_ACCENTED = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_INNER_HYPHEN = re.compile(r"(?<=[^\s-])-( ?)(?=[^\s-])")
# Reordering a run of marks takes quadratic time, and no writing system stacks this many.
_LONGEST_CLUSTER = 32

# The possible kinds of a hyphen inside a word.
HARD = "h"  # "re-sign": part of the text
SPACED = "s"  # "short- and": part of the text
BREAK = "b"  # "3-\n5", "open\u2014\nshut": part of the text, the line break is not
SOFT = "o"  # "hyper-\ntension": possibly there only because of the line break


class OffsetMap:
    """Maps each stretch of a rewritten text to its place in the text before."""

    __slots__ = ("_at", "_size", "_source", "_stop")

    def __init__(self) -> None:
        self._at = array("q")
        self._source = array("q")
        # -1: copied character by character; otherwise one indivisible piece
        self._stop = array("q")
        self._size = 0

    def __len__(self) -> int:
        return len(self._at)

    def add(self, at: int, source: int, stop: int = -1) -> None:
        self._at.append(at)
        self._source.append(source)
        self._stop.append(stop)

    def close(self, size: int) -> None:
        self._size = size

    def _piece_end(self, piece: int) -> int:
        return self._at[piece + 1] if piece + 1 < len(self._at) else self._size

    def start(self, offset: int) -> int:
        """Return the offset before the rewriting of the character at `offset`; -1 inside a
        piece.
        """
        piece = bisect_right(self._at, offset) - 1
        if self._stop[piece] < 0 or offset == self._at[piece]:
            return self._source[piece] + offset - self._at[piece]
        return -1

    def end(self, offset: int) -> int:
        """Return the offset before the rewriting of the end at `offset`; -1 inside a piece."""
        piece = bisect_left(self._at, offset) - 1
        if self._stop[piece] < 0:
            return self._source[piece] + offset - self._at[piece]
        return self._stop[piece] if offset == self._piece_end(piece) else -1

    def after(self, offset: int) -> int:
        """Return the first rewritten offset that came from `offset` or later."""
        piece = bisect_right(self._source, offset) - 1
        if piece < 0:
            return 0
        if self._stop[piece] < 0:
            ahead = self._at[piece] + offset - self._source[piece]
            return min(ahead, self._piece_end(piece))
        return self._at[piece] if offset == self._source[piece] else self._piece_end(piece)


def _rewrite(text: str, edits: Iterable[Edit]) -> tuple[str, OffsetMap | None]:
    """Apply ordered edits. Without any, return the text itself and no map."""
    pieces: list[str] = []
    offsets = OffsetMap()
    done = size = 0
    copying = False
    for start, end, new in edits:
        alike = end - start == 1 and len(new) == 1
        if not copying and (start > done or alike):
            offsets.add(size, done)
        pieces += (text[done:start], new)
        size += start - done
        if new and not alike:
            offsets.add(size, start, end)
        size += len(new)
        copying = alike
        done = end
    if not pieces:
        return text, None
    if done < len(text):
        if not copying:
            offsets.add(size, done)
        pieces.append(text[done:])
        size += len(text) - done
    offsets.close(size)
    return "".join(pieces), offsets


def _fold_gap(text: str, start: int, end: int) -> str:
    gap = text[start:end]
    left, right = text[max(start - 1, 0) : start], text[end : end + 1]
    if not _SPACE.search(gap):
        return ""
    if gap[0] == SOFT_HYPHEN and left.isalnum() and right.isalnum() and _LINE_BREAK.search(gap):
        return "- "  # shown as a hyphen at the end of the line, hence copied as one
    return "" if _WIDE_CHAR.match(left) and _WIDE_CHAR.match(right) else " "


def _typography(text: str) -> Iterator[Edit]:
    for match in _SPECIAL.finditer(text):
        start, end = match.span()
        new = _TABLE.get(match[0])
        yield start, end, _fold_gap(text, start, end) if new is None else new


def attaches(char: str) -> bool:
    """Whether the character belongs to the previous one: a mark, or a later part of a syllable."""
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff"


def _composition(text: str) -> Iterator[Edit]:
    """Yield NFC edits, cluster by cluster. ASCII never joins the text before it, so runs are
    independent.
    """
    for run in _ACCENTED.finditer(text):
        if unicodedata.is_normalized("NFC", run[0]):
            continue
        start, last = run.span()
        for end in range(start + 1, last + 1):
            if end < last and attaches(text[end]):
                continue
            cluster = text[start:end]
            if len(cluster) <= _LONGEST_CLUSTER:
                composed = unicodedata.normalize("NFC", cluster)
                if composed != cluster:
                    yield start, end, composed
            start = end


class Folded:
    """A folded text and the way back to the original."""

    __slots__ = ("_closed", "_joined", "_maps", "has_ellipsis", "may_break", "source", "text")

    def __init__(self, source: str, text: str, maps: tuple[OffsetMap, ...]) -> None:
        self.source = source
        self.text = text
        # Needed for every quote, and each takes a scan.
        self.may_break = "- " in text
        self.has_ellipsis = "..." in text
        self._maps = maps
        self._joined: Joined | None = None
        self._closed: Folded | None = None

    @property
    def weight(self) -> int:
        """The approximate size in memory, in characters."""
        return 200 + len(self.source) + 2 * len(self.text) + 24 * sum(map(len, self._maps))

    def start(self, offset: int) -> int:
        """Return the original offset of the folded character at `offset`; -1 inside a single
        original one.
        """
        for offsets in reversed(self._maps):
            offset = offsets.start(offset)
            if offset < 0:
                break
        return offset

    def end(self, offset: int) -> int:
        """Return the original offset of the end of the folded character before `offset`; -1 as in
        `start`.
        """
        for offsets in reversed(self._maps):
            offset = offsets.end(offset)
            if offset < 0:
                break
        return offset

    def after(self, offset: int) -> int:
        """Return the first folded offset that came from the original `offset` or later."""
        for offsets in self._maps:
            offset = offsets.after(offset)
        return offset

    def hyphens(self, start: int, end: int) -> dict[int, str]:
        """Return the kinds of hyphens removed strictly between two offsets, by distance from
        `start`.
        """
        return {}

    def agrees(self, start: int, other: Folded) -> bool:
        """Whether the hyphens from `start` on are those of `other`, apart from line breaks."""
        mine = self.hyphens(start, start + len(other.text))
        theirs = other.hyphens(0, len(other.text))
        return all(_alike(mine.get(at), theirs.get(at)) for at in mine.keys() | theirs.keys())

    def joined(self) -> Joined:
        """The text without the hyphens inside its words."""
        if self._joined is None:
            self._joined = self._join()
        return self._joined

    def _join(self) -> Joined:
        spots = array("q")
        kinds: list[str] = []
        edits: list[Edit] = []
        removed = 0
        for match in _INNER_HYPHEN.finditer(self.text):
            start, end = match.span()
            kinds.append(self._kind(start, end, match[1]))
            spots.append(start - removed)
            edits.append((start, end, ""))
            removed += end - start
        text, offsets = _rewrite(self.text, edits)
        maps = self._maps if offsets is None else (*self._maps, offsets)
        return Joined(self.source, text, maps, spots, kinds)

    def closed(self) -> Folded:
        """The text without the spaces that are only typography."""
        if self._closed is None:
            edits = ((at, at + 1, "") for at in free_spaces(self.text))
            text, offsets = _rewrite(self.text, edits)
            self._closed = self
            if offsets is not None:
                self._closed = Closed(self.source, text, (*self._maps, offsets))
                self._closed.may_break = self.may_break
        return self._closed

    def _kind(self, start: int, end: int, space: str) -> str:
        """Return the kind of a hyphen, which may have white space after it."""
        return self._kind_at_space(start, end) if space else HARD

    def _kind_at_space(self, start: int, end: int) -> str:
        first, last = self.start(start), self.start(end)
        before, after = self.text[start - 1], self.text[end]
        if not _LINE_BREAK.search(self.source, first, last):
            return SPACED
        letters = all(char.isalpha() or attaches(char) for char in (before, after))
        if letters and self.source[first] in ("-", "\u2010", SOFT_HYPHEN):
            return SOFT
        return BREAK if (before.isalnum() or attaches(before)) and after.isalnum() else SPACED


class Closed(Folded):
    """A folded text without the spaces that are only typography."""

    __slots__ = ()

    def _kind(self, start: int, end: int, space: str) -> str:
        # white space before it: a dash, not a word's hyphen at the end of a line
        kind = self._kind_at_space(start, end) if self.end(start) == self.start(start) else HARD
        return HARD if kind == SPACED else kind


class Joined(Folded):
    """A folded text without the hyphens inside words, which are kept by place and kind."""

    __slots__ = ("breaks", "kinds", "spots")

    def __init__(
        self,
        source: str,
        text: str,
        maps: tuple[OffsetMap, ...],
        spots: array[int],
        kinds: list[str],
    ) -> None:
        super().__init__(source, text, maps)
        self.spots = spots
        self.kinds = kinds
        self.breaks = SOFT in kinds or BREAK in kinds

    def hyphens(self, start: int, end: int) -> dict[int, str]:
        first = bisect_right(self.spots, start)
        last = bisect_left(self.spots, end)
        return {self.spots[at] - start: self.kinds[at] for at in range(first, last)}


def _alike(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return SOFT in (one, other)
    return one == other or one in (SOFT, BREAK) or other in (SOFT, BREAK)


def fold_once(text: str) -> Folded:
    """Fold a text that is used only once."""
    folded, typography = _rewrite(text, _typography(text))
    composition = None
    if not folded.isascii() and not unicodedata.is_normalized("NFC", folded):
        folded, composition = _rewrite(folded, _composition(folded))
    return Folded(text, folded, tuple(m for m in (typography, composition) if m is not None))


class FoldCache(TextCache[Folded]):
    """The most recently folded texts, up to a total weight. Threads may share it."""

    def __init__(self, limit: int) -> None:
        super().__init__(fold_once, lambda folded: folded.weight, limit)

    def fold(self, text: str) -> Folded:
        return self.of(text)


_CACHE = FoldCache(limit=64_000_000)


def fold(text: str) -> Folded:
    """Fold a text, and remember the result for its next use."""
    return _CACHE.fold(text)
