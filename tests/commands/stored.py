"""Stores and committed verdicts to work on, made without a judge."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS, step_named
from pytest_ragassert.steps.evidence.claim_ids import claim_id
from pytest_ragassert.storage.answers import Answer, Embedding, embedding_text, vector_key
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.disk.disk_store import DiskStore
from pytest_ragassert.storage.failed_claims import ReportedClaim
from pytest_ragassert.storage.keys import Question, question_key

PASSAGES = ["Dogs are not allowed.", "The crossing costs 9 euros.\nThe ferry runs every hour."]
CLAIMS = ["The crossing costs 5 euros.", "The ferry runs every hour."]
WHEN = "2026-01-31T12:00:00Z"

VERDICTS: Json = {
    "verdicts": [
        {
            "id": 1,
            "reason": "9, not 5",
            "evidence": [{"passage": 2, "quote": "The crossing costs 9 euros"}],
            "verdict": "CONTRADICTORY",
            "confidence": None,
        },
        {
            "id": 2,
            "reason": "it does",
            "evidence": [{"passage": 1, "quote": "The ferry runs every hour"}],
            "verdict": "FULLY_SUPPORTED",
            "confidence": 0.9,
        },
    ]
}
# A whole reply to a judgement of each step.
REPLIES: dict[str, Json] = {
    "extract_claims": {"claims": ["It runs"]},
    "verify_claims": VERDICTS,
    "judge_passages": {"passages": [{"id": 1, "reason": None, "relevant": True}]},
    "generate_questions": {"questions": ["Does it run?"]},
    "rate_relevance": {"reason": "it does", "score": 0.75},
    "grade_accuracy": {
        name: {"reason": None, "score": 90.0}
        for name in ("correctness", "completeness", "consistency")
    },
    "classify_answer": {"reason": None, "label": "CORRECT"},
}
INPUTS: dict[str, Json] = {
    "extract_claims": {"question": None, "heading": None, "before": [], "sentence": "It runs."},
    "verify_claims": {
        "passages": [{"id": n, "text": text} for n, text in enumerate(PASSAGES, start=1)],
        "claims": [{"id": n, "text": text} for n, text in enumerate(CLAIMS, start=1)],
    },
    "judge_passages": {"question": "How?", "reference": None, "passages": [{"id": 1, "text": "a"}]},
    "generate_questions": {"answer": "It runs.", "n": 3},
    "rate_relevance": {"question": "Does it?", "answer": "It runs."},
    "grade_accuracy": {"question": "Does it?", "reference": "Yes.", "answer": "It runs."},
    "classify_answer": {"question": "Does it?", "reference": "Yes.", "answer": "It runs."},
}
assert INPUTS.keys() == REPLIES.keys() == STEPS.keys()


def question(step: str = "verify_claims", **changed: Any) -> Question:
    sampling = {"temperature": 0.0, "top_p": None, "seed": None, "max_tokens": None}
    asked = Question(step_named(step), INPUTS[step], "openai http://judge", "model-a", sampling)
    return replace(asked, **changed)


def put(folder: Path, *questions: Question, reply: Json | None = None, **answer: Any) -> list[str]:
    """Store answers with their questions; their keys."""
    rows = {}
    for asked in questions:
        said = Answer(reply or REPLIES[asked.step.name], **{"when": WHEN, **answer})
        rows[asked.key] = said.to_text(asked)
        rows[question_key(asked.key)] = asked.to_text()
    put_texts(folder, rows)
    return [asked.key for asked in questions]


def put_texts(folder: Path, rows: dict[str, str]) -> None:
    told: list[str] = []
    with closing(DiskStore(folder, told.append)) as disk:
        for key, text in rows.items():
            disk.put(key, text)
    assert told == []


def put_vector(
    folder: Path, text: str = "a text", embedder: str = "mine v1", model: str = ""
) -> str:
    key = vector_key(embedder, model, text)
    embedding = Embedding(key, [0.5, -1.0])
    put_texts(folder, {key: embedding_text(embedding, text, embedder, model)})
    return key


def texts_in(folder: Path) -> dict[str, str]:
    with closing(sqlite3.connect(folder / "cache.db")) as connection:
        return dict(connection.execute("SELECT key, value FROM Cache").fetchall())


def change(folder: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        connection.execute(statement, values)


def line_of(asked: Question, reply: Json | None = None) -> VerdictLine:
    judge = f"{asked.judge_id} {asked.model}"
    return VerdictLine(
        asked.key, asked.step.name, judge, asked.about, reply or REPLIES[asked.step.name]
    )


def override_line(claim: str = CLAIMS[0], verdict: str = "FULLY_SUPPORTED") -> VerdictLine:
    reply = {"verdict": verdict, "reason": "I asked the ferryman"}
    return VerdictLine(claim_id(claim, PASSAGES), "override", "by hand", claim, reply)


def write_lines(path: Path, lines: Iterable[VerdictLine]) -> Path:
    path.write_text("".join(f"{line.to_text()}\n" for line in lines), encoding="utf-8")
    return path


def reported(
    claim: str = CLAIMS[0], passages: Sequence[str] = PASSAGES, **changed: Any
) -> ReportedClaim:
    made = ReportedClaim(
        id=claim_id(claim, passages),
        claim=claim,
        passages=list(passages),
        label_raw="CONTRADICTORY",
        verdict="NO_EVIDENCE",
        gate_reason="judge says contradicted, no quote",
        reason="9, not 5",
        evidence=[],
        metric="faithfulness",
        case="price",
        nodeid="test_it.py::test_price",
        judge="model-a",
        questions=[question("extract_claims").key, question().key],
        by_hand=False,
        when=WHEN,
    )
    return replace(made, **changed)
