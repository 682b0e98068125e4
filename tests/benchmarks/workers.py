"""Look-ahead under xdist: no question twice, one limit for all, and no slower than without."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from .ahead import AT_ONCE, CASES, CHAIN, CONCURRENCY, LATENCY
from .children import JudgeProcess
from .project import OF_FAITHFULNESS, write_project
from .rows import Row, asked_run

WORKERS = (2, 4)
A_WORKER = 2  # the least tests that xdist gives to each worker


def measure() -> Iterator[Row]:
    """The same cases by several workers, each time with an empty store."""
    with tempfile.TemporaryDirectory() as name, JudgeProcess(LATENCY) as judge:
        folder, few = Path(name, "all"), Path(name, "few")
        folder.mkdir()
        few.mkdir()
        write_project(folder, CASES, f1=False)
        serial = asked_run(judge, folder, "serial", CONCURRENCY)
        for count in WORKERS:
            # every worker loads the client, all of them on the same processors
            write_project(few, A_WORKER * count, f1=False)
            begun = asked_run(judge, few, str(count), CONCURRENCY, "-n", str(count))
            start_up = begun.wall - CHAIN * LATENCY
            asked = asked_run(judge, folder, str(count), CONCURRENCY, "-n", str(count))
            most = serial.wall + start_up
            right = (
                asked.questions == OF_FAITHFULNESS * CASES
                and not asked.twice
                and asked.at_once <= AT_ONCE
            )
            yield Row(
                f"the same under `-n {count}`, whole run",
                f"<= serial + start-up; each asked once; <= {AT_ONCE} in flight",
                f"{asked.wall:.1f} s, serial {serial.wall:.1f} s + start-up {start_up:.1f} s; "
                f"{asked.questions} questions, {asked.twice} twice, at most {asked.at_once} in "
                f"flight (first request to last reply {asked.busy:.1f} s, serial "
                f"{serial.busy:.1f} s; {asked.cpu:.1f} s CPU)",
                right and asked.wall <= most,
            )
