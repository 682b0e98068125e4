"""What ten thousand cases cost: time and memory, asked and stored."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from .children import JudgeProcess
from .project import OF_FAITHFULNESS, write_project
from .rows import Asked, Row, asked_run

SIZES = (1_000, 3_000, 10_000)
LATENCY = 0.005  # seconds
CONCURRENCY = "--ragassert-concurrency=64"
MOST_GROWTH = 1.5  # of the time for a case
MOST_BYTES = 500_000_000


def measure() -> Iterator[Row]:
    """Each size asked and then run again; the time for a case, and the most memory."""
    with tempfile.TemporaryDirectory() as name, JudgeProcess(LATENCY) as judge:
        runs: dict[str, dict[int, Asked]] = {"asked": {}, "stored": {}}
        for size in SIZES:
            folder = Path(name, str(size))
            folder.mkdir()
            write_project(folder, size, f1=False)
            for found in runs.values():
                found[size] = asked_run(judge, folder, "store", CONCURRENCY)
    for kind, found in runs.items():
        yield _row(kind, found)


def _row(kind: str, found: dict[int, Asked]) -> Row:
    each = {size: asked.wall / size for size, asked in found.items()}
    growth = each[SIZES[-1]] / each[SIZES[0]]
    wanted = OF_FAITHFULNESS if kind == "asked" else 0
    right = all(
        asked.questions == wanted * size and not asked.twice for size, asked in found.items()
    )
    sizes = " / ".join(f"{size:,}" for size in SIZES)
    return Row(
        f"{sizes} cases x faithfulness, {LATENCY * 1000:.0f} ms a reply, {kind}",
        f"time for a case grows <= {MOST_GROWTH} x; <= {MOST_BYTES / 1e6:.0f} MB",
        f"{growth:.2f} x: {_shown(each[size] * 1000 for size in SIZES)} ms a case "
        f"({_shown(found[size].wall for size in SIZES)} s, "
        f"{_shown(found[size].cpu for size in SIZES)} s CPU); "
        f"{' / '.join(f'{found[size].peak / 1e6:.0f}' for size in SIZES)} MB",
        right and growth <= MOST_GROWTH and found[SIZES[-1]].peak <= MOST_BYTES,
    )


def _shown(values: Iterator[float]) -> str:
    return " / ".join(f"{value:.1f}" for value in values)
