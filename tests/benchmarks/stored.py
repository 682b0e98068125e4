"""What an assertion costs where everything is stored, against pytest's own cost of a test."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from .children import JudgeProcess, bare_pytest_run, pytest_run, run
from .project import EMPTY_TESTS, write_project

SIZES = (100, 1000)
ROUNDS = 5
RUNS = 3
LEAST = 1000  # stored assertions a second, over pytest's own cost
# In a process of its own; prints the CPU seconds of each round over the cases.
LOOP = """\
import sys, time
from pytest_ragassert import assert_faithful, load_cases
cases = load_cases("cases.jsonl")
assert_faithful(cases[0].fresh())  # opens the store
for _ in range(int(sys.argv[1])):
    copies = [case.fresh() for case in cases]
    start = time.process_time()
    for case in copies:
        assert_faithful(case)
    print((time.process_time() - start) / len(cases))
"""


def measure() -> bool:
    """CPU time an assertion, in a loop and in tests, with few and with many verdicts stored."""
    loops: dict[int, float] = {}
    runs: dict[tuple[str, int], float] = {}
    with tempfile.TemporaryDirectory() as name, JudgeProcess() as judge:
        projects = [_Project(Path(name), size, judge) for size in SIZES]
        judge.stats()
        for project in projects:
            loop = run(["-c", LOOP, str(ROUNDS)], project.folder, project.variables)
            loops[project.size] = statistics.median(map(float, loop.output.split()))
            for kind in ("empty", "stored"):
                runs[kind, project.size] = statistics.median(project.cpu(kind) for _ in range(RUNS))
        asked = int(judge.stats()["total"])
    empty = _slope(runs["empty", SIZES[0]], runs["empty", SIZES[1]])
    in_test = _slope(runs["stored", SIZES[0]], runs["stored", SIZES[1]])
    print(f"pytest's own cost of an empty test: {empty * 1e6:.0f} us CPU")
    for size, cost in loops.items():
        print(
            f"{size:5} cases stored: {1 / cost:5.0f} assertions/s   {cost * 1e6:5.0f} us   "
            f"/ an empty test {cost / empty:.2f}"
        )
    print(f"{SIZES[1]} / {SIZES[0]} stored: {loops[SIZES[1]] / loops[SIZES[0]]:.2f} (1: flat)")
    print(
        f"a test with rag_case and one stored assertion: {in_test * 1e6:.0f} us   "
        f"/ an empty test {in_test / empty:.2f}"
    )
    over = in_test - empty
    print(
        f"over pytest's own cost: {1 / over:.0f} stored assertions/s   "
        f"/ {LEAST}: {1 / over / LEAST:.2f}"
    )
    print(f"asked meanwhile: {asked} / 0")
    return asked == 0


class _Project:
    """A project of that many cases, every question of its tests stored."""

    def __init__(self, parent: Path, size: int, judge: JudgeProcess) -> None:
        self.size = size
        self.folder = parent / str(size)
        self.folder.mkdir()
        write_project(self.folder, size, f1=False)
        (self.folder / "test_empty.py").write_text(EMPTY_TESTS.format(count=size))
        asking = judge.variables(self.folder / "store")
        pytest_run(self.folder, "test_rag.py", variables=asking)
        self.variables = {**asking, "RAGASSERT_RECORD_MODE": "none"}

    def cpu(self, kind: str) -> float:
        """Seconds of a run of its empty tests, or of those with a stored assertion."""
        if kind == "empty":
            return bare_pytest_run(self.folder, "test_empty.py").cpu
        return pytest_run(self.folder, "test_rag.py", variables=self.variables).cpu


def _slope(few: float, many: float) -> float:
    """Seconds a test, without what a run costs once."""
    return (many - few) / (SIZES[1] - SIZES[0])
