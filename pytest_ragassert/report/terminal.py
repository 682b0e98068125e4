"""Formats text for a terminal: display columns, colours, and glyphs that the terminal supports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from wcwidth import wcswidth, wcwidth

_UNICODE_GLYPHS = {"x": "\u2717", "?": "?", "~": "~", "+": "\u2713", ".": "\u00b7", "...": "\u2026"}
Style = Literal["red", "yellow", "green", "bold", "dim"]
_CODES: dict[Style, int] = {"red": 31, "yellow": 33, "green": 32, "bold": 1, "dim": 2}
# cannot occur in texts, whose control characters are escaped
_PAINT = re.compile(r"\x1b\[\d*m")


@dataclass(frozen=True)
class Screen:
    """The properties of the output for lines.

    Attributes:
        width: the number of display columns.
        encoding: the encoding of the terminal.
        colours: whether it shows colours.
    """

    width: int = 80
    encoding: str = "utf-8"
    colours: bool = False

    def paint(self, text: str, style: Style) -> str:
        """An already cut and wrapped text in a style, if the terminal supports it."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.colours and text else text

    def glyph(self, mark: str) -> str:
        """The sign for a mark, in ASCII if the terminal does not support a better one."""
        sign = _UNICODE_GLYPHS.get(mark, mark)
        return sign if self.takes(sign) else mark

    def takes(self, text: str) -> bool:
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def safe(self, text: str) -> str:
        """The text with escapes for what the terminal cannot show."""
        try:
            return text.encode(self.encoding, "backslashreplace").decode(self.encoding)
        except LookupError:
            return text.encode("ascii", "backslashreplace").decode("ascii")

    def cut(self, text: str, width: int) -> str:
        """An escaped text in at most `width` columns; a cut is marked."""
        clean = self.safe(text)
        if columns(clean) <= width:
            return clean
        mark = self.glyph("...")
        return clean[: _fitting(clean, width - columns(mark))].rstrip() + mark

    def wrapped(self, text: str, width: int, most: int) -> list[str]:
        """An escaped text in at most `most` lines, broken at spaces if possible."""
        lines: list[str] = []
        rest = self.safe(text)
        while columns(rest) > width and len(lines) < most - 1:
            end = _fitting(rest, width)
            space = rest.rfind(" ", width // 2, end + 1)
            end = space if space > 0 else max(end, 1)
            lines.append(rest[:end].rstrip())
            rest = rest[end:].lstrip()
        return [*lines, self.cut(rest, width)]

    def ends(self, left: str, right: str) -> str:
        """`left` and `right` at the two ends of a line."""
        return f"{left}{' ' * max(1, self.width - columns(left) - columns(right))}{right}"


def last_columns(text: str, width: int) -> str:
    """The end of a text, in at most `width` columns."""
    taken = 0
    for at in range(len(text) - 1, -1, -1):
        taken += max(0, wcwidth(text[at]))
        if taken > width:
            return text[at + 1 :]
    return text


def _fitting(text: str, width: int) -> int:
    """The number of characters of a text that fit into `width` columns."""
    taken = 0
    for at, char in enumerate(text):
        taken += max(0, wcwidth(char))
        if taken > width:
            return at
    return len(text)


def columns(text: str) -> int:
    """The number of display columns of a text."""
    if "\x1b" in text:
        text = _PAINT.sub("", text)
    width = wcswidth(text)
    return width if width >= 0 else sum(max(0, wcwidth(char)) for char in text)
