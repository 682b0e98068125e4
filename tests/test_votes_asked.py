"""Votes over HTTP: what is asked, under which keys, how it is sampled, and what is stored."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import (
    JudgeError,
    MetricResult,
    Settings,
    VerdictMissing,
    aio,
    assert_correct,
    assert_faithful,
    assert_rag,
    evaluate,
)
from pytest_ragassert.case import EvalCase
from pytest_ragassert.engine.session import Session
from pytest_ragassert.metrics.metric import Ask, Metric
from pytest_ragassert.storage.disk.disk_store import DiskStore

from .conftest import MakeSettings, close_sessions
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import FULL, NONE, asks, case, in_new_run, says_verdicts, verdicts_reply
from .replies import verdict as a_verdict

FAITHFUL = ["faithfulness"]
TOLD = case(answer="It stops at the harbour.")


def measured(settings: Settings, told: EvalCase = TOLD, **options: Any) -> MetricResult:
    result: MetricResult = in_new_run(told, FAITHFUL, settings, **options)["faithfulness"]
    return result


def sampling(judge: LoopbackJudge, step: str = "verify_claims") -> list[tuple[Any, Any]]:
    """Temperature and seed of each request of a step, in order of seed."""
    bodies = [request.body for request in judge.requests if request.step == step]
    return sorted((body["temperature"], body.get("seed")) for body in bodies)


def says_by_seed(judge: LoopbackJudge, *labels: Any) -> None:
    """Sample k of settings with seed 0 says the k-th label of every claim."""

    def reply(recorded: Recorded) -> str:
        label = labels[recorded.body["seed"]]
        return verdicts_reply([a_verdict(c["id"], label) for c in recorded.data["claims"]])

    judge.on("verify_claims", reply)


def test_each_vote_is_one_question_and_claims_are_extracted_once(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    result = measured(settings(votes=3))
    assert Counter(r.step for r in judge.requests) == {"extract_claims": 1, "verify_claims": 3}
    assert (result.requests, result.votes, result.judgements, result.split) == (4, 3, 1, 0)
    assert sampling(judge) == [(0, None), (0.7, None), (0.7, None)]
    assert sampling(judge, "extract_claims") == [(0, None)]
    data = [r.data for r in judge.requests if r.step == "verify_claims"]
    assert data[0] == data[1] == data[2]


def test_votes_go_out_side_by_side(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.latency = 0.1
    measured(settings(), votes=6)
    assert judge.max_in_flight == 6


def test_a_second_run_asks_nothing_and_finds_the_same_split(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    says_by_seed(judge, FULL, NONE, FULL)
    first = measured(settings(seed=0), votes=3)
    assert asks(judge, lambda: measured(settings(seed=0), votes=3)) == 0
    again = measured(settings(seed=0, record_mode="none"), votes=3)
    assert again.claims == first.claims
    assert first.claims[0].votes == {"FULLY_SUPPORTED": 2, "NO_EVIDENCE": 1}
    assert (first.score, first.split, first.judgements) == (1.0, 1, 1)
    assert (first.stored, again.stored, again.requests) == (False, True, 0)
    assert (again.votes, again.split, again.judgements) == (3, 1, 1)


def test_more_votes_ask_only_what_is_new_and_fewer_nothing(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    assert asks(judge, lambda: measured(settings())) == 2
    assert asks(judge, lambda: measured(settings(), votes=3)) == 2
    assert asks(judge, lambda: measured(settings(votes=4))) == 1
    assert asks(judge, lambda: measured(settings(votes=2))) == 0
    assert asks(judge, lambda: measured(settings(votes=2), votes=1)) == 0


def test_the_vote_temperature_is_in_the_keys_of_votes_beyond_the_first_alone(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    assert asks(judge, lambda: measured(settings(), votes=3)) == 4
    assert asks(judge, lambda: measured(settings(vote_temperature=0.7), votes=3)) == 0
    assert asks(judge, lambda: measured(settings(vote_temperature=1.0))) == 0
    assert asks(judge, lambda: measured(settings(vote_temperature=1.0), votes=3)) == 2
    assert [temperature for temperature, _ in sampling(judge)][-2:] == [1, 1]


def test_every_vote_has_a_seed_of_its_own(judge: LoopbackJudge, settings: MakeSettings) -> None:
    measured(settings(seed=7, vote_temperature=0), votes=3)
    assert sampling(judge) == [(0, 7), (0, 8), (0, 9)]


def test_votes_with_equal_words_are_not_one_request(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    measured(settings(vote_temperature=0), votes=3)
    bodies = [r.digest for r in judge.requests if r.step == "verify_claims"]
    assert (len(bodies), len(set(bodies))) == (3, 1)


def test_models_and_votes(judge: LoopbackJudge, settings: MakeSettings) -> None:
    says_verdicts(judge, {TOLD.answer or "": FULL}, model="judge-a")
    says_verdicts(judge, {TOLD.answer or "": NONE}, model="judge-b")
    result = measured(settings(model=("judge-a", "judge-b")), votes=2)
    assert judge.count() == result.requests == 1 + 2 * 2
    assert result.by_model == {"judge-a": 1.0, "judge-b": 0.0}
    assert result.claims[0].votes == {"FULLY_SUPPORTED": 2, "NO_EVIDENCE": 2}
    assert (result.judgements, result.split) == (2, 0)


def test_metrics_share_votes_too(judge: LoopbackJudge, settings: MakeSettings) -> None:
    metrics = ["factual_f1", "answer_correctness", "context_recall"]
    results = evaluate(case(), metrics, settings=settings(), votes=2)
    # both sides of F1 ask the same, as answer and reference are the same text
    assert Counter(r.step for r in judge.requests) == {"extract_claims": 1, "verify_claims": 4}
    assert results["answer_correctness"].judgements == 2


def test_a_vote_that_fails_is_no_verdict(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.on(
        lambda r: r.step == "verify_claims" and r.body["temperature"] > 0, {"content": "no JSON"}
    )
    with pytest.raises(JudgeError, match="faithfulness of case tram-1 not measured"):
        measured(settings(), votes=3)


def test_a_vote_that_is_not_stored_is_named(judge: LoopbackJudge, settings: MakeSettings) -> None:
    measured(settings(), votes=2)
    with pytest.raises(VerdictMissing, match="step verify_claims, vote 3, by judge-a"):
        measured(settings(record_mode="none"), votes=3)


def test_the_store_holds_a_reply_for_each_vote(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    measured(settings(), votes=3)
    close_sessions()
    disk = DiskStore(tmp_path / "store", lambda line: None)
    keys = {a.key for a in _asked(settings(record_mode="none"))}
    assert len(keys) == 4
    assert all(disk.get(key) is not None for key in keys)
    disk.close()


def _asked(given: Settings) -> list[Any]:
    session = Session(given)
    try:
        [done] = session.measure([session.job(TOLD, "faithfulness", {"votes": 3})])
        return done.asked
    finally:
        session.close()


def test_a_metrics_own_number_goes_before_the_option(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    metrics: dict[str, dict[str, Any]] = {"faithfulness": {"votes": 2}, "factual_precision": {}}
    results = evaluate(TOLD, metrics, settings=settings(votes=3))
    assert [result.votes for result in results.values()] == [2, 3]
    close_sessions()
    results = evaluate(TOLD, metrics, settings=settings(votes=5), votes=4)
    assert [result.votes for result in results.values()] == [2, 4]


def test_assertions_take_votes(judge: LoopbackJudge, asserting: Callable[..., None]) -> None:
    asserting(votes=2)
    told = case()
    assert assert_faithful(told, votes=3).votes == 3
    assert assert_faithful(told).votes == 2
    assert assert_correct(told, votes=3).votes == 3
    assert asyncio.run(aio.assert_faithful(told, votes=4)).votes == 4
    assert assert_rag(told, votes=3, faithfulness=0.5)["faithfulness"].votes == 3
    rag = asyncio.run(aio.assert_rag(told, votes=4, faithfulness=0.5))
    assert rag["faithfulness"].votes == 4


class Wondering(Metric):
    """A plugin's metric that asks for as many samples as are wanted."""

    name = "wondering"
    requires = ("answer",)

    async def measure(self, case: EvalCase, ask: Ask, *_: Any, **options: Any) -> MetricResult:
        input = {"question": "Q?", "answer": case.answer}
        replies = await ask.together(
            ask("rate_relevance", input, sample=sample) for sample in range(ask.votes)
        )
        return MetricResult(metric=self.name, score=min(reply["score"] for reply in replies))


def test_a_plugins_metric_may_ask_for_samples(judge: LoopbackJudge, settings: MakeSettings) -> None:
    session = Session(settings(), metrics=[Wondering()])
    [done] = session.measure([session.job(TOLD, "wondering", {"votes": 3})])
    session.close()
    assert done.result is not None
    assert (done.result.votes, done.result.judgements, judge.count()) == (3, 0, 3)


def test_the_offline_judge_is_asked_once_and_that_is_told() -> None:
    session = Session(Settings(judge="offline", record_mode="off"))
    jobs = [session.job(TOLD, "faithfulness", {"votes": votes}) for votes in (3, 2)]
    results = [done.result for done in session.measure(jobs)]
    session.close()
    assert [(r.votes, r.requests, r.claims[0].votes) for r in results if r] == [(1, 2, {})] * 2
    told = session.run.notices()
    session.run.remove()
    assert told == ["votes: offline-3 gives the same answer each time, so it is asked once"]


def test_a_judgement_counts_once_whatever_it_was_asked_with(settings: MakeSettings) -> None:
    """The same claim in another answer, passages in another order, a passage that comes twice."""
    passages = ["It stops at the harbour.", "The tram runs."]
    told = [
        case(answer="It stops at the harbour.", retrieved_contexts=passages),
        case(answer="It stops at the harbour. The tram runs.", retrieved_contexts=passages[::-1]),
        case(answer="The tram runs.", retrieved_contexts=passages * 2),
    ]
    session = Session(settings(votes=3))
    try:
        jobs = [session.job(one, m, {}) for one in told for m in (*FAITHFUL, "context_precision")]
        splits = [set(done.splits) for done in session.measure(jobs)]
    finally:
        session.close()
    # of the claims one and two, and one again; of the passages two, whose references are the same
    assert [len(own) for own in splits] == [1, 2, 2, 2, 1, 2]
    assert len(set[str]().union(*splits)) == 4
