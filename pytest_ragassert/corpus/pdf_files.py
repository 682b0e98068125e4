"""Has a PDF file read in another process, and finds the blocks of its text."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..language.escaping import without_surrogates
from ..language.layout import leads_in, list_mark
from .outline import Block, Outline

MOST_SECONDS = 50
NEEDED = (
    'PDF files are read with pypdf, which is not installed: pip install "pytest-ragassert[pdf]"'
)
NO_TEXT = "no text: scanned pages need OCR first"
_START = "import sys; sys.path[:] = {path!r}; from {module} import main; main({most_characters})"
# The levels of the bookmarks, by page and title.
_Levels = Mapping[tuple[int, str], int]
_NUMBER = re.compile(r"\d{1,9}")
_END = re.compile(r"[.!?:;…。！？：；][\"'”’»)\]]*\s*\Z")
_MARGIN_LINES = 2  # at the top and bottom of a page, which may be the same on each page
_FEWEST_PAGES = 4  # of a document with such lines
_SHORT_LINE = 0.75  # of the longest line: a paragraph ends with it
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def can_read_pdf() -> bool:
    """Whether pypdf is installed."""
    return importlib.util.find_spec("pypdf") is not None


def pdf_outline(raw: bytes, most_characters: int) -> Outline:
    """The outline of a PDF file.

    A bookmark is a heading if its page has a line with the same words. Lines that most pages have
    at their top or bottom are left out.

    Raises:
        ValueError: it is damaged, encrypted, has no text, or takes too much time or memory.
    """
    read = _read_by_process(raw, most_characters)
    if "reason" in read:
        raise ValueError(read["reason"])
    levels = {(page, _letters(title)): level for page, level, title in read["bookmarks"]}
    pages = _without_margins([_lines(page) for page in read["pages"]], levels)
    if not any(pages):
        raise ValueError(NO_TEXT)
    return _outline(pages, levels, " ".join((read["title"] or "").split()) or None)


def _read_by_process(raw: bytes, most_characters: int) -> dict[str, Any]:
    start = _START.format(
        path=sys.path,
        module=f"{__package__}.pdf_process",
        most_characters=most_characters,
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", start],
            input=raw,
            stdout=subprocess.PIPE,
            # a damaged file may cause any number of warnings
            stderr=subprocess.DEVNULL,
            timeout=MOST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise ValueError(f"reading it takes longer than {MOST_SECONDS} seconds") from None
    try:
        read: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise ValueError("damaged PDF: the process that read it ended early") from None
    return read


def _lines(page: str) -> list[str]:
    """Return a page's lines; paragraphs may be separated by blank ones."""
    text = _CONTROLS.sub(" ", without_surrogates(page)).replace("\r\n", "\n").replace("\r", "\n")
    return [" ".join(line.split()) for line in text.strip().split("\n")] if text.strip() else []


def _without_margins(pages: Sequence[list[str]], levels: _Levels) -> list[list[str]]:
    """Return the pages without the running heads, page numbers and the like."""
    if len(pages) < _FEWEST_PAGES:
        return [*pages]
    counts = Counter(
        form for number, page in enumerate(pages) for form in _forms_in_margin(page, number)
    )
    running = {form for form, count in counts.items() if count * 2 > len(pages)}
    return [_without(page, number, running, levels) for number, page in enumerate(pages)]


def _forms_in_margin(page: Sequence[str], number: int) -> set[str]:
    said = [line for line in page if line]
    lines = said[:_MARGIN_LINES] + said[-_MARGIN_LINES:]
    return {form for line in lines for form in _forms(line, number)}


def _forms(line: str, page: int) -> set[str]:
    """Return a line, and what is the same on each page if its first or last number counts pages."""
    forms = {line}
    numbers = [*_NUMBER.finditer(line)]
    for one in numbers[:1] + numbers[-1:]:
        forms.add(f"{line[: one.start()]}<{int(one[0]) - page}>{line[one.end() :]}")
    return forms


def _without(page: list[str], number: int, running: set[str], levels: _Levels) -> list[str]:
    def is_running(line: str) -> bool:
        return (number, _letters(line)) not in levels and not running.isdisjoint(
            _forms(line, number)
        )

    for _ in range(2):
        dropped = 0
        while page and (not page[0] or (dropped < _MARGIN_LINES and is_running(page[0]))):
            dropped += bool(page[0])
            page = page[1:]
        page = page[::-1]
    return page


def _outline(pages: Sequence[list[str]], levels: _Levels, title: str | None) -> Outline:
    text: list[str] = []
    size = 0
    begins: list[int] = []
    blocks: list[Block] = []
    for number, page in enumerate(pages):
        for index, (lines, level) in enumerate(_paragraphs(page, number, levels)):
            joined = "\n".join(lines)
            goes_on = index == 0 and bool(blocks) and _goes_on(text[-1], joined, blocks[-1], level)
            between = "" if not text else "\n" if goes_on else "\n\n"
            start, size = size + len(between), size + len(between) + len(joined)
            text += (between, joined)
            if index == 0:
                # a paragraph that began on the page before belongs to that page
                begins += [start] * (number + 1 - len(begins))
            if goes_on:
                begun = blocks.pop()
                blocks.append(_block(begun.start, size, joined, 0, begun.continues))
            else:
                continues = index > 0 and not level and list_mark(joined) is not None
                blocks.append(_block(start, size, joined, level, continues))
    headings = any(block.level for block in blocks)
    return Outline("".join(text), tuple(blocks), title, () if headings else tuple(begins))


def _block(start: int, end: int, text: str, level: int, continues: bool) -> Block:
    heading = " ".join(text.split()) if level else ""
    leads = not level and leads_in(text)
    return Block(start, end, level, heading, continues=continues, leads=leads)


def _goes_on(before: str, following: str, block: Block, level: int) -> bool:
    """Whether the first paragraph of a page continues the last one of the page before."""
    if block.level or level or _END.search(before):
        return False
    return following[0].islower()


def _paragraphs(
    page: Sequence[str], number: int, levels: _Levels
) -> Iterator[tuple[list[str], int]]:
    """Yield the lines of each paragraph, and the level of a heading."""
    longest = max(map(len, page), default=0)
    lines: list[str] = []
    for line in page:
        level = levels.get((number, _letters(line)), 0) if line else 0
        if lines and (not line or level or list_mark(line)):
            yield lines, 0
            lines = []
        if level:
            yield [line], level
        elif line:
            lines.append(line)
            if _END.search(line) and len(line) < longest * _SHORT_LINE:
                yield lines, 0
                lines = []
    if lines:
        yield lines, 0


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
