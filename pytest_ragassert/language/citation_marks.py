"""What the citation marks of a text name, sentence by sentence."""

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
    # code, and what a footnote or a link's definition begins with
    r"^[ \t]*(?P<fence>```|~~~).*?(?:^[ \t]*(?P=fence)[^\n]*$|\Z)|`[^`\n]{1,300}`"
    r"|^[ \t>]*(?:[-*+][ \t])?\[\^?[^\[\]\n]{1,80}\][:：]",
    re.MULTILINE | re.DOTALL,
)
# A name may stand in any brackets, or be what a link shows or leads to.
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
_DOUBTFUL = frozenset("(（{①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳")  # as a sentence's beginning
_TARGET = re.compile(r"(?<=\])\(([^()\s]{1,500})\)")
_URL = re.compile(r"https?://[^\s()<>\[\]\"']+")
# "0-1" is a document and its sentence, counted by each tool in its own way
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
# What stands before a number or a name: "see", "source", "chunk_id=", "D".
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
        shown: for people.
        names: what a context may be called that it points at, as `normal` has them.
        numbers: which contexts it points at, counted from 1, where none has such a name; several of
            a range.
        sure: it is a citation even where it points nowhere.
    """

    shown: str
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    sure: bool


def labels_by_sentence(
    text: str, names: Collection[str], contexts: Sequence[str]
) -> list[list[Label]]:
    """What each sentence of `split_sentences` cites, in the order of the text.

    A mark belongs to the sentence in which it stands, and to the one before where nothing but marks
    stands between: behind a full stop, or alone on the next line. Code holds no marks.

    Args:
        names: what contexts are called, as `normal` has it; each of them in brackets is a mark.
        contexts: their texts, blank ones too. A number in round brackets that one of them has is no
            mark.
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
    """Where brackets stand that are marks only because they hold a context's name, in order.

    What is a mark in any text is left out, and so is a link whose target alone is a name. Marks
    with nothing but "," or "and" between them are one, together with round brackets around them.

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
    """A context's name as it is compared: "Doc. 2" and "doc_2" are the same."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    digits = folded if folded.isascii() else re.sub(r"\d", lambda one: str(int(one[0])), folded)
    return " ".join(_SEPARATED.sub("", digits).split())


def _marks(
    text: str, spans: Sequence[tuple[int, int]], names: Collection[str], contexts: Sequence[str]
) -> Iterator[Mark]:
    """The marks in the order of the text, none within another."""
    last = before = 0
    for start, end in spans:
        # what is doubtful is seen by the word before it
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
    """Brackets and links that hold a context's name."""
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
    """Where each sentence has its first word or number outside of marks; its end: it has none."""
    bare = _blanked(text, ((mark.start, mark.end) for mark in marks))
    found = [(_WORD.search(bare, start, end), end) for start, end in spans]
    return [match.start() if match else end for match, end in found]


def _seen(text: str) -> str:
    """The text with spaces where it holds no marks."""
    return _blanked(text, (found.span() for found in _NOT_SEEN.finditer(text)))


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with spaces in place of what stands at these offsets, which are in order."""
    parts: list[str] = []
    last = 0
    for start, end in spans:
        parts += text[last:start], " " * (end - start)
        last = end
    return "".join([*parts, text[last:]])


def _pieces(text: str) -> list[str]:
    return [one for one in map(str.strip, _BETWEEN.split(text)) if one]


def _labels(mark: str, names: Collection[str], most: int, *, sure: bool) -> Iterator[Label]:
    """What a mark names.

    Args:
        most: how many contexts there are.
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
        # whether a name is wrong is known where contexts have names
        if label is not None:
            yield label if label.numbers or names else label._replace(sure=False)


def _inside(mark: str) -> tuple[str, tuple[str, ...]]:
    """What stands within the brackets or the tag, and what stands there behind "†"."""
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
    """What a part of a mark names; None where it is the number of a page, or no name at all.

    Args:
        beside: what else the mark may mean by it.
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
