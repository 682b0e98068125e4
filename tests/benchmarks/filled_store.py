"""A store filled with verdicts: as a run leaves it, with what was asked and the passages."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.verify_claims import VERIFY_CLAIMS
from pytest_ragassert.storage.answers import Answer
from pytest_ragassert.storage.disk.disk_store import DiskStore
from pytest_ragassert.storage.judgement_rows import rows_of
from pytest_ragassert.storage.keys import Question
from tests.loopback.judge import verify_claims

from .changes import Case, base

CLAIMS = 10  # of a case
_TOGETHER = 2_000  # rows
_SAMPLING = {"temperature": 0.0, "top_p": None, "seed": None, "max_tokens": None}


def fill(folder: Path, first: int, verdicts: int) -> None:
    """Add so many verdicts to a store, on the cases from that number on."""
    rows: list[tuple[str, str]] = []
    with closing(DiskStore(folder, print)) as store:
        for number in range(first, first + verdicts // CLAIMS):
            question = question_of(base(number))
            rows += rows_of(question, answers_to(question))
            # a transaction for each case would take longer than what it writes
            if len(rows) >= _TOGETHER:
                store.put_many(rows)
                rows.clear()
        store.put_many(rows)


def question_of(case: Case) -> Question:
    """The question about the ten claims of a case, on its five passages, which no other has."""
    input = {
        "passages": _numbered(case["retrieved_contexts"]),
        "claims": _numbered(case["answer"].replace(". ", ".\n").splitlines()),
    }
    judge = "openai http://localhost/v1"
    return Question(VERIFY_CLAIMS, input, judge, "judge-a", _SAMPLING)


def answers_to(question: Question) -> dict[str, Answer]:
    """An answer to each judgement of the question, by key."""
    replies = question.replies(question.keys, verify_claims(question.input))
    when = "2026-01-31T12:00:00Z"
    return {key: Answer(reply, served="judge-a", when=when) for key, reply in replies.items()}


def _numbered(texts: list[str]) -> list[Json]:
    return [{"id": number, "text": text} for number, text in enumerate(texts, start=1)]
