"""Formats the case of a failure: the answer with its failing spans, the reference, and the
retrieved passages, each with rank, source, and whether a verdict quotes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..analysis.records.row_types import MeasuredRow, TextsRow, is_against_contexts
from ..case import references_of
from ..judgements import Verdict
from ..language.escaping import is_blank, visible
from ..language.number_format import plural
from .claim_lines import NARROWEST, shown, style_of
from .context_names import context_names, misfit
from .criterion_lines import spans_against
from .finding_blocks import ALL_LINES, case_fields, lists_contexts
from .marked_text import Mark, marked_lines
from .terminal import Screen, columns, last_columns

Texts = Mapping[str, TextsRow]
_MOST_PASSAGES = 6  # maximum number of passage lines unless verbose
_MOST_NAMED = 5  # passages shown next to the number of omitted ones
_WORDS = ("quoted", "not quoted")
_ANSWER, _REFERENCE = "  answer: ", "  reference: "
_NO_PASSAGES = "  no passages: retrieved_contexts is empty"
_ID = re.compile(r" \([^()]*\)$")  # beside a source


class Size(NamedTuple):
    """The maximum number of lines for each part."""

    answer: int
    reference: int
    passages: int


@dataclass(frozen=True)
class CaseLines:
    """The texts that a case's failed metrics measure; None or empty for others.

    Attributes:
        marks: spans of the answer that are not supported.
        passages: the passages in the order of the user's list; None if the metrics do not measure
            them.
        contexts: the retrieved contexts, whether or not the metrics measure them; None: unknown.
        quoted: indexes of passages that a verdict quotes; None if no claim was checked against
            them.
        needed: indexes of passages that the shown claims quote or are nearest to, in the order of
            claims.
        misfit: why given names of the passages are not shown.
        listed: whether a metric's own lines already list the passages, so that they are shown here
            only if every text is shown in full.
    """

    answer: str | None
    marks: Sequence[Mark]
    reference: str | None
    passages: Sequence[str | None] | None
    contexts: Sequence[str | None] | None
    sources: Sequence[str | None]
    quoted: frozenset[int] | None
    needed: Sequence[int] = ()
    misfit: str | None = None
    listed: bool = False

    def sizes(self) -> list[Size]:
        """The numbers of lines they may take, largest first."""
        most = 0 if self.listed else min(len(self.passages or ()), _MOST_PASSAGES)
        few = [size for size in (3, 2, 1) if size < most]
        return [
            Size(2, 2, most),
            Size(2, 1, most),
            Size(1, 1, most),
            *(Size(2, 1, size) for size in few[:1]),
            *(Size(1, 1, size) for size in few),
        ]

    def lines(self, size: Size, screen: Screen) -> list[str]:
        return [
            *self._said(size.answer, size.reference, screen),
            *self._passages(0 if self.listed else size.passages, screen),
        ]

    def all_lines(self, screen: Screen) -> list[str]:
        """The lines with every text in full."""
        return [
            *self._said(ALL_LINES, ALL_LINES, screen),
            *(
                line
                for place in range(len(self.passages or ()))
                for line in self._whole_passage(place, screen)
            ),
            *self._remarks(screen),
        ]

    def _said(self, answer: int, reference: int, screen: Screen) -> list[str]:
        lines: list[str] = []
        if self.answer is not None:
            lines += _below(_ANSWER, self.answer, self.marks, screen, answer)
        if self.reference is not None and reference:
            lines += _below(_REFERENCE, self.reference, (), screen, reference)
        return lines

    def _passages(self, most: int, screen: Screen) -> list[str]:
        if self.passages == []:
            return self._remarks(screen)
        if not self.passages or not most:
            return []
        shown = self._shown(most)
        names = {place: _source(self.sources, place, screen) for place in shown}
        room = max(map(columns, names.values()), default=0)
        lines = [self._passage(place, names[place], room, screen) for place in shown]
        if len(shown) < len(self.passages):
            lines.append(self._rest(shown, screen))
        return lines + (self._remarks(screen) if shown else [])

    def _remarks(self, screen: Screen) -> list[str]:
        """A line if there are no passages, or if their names are not shown."""
        if self.passages == []:
            return [screen.cut(_NO_PASSAGES, screen.width)]
        if not self.passages or self.misfit is None:
            return []
        return [f"  {screen.cut(self.misfit, screen.width - 2)}"]

    def _shown(self, most: int) -> list[int]:
        """The indexes of passages that get a line, in the order of rank: those that claims name,
        other quoted ones, and the first.
        """
        count = len(self.passages or ())
        if count <= most:
            return list(range(count))
        quoted = self.quoted or frozenset()
        others = sorted(range(count), key=lambda place: place not in quoted)
        return sorted([*dict.fromkeys((*self.needed, *others))][: most - 1])

    def _passage(self, place: int, source: str, room: int, screen: Screen) -> str:
        named = f"{source}{' ' * (room - columns(source))}  " if room else ""
        left = f"  [{place + 1}] {named}"
        beside = screen.width - columns(left) - self._room_of_words
        if beside >= NARROWEST or not source:
            left += screen.cut(self._text(place, 4 * screen.width), max(beside, 1))
        left = screen.cut(left, screen.width - self._room_of_words).rstrip()
        return self._with_words(place, left, screen)

    def _whole_passage(self, place: int, screen: Screen) -> list[str]:
        """The source, with the text below it."""
        source = self.sources[place] if place < len(self.sources) else None
        text = self._text(place, None)
        left = f"  [{place + 1}] "
        room = screen.width - columns(left) - self._room_of_words
        named = visible(source or "") or text
        first, *more = screen.wrapped(named, max(room, 1), ALL_LINES)
        if source:
            more += screen.wrapped(text, screen.width - 6, ALL_LINES)
        return [
            self._with_words(place, left + first, screen),
            *(f"      {line}" for line in more),
        ]

    def _text(self, place: int, most: int | None) -> str:
        """A passage's text for display, of a long one only the beginning."""
        text = (self.passages or ())[place]
        return "(blank)" if is_blank(text) else f'"{visible((text or "").strip()[:most])}"'

    @property
    def _room_of_words(self) -> int:
        """The columns reserved at the end of passage lines, so that all texts end in the same
        column.
        """
        return 0 if self.quoted is None else 2 + max(map(columns, _WORDS))

    def _with_words(self, place: int, line: str, screen: Screen) -> str:
        """The line with a note at its end on whether the passage is quoted."""
        if self.quoted is None or is_blank((self.passages or ())[place]):
            return line
        if place in self.quoted:
            return screen.ends(line, screen.paint(_WORDS[0], "green"))
        return screen.ends(line, screen.paint(_WORDS[1], "dim"))

    def _rest(self, shown: Sequence[int], screen: Screen) -> str:
        places = range(len(self.passages or ()))
        left_out = [place for place in places if place not in shown]
        more = "more passage" if shown else "passage"
        said = f"  {screen.glyph('...')} {plural(len(left_out), more)}"
        if self.quoted is not None:
            quoted = [f"[{place + 1}]" for place in left_out if place in self.quoted]
            if not quoted or len(quoted) == len(left_out):
                said += ", all quoted" if quoted else ", none quoted"
            elif len(quoted) > _MOST_NAMED:
                said += f", {len(quoted)} quoted"
            else:
                said += f", quoted: {' '.join(quoted)}"
        return screen.cut(said, screen.width)


def _below(label: str, text: str, marks: Sequence[Mark], screen: Screen, most: int) -> list[str]:
    """A text next to its label."""
    indent = columns(label) if screen.width - columns(label) >= NARROWEST else 4
    first, *more = marked_lines(text, marks, screen, screen.width - columns(label), most)
    return [label + first, *(f"{' ' * indent}{line}" for line in more)]


def _source(sources: Sequence[str | None], place: int, screen: Screen) -> str:
    """A source in a quarter of the line: the end of a path, the beginning of another text; the id
    is cut last.
    """
    name = sources[place] if place < len(sources) else None
    clean = screen.safe(visible(name or ""))
    room = max(10, screen.width // 4)
    if columns(clean) <= room:
        return clean
    id = _ID.search(clean)
    if id is not None and columns(id[0]) <= room // 2:
        return _shorter(clean[: id.start()], room - columns(id[0]), screen) + id[0]
    return _shorter(clean, room, screen)


def _shorter(clean: str, room: int, screen: Screen) -> str:
    if "/" in clean or "\\" in clean:
        dots = screen.glyph("...")
        return dots + last_columns(clean, room - columns(dots))
    return screen.cut(clean, room)


def case_lines_of(
    failed: Sequence[MeasuredRow], of_test: Sequence[MeasuredRow], texts: Texts
) -> CaseLines | None:
    """The texts that the failed metrics of a case measure; None if the texts are unknown.

    Args:
        of_test: every row of the test, since passing metrics also quote passages.
    """
    known = texts.get(failed[0]["texts"] or "")
    if known is None:
        return None
    # a test may change a case between two assertions
    same = [row for row in failed if row["texts"] == failed[0]["texts"]]
    names = known["retrieved_context_sources"], known["retrieved_context_ids"]
    fields = {field for row in same for field in case_fields(row)}
    contexts = known["retrieved_contexts"]
    passages = contexts if "retrieved_contexts" in fields else None
    answer = known["answer"] if "answer" in fields and not is_blank(known["answer"]) else None
    return CaseLines(
        answer=answer,
        marks=[] if answer is None else _marks(same),
        reference=_reference(same, known) if "ground_truth_answer" in fields else None,
        passages=passages,
        contexts=contexts,
        sources=context_names(len(contexts or ()), *names),
        quoted=quoted_contexts([*same, *_beside(of_test, failed[0])]),
        needed=[place for place in _needed(same) if place < len(passages or ())],
        misfit=None if contexts is None else misfit(len(contexts), *names),
        listed=any(map(lists_contexts, same)),
    )


def _marks(rows: Sequence[MeasuredRow]) -> list[Mark]:
    """Spans of unsupported claims of the answer, and of words that contradict the reference or
    violate a criterion.
    """
    marks = [Mark(*span, "red") for row in rows for span in spans_against(row)]
    for claim in (claim for row in rows for claim in row["claims"]):
        verdict, style = claim["verdict"], style_of(claim["verdict"])
        if claim["source"] == "answer":
            if claim["span"] is not None and verdict != Verdict.FULLY_SUPPORTED.value:
                marks.append(Mark(*claim["span"], style))
        elif claim["against"] == "answer" and verdict == Verdict.CONTRADICTORY.value:
            quotes = (quote for quote in claim["evidence"] if quote["verified"])
            marks += [Mark(*quote["span"], style) for quote in quotes if quote["span"] is not None]
    return marks


def _reference(rows: Sequence[MeasuredRow], texts: TextsRow) -> str | None:
    """The reference that the metrics used; if there are several, the best one."""
    found = references_of(texts["ground_truth_answer"], texts["ground_truth_answers"])
    places = [row["details"].get("reference") for row in rows]
    best = next((place for place in places if isinstance(place, int)), 0)
    return found[best] if best < len(found) else None


def _beside(of_test: Sequence[MeasuredRow], failed: MeasuredRow) -> list[MeasuredRow]:
    """The rows of the test with the same contexts of the same case."""
    contexts = failed["inputs"].get("contexts")
    return [
        row
        for row in of_test
        if row["case"] == failed["case"] and row["inputs"].get("contexts") == contexts
    ]


def quoted_contexts(rows: Iterable[MeasuredRow]) -> frozenset[int] | None:
    """Indexes of the contexts that verdicts quote; None if no claim was checked against them."""
    held = [claim for row in rows for claim in row["claims"] if is_against_contexts(claim)]
    if not held:
        return None
    quotes = [quote for claim in held for quote in claim["evidence"] if quote["verified"]]
    return frozenset(quote["passage"] for quote in quotes if quote["passage"] is not None)


def _needed(rows: Iterable[MeasuredRow]) -> list[int]:
    """Indexes of the contexts that the lines of claims name, in the order of claims, the worst
    first.
    """
    claims = [claim for row in rows for claim in row["claims"]]
    found: list[int | None] = []
    for claim in shown(claims, verbose=False):
        if is_against_contexts(claim):
            found += [quote["passage"] for quote in claim["evidence"] if quote["verified"]][:1]
            if claim["nearest"] is not None:
                found.append(claim["nearest"]["passage"])
    return list(dict.fromkeys(place for place in found if place is not None))
