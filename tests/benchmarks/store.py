"""What the store itself costs: a read beside diskcache's own, one judgement, and many stored."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
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
from pytest_ragassert.steps.verify_claims import VERIFY_CLAIMS
from pytest_ragassert.storage.answers import Answer, read_answer
from pytest_ragassert.storage.disk.disk_store import DiskStore
from pytest_ragassert.storage.keys import Question

from .children import JudgeProcess, pytest_run, run
from .project import write_project
from .stored import LOOP

ROWS = 1000
READS = 3000
CASES = 200
SIZES = (1_000, 10_000, 100_000)
ROUNDS = 5
MOST_RATIO, MOST_MS = 2.0, 0.3
CHUNKS, CHUNK = 5, 2000  # passages, and characters of each
LINE = "House {0} charges {1} pounds for a room with breakfast, and guests check out at {2}:00. "


def measure() -> bool:
    """CPU time: medians, and their ratios to what they are held against."""
    input, answer = _input(), _answer()
    question = _question(input)
    text = answer.to_text(question)
    ours, plain = _reads(text)
    print(f"a read of {len(text)} bytes, the key given: {ours:.1f} us; diskcache: {plain:.1f} us")
    print(f"ours / diskcache: {ours / plain:.2f} (at most {MOST_RATIO:.0f})")
    parts = {
        "key": lambda: _question(input).key,
        "parsing": lambda: read_answer(text, question, stored=True),
        "validation": lambda: question.step.fits(question.input, answer.reply),
        "quotes": lambda: _quotes(question, answer),
    }
    costs = {name: median_us([work], READS // 3)[0] for name, work in parts.items()}
    whole = sum(costs.values()) / 1000
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
            _fill(folder / str(size), size)
        for number in range(ROUNDS):
            for size in SIZES[number % len(SIZES) :] + SIZES[: number % len(SIZES)]:
                variables = judge.variables(folder / str(size))
                variables["RAGASSERT_RECORD_MODE"] = "none"
                loop = run(["-c", LOOP, "1"], folder, variables)
                costs[size].append(float(loop.output))
    return {size: statistics.median(taken) for size, taken in costs.items()}


def _fill(folder: Path, size: int) -> None:
    """Add rows of an answer's length up to that many."""
    text = _answer().to_text(_question(_input()))
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        there = connection.execute("SELECT count(*) FROM Cache").fetchone()[0]
        connection.executemany(
            "INSERT INTO Cache (key, raw, store_time, access_time, mode, value) "
            "VALUES (?, 1, 0, 0, 1, ?)",
            ((_key(number), text) for number in range(size - there)),
        )


def _key(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def _input() -> Json:
    texts = [
        "".join(LINE.format(of * 100 + n, of + n + 90, n % 12 + 1) for n in range(40))[:CHUNK]
        for of in range(CHUNKS)
    ]
    passages = [{"id": number, "text": text} for number, text in enumerate(texts, start=1)]
    claims = [{"id": of + 1, "text": _claim(of)} for of in range(CHUNKS)]
    return {"passages": passages, "claims": claims}


def _question(input: Json) -> Question:
    sampling = {"temperature": 0.0, "top_p": None, "seed": None, "max_tokens": None}
    return Question(VERIFY_CLAIMS, input, "openai http://localhost/v1", "judge-a", sampling)


def _claim(of: int) -> str:
    return LINE.format(of * 100 + 9, of + 9 + 90, 9 % 12 + 1).strip()


def _answer() -> Answer:
    verdicts = [
        {
            "id": of + 1,
            "reason": "The passage says so in these words.",
            "evidence": [{"passage": of + 1, "quote": _claim(of)}],
            "verdict": "FULLY_SUPPORTED",
            "confidence": 0.9,
        }
        for of in range(CHUNKS)
    ]
    return Answer({"verdicts": verdicts}, served="judge-a", when="2026-01-31T12:00:00Z")


def _quotes(question: Question, answer: Answer) -> None:
    passages = passages_of([passage["text"] for passage in question.input["passages"]])
    for said, claim in zip(answer.reply["verdicts"], question.input["claims"], strict=True):
        if not gated(said, claim["text"], passages, gate=True)["quote_verified"]:
            raise RuntimeError(f"the quote of {claim['text']!r} was not found")
