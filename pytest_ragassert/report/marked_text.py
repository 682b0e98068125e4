"""Formats a text with marked spans, in as many lines as there is room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..language.escaping import visible_part
from .terminal import Screen, Style, columns, last_columns

# Signs around a marked span; the first pair that the text does not contain is used.
_PAIRS = (("⟦", "⟧"), ("▸", "◂"), (">>", "<<"), ("{{", "}}"), ("<|", "|>"))
_LEAST = 24  # minimum columns of a marked span; if there is less room for each, some are omitted
_LEAST_BETWEEN = 12  # minimum columns of the text between two spans; with less, it is not shown


class Mark(NamedTuple):
    """A marked span, as half-open offsets; if several overlap, red takes precedence."""

    start: int
    end: int
    style: Style


class _Part(NamedTuple):
    text: str
    style: Style | None


def marked_lines(
    text: str, marks: Sequence[Mark], screen: Screen, width: int, most: int
) -> list[str]:
    """The text on at most `most` lines; of a long text, the marked spans with their
    surroundings.
    """
    # for a span longer than the room, its ends suffice
    parts = list(_parts(text, marks, 4 * width * most))
    signs = _signs("".join(part.text for part in parts), screen)
    around = columns(signs[0]) + columns(signs[1])
    needed = sum(_width(part, screen, around) for part in parts)
    # breaking lines at spaces wastes some room
    if needed > width * most:
        parts = _shortened(parts, width * most - most * width // 10, screen, around)
    whole = "".join(
        part.text if part.style is None else f"{signs[0]}{part.text}{signs[1]}" for part in parts
    )
    lines = screen.wrapped(whole.strip(), width, most)
    return _painted(lines, signs, [part.style for part in parts if part.style is not None], screen)


def _parts(text: str, marks: Sequence[Mark], most: int) -> Iterator[_Part]:
    """The marked and unmarked parts of the text; of long parts, `most` characters at each end."""
    place = 0
    for mark in _merged(marks, text):
        if mark.start > place:
            yield _Part(_ends(text[place : mark.start], most), None)
        yield _Part(_ends(text[mark.start : mark.end], most), mark.style)
        place = mark.end
    if place < len(text):
        yield _Part(_ends(text[place:], most), None)


def _ends(text: str, most: int) -> str:
    return visible_part(text if len(text) <= 2 * most else text[:most] + text[-most:])


def _merged(marks: Sequence[Mark], text: str) -> list[Mark]:
    """The spans in order, stripped of white space, with overlapping ones merged."""
    merged: list[Mark] = []
    for start, end, style in sorted(marks):
        stretch = text[start:end]
        end = start + len(stretch.rstrip())
        start += len(stretch) - len(stretch.lstrip())
        if end <= start:
            continue
        if merged and start < merged[-1].end:
            last = merged.pop()
            styles = (last.style, style)
            worse: Style = "red" if "red" in styles else style
            merged.append(Mark(last.start, max(last.end, end), worse))
        else:
            merged.append(Mark(start, end, style))
    return merged


def _signs(text: str, screen: Screen) -> tuple[str, str]:
    fitting = [pair for pair in _PAIRS if screen.takes("".join(pair))]
    free = [pair for pair in fitting if not any(sign in text for sign in pair)]
    return (free or fitting)[0]


def _width(part: _Part, screen: Screen, around: int) -> int:
    return columns(screen.safe(part.text)) + (around if part.style is not None else 0)


def _shortened(parts: Sequence[_Part], room: int, screen: Screen, around: int) -> list[_Part]:
    """The marked spans and the surrounding text that fits, each in its share of the room."""
    marked = [part for part in parts if part.style is not None]
    if not marked:
        # the last line is cut
        return list(parts)
    gap = columns(screen.glyph("...")) + 2
    kept: list[_Part] = []
    taken = 0
    # red ones first, if there is not enough room for all
    for part in sorted(marked, key=lambda part: part.style != "red"):
        taken += min(_LEAST, columns(screen.safe(part.text))) + around + gap
        if kept and taken > room:
            break
        kept.append(part)
    each = max(_LEAST, (room - len(kept) * (around + gap)) // len(kept))
    wanted = sum(min(each, columns(screen.safe(part.text))) + around for part in kept)
    runs: list[list[_Part]] = []
    for part in parts:
        is_kept = any(part is one for one in kept)
        if is_kept or not runs or any(runs[-1][0] is one for one in kept):
            runs.append([])
        runs[-1].append(part)
    for_gap = max(0, room - wanted) // max(1, len(runs) - len(kept))
    shown = []
    for at, run in enumerate(runs):
        if any(run[0] is one for one in kept):
            shown.append(_Part(screen.cut(run[0].text, each), run[0].style))
        elif any(part.style is not None for part in run):
            # without a mark, it would look supported
            shown.append(_Part(f" {screen.glyph('...')} ", None))
        else:
            (part,) = run
            first, last = at == 0, at == len(runs) - 1
            shown.append(_Part(_gap(part.text, for_gap, screen, first=first, last=last), None))
    return shown


def _gap(text: str, room: int, screen: Screen, *, first: bool, last: bool) -> str:
    """The text between marked spans, without its middle if it is too long."""
    clean, dots = screen.safe(text), screen.glyph("...")
    if columns(clean) <= room:
        return clean
    if first:
        return dots + _whole_words(last_columns(clean, max(0, room - columns(dots))))
    if last:
        return screen.cut(clean, max(room, columns(dots)))
    half = (room - columns(dots) - 2) // 2
    if half < _LEAST_BETWEEN // 2:
        return f" {dots} "
    begins = screen.cut(clean, half + columns(dots))
    return begins + _whole_words(last_columns(clean, half))


def _whole_words(text: str) -> str:
    """The text without a truncated word at its start."""
    _, space, rest = text.partition(" ")
    return f"{space}{rest}" if rest and len(rest) > len(text) // 2 else text


def _painted(
    lines: Sequence[str], signs: tuple[str, str], styles: Sequence[Style], screen: Screen
) -> list[str]:
    """The lines with the text between the signs in its style; a span may continue on the next
    line.
    """
    if not screen.colours:
        return list(lines)
    opens, closes = signs
    waiting = iter(styles)
    style: Style | None = None
    painted = []
    for line in lines:
        done, rest = "", line
        while rest:
            if style is None:
                before, sign, rest = rest.partition(opens)
                done += before
                if not sign:
                    break
                style = next(waiting, None) or "yellow"
                rest = sign + rest
            inside, sign, rest = rest.partition(closes)
            done += screen.paint(inside + sign, style)
            if sign:
                style = None
        painted.append(done)
    return painted
