"""Finds the JSON parts of a judge's reply, among fences and chatter and after its reasoning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .repair_json import repaired
from .schema import ReplyError, names_of
from .strict_json import NoJson, decoded_at

_THOUGHT = "(?:seed:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)"
# <think>, [THINK], ◁think▷ and so on; the channels of gpt-oss, of which the last one answers.
_REASONING = (
    rf"(?P<tag>[<◁]\s{{0,3}}/?\s{{0,3}}{_THOUGHT}(?:\s[^<>]{{0,100}})?/?[>▷]|\[/?THINK\])"
    r"|<\|channel\|>\s{0,3}(?P<channel>analysis|commentary|final)"
    r"(?:[^<]{0,40}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>)?"
)
_QUOTES = "\"'`“”„‘’"
# A bracket that may begin an answer, including one cut off right after it; "{{", "{yes}" do not.
_BEGINNING = (
    rf"\{{(?=\s*(?:\}}|[{_QUOTES}]|//|/\*|#|[A-Za-z_]\w*\s*:))|(?<!\{{)\{{(?=\s*\Z)"
    rf"|\[(?=\s*(?:[\]\[{{{_QUOTES}]|//|/\*))"
)
_MARK = re.compile(f"{_REASONING}|{_BEGINNING}", re.IGNORECASE)
_BRACKETS = re.compile(r"[{}\[\]]")
_OPENING = {"}": "{", "]": "["}
_FENCE_BEFORE = re.compile(r"(?:```|~~~)[\w+.-]{0,20}\s*\Z")
_FENCE_AFTER = re.compile(r"\s*(?:```|~~~|\Z)")
# A reply with more values, or with a twentieth as many false beginnings, is not searched further.
_MOST_VALUES = 2000
_COST_OF_NONE = 20


@dataclass(frozen=True)
class Part:
    """A part of the reply that is JSON, or should be.

    Attributes:
        value: its value; None if it can't be read.
        apart: it is alone in a code fence, or is the whole reply.
        fault: "cut" if it does not end, "unreadable" if it is not JSON, otherwise empty.
    """

    value: Any
    apart: bool
    fault: str = ""


def parts_of(text: str, key: str) -> list[Part]:
    """Return all objects and lists of a reply in order, without those inside its reasoning.

    Tags, fences and brackets inside the texts of values have no special meaning.

    Args:
        key: the key that an answer has. An unreadable part without it is chatter.

    Raises:
        ReplyError: the reasoning does not end, or there are too many false beginnings.
    """
    return _Search(text, key).parts()


class _Search:
    def __init__(self, text: str, key: str) -> None:
        self._text = text
        names = "|".join(map(re.escape, names_of(key)))
        self._named = re.compile(rf"(?<!\w)(?:{names})[{_QUOTES}]?\s*:")
        self._ends: dict[int, int] | None = None
        self._left = _MOST_VALUES
        self._begins = 0  # after the last reasoning

    def parts(self) -> list[Part]:
        found: list[Part] = []
        at = depth = 0
        while mark := _MARK.search(self._text, at):
            at = mark.end()
            if mark["tag"] or mark["channel"]:
                opens = _opens(mark)
                if opens < 0 and (not depth or mark["channel"]):
                    # all of the text before was reasoning: some chat templates drop the opening tag
                    found, depth = [], 0
                else:
                    depth += opens
                self._begins = at
            elif not depth:
                part, at = self._part(mark.start())
                if part is not None:
                    found.append(part)
        if depth:
            raise ReplyError("the judge's reasoning does not end, so that there is no answer")
        return found

    def _part(self, at: int) -> tuple[Part | None, int]:
        """Return the part that begins at a bracket, or None if it is chatter, and where to
        continue.
        """
        self._spend(1)
        try:
            value, end = decoded_at(self._text, at)
        except NoJson:
            return self._near(at)
        return Part(value, self._apart(at, end)), end

    def _near(self, at: int) -> tuple[Part | None, int]:
        """Return the part that begins at a bracket and is not JSON."""
        self._spend(_COST_OF_NONE)
        end = self._end_of(at)
        if end is None:
            return Part(None, False, "cut"), at + 1
        apart = self._apart(at, end)
        if not self._named.search(self._text, at, end) and not (apart and self._text[at] == "["):
            return None, at + 1
        try:
            return Part(repaired(self._text[at:end]), apart), end
        except NoJson:
            return Part(None, apart, "unreadable"), end

    def _spend(self, cost: int) -> None:
        self._left -= cost
        if self._left < 0:
            raise ReplyError("too many brackets in the reply that lead to no answer")

    def _apart(self, at: int, end: int) -> bool:
        before = self._text[max(self._begins, at - 40) : at]
        if not _FENCE_AFTER.match(self._text, end):
            return False
        alone = at - self._begins <= 40 and not before.strip()
        return alone or _FENCE_BEFORE.search(before) is not None

    def _end_of(self, at: int) -> int | None:
        """Return the offset after the bracket that closes the one at `at`, whether in a text or
        not.
        """
        if self._ends is None:
            self._ends = _ends(self._text)
        return self._ends.get(at)


def _opens(mark: re.Match[str]) -> int:
    """Return 1 where reasoning begins, -1 where it ends, 0 at an empty tag."""
    if mark["channel"]:
        return -1 if mark["channel"].lower() == "final" else 1
    tag = mark["tag"][1:-1].strip()
    return 0 if tag.endswith("/") else -1 if tag.startswith("/") else 1


def _ends(text: str) -> dict[int, int]:
    """Return where each closed bracket ends; brackets that others close around them remain open."""
    ends: dict[int, int] = {}
    open_at: list[int] = []
    count = {"{": 0, "[": 0}
    for bracket in _BRACKETS.finditer(text):
        char, at = bracket.group(), bracket.start()
        if char in count:
            open_at.append(at)
            count[char] += 1
            continue
        while count[_OPENING[char]]:
            opened = open_at.pop()
            count[text[opened]] -= 1
            if text[opened] == _OPENING[char]:
                ends[opened] = at + 1
                break
    return ends
