"""What a store that machines share costs, at the distance of a network and of another region."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.delaying_proxy import DelayingProxy
from tests.redis_server import SERVER, RedisServer

from .children import Cost, JudgeProcess, pytest_run
from .project import OF_FAITHFULNESS, write_project

CASES = 400
RUNS = 3
DELAYS = (0.0002, 0.02)
JUDGE_SECONDS = 0.5
# With a judge that takes as long as that, asking with a store 20 ms away takes no longer than this,
# relative to asking with a disk alone.
MOST = 1.25


def measure() -> bool:
    """Times and round trips of stored and of asked runs, as ratios to a disk alone."""
    if SERVER is None:
        print("skipped: there is no redis-server here")
        return True
    with tempfile.TemporaryDirectory() as name, JudgeProcess() as judge, RedisServer() as server:
        folder = Path(name)
        write_project(folder, CASES, f1=False)
        disk = judge.variables(folder / "disk")
        shared = {**disk, "RAGASSERT_STORE": server.url}
        pytest_run(folder, variables=shared)
        judge.stats()
        alone = statistics.median(pytest_run(folder, variables=disk).wall for _ in range(RUNS))
        print(f"{CASES} cases, all stored; disk alone: 1.00")
        for delay in DELAYS:
            with DelayingProxy(server.socket, delay) as proxy:
                url = f"redis://127.0.0.1:{proxy.port}/0"
                walls: dict[str, list[float]] = {"from the server": [], "disk in front": []}
                trips: dict[str, int] = {}
                for number in range(RUNS):
                    own = {**judge.variables(folder / f"{delay}-{number}"), "RAGASSERT_STORE": url}
                    for what, measured in walls.items():
                        proxy.round_trips = 0
                        measured.append(pytest_run(folder, variables=own).wall)
                        trips[what] = proxy.round_trips
                for what, measured in walls.items():
                    ratio = statistics.median(measured) / alone
                    _say(what, delay, ratio, trips[what])
        asked = int(judge.stats()["total"])
        print(f"asked meanwhile: {asked} / 0")
        return _asking(folder, server) and asked == 0


def _asking(folder: Path, server: RedisServer) -> bool:
    """What a run takes that asks, with a judge that takes its time."""
    with JudgeProcess(JUDGE_SECONDS) as judge:
        alone = _asked(folder, judge, {}).wall
        print(f"{CASES} cases, all asked, {JUDGE_SECONDS} s each; disk alone: 1.00")
        good = True
        for delay in DELAYS:
            with server.client() as client:
                client.flushall()
            with DelayingProxy(server.socket, delay) as proxy:
                url = f"redis://127.0.0.1:{proxy.port}/0"
                ratio = _asked(folder, judge, {"RAGASSERT_STORE": url}).wall / alone
                _say("asked", delay, ratio, proxy.round_trips)
                good &= ratio <= MOST
        expected = OF_FAITHFULNESS * CASES * (1 + len(DELAYS))
        asked = judge.stats()["total"]
        print(f"asked: {asked} / {expected}")
        return good and asked == expected


def _asked(folder: Path, judge: JudgeProcess, variables: Mapping[str, str]) -> Cost:
    with tempfile.TemporaryDirectory(dir=folder) as store:
        return pytest_run(folder, variables={**judge.variables(Path(store)), **variables})


def _say(what: str, delay: float, ratio: float, round_trips: int) -> None:
    print(
        f"{what}, {delay * 1000:g} ms away: {ratio:.2f}   "
        f"{round_trips} round trips, {round_trips / CASES:.2f} a case",
        flush=True,
    )
