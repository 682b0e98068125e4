"""Rules about passages that hold for all documents."""

from __future__ import annotations

import re
from typing import NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_ragassert.corpus.cut_documents import cut_document
from pytest_ragassert.corpus.html_pages import html_outline
from pytest_ragassert.corpus.markdown import markdown_outline
from pytest_ragassert.corpus.passages import Document, Passage
from pytest_ragassert.corpus.plain_text import plain_outline
from pytest_ragassert.corpus.sizes import FEWEST_WORDS, LARGEST, size_of, word_count

WORDS = st.text("abcdefgäß渡轮", min_size=1, max_size=9)
SENTENCES = st.lists(WORDS, min_size=3, max_size=30).map(lambda words: f"{' '.join(words)}.")
PARAGRAPHS = st.one_of(
    st.lists(SENTENCES, min_size=1, max_size=12).map(" ".join),
    st.lists(SENTENCES, min_size=2, max_size=12).map(
        lambda items: "The items:\n\n" + "\n".join(f"- {item}" for item in items)
    ),
    st.lists(st.tuples(WORDS, SENTENCES), min_size=1, max_size=12).map(
        lambda rows: "| a | b |\n|---|---|\n" + "\n".join(f"| {a} | {b} |" for a, b in rows)
    ),
    SENTENCES.map(lambda code: f"```\n# {code}\n```"),
    SENTENCES.map(lambda said: f"> {said}"),
)
BODIES = st.lists(PARAGRAPHS, max_size=6).map("\n\n".join)


class Part(NamedTuple):
    """A section of a Markdown document."""

    level: int
    heading: str
    body: str

    @property
    def text(self) -> str:
        return f"{'#' * self.level} {self.heading}\n\n{self.body}".strip()


HEADINGS = st.text("klmnop", min_size=1, max_size=6)
PARTS = st.lists(
    st.builds(Part, st.integers(1, 4), HEADINGS, BODIES),
    min_size=2,
    max_size=10,
    unique_by=lambda part: part.heading,
)


def markdown(parts: list[Part]) -> str:
    return "\n\n".join(part.text for part in parts)


def document(parts: list[Part]) -> Document:
    return cut_document("fares.md", markdown_outline(markdown(parts)))


def check_passages(text: str, passages: tuple[Passage, ...]) -> None:
    at = 0
    for passage in passages:
        # verbatim, in order, without overlaps
        found = text.find(passage.text, at)
        assert found >= 0
        at = found + len(passage.text)
        assert passage.text == passage.text.strip()
        assert size_of(passage.text) <= LARGEST
        assert word_count(passage.text) >= FEWEST_WORDS
    ids = [passage.id for passage in passages]
    assert len(set(ids)) == len(ids)


# Any characters, many of which mean something in Markdown, reStructuredText or HTML.
MARKED = st.text(
    st.sampled_from("ab c\n\n\n#-=*_>`~|:[](){}<!/&;\"'\\1.+\t\u2028\x0b渡轮。。") | st.characters()
)


@given(MARKED | st.lists(MARKED | SENTENCES).map("\n".join))
def test_passages_are_slices_of_any_text(text: str) -> None:
    text = text.replace("\r", "\n")
    for outline in (markdown_outline(text), plain_outline(text)):
        assert outline.text == text
        check_passages(text, cut_document("x", outline).passages)


TAGS = re.findall(
    r"\w+", "p div li ul ol table tr td th h1 h2 pre b a br nav main header dl dt dd section"
)
PIECES = st.one_of(
    SENTENCES,
    MARKED,
    st.sampled_from(TAGS).map("<{}>".format),
    st.sampled_from(TAGS).map("</{}>".format),
    st.sampled_from(["<p hidden>", "<!--", "-->", "<script>", "</script>", "&lt;", "&nbsp;"]),
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_passages_are_slices_of_the_text_of_any_page(page: str) -> None:
    try:
        outline = html_outline(page)
    except ValueError:
        assume(False)
    ends = [0, *(block.end for block in outline.blocks)]
    starts = [*(block.start for block in outline.blocks), len(outline.text)]
    assert all(end <= start for end, start in zip(ends, starts, strict=True))
    check_passages(outline.text, cut_document("x", outline).passages)


@given(PARTS)
def test_passages_of_sections(parts: list[Part]) -> None:
    check_passages(markdown(parts), document(parts).passages)


@given(PARTS)
def test_no_word_is_lost(parts: list[Part]) -> None:
    """Unless a section has fewer words than a passage, and no neighbour."""
    passages = document(parts).passages
    kept = " ".join(text for passage in passages for text in (*passage.headings, passage.text))
    for part in parts:
        if word_count(re.sub(r"a \| b", "", part.body)) >= FEWEST_WORDS:
            missing = [word for word in part.body.split() if word not in kept]
            assert not missing


@given(PARTS, st.data())
def test_a_change_in_a_section_changes_no_passage_without_it(
    parts: list[Part], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(parts) - 1))
    changed = [*parts]
    changed[index] = parts[index]._replace(body=data.draw(BODIES))
    before, after = document(parts).passages, document(changed).passages
    assume(len(before) > 1 and len(after) > 1)
    heading = parts[index].heading

    own = re.compile(rf"^#+ {heading}$", re.MULTILINE)

    def has_section(passage: Passage) -> bool:
        return bool(own.search(passage.text)) or heading in passage.headings[-1:]

    def check(one: tuple[Passage, ...], other: tuple[Passage, ...]) -> None:
        texts = [passage.text for passage in other if has_section(passage)]
        for passage in one:
            if not has_section(passage) and passage not in other:
                # a neighbour that is joined with the section
                assert any(passage.text in text for text in texts)

    check(before, after)
    check(after, before)


def test_small_sections_are_joined_as_before_if_one_of_them_changes() -> None:
    parts = [Part(2, f"{'k' * (n + 1)}", f"{'A word of many. ' * 9}") for n in range(20)]
    before = {passage.text: passage for passage in document(parts).passages}
    assert 2 < len(before) < 10
    for index, part in enumerate(parts):
        for count in (1, 4, 13, 17, 70):
            changed = [*parts]
            changed[index] = part._replace(body="Some other words here. " * count)
            after = document(changed).passages
            others = [text for text in before if f"## {part.heading}\n" not in f"{text}\n"]
            assert others
            for text in others:
                (found,) = [one for one in after if text in one.text]
                assert found == before[text] or f"## {part.heading}\n" in f"{found.text}\n"
