"""How many requests are in flight, and who shares them."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_ragassert import assert_rag, evaluate
from pytest_ragassert.engine.sessions import session_for
from pytest_ragassert.judging.scheduling import answer_cache as cache
from pytest_ragassert.storage.disk import disk_store

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import case

FAITHFUL = ["faithfulness"]


def test_one_request_goes_out_before_the_first_answer(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.latency = 0.1
    judge.gather(2)
    cases = [case(id=str(n), answer=f"Tram {n} runs.") for n in range(8)]
    evaluate(cases, FAITHFUL, settings=settings())
    first, *others = judge.requests
    assert first.ended is not None
    assert all(other.at >= first.ended for other in others)
    assert judge.max_in_flight > 1


@pytest.mark.parametrize("limit", [1, 3])
def test_no_more_requests_at_once_than_allowed(
    judge: LoopbackJudge, settings: MakeSettings, limit: int
) -> None:
    judge.latency = 0.01
    judge.gather(limit)
    cases = [case(id=str(n), answer=f"Tram {n} runs.") for n in range(8)]
    evaluate(cases, FAITHFUL, settings=settings(concurrency=limit))
    assert judge.max_in_flight == limit
    assert judge.count() == 16


def test_threads_share_one_client_and_the_limit(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    chosen = settings(concurrency=2)
    results: list[float] = []

    def work(number: int) -> None:
        told = case(id=str(number), answer="It stops at the harbour.", question=str(number))
        results.append(evaluate(told, FAITHFUL, settings=chosen)["faithfulness"].score)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [1.0] * 5
    assert judge.max_in_flight <= 2
    assert judge.count("verdicts") == 1


def test_without_a_lock_file_a_process_still_asks_once(
    judge: LoopbackJudge, settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise OSError("no locks on this disk")

    for module in (cache, disk_store):
        monkeypatch.setattr(module, "lock_file", refuse)
    evaluate([case(id=str(n)) for n in range(5)], FAITHFUL, settings=settings())
    assert judge.count() == 2
    (told,) = session_for(settings()).run.notices()
    assert "no locks on this disk" in told


def test_without_a_folder_for_the_run_a_process_keeps_to_the_limit(
    judge: LoopbackJudge,
    settings: MakeSettings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    judge.latency = 0.01
    judge.gather(2)
    cases = [case(id=str(n), answer=f"Tram {n} runs.") for n in range(6)]
    results = evaluate(cases, FAITHFUL, settings=settings(concurrency=2))
    assert len(results) == 6
    assert judge.max_in_flight == 2


LATER = ["answer_relevancy", "context_relevance", "factual_accuracy", "context_precision"]


def test_the_metric_that_asks_most_often_in_a_row_begins(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.latency = 0.05
    results = evaluate(case(), [*LATER, "context_recall"], settings=settings())
    assert list(results) == [*LATER, "context_recall"]
    assert judge.requests[0].step == "extract_claims"


def test_what_others_follow_from_goes_first(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.latency = 0.05
    told = [case(id=str(n), answer=f"Tram {n} runs.", question=f"{n}?") for n in range(4)]
    evaluate(told, [*LATER, "factual_f1"], settings=settings(concurrency=1))
    steps = [request.step for request in judge.requests]
    extracted = [place for place, step in enumerate(steps) if step == "extract_claims"]
    # four answers and their references; the first request, the next and one that waits came before
    assert len(extracted) == 8
    assert extracted[-1] <= 10, steps


def test_metrics_of_a_case_are_asked_side_by_side(
    judge: LoopbackJudge, asserting: Callable[..., None]
) -> None:
    asserting(concurrency=4)
    judge.gather(4)
    assert_rag(case(), context_relevance=0, factual_accuracy=0, answer_relevancy=0, faithfulness=0)
    first, *others = judge.requests
    assert first.step == "extract_claims"
    # the others wait for the first answer alone, and the verification for its claims
    assert {request.step for request in others[:4]} == {
        "verify_claims",
        "judge_passages",
        "grade_accuracy",
        "rate_relevance",
    }
    assert judge.max_in_flight == 4
    assert len(others) == 4


def test_parts_of_the_composite_are_asked_side_by_side(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.gather(3)
    told = case(ground_truth_answer="It stops at the harbour at noon.")
    result = evaluate(told, ["ragas_score"], settings=settings())["ragas_score"]
    steps = [request.step for request in judge.requests]
    # the answer's claims and the reference's, before what nothing follows
    assert steps[:2] == ["extract_claims"] * 2
    assert judge.max_in_flight >= 3
    assert list(result.details["parts"]) == [
        "faithfulness",
        "context_precision",
        "context_recall",
        "answer_relevancy",
    ]
