"""Cuts texts to a budget of tokens; each piece includes the heading that it belongs to."""

from __future__ import annotations

from bisect import bisect_right

from .headings import headings_of
from .sentences import split_sentences
from .token_estimate import OVERHEAD, count_characters, estimated_tokens, tokens_of

_ELLIPSIS = "\n…\n"
_ROOM = 160  # estimated tokens that the headings of a piece may take
_SHARE = 4  # of a budget


def pieces_within(text: str, budget: int) -> list[str]:
    """Return the text whole, or pieces of it, each preceded by what heads its first sentence.

    It is cut at the end of a sentence, and within a sentence only if that alone is too long. If
    possible, no piece ends with a heading, a header row or the line before a list. Nothing is lost,
    and what was added is separated from the piece by an ellipsis, so that a quote of both is found
    in the text.
    """
    if estimated_tokens(text) <= budget:
        return [text]
    room = min(_ROOM, budget // _SHARE)
    pieces: list[str] = []
    start = end = 0
    above = ""
    size = (0, 0, 0)
    for cut in _possible_cuts(text, budget):
        more = count_characters(text[end:cut])
        if end > start and tokens_of(*_sum(size, more)) > budget:
            pieces.append(above + text[start:end])
            above, start = _above(text, end, room)
            size = count_characters(above)
            if tokens_of(*_sum(size, more)) > budget:
                above, start, size = "", end, (0, 0, 0)
        end, size = cut, _sum(size, more)
    return [*pieces, above + text[start:]]


def headed(text: str, start: int, end: int) -> str:
    """Return a stretch of a text in the form of `pieces_within`."""
    above, start = _above(text, start, _ROOM)
    return above + text[start:end]


def _above(text: str, start: int, room: int) -> tuple[str, int]:
    """Return what heads the sentence at an offset, the nearest first, as far as there is room for
    it.

    Each comes with the offset of the text after it.
    """
    spans, heads = split_sentences(text), headings_of(text)
    first = bisect_right(spans, start, key=lambda span: span[1])
    head = heads[first] if first < len(spans) else None
    if head is None:
        return "", start
    begin = max(start, spans[first][0])
    if text[start:begin].strip():
        begin = start  # marks alone are not a sentence
    last = begin
    parts: list[str] = []
    while head is not None:
        above, below = spans[head]
        between = text[below:last]
        part = text[above:below] + (_ELLIPSIS if between.strip() else between)
        room -= estimated_tokens(part)
        if room < 0:
            break
        parts.append(part)
        last, head = above, heads[head]
    return "".join(reversed(parts)), begin


def _sum(size: tuple[int, int, int], more: tuple[int, int, int]) -> tuple[int, int, int]:
    return size[0] + more[0], size[1] + more[1], size[2] + more[2]


def _possible_cuts(text: str, budget: int) -> list[int]:
    """Return where the text may be cut, so that no stretch between two cuts exceeds the budget."""
    # a character is at most one token
    step = max(1, budget - OVERHEAD)
    cuts: list[int] = []
    last = 0
    spans, heads = split_sentences(text), headings_of(text)
    for index, (_, end) in enumerate([*spans, (len(text), len(text))]):
        heads_next = index + 1 < len(spans) and heads[index + 1] == index
        if heads_next and estimated_tokens(text[last : spans[index + 1][1]]) <= budget:
            continue
        if estimated_tokens(text[last:end]) > budget:
            cuts.extend(range(last + step, end, step))
        cuts.append(end)
        last = end
    return cuts
