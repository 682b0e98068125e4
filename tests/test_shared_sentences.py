"""Processes that ask for the same sentences: each once, also where one of them is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.storage.open_store import open_store

from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .runs.forked_runs import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

# Tells its id, and when a line comes measures the texts, one by one or side by side.
ASK = """
import json, os, sys
from pytest_ragassert import EvalCase, Settings, evaluate

asked = json.loads(sys.argv[1])
settings = Settings(judge="openai", api_key="sk-a", **asked["settings"])
cases = [
    EvalCase(id=f"c{n}", question="What runs?", answer=text, retrieved_contexts=["Boats run."])
    for n, text in enumerate(asked["texts"])
]
print(os.getpid(), flush=True)
sys.stdin.readline()
each = [cases] if asked["at_once"] else [[case] for case in cases]
found = [one for few in each for one in evaluate(few, ["faithfulness"], settings=settings)]
print(json.dumps([one["faithfulness"].score for one in found]))
"""
BOATS = [f"Boat {n} runs." for n in range(40)]
Judged = tuple[str | None, str | None, str]


class Asking:
    """A process that asks.

    Attributes:
        id: of the process itself, not of what it was started by.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert process.stdout is not None
        self.id = int(process.stdout.readline())

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        os.kill(self.id, signal.SIGKILL)

    def end(self) -> str:
        """What it printed, all of it without errors."""
        told, errors = self._process.communicate(timeout=60)
        assert errors == ""
        return told


Start = Callable[..., Asking]


@pytest.fixture
def start(judge: LoopbackJudge, tmp_path: Path, forked_python: str) -> Iterator[Start]:
    """Starts a process that asks of texts, with one store for all."""
    started: list[subprocess.Popen[str]] = []

    def start(*texts: Sequence[str], at_once: bool = False, **settings: Any) -> Asking:
        own = {"base_url": judge.base_url, "cache_dir": str(tmp_path / "store"), **settings}
        asked = {"texts": [" ".join(text) for text in texts], "at_once": at_once, "settings": own}
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [forked_python, "-c", ASK, json.dumps(asked)],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )
        started.append(process)
        return Asking(process)

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wanted(recorded: Recorded) -> list[str]:
    """The sentences that a request for claims asks for."""
    ids = recorded.data.get("only")
    return [one["text"] for one in recorded.data["sentences"] if ids is None or one["id"] in ids]


def extractions(judge: LoopbackJudge) -> list[list[str]]:
    return [wanted(one) for one in judge.requests if one.step == "extract_claims"]


def verifications(judge: LoopbackJudge) -> list[Recorded]:
    return [one for one in judge.requests if one.step == "verify_claims"]


def judged(judge: LoopbackJudge) -> Counter[Judged]:
    """How often each sentence was asked for, with the two before it."""
    counted: Counter[Judged] = Counter()
    for one in judge.requests:
        if one.step == "extract_claims":
            texts = {sentence["id"]: sentence["text"] for sentence in one.data["sentences"]}
            for id in one.data.get("only", texts):
                counted[texts.get(id - 2), texts.get(id - 1), texts[id]] += 1
    return counted


@contextmanager
def held(judge: LoopbackJudge, sentence: str) -> Iterator[Callable[[], bool]]:
    """The first request for a sentence gets no answer before the block ends; whether it came."""
    came: list[Recorded] = []
    over: list[bool] = []

    def hold(recorded: Recorded) -> dict[str, Any] | None:
        if came or recorded.step != "extract_claims" or sentence not in wanted(recorded):
            return None
        came.append(recorded)
        return {"until": lambda: bool(over)}

    judge.on(hold)
    try:
        yield lambda: bool(came)
    finally:
        over.append(True)


@pytest.mark.parametrize("dies", [False, True], ids=["that answers", "that is killed"])
def test_another_process_goes_on_with_what_is_left(
    judge: LoopbackJudge, start: Start, dies: bool
) -> None:
    """They are no run together: they have the store in common alone."""
    first = start(BOATS[:3], [*BOATS[:2], *BOATS[5:7]])
    other = start([*BOATS[:2], *BOATS[5:8]], BOATS[20:21], at_once=True)
    with held(judge, BOATS[5]) as came:
        first.go()
        wait_until(came)
        other.go()
        # its own text comes last, and is at its verification: by now it has come to the other one
        wait_until(lambda: any(BOATS[20][:-1] in str(one.data) for one in verifications(judge)))
        if dies:
            first.kill()
            # whose request is gone with it
            assert json.loads(other.end()) == [0.0, 0.0]
    if not dies:
        assert json.loads(first.end()) == [0.0, 0.0]
        assert json.loads(other.end()) == [0.0, 0.0]
    # what was answered is asked by nobody again, what was in flight by who goes on, with its own
    rest = BOATS[5:8] if dies else BOATS[7:8]
    assert extractions(judge) == [BOATS[:3], BOATS[5:7], BOATS[20:21], rest]
    again = start(BOATS[:3], [*BOATS[:2], *BOATS[5:8]], record_mode="none")
    again.go()
    assert json.loads(again.end()) == [0.0, 0.0]


def test_processes_that_ask_of_overlapping_texts_ask_for_each_sentence_once(
    judge: LoopbackJudge, start: Start
) -> None:
    # each sentence stands in several texts, at another place of each
    texts = [BOATS[at : at + 6] for at in range(0, 12, 2)]
    orders = (texts, texts[::-1], [*texts[3:], *texts[:3]], texts[1::2] + texts[::2])
    judge.latency = 0.02
    asking = [start(*order, at_once=n % 2 == 0) for n, order in enumerate(orders)]
    for one in asking:
        one.go()
    assert [json.loads(one.end()) for one in asking] == [[0.0] * len(texts)] * len(orders)
    counted = judged(judge)
    # the first two of each text stand behind others there than in the text before
    assert set(counted) == {
        (None if at < 2 else text[at - 2], None if at < 1 else text[at - 1], text[at])
        for text in texts
        for at in range(6)
    }
    assert set(counted.values()) == {1}
    assert judge.stats()["duplicates"] == 0


def test_of_a_long_text_the_answered_message_is_not_sent_again(
    judge: LoopbackJudge, start: Start, tmp_path: Path
) -> None:
    text = [sentence[:-1] + " every day, in summer and in winter, by day." for sentence in BOATS]
    small: dict[str, Any] = {"token_budget": 500, "concurrency": 1}
    killed = start(text, **small)

    def kill(recorded: Recorded) -> dict[str, Any] | None:
        if text[0] in wanted(recorded):
            return None
        # the answer to the first message is there before the second one is answered
        wait_until(lambda: stored(tmp_path / "store"))
        killed.kill()
        return {"reset": True}

    judge.on(kill)
    killed.go()
    killed.end()
    first, second = extractions(judge)
    judge.reset(replies=True)
    other = start(text, **small)
    other.go()
    assert json.loads(other.end()) == [0.0]
    rest = [sentence for sentences in extractions(judge) for sentence in sentences]
    assert rest == text[len(first) :]
    assert rest[: len(second)] == second


def stored(folder: Path) -> int:
    with open_store(folder) as store:
        return len(store.keys())
