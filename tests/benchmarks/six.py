"""Six metrics measured together: against the ideal schedule, and against ragas' `evaluate`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests import rivals
from tests.rivals.__main__ import QUIET, environment
from tests.rivals.scenes import RAGAS

from .ahead import AT_ONCE, CONCURRENCY, LATENCY, MOST_OF_IDEAL, SERVED
from .children import Cost, JudgeProcess, run
from .project import OF_SIX, SIX, write_rag_project
from .rows import Choice, Row, asked_run, ideal_seconds

CASES, SLICE = 200, 40
CHAIN = 2  # claims and verdicts, or questions and their vectors
LEAST_FASTER = 5.0
# ragas' relevance of contexts is another thing: two ratings of all chunks together
THEIRS = {name: minimum for name, minimum in SIX.items() if name != "context_relevance"}
EMBEDDER = {"RAGASSERT_EMBEDDING_MODEL": "embed-a"}


def measure(choice: Choice) -> Iterator[Row]:
    """A serial run of all cases, and one of those, and of those metrics, that ragas measures."""
    count = CASES if choice.whole else SLICE
    with tempfile.TemporaryDirectory() as name, JudgeProcess(LATENCY, module=SERVED) as judge:
        whole, part = Path(name, "whole"), Path(name, "part")
        for folder, cases, metrics in ((whole, CASES, SIX), (part, count, THEIRS)):
            folder.mkdir()
            write_rag_project(folder, cases, metrics)
        asked = asked_run(judge, whole, "store", CONCURRENCY, **EMBEDDER)
        requests = asked.questions + asked.embeddings
        ideal = ideal_seconds(requests, latency=LATENCY, at_once=AT_ONCE, chain=CHAIN)
        counted = (
            asked.questions == OF_SIX * CASES
            and 0 < asked.embeddings <= CASES
            and not asked.twice
            and asked.at_once <= AT_ONCE
        )
        yield Row(
            f"{CASES} cases x six metrics, 5 chunks, {LATENCY * 1000:.0f} ms a reply, serial "
            f"`pytest`, {AT_ONCE} in flight: first request to last reply",
            f"<= {MOST_OF_IDEAL} x ideal; {OF_SIX} questions a case, and at most one request of "
            "embeddings",
            f"{asked.busy / ideal:.2f} x: {asked.busy:.2f} s, ideal {ideal:.2f} s; "
            f"{asked.questions / CASES:g} questions and {asked.embeddings / CASES:g} embeddings a "
            f"case, {asked.twice} twice, at most {asked.at_once} in flight "
            f"(whole run {asked.wall:.1f} s, {asked.cpu:.1f} s CPU)",
            counted and asked.busy <= MOST_OF_IDEAL * ideal,
        )
        ours = asked_run(judge, part, "store", CONCURRENCY, **EMBEDDER)
        theirs = ragas_run(judge, part, choice.rivals)
        stats = judge.stats()
    yield Row(
        f"{count} of these cases x the {len(THEIRS)} of the metrics that ragas 0.4.3 has, whole "
        f"run, against its `evaluate` with max_workers={AT_ONCE}",
        f">= {LEAST_FASTER:.0f} x faster",
        f"{theirs.wall / ours.wall:.1f} x: {theirs.wall:.1f} s ({stats['total']} requests) against "
        f"{ours.wall:.1f} s ({ours.questions + ours.embeddings})",
        theirs.wall / ours.wall >= LEAST_FASTER,
    )


def ragas_run(judge: JudgeProcess, folder: Path, environments: Path) -> Cost:
    """ragas' `evaluate` on the folder's cases."""
    script = str(Path(rivals.__file__).with_name("evaluated_by_ragas.py"))
    arguments = ["-W", "ignore", script, judge.base_url, str(AT_ONCE), *THEIRS]
    return run(arguments, folder, QUIET, python=environment(RAGAS, environments))
