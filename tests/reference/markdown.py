"""Markdown as the generated parts need it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines).replace("|  |", "| |")


def _cell(text: str) -> str:
    # the site would show the backslash within code
    assert "|" not in text or "`" not in text, f"a bar in a cell with code: {text}"
    return " ".join(text.replace("|", r"\|").split())


def plain(text: str) -> str:
    """A text on one line, in which nothing but code in backticks is Markdown or HTML."""
    parts = re.split("(`[^`]*`)", " ".join(text.split()))
    return "".join(
        part if part.startswith("`") else part.replace("<", "&lt;").replace("*", r"\*")
        for part in parts
    )


def code(text: str) -> str:
    """The text as code, whatever it contains."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    ticks, pad = "`" * (longest + 1), " " * bool(longest)
    return f"{ticks}{pad}{text}{pad}{ticks}"


def block(text: str, language: str) -> str:
    """A fenced block."""
    return f"```{language}\n{text.rstrip()}\n```\n"
