"""No page and no text of the package has a phrase that must be read twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import english
from tests.english import RULES, Rule, hits, phrases, texts_of_module, texts_of_page, written


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.catches)
def test_each_rule_catches_its_sentence_and_passes_the_other(rule: Rule) -> None:
    assert [found for found, _, _ in phrases(rule.catches)] == [rule]
    assert list(phrases(rule.passes)) == []


def test_nothing_has_to_be_read_twice() -> None:
    files = written()
    pages = {file.relative_to(english.ROOT).as_posix() for file in files if file.suffix == ".md"}
    assert pages >= {"README.md", "CONTRIBUTING.md", "docs/index.md", "example_project/README.md"}
    assert len(files) - len(pages) > 200
    found = [hit for file in files for hit in hits(file)]
    assert not found, "\n".join(map(str, found))


def test_a_phrase_is_found_across_lines_with_its_line() -> None:
    page = "# Title\n\nAll pass, but\nfor the last.\n"
    assert _lines(texts_of_page(page)) == [3]


def test_code_and_comments_of_a_page_are_not_read() -> None:
    page = "A `but for` b.\n\n```text\nall but for one\n```\n\n<!-- but\nfor -->\n"
    assert not _lines(texts_of_page(page))


def test_texts_of_a_module_are_read_with_their_lines() -> None:
    module = (
        '"""First line.\n\nAll but for one.\n"""\n'
        "# All but\n# for two.\n"
        "_INSTRUCTIONS = 'All but for three.'\n"
        "message = f'{message} but for four.' # 'but for' of a comment\n"
        "name = 'but_for'\n"
    )
    assert sorted(_lines(texts_of_module(module))) == [3, 5, 8, 8]
    assert sorted(_lines(texts_of_module(module, strings=False))) == [3, 5, 8]


def test_a_hit_names_file_line_phrase_and_what_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(english, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text("One.\nAll but for one.\n", encoding="utf-8")
    (hit,) = hits(tmp_path / "page.md")
    assert str(hit) == "page.md:2: 'but for': write except, except for"


def _lines(texts: english.Texts) -> list[int]:
    return [text.line + breaks for text in texts for _, _, breaks in phrases(text.text)]
