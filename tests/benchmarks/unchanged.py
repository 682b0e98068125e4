"""What a faithfulness check asks for by each tool: first, unchanged, changed, without the judge."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.rivals import runs
from tests.rivals.runs import Place, Run

from .ahead import SERVED
from .children import Cost, JudgeProcess
from .project import write_rag_project
from .rows import Choice

CASES = 20
LATENCY = 0.3  # seconds
HEADER = (
    "| tool | first run | the same again | again, judge unreachable "
    "| one of five passages replaced | passages in another order |\n|---|---|---|---|---|---|"
)
Case = dict[str, Any]


class Way(NamedTuple):
    """A way of running a tool.

    Attributes:
        keeps: whether its second run is expected to ask nothing.
    """

    name: str
    run: Run
    keeps: bool


def _replaced(case: Case) -> Case:
    contexts = [*case["retrieved_contexts"][:-1], "A lift goes to every floor. It is inspected."]
    return {**case, "retrieved_contexts": contexts}


def _reordered(case: Case) -> Case:
    return {**case, "retrieved_contexts": case["retrieved_contexts"][::-1]}


WAYS = (
    Way("pytest-ragassert, `pytest`", runs.ours, True),
    Way("pytest-ragassert, `pytest -n 2`", lambda place: runs.ours(place, "-n", "2"), True),
    Way("DeepEval, `deepeval test run`", runs.deepeval, False),
    Way(
        "DeepEval, `deepeval test run -n 2`",
        lambda place: runs.deepeval(place, "-n", "2"),
        False,
    ),
    Way(
        "DeepEval, `deepeval test run --use-cache`",
        lambda place: runs.deepeval(place, "--use-cache"),
        True,
    ),
    Way("DeepEval, `evaluate`", runs.deepeval_evaluate, False),
    Way("ragas, `evaluate`", runs.ragas, False),
    Way("ragas, `evaluate`, `DiskCacheBackend`", lambda place: runs.ragas(place, cache=True), True),
    Way("promptfoo, `promptfoo eval`", runs.promptfoo, True),
)


def measure(choice: Choice) -> bool:
    """Markdown, as docs/project/comparison.md has it; whether each cache kept what it should."""
    print(f"{CASES} cases, faithfulness, {LATENCY} s a reply\n\n{HEADER}", flush=True)
    good = True
    with tempfile.TemporaryDirectory() as name:
        for number, way in enumerate(WAYS):
            row, kept = _row(way, Path(name, str(number)), choice.rivals)
            print(row if kept == way.keeps else f"{row} **(not as expected)**", flush=True)
            good &= kept == way.keeps
    return good


def _row(way: Way, folder: Path, rivals: Path) -> tuple[str, bool]:
    """Also whether the second run asked nothing.

    Raises:
        RuntimeError: a run failed; without the judge too, where the tool has all replies.
    """
    folder.mkdir()
    write_rag_project(folder, CASES, {"faithfulness": 0.8})
    with JudgeProcess(LATENCY, module=SERVED) as judge:
        place = Place(folder, judge.base_url, rivals)
        first, _ = _asked(way.run, place, judge)
        again, requests = _asked(way.run, place, judge)
        changed = list(_changed(way.run, place, judge))
    kept = requests == 0
    unreachable = f"passes, {_seconds(way.run(place))}" if kept else "needs the judge"
    return f"| {way.name} | {' | '.join([first, again, unreachable, *changed])} |", kept


def _asked(run: Run, place: Place, judge: JudgeProcess) -> tuple[str, int]:
    """Requests of a case, and the seconds of the run; and how many requests there were."""
    cost = run(place)
    requests: int = judge.stats()["total"]
    return f"{requests / CASES:g} a case, {_seconds(cost)}", requests


def _seconds(cost: Cost) -> str:
    return f"{cost.wall:.1f} s ({cost.cpu:.1f} s CPU)"


def _changed(run: Run, place: Place, judge: JudgeProcess) -> Iterator[str]:
    """Each change is one of the cases that the first run saw, in a copy of its folder."""
    changes: list[Callable[[Case], Case]] = [_replaced, _reordered]
    for change in changes:
        copy = place.folder.with_name(f"{place.folder.name}-{change.__name__}")
        shutil.copytree(place.folder, copy)
        lines = (copy / "cases.jsonl").read_text("utf-8").splitlines()
        changed = [json.dumps(change(json.loads(line))) for line in lines]
        (copy / "cases.jsonl").write_text("\n".join(changed) + "\n")
        _, requests = _asked(run, place._replace(folder=copy), judge)
        yield f"{requests / CASES:g} a case"
