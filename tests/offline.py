"""The offline judge asked in few words: for the tests of what it takes for claims and verdicts."""

from __future__ import annotations

import json
from typing import Any

from pytest_ragassert.judging.judges.offline.offline_judge import OfflineJudge
from pytest_ragassert.language.sentences import split_sentences
from pytest_ragassert.steps.extract_claims import EXTRACT_CLAIMS
from pytest_ragassert.steps.verify_claims import VERIFY_CLAIMS

JUDGE = OfflineJudge()
FULL, NONE, AGAINST = "FULLY_SUPPORTED", "NO_EVIDENCE", "CONTRADICTORY"


def claims_of(text: str, question: str | None = None) -> list[tuple[int, str]]:
    sentences = [
        {"id": number, "text": text[start:end]}
        for number, (start, end) in enumerate(split_sentences(text), 1)
    ]
    reply = JUDGE.run(EXTRACT_CLAIMS, {"question": question, "sentences": sentences})
    return [(claim["sentence"], claim["text"]) for claim in json.loads(reply)["claims"]]


def verdicts_of(claims: list[str], passages: list[str]) -> list[dict[str, Any]]:
    question = {
        "passages": [{"id": 10 + n, "text": text} for n, text in enumerate(passages)],
        "claims": [{"id": 1 + n, "text": text} for n, text in enumerate(claims)],
    }
    verdicts: list[dict[str, Any]] = json.loads(JUDGE.run(VERIFY_CLAIMS, question))["verdicts"]
    return verdicts


def verdict_of(claim: str, *passages: str) -> tuple[str, str | None]:
    [verdict] = verdicts_of([claim], list(passages))
    return verdict["verdict"], next((one["quote"] for one in verdict["evidence"]), None)
