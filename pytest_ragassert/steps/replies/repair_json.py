"""Repairs almost valid JSON with `json_repair`, and accepts the result only if nothing was lost or
made up.

The library always returns something: it drops what it can't place, closes what was cut off, and may
cut a text at an apostrophe. So its value is compared with the source, token by token. Both must
have the same brackets and the same texts and numbers, with nothing but separators between them.
"""

from __future__ import annotations

import re
from typing import Any

from .strict_json import NoJson

# The library's time grows with quotation marks times length: about a second for these.
_MOST_WORK = 4e7
_LONGEST = 100_000
_DEEPEST = 20
_BRACKETS = re.compile(r"[{}\[\]]")
_CLOSING = {'"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "”", "‘": "’", "’": "’"}
_QUOTES = "".join(_CLOSING)
_SPACE = re.compile(r"\s*")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.])", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*")
_LITERALS = {"true": True, "false": False, "null": None, "none": None}
# Bare words that are not texts, whatever the library takes them for.
_NO_TEXTS = frozenset(("undefined", "nan", "inf", "infinity", *_LITERALS))
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def repaired(text: str) -> Any:
    """Return the value of one object or list in almost valid JSON.

    Trailing and missing commas, comments, other quotation marks, Python's literals, bare names and
    unescaped quotation marks inside texts are accepted.

    Raises:
        NoJson: it can't be repaired, or only by guessing.
    """
    work = len(text) * sum(map(text.count, _CLOSING))
    if len(text) > _LONGEST or work > _MOST_WORK or _too_deep(text):
        raise NoJson
    # imported only when needed, which is seldom: this takes longer than reading a reply
    from json_repair import repair_json

    try:
        value = repair_json(text, return_objects=True, skip_json_loads=True)
        source = _Source(text)
        source.value(value)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise NoJson from None
    if source.at != len(text):
        raise NoJson
    return _with_pairs(value)


class _Source:
    """The source text, which is read in parallel with a value that it is supposed to contain."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.at = 0

    def value(self, value: Any, *, member: bool = False) -> None:
        """Skip a value.

        Args:
            member: it follows a name and a colon, so that a bare word may be a text.

        Raises:
            NoJson: the source has another value here.
        """
        if isinstance(value, dict):
            self._items("{}", value.items(), self._member)
        elif isinstance(value, list):
            self._items("[]", value, self.value)
        elif isinstance(value, str):
            if self._peek() in _CLOSING:
                self._quoted(value)
            else:
                word = self._match(_WORD)
                if not member or word != value or word.lower() in _NO_TEXTS:
                    raise NoJson
        elif value is None or isinstance(value, bool):
            if _LITERALS.get(self._match(_WORD).lower(), "") is not value:
                raise NoJson
        else:
            number = self._match(_NUMBER)
            if (float if isinstance(value, float) else int)(number) != value:
                raise NoJson

    def _member(self, member: tuple[str, Any]) -> None:
        name, value = member
        if self._peek() in _CLOSING:
            self._quoted(name)
        elif self._match(_WORD) != name:
            raise NoJson
        self._gap()
        self._take(":")
        self._gap()
        self.value(value, member=True)

    def _items(self, brackets: str, items: Any, passed: Any) -> None:
        self._take(brackets[0])
        self._gap()
        for at, item in enumerate(items):
            # a text may contain quotation marks: only a comma or a line break ends it for certain
            follows_text = at > 0 and self._text[self.at - 1] in _CLOSING.values()
            if at > 0 and not self._separated() and follows_text:
                raise NoJson
            passed(item)
        if items:
            self._separated()
        self._take(brackets[1])

    def _separated(self) -> bool:
        """Skip a separator. Return whether it contains a comma or a line break."""
        start = self.at
        self._gap()
        if self._peek() == ",":
            self.at += 1
            self._gap()
            return True
        return "\n" in self._text[start : self.at]

    def _gap(self) -> None:
        """Skip space and comments."""
        while True:
            self._match(_SPACE)
            comment = _COMMENT.match(self._text, self.at)
            if comment is None:
                return
            # a text that follows the comment's mark because a line break was lost is not a comment
            if '"' in comment.group() or "“" in comment.group():
                raise NoJson
            self.at = comment.end()

    def _quoted(self, value: str) -> None:
        opening = self._peek()
        closing = _CLOSING[opening]
        start = self.at = self.at + 1
        for char in value:
            self._char(char)
        inside = _ESCAPE.sub("xx", self._text[start : self.at])
        self._take(closing)
        if (opening in inside or closing in inside) and not _whole(inside, opening, closing):
            raise NoJson

    def _char(self, char: str) -> None:
        if escape := _ESCAPE.match(self._text, self.at):
            at, said = escape.end(), _said(escape)
            low = _ESCAPE.match(self._text, at) if char > "\uffff" else None
            if low:
                said = _joined(said + _said(low))
                at = low.end()
            if said == char:
                self.at = at
                return
        self._take(char)

    def _peek(self) -> str:
        return self._text[self.at : self.at + 1]

    def _take(self, expected: str) -> None:
        if self._peek() != expected:
            raise NoJson
        self.at += 1

    def _match(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self.at)
        if found is None:
            raise NoJson
        self.at = found.end()
        return found.group()


def _said(escape: re.Match[str]) -> str:
    *codes, char = escape.groups()
    code = codes[0] or codes[1]
    return chr(int(code, 16)) if code else _ESCAPED.get(char, char)


def _with_pairs(value: Any) -> Any:
    """Return the value with surrogate pairs joined; the library leaves them as two escapes."""
    if isinstance(value, dict):
        return {_joined(name): _with_pairs(held) for name, held in value.items()}
    if isinstance(value, list):
        return [_with_pairs(item) for item in value]
    return _joined(value) if isinstance(value, str) else value


def _joined(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _too_deep(text: str) -> bool:
    """Whether brackets nest deeper than in any answer, which costs the library much time."""
    depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth += 1 if bracket.group() in "{[" else -1
        if depth > _DEEPEST:
            return True
    return False


def _whole(inside: str, opening: str, closing: str) -> bool:
    """Whether a text that contains its own quotation marks unescaped can only end where it does.

    Marks between letters are apostrophes. Others come in pairs around words, and none is next to
    something that would end a text or begin another one.
    """
    if closing in "'’":
        inside = re.sub(rf"(?<=\w){closing}(?=\w)", "x", inside)
    mark = f"[{opening}{closing}]"
    if re.search(rf"{mark}\s*(?:[:\]}}]|\W*[{_QUOTES}])|[\[{{]\s*{mark}", inside):
        return False
    marks = list(re.finditer(mark, inside))
    return len(marks) % 2 == 0 and all(
        _begins(inside, one.start()) and _ends(inside, other.start())
        for one, other in zip(marks[::2], marks[1::2], strict=True)
    )


def _begins(text: str, at: int) -> bool:
    """Whether the mark at `at` is before a word and not after one."""
    return not (at and text[at - 1].isalnum()) and not text[at + 1 : at + 2].isspace()


def _ends(text: str, at: int) -> bool:
    """Whether the mark at `at` is after a word and not before one."""
    return not (at and text[at - 1].isspace()) and not text[at + 1 : at + 2].isalnum()
