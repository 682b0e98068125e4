"""What the index of claims costs a run whose passages changed, by how many verdicts there are.

The index is made at the first verdict that nothing is stored under, and says what the claim was
held against before. A process that misses nothing never makes it.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from pathlib import Path
from typing import NamedTuple

from .changes import base, write_cases
from .children import JudgeProcess, pytest_run, run
from .filled_store import CLAIMS, fill

SIZES = (1_000, 10_000, 100_000)
ROUNDS = 3
CASES = 8
MOST_MB = 100
WORKERS = 4
# In a process of its own, on cases of which all is known, or of which a passage is gone that no
# claim rests on. Prints for the first case, and for the second one, the seconds that it took and
# the processor's seconds; then the most memory that the process held.
LOOP = """\
import resource, sys, time
from pytest_ragassert import assert_faithful, load_cases
cases = load_cases("cases.jsonl")
assert_faithful(cases[0].fresh(), min=0.0)  # opens the store
taken = []
for case in cases[1:3]:
    if sys.argv[1] == "missing":
        case.retrieved_contexts = case.retrieved_contexts[:4]
    wall, cpu = time.perf_counter(), time.process_time()
    assert_faithful(case, min=0.0)
    taken += [time.perf_counter() - wall, time.process_time() - cpu]
print(*taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
TESTS = """\
import pytest
from pytest_ragassert import assert_faithful


@pytest.mark.rag_cases("cases.jsonl")
def test_faithful(rag_case):
    rag_case.retrieved_contexts = rag_case.retrieved_contexts[:{passages}]
    assert_faithful(rag_case, min=0.0)
"""


class FirstMiss(NamedTuple):
    """
    Attributes:
        wall, cpu: seconds of it, over those of the second miss.
        memory: bytes, over those of a process that misses nothing.
    """

    wall: float
    cpu: float
    memory: float


def measure() -> bool:
    """Whether the index keeps within its memory."""
    good = True
    with tempfile.TemporaryDirectory() as name, JudgeProcess() as judge:
        folder = Path(name)
        project = folder / "project"
        write_cases(project, [base(number) for number in range(CASES)])
        pytest_run(project, "test_rag.py", variables=judge.variables(folder / "store"))
        for passages in (4, 5):
            (project / f"test_{passages}.py").write_text(TESTS.format(passages=passages))
        print(
            f"{'verdicts':>8}  {'in':9}  {'first miss':>10}  {'CPU':>8}  {'memory':>7}  "
            f"{'next run':>8}  -n {WORKERS}, CPU of all"
        )
        for size in SIZES:
            for kind in ("store", "committed"):
                variables = _filled(folder, judge, size, kind)
                first, later = (_first_miss(project, variables) for _ in range(2))
                good &= first.memory <= MOST_MB * 2**20
                print(
                    f"{size:8}  {kind:9}  {_ms(first.wall)}  {_ms(first.cpu)[2:]}  "
                    f"{first.memory / 2**20:4.0f} MB  {_ms(later.wall)[2:]}  "
                    f"{_ms(_of_workers(project, variables))}",
                    flush=True,
                )
        asked = int(judge.stats()["total"]) - 3 * CASES
    print(f"asked meanwhile: {asked} / 0")
    return good and not asked


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:7.0f} ms"


def _filled(folder: Path, judge: JudgeProcess, size: int, kind: str) -> dict[str, str]:
    """The environment of runs that replay from so many verdicts, in the store or committed."""
    place = folder / f"{kind}-{size}"
    shutil.copytree(folder / "store", place)
    fill(place, CASES, size - CASES * CLAIMS)
    variables = {**judge.variables(place), "RAGASSERT_RECORD_MODE": "none"}
    if kind == "committed":
        verdicts = folder / f"{size}.jsonl"
        run(["-m", "pytest_ragassert", "verdicts", "export", str(verdicts)], folder, variables)
        shutil.rmtree(place)
        variables["RAGASSERT_VERDICTS"] = str(verdicts)
    return variables


def _first_miss(project: Path, variables: dict[str, str]) -> FirstMiss:
    """The first one of a run, and medians where several runs are alike."""
    known, missing = (_taken(project, variables, kind) for kind in ("known", "missing"))
    return FirstMiss(missing[0] - missing[2], missing[1] - missing[3], missing[4] - known[4])


def _taken(project: Path, variables: dict[str, str], kind: str) -> list[float]:
    """What the loop prints, its memory in bytes."""
    *seconds, peak = map(float, run(["-c", LOOP, kind], project, variables).output.split())
    return [*seconds, peak * 1024]


def _of_workers(project: Path, variables: dict[str, str]) -> float:
    """What misses cost the processes of a run together, over one that misses nothing."""

    def cpu(passages: int) -> float:
        options = (f"test_{passages}.py", "-n", str(WORKERS))
        runs = [pytest_run(project, *options, variables=variables) for _ in range(ROUNDS)]
        return statistics.median(one.cpu for one in runs)

    return cpu(4) - cpu(5)
