"""Treats single and double quotation marks alike, but not the signs for feet and inches."""

from __future__ import annotations

from collections.abc import Iterator

_DOUBLE, _SINGLE = '"', "'"  # as `text.folding` writes them
_BEFORE_CLOSING = frozenset(".,;:!?)]-%")


def alike_but_for_marks(text: str, wanted: str, low: int, high: int) -> Iterator[int]:
    """Find a text in a folded text that may have the other kind of quotation marks."""
    if _DOUBLE not in wanted and _SINGLE not in wanted:
        return
    one_kind = wanted.replace(_DOUBLE, _SINGLE)
    plain = text.replace(_DOUBLE, _SINGLE)
    at = plain.find(one_kind, low, high)
    while at >= 0:
        if _only_marks_differ(text, wanted, at):
            yield at
        at = plain.find(one_kind, at + 1, high)


def _only_marks_differ(text: str, wanted: str, start: int) -> bool:
    """Whether each mark that differs opens a quotation, or closes one that was opened.

    A mark that closes nothing may be a prime: 5' is not 5", and A' is not A".
    """
    opened, differs = 0, False
    for at, mark in enumerate(wanted, start):
        if text[at] == mark:
            continue
        differs = True
        before = text[at - 1 : at] if at else ""
        if before.isalnum() or before in _BEFORE_CLOSING:
            opened -= 1
        else:
            opened += 1
        if opened < 0:
            return False
    return differs
