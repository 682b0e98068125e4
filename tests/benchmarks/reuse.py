"""What is asked again after a change, by us and by rivals whose caches hold the run before it."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests import rivals
from tests.rivals.__main__ import QUIET, environment
from tests.rivals.scenes import DEEPEVAL, RAGAS

from .changes import CHANGES, Case, base, write_cases
from .children import JudgeProcess, pytest_run, run
from .rows import Choice

CASES = 12
METRICS = ("faithfulness", "context_precision")
SERVED = "tests.rivals.served"
HEADER = (
    "| what changed | judgements: asked, stored, carried | requests | tokens "
    "| DeepEval: requests | tokens | ragas: requests | tokens |\n|---|" + "---|" * 7
)
_COUNTED = re.compile(r"^judgements: (\d+) asked, (\d+) stored, (\d+) carried", re.M)
_ANEW = "judged for the first time"


class Sent(NamedTuple):
    """What reached the judge: requests, and the tokens of prompts and replies."""

    requests: int
    tokens: int


class Judged(NamedTuple):
    """A run of ours.

    Attributes:
        said: each claim's verdict and each score, by case and metric.
    """

    asked: int
    stored: int
    carried: int
    sent: Sent
    said: dict[tuple[str, str], Any]


def measure(choice: Choice) -> bool:
    """Markdown, as docs/concepts/stored-verdicts.md has it; whether all was as expected."""
    print(f"{CASES} cases, {' and '.join(METRICS)}; each figure is of one case\n\n{HEADER}")
    good = True
    for row, expected in _rows(choice.rivals):
        print(row if expected else f"{row} **(not as expected)**", flush=True)
        good &= expected
    return good


def _rows(environments: Path) -> Iterator[tuple[str, bool]]:
    """A row for each change, and whether it is as expected.

    That is: so much was asked, and all that is said is what would be said if it were asked anew.
    """
    with tempfile.TemporaryDirectory() as name, JudgeProcess(module=SERVED) as judge:
        folder = Path(name)
        theirs: list[Callable[[Path], Sent]] = [
            lambda place: _deepeval(judge, place, environments),
            lambda place: _ragas(judge, place, environments),
        ]
        first = folder / "first"
        write_cases(first, _cases(base))
        ours, others = _ours(judge, first), [ask(first) for ask in theirs]
        yield _row(_ANEW, ours, others), not (ours.stored or ours.carried)
        for number, change in enumerate(CHANGES):
            place, anew = folder / str(number), folder / f"{number}-anew"
            # with what the first run of each left there
            shutil.copytree(first, place)
            write_cases(place, _cases(change.of))
            write_cases(anew, _cases(change.of))
            ours, others = _ours(judge, place), [ask(place) for ask in theirs]
            whole = _ours(judge, anew)
            good = ours.asked == change.judgements * CASES and ours.said == whole.said
            yield _row(change.what, ours, others), good


def _cases(of: Callable[[int], Case]) -> list[Case]:
    return [of(number) for number in range(CASES)]


def _row(what: str, ours: Judged, others: Sequence[Sent]) -> str:
    counted = f"{_each(ours.asked)}, {_each(ours.stored)}, {_each(ours.carried)}"
    sent = [f"{_each(one.requests)} | {_each(one.tokens)}" for one in (ours.sent, *others)]
    return f"| {what} | {counted} | {' | '.join(sent)} |"


def _each(count: int) -> str:
    """That many of all cases, of one case."""
    of_one = count / CASES
    return f"{of_one:,.0f}" if of_one >= 100 else f"{of_one:.3g}"


def _sent(judge: JudgeProcess) -> Sent:
    stats = judge.stats()
    return Sent(stats["total"], stats["prompt_tokens"] + stats["completion_tokens"])


def _ours(judge: JudgeProcess, folder: Path) -> Judged:
    """
    Raises:
        RuntimeError: the summary does not say how many judgements were asked.
    """
    variables = judge.variables(folder / "store")
    artifacts = folder / "artifacts"
    shutil.rmtree(artifacts, ignore_errors=True)
    cost = pytest_run(
        folder, f"--ragassert-artifacts={artifacts}", "test_rag.py", variables=variables
    )
    found = _COUNTED.search(cost.output)
    if found is None:
        raise RuntimeError(f"no count of judgements in the summary:\n{cost.output}")
    asked, stored, carried = map(int, found.groups())
    return Judged(asked, stored, carried, _sent(judge), _said(artifacts))


def _said(artifacts: Path) -> dict[tuple[str, str], Any]:
    (file,) = artifacts.glob("results_*.json")
    rows = json.loads(file.read_text("utf-8"))["results"]
    return {
        (row["case"], row["metric"]): [
            row["score"],
            [(claim["text"], claim["verdict"]) for claim in row["claims"]],
        ]
        for row in rows
    }


def _script(name: str) -> Path:
    return Path(rivals.__file__).with_name(name)


def _deepeval(judge: JudgeProcess, folder: Path, environments: Path) -> Sent:
    """Its own command with its cache on, which keeps a case's metrics by all that the case has."""
    script = _script("tested_by_deepeval.py")
    shutil.copy(script, folder / script.name)
    start = "from deepeval.cli.main import app; app()"
    variables = {
        **QUIET,
        "JUDGE_URL": judge.base_url,
        "METRICS": " ".join(METRICS),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = ["-c", start, "test", "run", script.name, "--use-cache"]
    run(command, folder, variables, python=environment(DEEPEVAL, environments))
    return _sent(judge)


def _ragas(judge: JudgeProcess, folder: Path, environments: Path) -> Sent:
    """Its `evaluate` with its cache on, which keeps replies by prompt."""
    script = str(_script("evaluated_by_ragas.py"))
    command = ["-W", "ignore", script, judge.base_url, "16", *METRICS]
    variables = {**QUIET, "CACHE": str(folder / "ragas-cache")}
    run(command, folder, variables, python=environment(RAGAS, environments))
    return _sent(judge)
