"""What a large file of committed verdicts costs: opening it, a look-up, memory."""

from __future__ import annotations

import hashlib
import json
import random
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pytest_ragassert.storage.committed.committed_verdicts import write_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine

from .children import ROOT, run

LINES = 100_000
ROUNDS = 3
LOOK_UPS = 2000
MOST_SECONDS = 1.0
# In a process of its own, so that memory is its own; prints a JSON object.
OPENED = """\
import json, random, sys, time, tracemalloc
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts
path, look_ups = sys.argv[1], int(sys.argv[2])
start = time.perf_counter()
verdicts = open_verdicts(path)
opened = time.perf_counter() - start
start = time.perf_counter()
verdicts.judges()
judges = time.perf_counter() - start
keys = sorted(verdicts.keys())
chosen = random.Random(0).sample(keys, min(look_ups, len(keys)))
start = time.perf_counter()
for key in chosen:
    verdicts.line(key)
look_up = (time.perf_counter() - start) / len(chosen)
count = len(keys)
del verdicts, keys, chosen
tracemalloc.start()
verdicts = open_verdicts(path)
kept, peak = tracemalloc.get_traced_memory()
print(json.dumps({"count": count, "opened": opened, "judges": judges, "look_up": look_up,
                  "kept": kept, "peak": peak}))
"""
PARSED = """\
import json, sys, time, tracemalloc
def parsed():
    with open(sys.argv[1], encoding="utf-8") as file:
        return {record["key"]: record for record in map(json.loads, file)}
start = time.perf_counter()
verdicts = parsed()
opened = time.perf_counter() - start
del verdicts
tracemalloc.start()
verdicts = parsed()
kept, peak = tracemalloc.get_traced_memory()
print(json.dumps({"opened": opened, "kept": kept, "peak": peak}))
"""


def measure() -> bool:
    """A file of 100,000 verdicts, sorted as it is written and in any order, beside parsing it."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "verdicts.jsonl")
        write_verdicts(path, _lines())
        texts = path.read_bytes().splitlines(keepends=True)
        print(f"{LINES:,} lines, {path.stat().st_size / 1e6:.0f} MB")
        parsed = _measured(PARSED, path)
        print(
            f"parsed whole: {parsed['opened']:.2f} s   {parsed['kept'] / 1e6:.0f} MB kept   "
            f"{parsed['peak'] / 1e6:.0f} MB at most"
        )
        good = _opened("sorted", path, parsed)
        random.Random(0).shuffle(texts)
        path.write_bytes(b"".join(texts))
        return _opened("in any order", path, parsed) and good


def _opened(what: str, path: Path, parsed: dict[str, float]) -> bool:
    found = _measured(OPENED, path)
    print(
        f"{what}: opened in {found['opened']:.2f} s   {found['kept'] / 1e6:.0f} MB kept   "
        f"{found['peak'] / 1e6:.0f} MB at most   / parsed whole "
        f"{found['opened'] / parsed['opened']:.2f}, {found['kept'] / parsed['kept']:.2f}, "
        f"{found['peak'] / parsed['peak']:.2f}"
    )
    print(f"   a look-up {found['look_up'] * 1e6:.0f} us   judges {found['judges'] * 1e6:.0f} us")
    print(f"   opened / limit of {MOST_SECONDS:.0f} s: {found['opened'] / MOST_SECONDS:.2f}")
    return found["count"] == LINES and found["opened"] <= MOST_SECONDS


def _measured(code: str, path: Path) -> dict[str, float]:
    """Medians of several processes."""
    rounds: list[dict[str, float]] = [
        json.loads(run(["-c", code, str(path), str(LOOK_UPS)], path.parent, _IMPORTABLE).output)
        for _ in range(ROUNDS)
    ]
    return {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}


def _lines() -> Iterator[VerdictLine]:
    steps = ("extract_claims", "judge_passages", "verify_claims")
    for number in range(LINES):
        quote = f"a ticket of class {number % 31} costs {number % 97} crowns until the spring"
        passages = sorted(_digest(f"{number % 500} {place}")[:32] for place in range(5))
        yield VerdictLine(
            key=_digest(str(number)),
            step=steps[number % len(steps)],
            judge="openai https://api.openai.com/v1 gpt-4o-mini",
            about=f"A ticket of class {number % 31} with the number {number} costs crowns",
            reply={
                "reason": f"The passage says that ticket {number} costs {number % 97} crowns.",
                "evidence": [{"passage": passages[0], "quote": quote}],
                "verdict": "FULLY_SUPPORTED",
                "confidence": 0.9,
            },
            asked=_digest("asked"),
            passages=tuple(passages),
        )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


_IMPORTABLE = {"PYTHONPATH": str(ROOT)}
