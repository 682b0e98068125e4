"""A history as lines for a terminal, and as a drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ..analysis.records.history_file import Entry
from ..language.sanitize import visible
from .terminal import Screen

_BAR = 30  # columns of a mean of 1
_WIDTH, _HEIGHT, _MARGIN = 800, 360, 48
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")


def metrics_of(entries: Sequence[Entry]) -> list[str]:
    return sorted({name for entry in entries for name in entry.means})


def history_lines(entries: Sequence[Entry], metrics: Sequence[str], screen: Screen) -> list[str]:
    """Each metric's means, run by run, with a bar; a line where the judge changes."""
    lines: list[str] = []
    full = "\u2588" if screen.takes("\u2588") else "#"
    for metric in metrics:
        lines += [""] * bool(lines) + [visible(metric)]
        judge = None
        for entry in entries:
            if metric not in entry.means:
                continue
            if entry.judge != judge:
                lines.append(screen.cut(f"  judge {visible(entry.judge)}", screen.width))
                judge = entry.judge
            n, mean = entry.means[metric]
            commit = visible(entry.commit or "-")[:8]
            bar = full * round(_BAR * mean)
            when = f"{entry.date:%Y-%m-%d %H:%M}"
            lines.append(f"  {when}  {commit:<8} {n:>6} {mean:>6.3f} {bar}".rstrip())
    return lines


def history_drawing(entries: Sequence[Entry], metrics: Sequence[str]) -> str:
    """The means as an SVG document: a line a metric over the runs, which stand at equal distances.

    Where the judge changes stands a vertical line: means on its two sides are not comparable.
    """
    height = _HEIGHT + 20 * len(metrics)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        *_grid(),
        *_judges(entries),
    ]
    for number, metric in enumerate(metrics):
        parts += _curve(entries, metric, _COLOURS[number % len(_COLOURS)], number)
    first, last = (f"{entry.date:%Y-%m-%d}" for entry in (entries[0], entries[-1]))
    below = _HEIGHT - _MARGIN + 18
    parts += [
        f'<text x="{_MARGIN}" y="{below}">{first}</text>',
        f'<text x="{_WIDTH - _MARGIN}" y="{below}" text-anchor="end">{last}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _grid() -> Iterator[str]:
    for step in range(6):
        y = _y(step / 5)
        yield (
            f'<line x1="{_MARGIN}" y1="{y:.1f}" x2="{_WIDTH - _MARGIN}" y2="{y:.1f}" '
            'stroke="#dddddd"/>'
        )
        yield f'<text x="{_MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{step / 5:.1f}</text>'


def _judges(entries: Sequence[Entry]) -> Iterator[str]:
    for place in range(1, len(entries)):
        judge = entries[place].judge
        if judge != entries[place - 1].judge:
            x = (_x(place, len(entries)) + _x(place - 1, len(entries))) / 2
            yield (
                f'<line x1="{x:.1f}" y1="{_MARGIN - 12}" x2="{x:.1f}" y2="{_HEIGHT - _MARGIN}" '
                'stroke="#888888" stroke-dasharray="4 3"/>'
            )
            yield f'<text x="{x + 4:.1f}" y="{_MARGIN - 16}">judge {_safe(judge)}</text>'


def _curve(entries: Sequence[Entry], metric: str, colour: str, number: int) -> Iterator[str]:
    places = [
        (_x(place, len(entries)), _y(entry.means[metric][1]), entry)
        for place, entry in enumerate(entries)
        if metric in entry.means
    ]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
    yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for x, y, entry in places:
        n, mean = entry.means[metric]
        commit = _safe((entry.commit or "no commit")[:12])
        said = f"{_safe(metric)} {mean:.3f} over {n}, {entry.date:%Y-%m-%d %H:%M}, {commit}"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}">'
        yield f"<title>{said}</title></circle>"
    y = _HEIGHT + 20 * number
    yield f'<rect x="{_MARGIN}" y="{y - 10}" width="12" height="12" fill="{colour}"/>'
    yield f'<text x="{_MARGIN + 18}" y="{y}">{_safe(metric)}</text>'


def _safe(text: str) -> str:
    return escape(visible(text))


def _x(place: int, count: int) -> float:
    room = _WIDTH - 2 * _MARGIN
    return _MARGIN + (room / 2 if count == 1 else room * place / (count - 1))


def _y(mean: float) -> float:
    return _MARGIN + (1 - mean) * (_HEIGHT - 2 * _MARGIN)
