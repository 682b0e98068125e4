"""Every code block of the README and the docs is run, and shows what really happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .blocks import ROOT, Story, pages, stories
from .run_story import run_story

STORIES = [story for page in pages() for story in stories(page)]
NOT_RUN_AT_MOST = 12


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_page(story: Story, tmp_path: Path, forked_python: str) -> None:
    run_story(story, tmp_path, forked_python)


def test_few_blocks_are_not_run_and_each_has_its_reason() -> None:
    left_out = [block for story in STORIES for block in story.blocks if block.not_run is not None]
    assert all(block.not_run for block in left_out)
    assert len(left_out) <= NOT_RUN_AT_MOST, [block.place for block in left_out]


def test_the_page_of_messages_counts_them() -> None:
    text = (ROOT / "docs/reference/messages.md").read_text(encoding="utf-8")
    number = re.search(r"\b(\d+) mistakes\b", text)
    assert number is not None
    assert int(number[1]) == len(re.findall(r"^### ", text, re.M)) >= 30


def test_the_readme_is_read_in_five_minutes() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 200
