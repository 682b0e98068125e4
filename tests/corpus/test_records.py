"""Passages that people already have, from JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.corpus.passages import Passage
from pytest_ragassert.corpus.reading import read_corpus
from pytest_ragassert.errors import ConfigurationError

from .documents import CHILDREN, SEASON


def write(path: Path, *records: Any) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


def test_ids_texts_and_sources_are_those_of_the_file(tmp_path: Path) -> None:
    path = write(
        tmp_path / "chunks.jsonl",
        {"id": "c7", "text": f" {CHILDREN}", "source": "fares.md"},
        {"page_content": SEASON, "metadata": {"source": "fares.md", "id": 8}},
        {"content": f"{SEASON}!"},
    )
    chunks, fares = read_corpus([path]).documents
    assert fares.name == "fares.md"
    assert fares.passages == (
        Passage("c7", "fares.md", (), f" {CHILDREN}"),
        Passage("8", "fares.md", (), SEASON),
    )
    assert chunks.passages == (Passage("chunks.jsonl#3", "chunks.jsonl", (), f"{SEASON}!"),)


def test_a_source_that_is_also_read_has_the_name_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "fares.md").write_text(CHILDREN, encoding="utf-8")
    write(tmp_path / "chunks.jsonl", {"id": "c7", "text": CHILDREN, "source": "fares.md"})
    corpus = read_corpus([tmp_path])
    assert [one.name for one in corpus.documents] == ["chunks.jsonl/fares.md", "fares.md"]
    assert corpus.documents[0].passages[0].document == "chunks.jsonl/fares.md"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": ', "line 2: not JSON"),
        ("[1]", "line 2: not a JSON object"),
        ('{"question": "What?"}', 'line 2: no text; a passage has its text in "text"'),
        ('{"id": "a", "text": "x"}', "line 2: the id 'a' is also that of line 1"),
    ],
)
def test_a_file_with_another_content_is_skipped(tmp_path: Path, line: str, reason: str) -> None:
    path = write(tmp_path / "chunks.jsonl", {"id": "a", "text": CHILDREN})
    with path.open("a", encoding="utf-8") as file:
        file.write(line)
    with pytest.raises(ConfigurationError) as caught:
        read_corpus([path])
    assert f"chunks.jsonl: {reason}" in str(caught.value)


def test_an_id_of_another_file_is_not_used_again(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {"id": "c7", "text": CHILDREN})
    write(tmp_path / "b.jsonl", {"id": "c7", "text": SEASON})
    corpus = read_corpus([tmp_path])
    assert [one.name for one in corpus.documents] == ["a.jsonl"]
    assert [one.reason for one in corpus.skipped] == ["the id 'c7' is also in a.jsonl"]
