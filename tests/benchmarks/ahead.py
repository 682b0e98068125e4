"""Look-ahead in a plain serial run: against the ideal schedule, and against DeepEval's pytest."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests import rivals
from tests.rivals.__main__ import QUIET, environment
from tests.rivals.scenes import DEEPEVAL

from .children import Cost, JudgeProcess, run
from .project import OF_FAITHFULNESS, write_project
from .rows import Asked, Choice, Row, asked_run, ideal_seconds

CASES, SLICE = 400, 40
LATENCY = 0.3  # seconds
AT_ONCE = 32
CHAIN = 2  # an answer's claims, and the verdicts on them
CONCURRENCY = f"--ragassert-concurrency={AT_ONCE}"
MOST_OF_IDEAL, LEAST_FASTER = 1.3, 10.0
SERVED = "tests.rivals.served"


def measure(choice: Choice) -> Iterator[Row]:
    """A serial run of all cases, and one of those that DeepEval tests too."""
    count = CASES if choice.whole else SLICE
    with tempfile.TemporaryDirectory() as name, JudgeProcess(LATENCY, module=SERVED) as judge:
        whole, part = Path(name, "whole"), Path(name, "part")
        for folder, cases in ((whole, CASES), (part, count)):
            folder.mkdir()
            write_project(folder, cases, f1=False)
        asked = asked_run(judge, whole, "store", CONCURRENCY)
        yield row_of_ideal(asked, CASES)
        ours = asked_run(judge, part, "store", CONCURRENCY)
        theirs = deepeval_run(judge, part, choice.rivals)
        requests = judge.stats()["total"]
    yield Row(
        f"{count} of these cases, whole run, against DeepEval 4.3.1's pytest mode",
        f">= {LEAST_FASTER:.0f} x faster",
        f"{theirs.wall / ours.wall:.1f} x: {theirs.wall:.1f} s ({requests} requests) against "
        f"{ours.wall:.1f} s ({ours.questions})",
        theirs.wall / ours.wall >= LEAST_FASTER,
    )


def row_of_ideal(asked: Asked, cases: int) -> Row:
    """Also that every question was asked once, and never more at once than allowed."""
    wanted = OF_FAITHFULNESS * cases
    ideal = ideal_seconds(asked.questions, latency=LATENCY, at_once=AT_ONCE, chain=CHAIN)
    counted = asked.questions == wanted and not asked.twice and asked.at_once <= AT_ONCE
    return Row(
        f"{cases} cases x faithfulness, {LATENCY * 1000:.0f} ms a reply, serial `pytest`, "
        f"{AT_ONCE} in flight: first request to last reply",
        f"<= {MOST_OF_IDEAL} x ideal; {wanted} questions, each asked once",
        f"{asked.busy / ideal:.2f} x: {asked.busy:.2f} s, ideal {ideal:.2f} s; "
        f"{asked.questions} questions, {asked.twice} twice, at most {asked.at_once} in flight "
        f"(whole run {asked.wall:.1f} s, {asked.cpu:.1f} s CPU)",
        counted and asked.busy <= MOST_OF_IDEAL * ideal,
    )


def deepeval_run(judge: JudgeProcess, folder: Path, environments: Path) -> Cost:
    """DeepEval's test of faithfulness on the folder's cases, one pytest test a case."""
    script = Path(rivals.__file__).with_name("tested_by_deepeval.py")
    shutil.copy(script, folder / script.name)
    plugins = ("-p", "deepeval.plugins.plugin", "-p", "no:cacheprovider")
    variables = {**QUIET, "JUDGE_URL": judge.base_url, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return run(
        ["-m", "pytest", *plugins, "-q", script.name],
        folder,
        variables,
        python=environment(DEEPEVAL, environments),
    )
