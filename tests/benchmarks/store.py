"""What the store itself costs: a read beside diskcache's own, one judgement, and many stored."""

from __future__ import annotations

import hashlib
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import diskcache

from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.evidence.evidence_check import gated, passages_of
from pytest_ragassert.storage.answers import read_answer
from pytest_ragassert.storage.disk.disk_store import DiskStore
from pytest_ragassert.storage.keys import Question

from .changes import base
from .children import JudgeProcess, pytest_run, run
from .filled_store import CLAIMS, answers_to, fill, question_of
from .project import write_project
from .stored import LOOP

ROWS = 1000
READS = 3000
CASES = 200
SIZES = (1_000, 10_000, 100_000)
ROUNDS = 5
MOST_RATIO, MOST_MS = 2.0, 1.0


def measure() -> bool:
    """CPU time: medians, and their ratios to what they are held against."""
    question, answers = question_of(base(0)), answers_to(question_of(base(0)))
    texts = {one.key: answers[one.key].to_text(one) for one in question.judgements}
    text = texts[question.keys[0]]
    ours, plain = _reads(text)
    print(f"a read of {len(text)} bytes, the key given: {ours:.1f} us; diskcache: {plain:.1f} us")
    print(f"ours / diskcache: {ours / plain:.2f} (at most {MOST_RATIO:.0f})")
    replies = {key: one.reply for key, one in answers.items()}
    parts = {
        "keys": lambda: question_of(base(0)).keys,
        "parsing": lambda: [
            read_answer(texts[one.key], one, stored=True) for one in question.judgements
        ],
        "validation": lambda: [
            one.step.fits(one.input, replies[one.key]) for one in question.judgements
        ],
        "quotes": lambda: _quotes(question, question.assembled(replies)),
    }
    costs = {name: median_us([work], READS // 10)[0] for name, work in parts.items()}
    whole = sum(costs.values()) / 1000
    print(f"the {CLAIMS} verdicts on a case's claims, {len(question.passages)} passages:")
    print(", ".join(f"{name} {cost:.0f} us" for name, cost in costs.items()))
    print(f"together: {whole:.3f} ms / {MOST_MS} ms: {whole / MOST_MS:.2f}")
    by_size = _by_size()
    for size, cost in by_size.items():
        flat = cost / by_size[SIZES[0]]
        print(f"{size:7} stored: {cost * 1e6:5.0f} us an assertion   / at {SIZES[0]}: {flat:.2f}")
    return ours / plain <= MOST_RATIO and whole <= MOST_MS


def median_us(works: Sequence[Callable[[], Any]], times: int) -> list[float]:
    """Median CPU microseconds of each, done in turn, so that a slow moment is nobody's."""
    taken: list[list[int]] = [[] for _ in works]
    for _ in range(times):
        for work, own in zip(works, taken, strict=True):
            start = time.process_time_ns()
            work()
            own.append(time.process_time_ns() - start)
    return [statistics.median(own) / 1000 for own in taken]


def _reads(text: str) -> list[float]:
    """Of the store, and of a plain cache with the same rows."""
    with (
        tempfile.TemporaryDirectory() as name,
        closing(DiskStore(Path(name, "ours"), print)) as ours,
        closing(diskcache.Cache(str(Path(name, "plain")))) as plain,
    ):
        for number in range(ROWS):
            ours.put(_key(number), text)
            plain.set(_key(number), text)
        key = _key(ROWS // 2)
        return median_us([lambda: ours.get(key), lambda: plain.get(key)], READS)


def _by_size() -> dict[int, float]:
    """CPU seconds an assertion, by how many verdicts the store holds beside those that it reads."""
    costs: dict[int, list[float]] = {size: [] for size in SIZES}
    with tempfile.TemporaryDirectory() as name, JudgeProcess() as judge:
        folder = Path(name)
        write_project(folder, CASES, f1=False)
        pytest_run(folder, "test_rag.py", variables=judge.variables(folder / "store"))
        for size in SIZES:
            shutil.copytree(folder / "store", folder / str(size))
            fill(folder / str(size), 0, size)
        for number in range(ROUNDS):
            for size in SIZES[number % len(SIZES) :] + SIZES[: number % len(SIZES)]:
                variables = judge.variables(folder / str(size))
                variables["RAGASSERT_RECORD_MODE"] = "none"
                loop = run(["-c", LOOP, "1"], folder, variables)
                costs[size].append(float(loop.output))
    return {size: statistics.median(taken) for size, taken in costs.items()}


def _key(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def _quotes(question: Question, reply: Json) -> None:
    passages = passages_of([passage["text"] for passage in question.input["passages"]])
    for said, claim in zip(reply["verdicts"], question.input["claims"], strict=True):
        found = gated(said, claim["text"], passages, gate=True)["evidence"]
        if any(not quote.verified for quote in found):
            raise RuntimeError(f"a quote for {claim['text']!r} was not found")
