"""Formats a history as lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.records.history_file import Entry
from ..language.escaping import visible
from .terminal import Screen

_BAR = 30  # columns of the bar of a mean of 1


def metrics_of(entries: Sequence[Entry]) -> list[str]:
    return sorted({name for entry in entries for name in entry.means})


def history_lines(entries: Sequence[Entry], metrics: Sequence[str], screen: Screen) -> list[str]:
    """Each metric's means, run by run, with a bar; a line at each change of the judge."""
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
