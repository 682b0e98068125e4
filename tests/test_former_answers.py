"""What earlier versions kept, the answers to whole questions, is found by judgement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase
from pytest_ragassert.runtime.canonical_json import Json, canonical_json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine, judge_name
from pytest_ragassert.storage.contents import content_of
from pytest_ragassert.storage.keys import Question, question_key
from pytest_ragassert.storage.open_store import open_store
from pytest_ragassert.usage import Usage

from .test_verdict_judgements import (
    CLAIMS,
    PASSAGES,
    BySet,
    Judging,
    first_places,
    held,
    of,
    seen,
)

SAMPLING = {"temperature": 0.0, "top_p": None, "seed": None, "max_tokens": None}
PAID = Usage(requests=1, prompt_tokens=70, completion_tokens=7)


def whole(step: str, input: Json) -> Question:
    return Question(STEPS[step], input, "by-set", "", SAMPLING)


def questions(claims: Sequence[str], passages: Sequence[str]) -> list[Question]:
    """The two that a case of `of` asks."""
    return [
        whole("verify_claims", held(claims, passages)),
        whole("judge_passages", seen(passages, "Why?")),
    ]


def reply_to(question: Question) -> Json:
    said = json.loads(BySet().run(question.step, question.input))
    return question.step.read(question.input, said).reply


def answer_text(question: Question) -> str:
    """As format 2 had it."""
    return canonical_json(
        {
            "format": 2,
            "key": question.key,
            "step": question.step.name,
            "fingerprint": question.step.fingerprint,
            "judge": question.judge_id,
            "model": question.model,
            "sample": question.sample,
            "about": question.about,
            "reply": reply_to(question),
            "usage": asdict(PAID),
            "served": "judge-a-1",
            "when": "2026-01-31T12:00:00Z",
        }
    )


def question_text(question: Question) -> str:
    return canonical_json({**json.loads(question.to_text()), "format": 2})


def store_former(folder: Path, *asked: Question) -> None:
    with open_store(folder) as store:
        for one in asked:
            store.put_many(
                [(one.key, answer_text(one)), (question_key(one.key), question_text(one))]
            )


def former_line(question: Question) -> VerdictLine:
    judge = judge_name(question.judge_id, question.model)
    reply = reply_to(question)
    return VerdictLine(question.key, question.step.name, judge, question.about, reply)


def details(*asked: Question) -> Json:
    checked, judged = asked
    return {**first_places(checked.input, reply_to(checked)), **reply_to(judged)}


def test_a_former_store_answers_and_holds_the_judgements_then(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    asked = questions(CLAIMS[:2], PASSAGES[:3])
    store_former(folder, *asked)
    judging = Judging(folder)
    # both in one run: the second finds what the first kept anew
    for result in judging.run(*[of(CLAIMS[:2], PASSAGES[:3]) for _ in range(2)]):
        assert (result.requests, result.stored) == (0, True)
        assert result.details == details(*asked)
    with open_store(folder) as store:
        kept = {
            one: content_of(row)
            for q in asked
            for one in q.judgements
            if (row := store.row(one.key))
        }
        assert len(kept) == 5
        texts = {content_of(row).record["text"] for row in store.rows(".passage")}
    assert texts == set(PASSAGES[:3])
    paid = [content.record["usage"].get("requests", 0) for content in kept.values()]
    assert paid == [1, 0, 1, 0, 0]
    for one, content in kept.items():
        record = content.record
        assert (content.kind, record["format"], record["asked"]) == ("answer", 3, one.asked)
        assert (record["when"], record["served"]) == ("2026-01-31T12:00:00Z", "judge-a-1")
        assert record["passages"] == one.passages
    # in another order, which the former version would have asked about again
    (result,) = judging.run(of(CLAIMS[1:2], PASSAGES[:3][::-1]))
    assert result.stored
    assert judging.judge.messages == []


def test_a_replay_reads_a_former_store_and_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    store_former(folder, *questions(CLAIMS[:2], PASSAGES[:3]))
    replay = Judging(folder, record_mode="none")
    (result,) = replay.run(of(CLAIMS[:2], PASSAGES[:3]))
    assert result.stored
    with open_store(folder) as store:
        assert len(store.keys()) == 4


def test_mode_all_asks_again(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    store_former(folder, *questions(CLAIMS[:2], PASSAGES[:3]))
    again = Judging(folder, record_mode="all")
    (result,) = again.run(of(CLAIMS[:2], PASSAGES[:3]))
    assert (result.requests, len(again.judge.messages)) == (2, 2)


@pytest.mark.parametrize(
    "changed",
    [
        {"format": 1},
        {"about": "something else"},
        {"fingerprint": "0" * 64},
        {"reply": {"verdicts": []}},
        {"reply": {"verdicts": [{"id": 1}, {"id": 2}]}},
        {"reply": None},
        {"usage": {"requests": -1}},
    ],
    ids=str,
)
def test_what_does_not_fit_is_asked_anew(tmp_path: Path, changed: dict[str, Any]) -> None:
    folder = tmp_path / "store"
    asked, _ = questions(CLAIMS[:2], PASSAGES[:3])
    with open_store(folder) as store:
        text = canonical_json({**json.loads(answer_text(asked)), **changed})
        store.put(asked.key, text)
    judging = Judging(folder)
    (result,) = judging.run(of(CLAIMS[:2], PASSAGES[:3]))
    assert (result.requests, result.details) == (2, details(*questions(CLAIMS[:2], PASSAGES[:3])))


def test_former_committed_lines_answer(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.jsonl"
    asked = questions(CLAIMS[:2], PASSAGES[:3])
    write_verdicts(file, map(former_line, asked))
    before = file.read_bytes()
    replay = Judging(tmp_path / "store", record_mode="none", verdicts=file)
    case: EvalCase = of(CLAIMS[:2], PASSAGES[:3])
    (result,) = replay.run(case)
    assert (result.stored, result.details) == (True, details(*asked))
    assert file.read_bytes() == before
    assert not (tmp_path / "store").exists()
    live = Judging(tmp_path / "store", verdicts=file)
    (result,) = live.run(case)
    assert (result.stored, live.judge.messages) == (True, [])
    with open_store(tmp_path / "store") as store:
        assert all(store.row(one.key) for question in asked for one in question.judgements)
    assert set(open_verdicts(file).keys()) == {one.key for one in asked}
