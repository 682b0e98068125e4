"""Stores and committed verdicts to work on, made without a judge."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_ragassert.runtime.canonical_json import Json, canonical_json
from pytest_ragassert.steps.catalogue import STEPS, step_named
from pytest_ragassert.steps.evidence.claim_ids import claim_id
from pytest_ragassert.steps.evidence.passage_hashes import text_hash
from pytest_ragassert.storage.answers import Answer, Embedding, embedding_text, vector_key
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.disk.disk_store import DiskStore
from pytest_ragassert.storage.failed_claims import ReportedClaim
from pytest_ragassert.storage.judgement_rows import rows_of
from pytest_ragassert.storage.keys import Question, question_key

# In another order than their hashes, and than the texts themselves, have.
PASSAGES = ["The crossing costs 9 euros.\nThe ferry runs every hour.", "Dogs are not allowed."]
HASHES = [text_hash(text) for text in PASSAGES]
CLAIMS = ["The crossing costs 5 euros.", "The ferry runs every hour."]
WHEN = "2026-01-31T12:00:00Z"

VERDICTS: list[Json] = [
    {
        "reason": "9, not 5",
        "evidence": [{"passage": HASHES[0], "quote": "The crossing costs 9 euros"}],
        "verdict": "CONTRADICTORY",
        "confidence": None,
    },
    {
        "reason": "it does",
        "evidence": [{"passage": HASHES[1], "quote": "The ferry runs every hour"}],
        "verdict": "FULLY_SUPPORTED",
        "confidence": 0.9,
    },
]
NOTHING: Json = {"reason": None, "evidence": [], "verdict": "NO_EVIDENCE", "confidence": None}
# A whole reply to a judgement of each step.
REPLIES: dict[str, Json] = {
    "extract_claims": {"claims": ["It runs"]},
    "verify_claims": VERDICTS[0],
    "judge_passages": {"reason": None, "relevant": True},
    "generate_questions": {"questions": ["Does it run?"]},
    "rate_relevance": {"reason": "it does", "score": 0.75},
    "grade_accuracy": {
        name: {"reason": None, "score": 90.0}
        for name in ("correctness", "completeness", "consistency")
    },
    "classify_answer": {"reason": None, "label": "CORRECT"},
    "check_criteria": {"reason": None, "quote": "runs", "met": "YES"},
    "write_case": {
        "question": "What does the crossing cost?",
        "answer": "The crossing costs 9 euros.",
        "evidence": [{"passage": 1, "quote": "The crossing costs 9 euros"}],
    },
    "write_personas": {"personas": ["A tourist without a car who writes briefly."]},
}
INPUTS: dict[str, Json] = {
    "extract_claims": {"question": None, "heading": None, "before": [], "sentence": "It runs."},
    "verify_claims": {"claim": CLAIMS[0], "passages": sorted(HASHES)},
    "judge_passages": {"question": "How?", "reference": None, "passage": "a"},
    "generate_questions": {"answer": "It runs.", "n": 3},
    "rate_relevance": {"question": "Does it?", "answer": "It runs."},
    "grade_accuracy": {"question": "Does it?", "reference": "Yes.", "answer": "It runs."},
    "classify_answer": {"question": "Does it?", "reference": "Yes.", "answer": "It runs."},
    "check_criteria": {"question": None, "answer": "It runs.", "criterion": "says that it runs"},
    "write_case": {
        "passages": [{"id": n, "text": text} for n, text in enumerate(PASSAGES, start=1)],
        "kind": "single",
        "persona": None,
        "language": None,
    },
    "write_personas": {
        "documents": [{"name": "fares.md", "headings": ["Fares", "Dogs"]}],
        "number": 1,
        "language": "en",
    },
}
assert INPUTS.keys() == REPLIES.keys() == STEPS.keys()


def question(step: str = "verify_claims", **changed: Any) -> Question:
    """The question to one judgement."""
    sampling = {"temperature": 0.0, "top_p": None, "seed": None, "max_tokens": None}
    asked = Question(step_named(step), INPUTS[step], "openai http://judge", "model-a", sampling)
    return replace(asked, **changed)


def question_on(claim: str, passages: Sequence[str] = PASSAGES, **changed: Any) -> Question:
    """The question to the verdict on a claim."""
    input = {"claim": claim, "passages": sorted(map(text_hash, passages))}
    return question(input=input, **changed)


def put(
    folder: Path,
    *questions: Question,
    reply: Json | None = None,
    passages: Sequence[str] = PASSAGES,
    **answer: Any,
) -> list[str]:
    """Store answers with their questions, and with the passages where they name some; their
    keys.

    Args:
        passages: those that the questions name.
    """
    rows: dict[str, str] = {}
    for asked in questions:
        said = Answer(reply or REPLIES[asked.step.name], **{"when": WHEN, **answer})
        if "claim" in asked.input:
            whole = replace(asked, input=_whole(asked.input["claim"], passages))
            assert whole.keys == (asked.key,)
            rows |= rows_of(whole, {asked.key: said})
        else:
            rows[asked.key] = said.to_text(asked)
            rows[question_key(asked.key)] = asked.to_text()
    put_texts(folder, rows)
    return [asked.key for asked in questions]


def _whole(claim: str, passages: Sequence[str]) -> Json:
    return {
        "passages": [{"id": n, "text": text} for n, text in enumerate(passages, start=1)],
        "claims": [{"id": 1, "text": claim}],
    }


# -- what format 2 kept: the answers to whole questions --------------------------------------------

FORMER_INPUTS: dict[str, Json] = {
    "verify_claims": {
        "passages": [{"id": n, "text": text} for n, text in enumerate(PASSAGES, start=1)],
        "claims": [{"id": n, "text": text} for n, text in enumerate(CLAIMS, start=1)],
    },
    "judge_passages": {
        "question": "How?",
        "reference": None,
        "passages": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}, {"id": 3, "text": "a"}],
    },
}
FORMER_REPLIES: dict[str, Json] = {
    "verify_claims": {
        "verdicts": [
            {
                **verdict,
                "id": number,
                "evidence": [
                    {**one, "passage": HASHES.index(one["passage"]) + 1}
                    for one in verdict["evidence"]
                ],
            }
            for number, verdict in enumerate(VERDICTS, start=1)
        ]
    },
    "judge_passages": {
        "passages": [
            {"id": 1, "reason": None, "relevant": True},
            {"id": 2, "reason": "not b", "relevant": False},
            {"id": 3, "reason": None, "relevant": True},
        ]
    },
}


def former(step: str = "verify_claims", **changed: Any) -> Question:
    """A whole question: of several judgements, where its step has such."""
    return question(step, **{"input": FORMER_INPUTS.get(step) or INPUTS[step], **changed})


def former_reply(step: str) -> Json:
    return FORMER_REPLIES.get(step) or REPLIES[step]


def put_former(
    folder: Path, *questions: Question, reply: Json | None = None, **answer: Any
) -> list[str]:
    """Store answers with their questions as format 2 did; their keys."""
    rows = {}
    for asked in questions:
        said = Answer(reply or former_reply(asked.step.name), **{"when": WHEN, **answer})
        rows[asked.key] = _of_format_2(said.to_text(asked), "asked", "passages")
        rows[question_key(asked.key)] = _of_format_2(asked.to_text())
    put_texts(folder, rows)
    return [asked.key for asked in questions]


def _of_format_2(text: str, *without: str) -> str:
    record = json.loads(text)
    return canonical_json(
        {name: value for name, value in record.items() if name not in without} | {"format": 2}
    )


def former_line(asked: Question, reply: Json | None = None) -> VerdictLine:
    """A committed line as earlier versions wrote it."""
    judge = f"{asked.judge_id} {asked.model}"
    step = asked.step.name
    return VerdictLine(asked.key, step, judge, asked.about, reply or former_reply(step))


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
    said = reply or REPLIES[asked.step.name]
    passages = tuple(asked.passages)
    step = asked.step.name
    return VerdictLine(asked.key, step, judge, asked.about, said, asked.asked, passages)


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
