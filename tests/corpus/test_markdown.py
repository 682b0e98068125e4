"""Markdown documents as passages."""

from __future__ import annotations

from pathlib import Path

from pytest_ragassert.corpus.passages import Document
from pytest_ragassert.corpus.reading import read_corpus

CHILDREN = "Children under six travel free, and older children pay four crowns. " * 6
SEASON = "A season ticket costs 120 crowns and is valid from May to September. " * 6


def read(folder: Path, text: str, name: str = "fares.md") -> Document:
    (folder / name).write_text(text, encoding="utf-8")
    (document,) = read_corpus([folder / name]).documents
    return document


def test_a_short_document_is_one_passage(tmp_path: Path) -> None:
    text = "# Fares\n\nChildren under six travel free on all our ferries.\n"
    document = read(tmp_path, text)
    assert document.title == "Fares"
    (passage,) = document.passages
    assert passage.id == passage.document == document.name == "fares.md"
    assert (passage.headings, passage.text) == ((), text.strip())


def test_a_section_is_a_passage_with_the_headings_above_it(tmp_path: Path) -> None:
    document = read(
        tmp_path, f"# *Fares* of `2026`\n\n## Children\n\n{CHILDREN}\n\n### Season\n\n{SEASON}\n"
    )
    children, season = document.passages
    assert children.id == "fares.md#children"
    assert children.headings == ("Fares of 2026",)
    assert children.text == f"## Children\n\n{CHILDREN}".strip()
    assert season.id == "fares.md#children/season"
    assert season.headings == ("Fares of 2026", "Children")


def test_a_heading_in_code_is_none(tmp_path: Path) -> None:
    document = read(tmp_path, f"## Children\n\n{CHILDREN}\n\n```sh\n# Season\n```\n\n{SEASON}\n")
    assert len(document.passages) == 1
    assert "# Season" in document.passages[0].text


def test_front_matter_is_no_passage_but_has_the_title(tmp_path: Path) -> None:
    document = read(
        tmp_path, f'---\ntitle: "Fares"\nlayout: page\n---\n\n## Children\n\n{CHILDREN}\n'
    )
    assert document.title == "Fares"
    (passage,) = document.passages
    assert passage.text == f"## Children\n\n{CHILDREN}".strip()
    assert passage.headings == ("Fares",)


def test_the_parts_of_a_long_section_have_numbers(tmp_path: Path) -> None:
    document = read(
        tmp_path, "# Fares\n\n## Children\n\n" + f"{CHILDREN}\n\n" * 6 + f"## Season\n\n{SEASON}"
    )
    ids = [passage.id for passage in document.passages]
    assert ids == ["fares.md#children", "fares.md#children-2", "fares.md#season"]
    first, second, _ = document.passages
    assert first.headings == ("Fares",)
    assert second.headings == ("Fares", "Children")
