"""Removes citation marks that can be recognised only by the ids and sources of the case."""

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
    """The part of a text that is sent, and where its sentences are in the whole text.

    Args:
        whole: the text.
        cut: half-open offsets of what is left out, in order.

    Attributes:
        text: what is sent.
    """

    def __init__(self, whole: str, cut: Sequence[tuple[int, int]]) -> None:
        self._starts = [0, *(end for _, end in cut)]  # of the parts that remain
        ends = [*(start for start, _ in cut), len(whole)]
        parts = [whole[start:end] for start, end in zip(self._starts, ends, strict=True)]
        self.text = "".join(parts)
        self._sent = [0]  # the start of each part in what is sent
        for part in parts[:-1]:
            self._sent.append(self._sent[-1] + len(part))
        self._sentences = split_sentences(whole)

    def sentence_at(self, start: int) -> tuple[int, tuple[int, int]]:
        """The sentence of the whole text, by number and offsets, at an offset of `text`."""
        part = bisect_right(self._sent, start) - 1
        place = self._starts[part] + start - self._sent[part]
        number = bisect_right(self._sentences, place, key=lambda span: span[0]) - 1
        return number, self._sentences[number]


def uncited(case: EvalCase, text: str) -> UncitedText | None:
    """A text of the case without marks such as "[faq#1]" that name a context's id or source.

    None: it has no such marks. Marks that any text may have, such as "[1]", remain: judges know
    them.
    """
    if not _MAY_HOLD.search(text):
        return None
    names = frozenset(names_of(case))
    return _uncited(text, names) if names else None


def uncited_text(case: EvalCase, text: str) -> str:
    """The same text for a judge that reads it whole; a text of marks alone is unchanged."""
    found = uncited(case, text)
    return text if found is None or is_blank(found.text) else found.text


@lru_cache(maxsize=32)  # called by each claim metric
def _uncited(text: str, names: frozenset[str]) -> UncitedText | None:
    cut = [_with_space(text, *span) for span in marks_by_name_alone(text, names)]
    return UncitedText(text, cut) if cut else None


def _with_space(text: str, start: int, end: int) -> tuple[int, int]:
    """A mark together with the adjacent space that becomes redundant."""
    begins = start
    while begins and text[begins - 1] != "\n" and text[begins - 1].isspace():
        begins -= 1
    if begins == 0 or text[begins - 1] == "\n":
        after = _SPACE.match(text, end)
        return start, after.end() if after else end
    return (start if text[end : end + 1].isalnum() else begins), end
