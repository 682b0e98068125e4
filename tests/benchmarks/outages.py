"""What an endpoint that goes away in the midst of a run costs.

It is away for twenty seconds in a run of 200 cases, or for good in runs of 10 to 400.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .children import Cost, pytest_run
from .project import OF_FAITHFULNESS, write_project

LATENCY = 0.1  # seconds of each reply
CASES, AWAY = 200, 20.0  # cases, and seconds without an endpoint
LASTING = (10, 100, 400)  # cases of runs whose endpoint does not come back
MOST_RATIO = 1.15  # of the ideal: the same run without an outage, and its seconds
MOST_SECONDS = 130.0  # what one question may take, and the start and end of a run
FOR_GOOD = 3600.0
OPTIONS = {"serial": (), "-n 2": ("-n", "2")}


def measure() -> bool:
    good = True
    for name, options in OPTIONS.items():
        calm, _ = _run(CASES, "503", 0.0, *options)
        for how in ("503", "refused"):
            cost, _ = _run(CASES, how, AWAY, *options)
            ratio = cost.wall / (calm.wall + AWAY)
            waited = next(line for line in cost.output.splitlines() if "the run waited" in line)
            print(
                f"{name}, {CASES} cases, {AWAY:.0f} s away ({how}): {cost.wall:.1f} s, "
                f"{ratio:.2f} times {calm.wall:.1f} s + {AWAY:.0f} s; {waited}",
                flush=True,
            )
            good &= ratio <= MOST_RATIO
    for cases in LASTING:
        cost, seconds = _run(cases, "refused", FOR_GOOD, "--tb=no")
        print(f"{cases:4} cases, away for good: the run ends {seconds:.1f} s later", flush=True)
        good &= seconds <= MOST_SECONDS
    return good


def _run(cases: int, how: str, away: float, *options: str) -> tuple[Cost, float]:
    """The run, and how many seconds after the endpoint had gone it ended."""
    with tempfile.TemporaryDirectory() as name, LoopbackJudge(latency=LATENCY) as judge:
        folder = Path(name)
        write_project(folder, cases, f1=False)
        variables = {
            "OPENAI_API_KEY": "sk-loopback",
            "RAGASSERT_BASE_URL": judge.base_url,
            "RAGASSERT_CACHE_DIR": str(folder / "store"),
        }
        codes = (1,) if away == FOR_GOOD else (0,)
        with _leaving(judge, cases * OF_FAITHFULNESS // 2, how, away) as gone:
            cost = pytest_run(folder, "test_rag.py", *options, variables=variables, codes=codes)
            ended = time.monotonic()
        return cost, ended - gone[0] if gone else 0.0


@contextmanager
def _leaving(judge: LoopbackJudge, after: int, how: str, away: float) -> Iterator[list[float]]:
    """The endpoint goes away when so many requests came; when it went is in the list."""
    gone: list[float] = []
    over = threading.Event()
    count = 0

    def restart() -> None:
        judge.close()
        if not over.wait(away):
            judge.start()

    thread = threading.Thread(target=restart)

    def rule(_: Recorded) -> dict[str, Any] | None:
        nonlocal count
        count += 1
        if not away or count < after:
            return None
        if not gone:
            gone.append(time.monotonic())
            if how == "refused":
                thread.start()
        if how == "503" and time.monotonic() - gone[0] < away:
            return {"status": 503, "latency": 0.0}
        return None

    judge.on(rule)
    try:
        yield gone
    finally:
        over.set()
        if thread.is_alive():
            thread.join()
