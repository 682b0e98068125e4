"""Time and memory of one pytest process against the number of cases: stored, and only collected."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .children import JudgeProcess, pytest_run
from .scaling_cases import ONE, Kind, write

STORED = (1_000, 10_000)
COLLECTED = {"example": (10_000, 100_000), "long": (1_000, 10_000)}
MOST_GROWTH = 1.5  # of the time for a stored case


def measure(judge: JudgeProcess, folder: Path, known: Mapping[str, Kind]) -> bool:
    print("| cases | number | run | CPU ms a case | memory, MB |\n|---|---|---|---|---|")
    kind, project = known["example"], folder / "many"
    each = []
    for size in STORED:
        write(project, kind, size, ONE)
        variables = judge.variables(project / "store")
        two = ("-n", "2", "--ragassert-concurrency=64")
        cost = pytest_run(project, "test_rag.py", *two, variables=variables)
        _say(kind, size, "asked by two workers, faithfulness", cost.cpu, cost.peak)
        cost = pytest_run(project, "test_rag.py", variables=variables)
        each.append(cost.cpu / size)
        _say(kind, size, "stored, faithfulness", cost.cpu, cost.peak)
    for short, sizes in COLLECTED.items():
        for size in sizes:
            write(folder / "collected", known[short], size, ONE)
            cost = pytest_run(folder / "collected", "--collect-only", "-qq", "test_rag.py")
            _say(known[short], size, "collected", cost.cpu, cost.peak)
    growth = each[-1] / each[0]
    print(f"\ntime grows {growth:.2f} x (limit {MOST_GROWTH} x)\n", flush=True)
    return growth <= MOST_GROWTH


def _say(kind: Kind, size: int, what: str, cpu: float, peak: int) -> None:
    print(
        f"| {kind.name} | {size:,} | {what} | {1000 * cpu / size:.2f} | {peak / 1e6:,.0f} |",
        flush=True,
    )
