"""What a project asks the judge: the first time, again, and from several workers."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from .children import Cost, JudgeProcess, pytest_run
from .project import QUESTIONS, write_project

CASES = 40
LATENCY = 0.1  # seconds


def measure() -> bool:
    """Requests that the judge got against those expected, and wall time against the first run's."""
    print(f"{CASES} cases, faithfulness and F1, {LATENCY} s a reply; {QUESTIONS} questions a case")
    with tempfile.TemporaryDirectory() as name, JudgeProcess(LATENCY) as judge:
        folder = Path(name)
        write_project(folder, CASES, f1=True)
        serial, parallel = judge.variables(folder / "one"), judge.variables(folder / "two")
        whole = CASES * QUESTIONS
        rows = [
            ("first, serial", whole, serial, ()),
            ("again, serial", 0, serial, ()),
            ("again, -n 2", 0, serial, ("-n", "2")),
            ("again, other minimum", 0, {**serial, "RAGASSERT_MIN_FAITHFULNESS": "0.5"}, ()),
            ("first, -n 4", whole, parallel, ("-n", "4")),
            ("again, -n 4", 0, parallel, ("-n", "4")),
        ]
        print(f"{'run':22} {'asked / expected':>16}  {'duplicates':>10}  {'wall s':>6}  / first")
        first: Cost | None = None
        good = True
        for what, expected, variables, options in rows:
            cost = pytest_run(folder, *options, variables=variables)
            first = first or cost
            good &= _print_row(what, expected, judge.stats(), cost, first)
    if not good:
        print("NOT AS EXPECTED")
    return good


def _print_row(what: str, expected: int, stats: Mapping[str, int], cost: Cost, first: Cost) -> bool:
    asked, duplicates = stats["total"], stats["duplicates"]
    print(
        f"{what:22} {asked:7} / {expected:<6}  {duplicates:10}  "
        f"{cost.wall:6.2f}   {cost.wall / first.wall:.2f}",
        flush=True,
    )
    return asked == expected and duplicates == 0
