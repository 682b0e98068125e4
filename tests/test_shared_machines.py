"""Processes with folders of their own, as on several machines, share verdicts on one server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.storage.open_store import open_store
from pytest_ragassert.storage.redis.leases import LEASE_SECONDS

from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .redis_server import RedisServer, needs_server
from .replies import FULL, NONE, verdicts_reply

pytestmark = [
    needs_server,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]

CASES = 300

# Judges cases in order, some at a time, and prints each score with the time when it was known.
MACHINE = """
import json, sys, time
from pytest_ragassert import EvalCase, Settings, evaluate

folder, store, base_url, first, last, at_once = sys.argv[1:]
settings = Settings(
    judge="openai", base_url=base_url, api_key="sk-test-1", cache_dir=folder, store=store
)
numbers = range(int(first), int(last))
for start in numbers[:: int(at_once)]:
    cases = [
        EvalCase(
            id=f"c{n}",
            question="Is it new?",
            answer=f"Boat number {n} is new.",
            retrieved_contexts=[f"Boat number {n} is new."],
        )
        for n in range(start, min(start + int(at_once), int(last)))
    ]
    found = evaluate(cases, ["faithfulness"], settings=settings)
    for case, results in zip(cases, found):
        result = results["faithfulness"]
        claims = [[claim.verdict, claim.reason] for claim in result.claims]
        line = [time.monotonic(), case.id, result.score, claims, result.requests, result.stored]
        print(json.dumps(line), flush=True)
"""


class Machine:
    """A process that judges cases."""

    def __init__(
        self,
        folder: Path,
        server: RedisServer,
        judge: LoopbackJudge,
        *,
        cases: tuple[int, int] = (0, CASES),
        at_once: int = 8,
    ) -> None:
        numbers = (*map(str, cases), str(at_once))
        self.process = subprocess.Popen(
            [sys.executable, "-c", MACHINE, str(folder), server.url, judge.base_url, *numbers],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self) -> list[Any]:
        """What it printed, when it has ended as it should."""
        out, err = self.process.communicate(timeout=120)
        assert (self.process.returncode, err) == (0, "")
        return [json.loads(line) for line in out.splitlines()]

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)


@contextmanager
def ended(*machines: Machine) -> Iterator[None]:
    try:
        yield
    finally:
        for machine in machines:
            machine.process.kill()
            machine.process.communicate()


def digests(judge: LoopbackJudge) -> Counter[str]:
    return Counter(request.digest for request in judge.requests if request.status == 200)


def wait_until(condition: Any, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_one_of_four_machines_dies(
    tmp_path: Path, judge: LoopbackJudge, redis_server: RedisServer
) -> None:
    judge.latency = 0.05
    four = [Machine(tmp_path / str(n), redis_server, judge) for n in range(4)]
    with ended(*four):
        wait_until(lambda: len(judge.requests) > 150)
        four[0].signal(signal.SIGKILL)
        told = [one.end() for one in four[1:]]
    assert {len(lines) for lines in told} == {CASES}
    # what the dead one had in flight is asked again, and nothing else
    asked = digests(judge)
    assert len(asked) == 2 * CASES
    again = sum(asked.values()) - len(asked)
    assert again <= 8
    # nobody waits for the dead one for longer than a lease
    for lines in told:
        times = [when for when, *_ in lines]
        waits = [after - before for before, after in pairwise(times)]
        assert max(waits) < LEASE_SECONDS + 2
    assert {json.dumps([line[1:4] for line in lines]) for lines in told} == {
        json.dumps([line[1:4] for line in told[0]])
    }
    # nor does anything stay but leases that end
    with redis_server.client() as client:
        leases = list(client.scan_iter(match="*.lease"))
        assert all(0 <= client.pttl(key) <= LEASE_SECONDS * 1000 for key in leases)


def answers_differently(judge: LoopbackJudge, *, latency: float) -> None:
    """The judge's first verdict is late, and its later ones are others."""

    def reply(recorded: Recorded) -> Any:
        first = judge.count("verify_claims") == 1
        verdict = {"id": 1, "verdict": FULL if first else NONE, "reason": "first" * first}
        passage = recorded.data["passages"][0]
        verdict["evidence"] = [{"passage": 1, "quote": passage["text"]}] * first
        content = verdicts_reply([verdict])
        return {"content": content, "latency": latency} if first else {"content": content}

    judge.on("verify_claims", reply)


def test_a_machine_that_was_frozen_adopts_what_another_stored(
    tmp_path: Path, judge: LoopbackJudge, redis_server: RedisServer
) -> None:
    answers_differently(judge, latency=0.5)
    frozen = Machine(tmp_path / "frozen", redis_server, judge, cases=(0, 1))
    with ended(frozen):
        wait_until(lambda: judge.count("verify_claims") == 1)
        frozen.signal(signal.SIGSTOP)
        began = time.monotonic()
        with redis_server.client() as client:
            assert len(client.keys("*.lease")) == 1
        other = Machine(tmp_path / "other", redis_server, judge, cases=(0, 1))
        with ended(other):
            (said,) = other.end()
        assert time.monotonic() - began < LEASE_SECONDS + 5
        frozen.signal(signal.SIGCONT)
        (adopted,) = frozen.end()
    assert judge.count("verify_claims") == 2
    # the score and verdict of what was stored first, and its own request
    assert said[2:4] == adopted[2:4] == [0.0, [[NONE.value, None]]]
    assert adopted[4] == 2
    assert not adopted[5]
    texts = []
    for place in (tmp_path / "frozen", tmp_path / "other", redis_server.url):
        with open_store(place) as store:
            texts.append({row.key: row.text for row in store.rows() if "." not in row.key})
    assert texts[0] == texts[1] == texts[2]


def test_a_lease_outlasts_a_slow_answer(
    tmp_path: Path, judge: LoopbackJudge, redis_server: RedisServer
) -> None:
    answers_differently(judge, latency=LEASE_SECONDS + 2)
    two = [Machine(tmp_path / str(n), redis_server, judge, cases=(0, 1)) for n in range(2)]
    with ended(*two):
        told = [one.end() for one in two]
    assert told[0][0][2:4] == told[1][0][2:4]
    assert judge.count("verify_claims") == 1
    with redis_server.client() as client:
        assert client.keys("*.lease") == []
