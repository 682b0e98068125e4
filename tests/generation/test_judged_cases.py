"""The cases that readers judged: their quotes are in the documents as they are read today, and the
table in the docs has their figures.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.analysis.stats.intervals import wilson_interval
from pytest_ragassert.corpus.reading import read_corpus
from pytest_ragassert.generation.near_copies import NearCopies
from pytest_ragassert.language.phrases.questions import open_reference, source_words

from ..asks import ScriptedAsk

HERE = Path(__file__).with_name("judged")
ROOT = Path(__file__).parents[2]
FOLDERS = {"example": ROOT / "example_project/corpus", "sqlite": HERE / "sqlite"}
CASES: list[Mapping[str, Any]] = [
    json.loads(line) for line in (HERE / "cases.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("name", FOLDERS)
def test_each_quote_is_in_a_passage_of_its_document(name: str) -> None:
    read = read_corpus([FOLDERS[name]])
    texts = {one.name: [passage.text for passage in one.passages] for one in read.documents}
    cases = [case for case in CASES if case["corpus"] == name]
    assert len(cases) == 30
    for case in cases:
        assert case["quotes"] or case["kind"] == "unanswerable", case["id"]
        for quote in case["quotes"]:
            assert any(quote["text"] in text for text in texts[quote["document"]]), quote


def test_no_check_by_words_drops_a_question_that_readers_found_clear() -> None:
    ask: Any = ScriptedAsk()
    copies = NearCopies()
    for case in CASES:
        question = case["question"]
        assert source_words(question) is None, question
        assert open_reference(question) is None, question
        assert asyncio.run(copies.copied_from(ask, question)) is None, question
        copies.add(question)


def test_the_docs_have_the_figures_of_the_readers() -> None:
    text = (ROOT / "docs/concepts/generated-cases.md").read_text("utf-8")
    figures = r"\| 30 \| (\d+) \| (\d+) \| (\d+) \|$"
    rows = re.findall(rf"^\| the (example|SQLite) .*{figures}", text, re.M)
    assert [name.lower() for name, *_ in rows] == list(FOLDERS)
    for name, clear, answerable, right in rows:
        cases = [case for case in CASES if case["corpus"] == name.lower()]
        as_meant = sum(
            _count([case], "answerable", wanted=case["kind"] != "unanswerable") for case in cases
        )
        found = _count(cases, "self_contained"), as_meant, _count(cases, "right")
        assert (int(clear), int(answerable), int(right)) == found
    said = re.search(
        r"All (\d+) cases were right \(95 % interval: (\d+) to (\d+) %\)", " ".join(text.split())
    )
    assert said is not None
    low, high = wilson_interval(1.0, len(CASES))
    figures_now = _count(CASES, "right"), len(CASES), round(100 * low), round(100 * high)
    assert (int(said[1]), *map(int, said.groups())) == figures_now


def _count(cases: Sequence[Mapping[str, Any]], name: str, *, wanted: bool = True) -> int:
    """In how many cases all readers said so."""
    return sum(all(reader[name] is wanted for reader in case["readers"]) for case in cases)
