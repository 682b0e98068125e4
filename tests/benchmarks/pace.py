"""`--ragassert-requests-per-minute` as the server sees it: never too many, and not much fewer."""

from __future__ import annotations

import bisect
import tempfile
from pathlib import Path

from tests.loopback.server import LoopbackJudge

from .children import pytest_run
from .project import OF_FAITHFULNESS, write_project

RATES = (300, 1_200)  # requests a minute
SECONDS = 30.0  # that a run is to last
WINDOWS = (1.0, 10.0)  # seconds
LEAST = 0.93  # of what is allowed is to go out


def measure() -> bool:
    good = True
    for rate in RATES:
        times = _times(rate)
        rates = ", ".join(
            f"{_most(times, seconds)} in {seconds:.0f} s, {rate * seconds / 60:.0f} allowed"
            for seconds in WINDOWS
        )
        share = (len(times) - 1) / (times[-1] - times[0]) * 60 / rate
        print(f"{rate} a minute by 2 workers: at most {rates}; {share:.1%} of the rate", flush=True)
        held = all(_most(times, s) <= rate * s / 60 for s in WINDOWS)
        good &= held and share >= LEAST
    return good


def _times(rate: int) -> list[float]:
    with tempfile.TemporaryDirectory() as name, LoopbackJudge(latency=0.1) as judge:
        folder = Path(name)
        write_project(folder, round(rate * SECONDS / 60 / OF_FAITHFULNESS), f1=False)
        variables = {
            "OPENAI_API_KEY": "sk-loopback",
            "RAGASSERT_BASE_URL": judge.base_url,
            "RAGASSERT_CACHE_DIR": str(folder / "store"),
            "RAGASSERT_REQUESTS_PER_MINUTE": str(rate),
        }
        pytest_run(folder, "test_rag.py", "-n", "2", variables=variables)
        return sorted(request.at for request in judge.requests)


def _most(times: list[float], seconds: float) -> int:
    """The most in any window of so many seconds."""
    return max(bisect.bisect_left(times, at + seconds) - n for n, at in enumerate(times))
