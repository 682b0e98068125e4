"""A text without the citation marks that only the case's names tell to be marks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from ..case import EvalCase
from ..language.citation_marks import marks_by_name_alone
from ..language.escaping import is_blank
from ..language.sentences import split_sentences
from .cited_contexts import names_of

_SPACE = re.compile(r"[^\S\n]+")
_MAY_HOLD = re.compile(r"[\[【〔［⟦(（]")


class UncitedText:
    """What is sent of a text, and where its sentences stand in the whole.

    Args:
        whole: the text.
        cut: half-open offsets of what is left out, in order.

    Attributes:
        text: what is sent.
    """

    def __init__(self, whole: str, cut: Sequence[tuple[int, int]]) -> None:
        self._starts = [0, *(end for _, end in cut)]  # of the parts that stay
        ends = [*(start for start, _ in cut), len(whole)]
        parts = [whole[start:end] for start, end in zip(self._starts, ends, strict=True)]
        self.text = "".join(parts)
        self._sent = [0]  # where the parts stand in what is sent
        for part in parts[:-1]:
            self._sent.append(self._sent[-1] + len(part))
        self._sentences = split_sentences(whole)

    def sentence_at(self, start: int) -> tuple[int, tuple[int, int]]:
        """The whole text's sentence, its number and offsets, that holds a place of what is sent."""
        part = bisect_right(self._sent, start) - 1
        place = self._starts[part] + start - self._sent[part]
        number = bisect_right(self._sentences, place, key=lambda span: span[0]) - 1
        return number, self._sentences[number]


def uncited(case: EvalCase, text: str) -> UncitedText | None:
    """A text of the case without marks such as "[faq#1]", where a context has this id or source.

    None: it has no such marks. What is a mark in any text, such as "[1]", stays: judges know it.
    """
    if not _MAY_HOLD.search(text):
        return None
    names = frozenset(names_of(case))
    return _uncited(text, names) if names else None


def uncited_text(case: EvalCase, text: str) -> str:
    """The same for a judge that reads a text whole; one of marks alone stays as it is."""
    found = uncited(case, text)
    return text if found is None or is_blank(found.text) else found.text


@lru_cache(maxsize=32)  # each claim metric asks
def _uncited(text: str, names: frozenset[str]) -> UncitedText | None:
    cut = [_with_space(text, *span) for span in marks_by_name_alone(text, names)]
    return UncitedText(text, cut) if cut else None


def _with_space(text: str, start: int, end: int) -> tuple[int, int]:
    """A mark with the space beside it that it needs no more."""
    begins = start
    while begins and text[begins - 1] != "\n" and text[begins - 1].isspace():
        begins -= 1
    if begins == 0 or text[begins - 1] == "\n":
        after = _SPACE.match(text, end)
        return start, after.end() if after else end
    return (start if text[end : end + 1].isalnum() else begins), end
