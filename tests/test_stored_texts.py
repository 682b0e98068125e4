"""What stands in the store: an answer, its question beside it, and reasons only where wanted."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import evaluate
from pytest_ragassert.engine.sessions import session_for
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.evidence.claim_ids import claim_id
from pytest_ragassert.steps.evidence.passage_hashes import text_hash

from .conftest import MakeSettings, close_sessions
from .loopback.server import LoopbackJudge
from .replies import FERRY, asks, case, in_new_run, says_verdicts

FAITHFUL = ["faithfulness"]
SENTENCES = ("The tram runs every 12 minutes on weekdays.", "It stops at the harbour.")


def stored(folder: Path) -> dict[str, dict[str, Any]]:
    """The stored records by key."""
    with closing(sqlite3.connect(folder / "cache.db")) as connection:
        rows = connection.execute("SELECT key, value FROM Cache").fetchall()
    return {key: json.loads(text) for key, text in rows}


def change_all(folder: Path, **fields: Any) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        for key, record in stored(folder).items():
            text = json.dumps({**record, **fields})
            connection.execute("UPDATE Cache SET value = ? WHERE key = ?", (text, key))


def test_an_answer_says_all_that_people_and_tools_ask_of_it(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    evaluate(case(), FAITHFUL, settings=settings(seed=7))
    records = stored(tmp_path / "store")
    passage = f"Timetable. {FERRY}"
    answers = {k: r for k, r in records.items() if r["step"] == "verify_claims" and "reply" in r}
    (key,) = [k for k, r in answers.items() if r["about"] == SENTENCES[0]]
    assert len(answers) == len(SENTENCES)
    answer, question = records[key], records[f"{key}.question"]
    assert set(answer) == {
        *("format", "key", "step", "fingerprint", "judge", "model", "sample", "asked", "about"),
        *("passages", "reply", "usage", "served", "when"),
    }
    assert (answer["format"], answer["key"]) == (3, key)
    assert re.fullmatch("[0-9a-f]{64}", answer["asked"])
    assert answer["passages"] == [text_hash(passage)]
    assert answer["fingerprint"] == STEPS["verify_claims"].fingerprint
    assert (answer["judge"], answer["model"]) == (f"openai {judge.base_url}", "judge-a")
    assert (answer["sample"], answer["served"]) == (0, "judge-a")
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", answer["when"])
    assert question == {
        "format": 3,
        "step": "verify_claims",
        "version": 2,
        "judge": answer["judge"],
        "model": "judge-a",
        "sampling": {"temperature": 0.0, "top_p": None, "seed": 7, "max_tokens": None},
        "sample": 0,
        "input": {"claim": SENTENCES[0], "passages": [text_hash(passage)]},
        "id": claim_id(SENTENCES[0], [passage]),
        "asked": answer["asked"],
    }
    (row,) = [k for k in records if k.endswith(".passage")]
    assert row.startswith(text_hash(passage))
    assert records[row] == {"format": 3, "step": "passage", "text": passage}


def test_parts_of_a_question_have_no_question_beside_them(
    settings: MakeSettings, tmp_path: Path
) -> None:
    long = case(retrieved_contexts=[f"Passage {n}. " + "The tram runs. " * 200 for n in range(4)])
    evaluate(long, FAITHFUL, settings=settings(token_budget=1000))
    records = stored(tmp_path / "store")
    questions = [key for key in records if key.endswith(".question")]
    assert len(records) > 2 * len(questions)
    # of the two sentences, and of the two claims
    assert len(questions) == 4
    assert all(key.removesuffix(".question") in records for key in questions)


def test_a_vector_says_whose_it_is_and_of_what(settings: MakeSettings, tmp_path: Path) -> None:
    evaluate(case(), ["semantic_similarity"], settings=settings(embedder="openai"))
    (record,) = stored(tmp_path / "store").values()
    assert (record["format"], record["step"]) == (3, "embed_text")
    assert record["about"] == case().answer
    assert record["model"] == "text-embedding-3-small"
    assert record["reply"]["vector"]


@pytest.mark.parametrize("number", [1, 4])
def test_another_versions_verdicts_are_a_miss_told_once(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, number: int
) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    close_sessions()
    change_all(tmp_path / "store", format=number)
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, settings())) == 2
    (told,) = session_for(settings()).run.notices()
    assert f"of another version (format {number}" in told
    assert "--ragassert-record-mode=new_episodes" in told
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, settings())) == 0
    assert session_for(settings()).run.notices() == []


def test_a_verdict_that_does_not_fit_its_question_is_told_once(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    close_sessions()
    change_all(tmp_path / "store", reply=None)
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, settings())) == 2
    (told,) = session_for(settings()).run.notices()
    assert "python -m pytest_ragassert verdicts verify" in told


# -- reasons ---------------------------------------------------------------------------------------

SECRET = "because Alice said so"
REPLIES: dict[str, Any] = {
    "verify_claims": {
        "verdicts": [
            {
                "id": 1,
                "reason": SECRET,
                "passage": None,
                "quote": None,
                "verdict": "NO_EVIDENCE",
                "confidence": None,
            }
        ]
    },
    "judge_passages": {"passages": [{"id": 1, "reason": SECRET, "relevant": True}]},
    "rate_relevance": {"reason": SECRET, "score": 0.5},
    "grade_accuracy": {
        name: {"reason": SECRET, "score": 50.0}
        for name in ("correctness", "completeness", "consistency")
    },
    "classify_answer": {"reason": SECRET, "label": "WRONG"},
    "check_criteria": {"checks": [{"id": 1, "reason": SECRET, "quote": None, "met": "NO"}]},
    "generate_questions": {"questions": ["Why?"]},
    "extract_claims": {"sentences": [], "claims": []},
    "write_case": {
        "question": "Why?",
        "answer": "So.",
        "evidence": [{"passage": 1, "quote": "So"}],
    },
    "write_personas": {"personas": ["A tourist"]},
}


@pytest.mark.parametrize("name", STEPS)
def test_a_reply_without_reasons_is_a_whole_reply(name: str) -> None:
    step, reply = STEPS[name], REPLIES[name]
    before = json.dumps(reply)
    bare = step.without_reasons(reply)
    assert SECRET not in json.dumps(bare)
    assert json.dumps(bare) == before.replace(json.dumps(SECRET), "null")
    assert json.dumps(reply) == before
    items = {key: [{"id": 1}] for key in ("claims", "passages", "criteria")}
    message = {**items, "sentences": [], "n": 1, "kind": "single", "number": 1}
    assert step.answers(message, bare)


def test_reasons_are_left_out_everywhere_where_they_are_not_wanted(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    says_verdicts(judge, {text: {"verdict": "NO_EVIDENCE", "reason": SECRET} for text in SENTENCES})
    private = settings(store_reasons="off")
    first = evaluate(case(), FAITHFUL, settings=private)["faithfulness"]
    run = session_for(private).run.path
    texts = [path.read_bytes() for f in (run, tmp_path) for path in f.rglob("*") if path.is_file()]
    assert len(texts) > 6
    assert not any(SECRET.encode() in text for text in texts)
    second = in_new_run(case(), FAITHFUL, private)["faithfulness"]
    assert judge.count() == 2
    assert [claim.reason for claim in first.claims] == [None, None]
    assert second.claims == first.claims


def test_reasons_that_are_stored_are_not_used_where_they_are_not_wanted(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    says_verdicts(judge, {text: {"verdict": "NO_EVIDENCE", "reason": SECRET} for text in SENTENCES})
    first = evaluate(case(), FAITHFUL, settings=settings())["faithfulness"]
    assert [claim.reason for claim in first.claims] == [SECRET, SECRET]
    private = settings(store_reasons="off")
    assert [c.reason for c in in_new_run(case(), FAITHFUL, private)["faithfulness"].claims] == [
        None,
        None,
    ]
    assert judge.count() == 2


def test_parts_are_kept_without_reasons_too(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    says_verdicts(judge, {text: {"verdict": "NO_EVIDENCE", "reason": SECRET} for text in SENTENCES})
    long = case(retrieved_contexts=[f"Passage {n}. " + "The tram runs. " * 200 for n in range(4)])
    evaluate(long, FAITHFUL, settings=settings(token_budget=1000, store_reasons="off"))
    assert judge.count() > 3
    assert SECRET not in json.dumps(stored(tmp_path / "store"))
