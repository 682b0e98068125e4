"""Finds what the citation marks of a text name, sentence by sentence."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from .citations import SEE, SOURCE, Mark, citations_in, marks_taken_out
from .sentences import split_sentences

_MOST_IN_RANGE = 100
_NOT_SEEN = re.compile(
    # code, and the beginning of the definition of a footnote or a link
    r"^[ \t]*(?P<fence>```|~~~).*?(?:^[ \t]*(?P=fence)[^\n]*$|\Z)|`[^`\n]{1,300}`"
    r"|^[ \t>]*(?:[-*+][ \t])?\[\^?[^\[\]\n]{1,80}\][:：]",
    re.MULTILINE | re.DOTALL,
)
# A name may be in brackets of any kind, or be the text or the target of a link.
_BRACKETED = re.compile(
    r"[\[【〔［⟦]{1,2}(?P<square>[^\[\]【】〔〕［］⟦⟧\n]{1,2000})[\]】〕］⟧]{1,2}"
    r"(?:\((?P<target>[^()\s]{1,500})\))?"
    r"|[(（](?P<round>[^()（）\[\]\n]{1,200})[)）]"
)
_INDEX_BEFORE = re.compile(r"[\w\])]\Z")
_PLAIN = re.compile(r"[^\W\d_]+(?:\s[^\W\d_]+)*|\d+")  # in round brackets it may be a remark
_BETWEEN = re.compile(
    r"[,;、，；،؛&\n\ue200-\ue202]|[^\S\n]+(?:and|und|et|y|e|и|و|和|と)[^\S\n]+|(?<=\d)[和と](?=\d)"
)
_JOINT = re.compile(rf"[^\S\n]*(?:(?!\n)(?:{_BETWEEN.pattern}))?[^\S\n]*")
_OPENING = re.compile(rf"[(（]\s?(?:{SEE})?\Z", re.IGNORECASE)
_CLOSING = re.compile(r"\s?[)）]")
_LONGEST_LEAD = 40  # characters of "(as mentioned in "
_WORD = re.compile(r"[^\W_]")
_DOUBTFUL = frozenset("(（{①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳")  # as the beginning of a sentence
_TARGET = re.compile(r"(?<=\])\(([^()\s]{1,500})\)")
_URL = re.compile(r"https?://[^\s()<>\[\]\"']+")
# "0-1" is a document and its sentence, which each tool counts differently
_ATTRIBUTE = re.compile(
    r"\b(?:id|ids|source|src|ref|name|doc|index(?!\s*=\s*[\"']?\d+-))\s*=\s*[\"']?([^\"'>\s/]+)"
)
_TAG = re.compile(r"</?\w[^<>]*>")
_STEP_AND_PLACE = re.compile(r"(\d{1,4}):(\d{1,4})")
_WEB = re.compile(r"turn\d{1,3}[a-z]{1,12}\d{1,3}")
_PAGE = re.compile(
    r"(?:p|pp|page|pages|seiten?|с|стр|第)\.?\s?\d{1,4}(?:\s?[–-]\s?\d{1,4})?页?|S\.\s?\d{1,4}",
    re.IGNORECASE,
)
# Words before a number or a name: "see", "source", "chunk_id=", "D".
_BEFORE = re.compile(
    rf"{SEE}|(?:{SOURCE}|cite|web|file|search|tool|kb|n|anm|прим|注)(?:[\s_]?ids?)?"
    r"(?:[\s_.:#=№-]{1,3}|(?=\d))|ids?\s?[:=#]\s?|(?-i:[A-Z])(?=\d)|[#№^]",
    re.IGNORECASE,
)
_RAISED = re.compile("[¹²³⁰⁴-⁹]{2,3}")
_NUMBERS = re.compile(r"(\d{1,4})(?:\s?[–−-]\s?(\d{1,4}))?")
_SEPARATED = re.compile(r"(?<=[^\W\d_])[\s_.:#=№-]+(?=\d)")


class Label(NamedTuple):
    """One thing that a mark names, such as the 3 of "[1, 3]".

    Attributes:
        shown: its text, for people.
        names: possible names of the context that it points at, in the form of `normal`.
        numbers: the contexts that it points at, counted from 1, if none has such a name; several
            for a range.
        sure: it is a citation even if it points nowhere.
    """

    shown: str
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    sure: bool


def labels_by_sentence(
    text: str, names: Collection[str], contexts: Sequence[str]
) -> list[list[Label]]:
    """Return what each sentence of `split_sentences` cites, in the order of the text.

    A mark belongs to its sentence and, if only marks are between, to the previous one: after a full
    stop, or alone on the next line. Code has no marks.

    Args:
        names: names of contexts, in the form of `normal`; each of them in brackets is a mark.
        contexts: their texts, including blank ones. A number in round brackets that appears in one
            of them is not a mark.
    """
    spans = split_sentences(text)
    cited: list[list[Label]] = [[] for _ in spans]
    text = _seen(text)
    marks = list(_marks(text, spans, names, contexts))
    words = _first_words(text, spans, marks)
    starts = [start for start, _ in spans]
    for mark in marks:
        place = bisect_right(starts, mark.start) - 1
        begins = not mark.ahead and mark.start < words[place]
        if place and begins and "\n" not in text[spans[place - 1][1] : starts[place]]:
            place -= 1
        while place and words[place] == spans[place][1]:
            place -= 1
        shown = text[mark.start : mark.end].strip()
        cited[place] += _labels(shown, names, len(contexts), sure=mark.sure)
    return cited


def marks_by_name_alone(text: str, names: Collection[str]) -> list[tuple[int, int]]:
    """Return brackets that are marks only because they contain a context's name, in order.

    Marks in any text are left out, and so are links with a name only as their target. Marks with
    only "," or "and" between them are one, together with round brackets around them.

    Args:
        names: as in `labels_by_sentence`.
    """
    seen = _seen(text)
    bare = _blanked(seen, marks_taken_out(seen))
    spans: list[tuple[int, int]] = []
    for match in _named(bare, 0, len(bare), names):
        if match["target"] and not _holds(match["square"], names):
            continue
        start, end = match.span()
        if spans and _JOINT.fullmatch(text, spans[-1][1], start):
            start = spans.pop()[0]
        spans.append((start, end))
    return [_with_round_brackets(text, *span) for span in spans]


def _with_round_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    opening = _OPENING.search(text, max(0, start - _LONGEST_LEAD), start)
    closing = _CLOSING.match(text, end)
    return (opening.start(), closing.end()) if opening and closing else (start, end)


def normal(name: str) -> str:
    """Return a context's name in a form for comparison: "Doc. 2" and "doc_2" are the same."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    digits = folded if folded.isascii() else re.sub(r"\d", lambda one: str(int(one[0])), folded)
    return " ".join(_SEPARATED.sub("", digits).split())


def _marks(
    text: str, spans: Sequence[tuple[int, int]], names: Collection[str], contexts: Sequence[str]
) -> Iterator[Mark]:
    """Return the marks in the order of the text, none of them within another."""
    last = before = 0
    for start, end in spans:
        # the previous word shows which are doubtful
        begin = before if text[start] in _DOUBTFUL else start
        found = [
            mark._replace(start=begin + mark.start, end=begin + mark.end)
            for mark in citations_in(text[begin:end], contexts)
        ]
        before = start
        if names:
            found += (Mark(*one.span(), sure=True) for one in _named(text, start, end, names))
        for mark in sorted(found, key=lambda one: (one.start, -one.end)):
            if mark.start >= last and mark.end > start:
                yield mark
                last = mark.end


def _named(text: str, start: int, end: int, names: Collection[str]) -> Iterator[re.Match[str]]:
    """Return brackets and links that contain a context's name."""
    last = start
    for match in _BRACKETED.finditer(text, start, end):
        if match["round"] is not None:
            pieces = _pieces(match["round"])
            if not all(normal(one) in names and not _PLAIN.fullmatch(one) for one in pieces):
                continue
        else:
            first = match.start()
            indexed = match["square"].isdecimal() and _INDEX_BEFORE.search(
                text, max(last, first - 1), first
            )
            target = normal(match["target"] or "")
            if indexed or not (target in names or _holds(match["square"], names)):
                continue
        yield match
        last = match.end()


def _holds(inside: str, names: Collection[str]) -> bool:
    return any(normal(one) in names for one in (inside, *_pieces(inside)))


def _first_words(text: str, spans: Sequence[tuple[int, int]], marks: Sequence[Mark]) -> list[int]:
    """Return where each sentence has its first word or number outside marks, or its end if it has
    none.
    """
    bare = _blanked(text, ((mark.start, mark.end) for mark in marks))
    found = [(_WORD.search(bare, start, end), end) for start, end in spans]
    return [match.start() if match else end for match, end in found]


def _seen(text: str) -> str:
    """Return the text with everything except marks replaced by spaces."""
    return _blanked(text, (found.span() for found in _NOT_SEEN.finditer(text)))


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text with spaces at these offsets, which are in order."""
    parts: list[str] = []
    last = 0
    for start, end in spans:
        parts += text[last:start], " " * (end - start)
        last = end
    return "".join([*parts, text[last:]])


def _pieces(text: str) -> list[str]:
    return [one for one in map(str.strip, _BETWEEN.split(text)) if one]


def _labels(mark: str, names: Collection[str], most: int, *, sure: bool) -> Iterator[Label]:
    """Return what a mark names.

    Args:
        most: the number of contexts.
    """
    folded = unicodedata.normalize("NFKC", mark)
    whole = normal(folded.strip("[]()【】〔〕⟦⟧<>"))
    if whole in names:
        yield Label(mark, (whole,), (), sure)
        return
    if _RAISED.fullmatch(mark) and int(folded) > most:
        folded = ",".join(folded)  # "¹²" for "¹ ²"
    urls = tuple(map(normal, (*_TARGET.findall(folded), *_URL.findall(folded))))
    inside, tail = _inside(_URL.sub("", _TARGET.sub("", folded)))
    pieces = _WEB.findall(inside) or _pieces(inside)
    for piece in pieces or [""] * bool(urls):
        shown = mark if len(pieces) < 2 else f"[{piece}]"
        label = _label(piece, (*urls, *tail), shown, sure=sure)
        # whether a name is wrong can only be known if contexts have names
        if label is not None:
            yield label if label.numbers or names else label._replace(sure=False)


def _inside(mark: str) -> tuple[str, tuple[str, ...]]:
    """Return the text within the brackets or the tag, and the text there after "†"."""
    tags = _TAG.findall(mark)
    if tags:
        held = _ATTRIBUTE.findall(tags[0])
        mark = ",".join(held) or _TAG.sub(" ", mark)
    mark = re.sub(r"\\cite[a-z]{0,8}|\{\{cite\||citation needed|cite_(?:start|end)", "", mark)
    mark = re.sub(r"[\]】〕⟧)}]\s*[\[【〔⟦({^]+", ",", mark)
    mark = re.sub(r"[\[\]【】〔〕⟦⟧(){}\\*|]", "", mark).strip(" _^—–-")
    head, dagger, tail = re.sub("[‡]", "†", mark).partition("†")
    return head, (normal(tail),) if dagger and tail else ()


def _label(piece: str, beside: tuple[str, ...], shown: str, *, sure: bool) -> Label | None:
    """Return what a part of a mark names, or None if it is a page number, or not a name at all.

    Args:
        beside: other possible meanings within the mark.
    """
    if _PAGE.fullmatch(piece):
        return None
    rest, own = piece, [normal(piece)]
    while (found := _BEFORE.match(rest)) and found.end() < len(rest):
        rest = rest[found.end() :]
        own.append(normal(rest))
    names = tuple(dict.fromkeys(filter(None, (*own, *beside))))
    if place := _STEP_AND_PLACE.fullmatch(rest):
        # a step of the conversation, and which of its results, counted from 0
        return Label(shown, names, (int(place[2]) + 1,), sure)
    if found := _NUMBERS.fullmatch(rest):
        first, last = int(found[1]), int(found[2] or found[1])
        wide = not first < last <= first + _MOST_IN_RANGE
        numbers = tuple(dict.fromkeys((first, last))) if wide else tuple(range(first, last + 1))
        return Label(f"[{rest}]" if rest == piece else shown, names, numbers, sure)
    return Label(shown, names, (), sure) if names else None
