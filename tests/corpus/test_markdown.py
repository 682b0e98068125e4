"""Markdown documents as passages."""

from __future__ import annotations

from pathlib import Path

from .documents import CHILDREN, SEASON, read


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


def test_a_table_keeps_its_header_and_what_introduces_it(tmp_path: Path) -> None:
    rows = "".join(f"| harbour number {n} | departs at {n % 24}:00 |\n" for n in range(80))
    document = read(
        tmp_path,
        f"# Times\n\n{SEASON}{SEASON}{SEASON}\n\nThe ferry departs:\n\n"
        f"| harbour | time |\n|---|---|\n{rows}",
    )
    texts = [passage.text for passage in document.passages]
    (first,) = [text for text in texts if "The ferry departs:" in text]
    assert "The ferry departs:\n\n| harbour | time |\n|---|---|\n| harbour number 0 |" in first
    assert all(text.startswith("| harbour number") for text in texts[texts.index(first) + 1 :])
    assert all(text.endswith("|") for text in texts[texts.index(first) :])


def test_a_long_list_is_cut_before_an_item_and_stays_with_its_lead_in(tmp_path: Path) -> None:
    items = "".join(
        f"- Item {n} is one of the things that you may take aboard.\n" for n in range(60)
    )
    document = read(tmp_path, f"# Luggage\n\nYou may take aboard:\n\n{items}")
    texts = [passage.text for passage in document.passages]
    assert len(texts) > 1
    assert texts[0].startswith("# Luggage\n\nYou may take aboard:\n\n- Item 0")
    assert all(text.startswith("- Item") for text in texts[1:])


def test_a_long_paragraph_is_cut_after_a_sentence(tmp_path: Path) -> None:
    document = read(tmp_path, SEASON * 10)
    assert len(document.passages) > 2
    assert all(passage.text.endswith(".") for passage in document.passages)


def test_chinese_counts_double(tmp_path: Path) -> None:
    document = read(tmp_path, "渡轮从五月到九月每四十分钟一班，冬季每九十分钟一班。" * 60)
    assert len(document.passages) > 1
    assert all(100 < len(passage.text) <= 1_000 for passage in document.passages)


def test_small_sections_of_one_parent_are_joined(tmp_path: Path) -> None:
    small = "".join(
        f"## Stop {n}\n\nThe ferry stops here for {n} minutes.\n\n" for n in range(3, 7)
    )
    document = read(tmp_path, f"# Stops\n\n{CHILDREN}\n\n{small}")
    intro, stops = document.passages
    assert intro.text == f"# Stops\n\n{CHILDREN}".strip()
    assert stops.text == small.strip()
    assert stops.id == "fares.md#stop-3"
    assert stops.headings == ("Stops",)


def test_lists_of_links_and_bare_headings_are_left_out(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "# Ferry\n\n## Contents\n\n- [How much children pay for the ferry](#children)\n"
        "- [How much a ticket for the whole season costs](#season)\n\n## Fares\n\n"
        f"### Children\n\n{CHILDREN}\n\n### Season\n\n{SEASON}\n",
    )
    assert [passage.id for passage in document.passages] == [
        "fares.md#fares/children",
        "fares.md#fares/season",
    ]


def test_a_section_with_few_words_is_joined_to_its_neighbour(tmp_path: Path) -> None:
    document = read(tmp_path, f"# Fares\n\n## Children\n\n{CHILDREN}\n\n## Dogs\n\n3 crowns.\n")
    (passage,) = document.passages
    assert passage.text.endswith("## Dogs\n\n3 crowns.")


def test_few_words_at_the_beginning_are_joined_to_the_next_section(tmp_path: Path) -> None:
    document = read(tmp_path, f"# Fares\n\nIn crowns.\n\n## Children\n\n{CHILDREN}\n")
    (passage,) = document.passages
    assert passage.text.startswith("# Fares\n\nIn crowns.\n\n## Children")


def test_sections_with_the_same_headings_have_different_ids(tmp_path: Path) -> None:
    document = read(tmp_path, f"# A\n\n## Fixed\n\n{CHILDREN}\n\n## Fixed\n\n{SEASON}\n")
    assert [passage.id for passage in document.passages] == ["fares.md#fixed", "fares.md#fixed--2"]


def test_a_comment_is_not_at_the_end_of_a_passage(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        f"<!-- a -->\n\n## Children\n\n{CHILDREN}\n\n<!-- b -->\n\n---\n\n## Season\n\n{SEASON}\n",
    )
    children, _ = document.passages
    assert children.text == f"## Children\n\n{CHILDREN}".strip()
