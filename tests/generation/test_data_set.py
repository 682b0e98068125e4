"""What becomes of the lines of a data set when its documents changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import ConfigurationError
from pytest_ragassert.corpus.passages import Corpus, Passage, Skipped
from pytest_ragassert.generation.candidates import Candidate
from pytest_ragassert.generation.case_lines import CaseLine, passage_hash
from pytest_ragassert.generation.data_set import DataSet
from pytest_ragassert.generation.draft import Draft, SourceQuote

from .drafts import corpus, document

FARES = document("fares.md", "A child pays 4 crowns.", "A dog pays 2 crowns.")
TIMES = document("times.md", "The ferry leaves at 9.")


def draft(passage: Passage) -> Draft:
    quote = SourceQuote(0, passage.text, (0, len(passage.text)))
    candidate = Candidate("single", (passage,))
    return Draft(candidate, f"What of {passage.id}?", passage.text, (quote,))


CHILD, DOG, FERRY = (
    CaseLine.of_draft(draft(passage), {}) for passage in (*FARES.passages, *TIMES.passages)
)
OWN = CaseLine('{"id": "own", "question": "Why?"}', {"id": "own", "question": "Why?"})


def changed(line: CaseLine, **fields: Any) -> CaseLine:
    record = {**line.record, **fields}
    return CaseLine(json.dumps(record), record)


Update = Callable[..., DataSet]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cases.jsonl"


@pytest.fixture
def update(path: Path) -> Update:
    def updated(lines: list[CaseLine], now: Corpus, *rejected: str) -> DataSet:
        path.write_text("".join(f"{line.text}\n" for line in lines), "utf-8")
        return DataSet.updating(path, now, rejected)

    return updated


def texts(lines: Any) -> list[str]:
    return [line.text for line in lines]


def test_lines_of_unchanged_documents_stay_as_they_are(update: Update) -> None:
    edited = changed(DOG, question="What does a dog pay?")
    lines = [CHILD, OWN, edited, FERRY]
    made = update(lines, corpus(FARES, TIMES))
    assert texts(made.lines) == texts(lines)
    assert (made.outdated, made.unread, made.still_proven) == ([], {}, [])


def test_only_the_cases_of_a_changed_passage_are_made_again(update: Update) -> None:
    now = document("fares.md", "A child pays 5 crowns.", "A dog pays 2 crowns.")
    made = update([CHILD, DOG, FERRY, OWN], corpus(now, TIMES))
    assert texts(made.outdated) == [CHILD.text]
    assert texts(made.lines) == texts([DOG, FERRY, OWN])


def test_a_case_whose_document_was_skipped_stays(update: Update) -> None:
    now = replace(corpus(TIMES), skipped=(Skipped("fares.md", "not text"),))
    made = update([CHILD, DOG, FERRY], now)
    assert texts(made.lines) == texts([CHILD, DOG, FERRY])
    assert {name: texts(lines) for name, lines in made.unread.items()} == {
        "fares.md": texts([CHILD, DOG])
    }


def test_the_cases_of_a_document_that_is_gone_go(update: Update) -> None:
    made = update([CHILD, DOG, FERRY], corpus(FARES))
    assert texts(made.lines) == texts([CHILD, DOG])
    assert texts(made.gone) == [FERRY.text]


def test_documents_that_were_not_named_take_no_cases_with_them(update: Update) -> None:
    with pytest.raises(ConfigurationError, match=r"2 of 3 cases .* such as fares\.md"):
        update([CHILD, DOG, FERRY], corpus(TIMES))


def test_an_edited_case_stays_as_long_as_its_document_has_the_quotes(update: Update) -> None:
    edited = changed(CHILD, question="What does a child of 7 pay?")
    longer = document("fares.md", "A child pays 4 crowns. A coat is free.", "A dog pays 2 crowns.")
    made = update([edited, DOG], corpus(longer))
    assert texts(made.still_proven) == [edited.text]
    assert texts(made.lines) == texts([edited, DOG])
    # one that nobody edited is made again
    assert texts(update([CHILD], corpus(longer)).outdated) == [CHILD.text]
    # without its quotes, it is outdated too
    other = document("fares.md", "A child pays 5 crowns.", "A dog pays 2 crowns.")
    assert texts(update([edited], corpus(other)).outdated) == [edited.text]


@pytest.mark.parametrize("edit", [{}, {"question": "What does a child of 7 pay?"}])
def test_names_follow_a_renamed_document(update: Update, edit: dict[str, str]) -> None:
    line = changed(CHILD, **edit) if edit else CHILD
    passages = [
        Passage(one.id.replace("fares", "prices"), "prices.md", one.headings, one.text)
        for one in FARES.passages
    ]
    prices = type(FARES)("prices.md", "fares.md", tuple(passages), FARES.headings)
    [now] = update([line], corpus(prices)).lines
    assert now.record["ground_truth_context_ids"] == ["prices.md#0"]
    [unit] = now.record["source_units"]
    assert (unit["id"], unit["document"]) == ("prices.md#0", "prices.md")
    assert now.documents == ["prices.md"]
    assert now.passages == {"prices.md#0": passage_hash(passages[0])}
    assert now.record["id"] == CHILD.record["id"]
    assert now.edited is bool(edit)


def test_what_is_rejected_is_remembered(update: Update, path: Path) -> None:
    made = update([CHILD, DOG, FERRY], corpus(FARES, TIMES), CHILD.record["id"])
    assert made.rejected == {CHILD.key}
    assert texts(made.lines) == texts([DOG, FERRY])
    # by the case that is written instead, or else by another one
    [_, _, new] = made.with_new([draft(FARES.passages[0])], {})
    assert new.rejected == [CHILD.key]
    [_, _, new] = made.with_new([draft(FARES.passages[0])], {}, ["another"])
    assert new.rejected == sorted([str(CHILD.key), "another"])
    [first, second] = made.with_new([], {})
    assert first.rejected == [CHILD.key]
    assert not first.edited
    assert second.text == FERRY.text
    # and again, without the option or with it
    assert update([first, second], corpus(FARES, TIMES)).rejected == {CHILD.key}
    again = update([first, second], corpus(FARES, TIMES), CHILD.record["id"])
    assert again.rejected == {CHILD.key}
    assert texts(again.with_new([], {})) == texts([first, second])
    # also if the file is replaced
    path.write_text(f"{first.text}\n", "utf-8")
    assert DataSet.replacing(path).rejected == {CHILD.key}


def test_a_file_without_changes_of_a_person_may_be_replaced(path: Path) -> None:
    assert DataSet.replacing(path).lines == ()
    path.write_text(f"{CHILD.text}\n{DOG.text}\n", "utf-8")
    assert DataSet.replacing(path).lines == ()
    path.write_text(f"{CHILD.text}\n{OWN.text}\n", "utf-8")
    with pytest.raises(ConfigurationError, match="keep them with --update"):
        DataSet.replacing(path)
