"""Pairs of questions, labelled by whether one is a copy of the other.

In each line are the label (`copy`, `different`), whether both questions have the same evidence
(`same`, `other`), and the two questions. The rules and thresholds of near copies were chosen with
the pairs in `chosen`; those in `reported` were written afterwards, and only measured.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

LANGUAGES = ("english", "german", "russian", "chinese")
Half = Literal["chosen", "reported"]


class Pair(NamedTuple):
    """Two questions."""

    language: str
    is_copy: bool
    same_evidence: bool
    one: str
    other: str


def pairs(half: Half) -> list[Pair]:
    """Return the pairs of all languages."""
    found: list[Pair] = []
    for language in LANGUAGES:
        text = (Path(__file__).parent / half / f"{language}.txt").read_text(encoding="utf-8")
        for line in text.splitlines():
            head, _, questions = line.partition(": ")
            label, evidence = head.split()
            one, other = questions.split(" ‖ ")
            found.append(Pair(language, label == "copy", evidence == "same", one, other))
    return found
