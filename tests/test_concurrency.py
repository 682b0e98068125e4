"""How many requests are in flight, and who shares them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from pytest_ragassert import evaluate
from pytest_ragassert.asking import shelf
from pytest_ragassert.session import session_for

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import case

FAITHFUL = ["faithfulness"]


def test_one_request_goes_out_before_the_first_answer(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.latency = 0.1
    cases = [case(id=str(n), answer=f"Tram {n} runs.") for n in range(8)]
    evaluate(cases, FAITHFUL, settings=settings())
    first, *others = judge.requests
    assert first.ended is not None
    assert all(other.at >= first.ended for other in others)
    assert judge.max_in_flight > 1


@pytest.mark.parametrize(("limit", "latency"), [(1, 0.01), (3, 0.1)])
def test_no_more_requests_at_once_than_allowed(
    judge: LoopbackJudge, settings: MakeSettings, limit: int, latency: float
) -> None:
    judge.latency = latency
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

    monkeypatch.setattr(shelf, "lock_file", refuse)
    evaluate([case(id=str(n)) for n in range(5)], FAITHFUL, settings=settings())
    assert judge.count() == 2
    (told,) = session_for(settings()).run.notices()
    assert "no locks on this disk" in told
