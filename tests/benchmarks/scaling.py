"""What a large run needs, by the case: requests, tokens, space, memory, time and report sizes.

The figures of docs/scaling.md. The loopback judge says a sentence of 20 words about each claim, and
finds one claim in each sentence. Tokens are four characters each.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from . import scaling_memory, scaling_redis
from .children import Cost, JudgeProcess, pytest_run, run
from .rows import machine
from .scaling_cases import METRICS, THREE, Kind, kinds, write

JUDGE = "tests.benchmarks.wordy_judge"
CASES = 100  # for requests and tokens, which are the same for each case
SIZES = (500, 1_000, 2_000)
MOST_GROWTH = 1.1  # of bytes for a judgement or a case, from the second to the largest size
SHARDS = 4  # that are joined
AT_ONCE = "--ragassert-concurrency=64"
_ASKED = re.compile(r"judgements: ([\d,]+) asked, ([\d,]+) stored, ([\d,]+) carried")


def measure() -> bool:
    print(f"{machine()}\n", flush=True)
    known = kinds()
    with tempfile.TemporaryDirectory() as name, JudgeProcess(module=JUDGE) as judge:
        folder = Path(name)
        good = _asked(judge, folder, known)
        filled = folder / "growing"
        good &= _sizes(judge, filled, known["long"])
        good &= scaling_redis.measure(judge, filled, known["long"], SIZES)
        return good & scaling_memory.measure(judge, folder, known)


def judgements(output: str) -> tuple[int, int, int]:
    """How many a run asked, found stored and carried over, by its summary."""
    found = _ASKED.search(output)
    if found is None:
        raise RuntimeError(f"no line of judgements in\n{output}")
    asked, stored, carried = (int(number.replace(",", "")) for number in found.groups())
    return asked, stored, carried


def _asked(judge: JudgeProcess, folder: Path, known: Mapping[str, Kind]) -> bool:
    """Requests and tokens of a case: first, after a change of the retriever, and unchanged."""
    print("| cases | metrics | run | requests | judgements: asked, stored, carried |", end="")
    print(" prompt tokens | completion tokens |\n|---|---|---|---|---|---|---|")
    good = True
    for short, kind in known.items():
        for number, (names, metrics) in enumerate(METRICS.items()):
            project = folder / f"{short}-{number}"
            for what in ("first", "one passage replaced", "the same again"):
                write(project, kind, CASES, metrics, replaced=what != "first")
                found, _, stats = _run(judge, project)
                each = ", ".join(f"{one / CASES:.1f}" for one in found)
                print(
                    f"| {kind.name} | {names} | {what} | {stats['total'] / CASES:.2f} | {each} | "
                    f"{stats['prompt_tokens'] / CASES:,.0f} | "
                    f"{stats['completion_tokens'] / CASES:,.0f} |",
                    flush=True,
                )
                good &= (stats["total"] > 0) == (what != "the same again")
                good &= stats["duplicates"] == 0
    print()
    return good


def _sizes(judge: JudgeProcess, folder: Path, kind: Kind) -> bool:
    """Bytes of what a run leaves, and what it takes when all is stored; one store, which grows."""
    print(
        "| cases | store: bytes a judgement | committed verdicts: bytes a judgement | "
        "results file: bytes a case | page: bytes a case | asked: CPU ms a case, MB | "
        f"stored: CPU ms a case, MB | report of {SHARDS} results files: CPU ms a case, MB |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    known, before, each = 0, 0, []
    for size in SIZES:
        write(folder, kind, size, THREE)
        found, asked, _ = _run(judge, folder)
        known += found[0]
        # what is committed, and the reports, come from a run that asks nothing
        verdicts, page, out = folder / "verdicts.jsonl", folder / "page.html", folder / "out"
        verdicts.unlink(missing_ok=True)
        artifacts = f"--ragassert-artifacts={out / str(size)}"
        more = (f"--ragassert-verdicts={verdicts}", "--ragassert-update-verdicts")
        _run(judge, folder, artifacts, f"--ragassert-html={page}", *more)
        _, stored, _ = _run(judge, folder)
        [results] = (out / str(size)).glob("results_*.json")
        joined = _joined(results, folder)
        bytes_each = (
            _size(folder / "store") / known,
            verdicts.stat().st_size / known,
            results.stat().st_size / size,
            page.stat().st_size / size,
        )
        each.append(bytes_each)
        shown = " | ".join(f"{one:,.0f}" for one in bytes_each)
        print(
            f"| {size:,} | {shown} | {_cost(asked, size - before)} | {_cost(stored, size)} | "
            f"{_cost(joined, SHARDS * size)} |",
            flush=True,
        )
        before = size
    # the second run makes the store's index of claims, as it first finds claims there
    growth = max(last / first for first, last in zip(each[1], each[-1], strict=True))
    print(f"\n{known:,} judgements; bytes grow at most {growth:.2f} x (limit {MOST_GROWTH} x)\n")
    return growth <= MOST_GROWTH


def _joined(results: Path, folder: Path) -> Cost:
    """One page of several results files that differ in the file of the tests."""
    text, shards = results.read_text(), list[Path]()
    own = results.stem.removeprefix("results_")
    for number in range(SHARDS):
        shards.append(folder / f"shard-{number}.json")
        tests = text.replace("test_rag.py", f"test_rag_{number}.py")
        shards[-1].write_text(tests.replace(own, f"{number}{own[1:]}"))
    page = f"--html={folder / 'whole.html'}"
    cost = run(["-m", "pytest_ragassert", "report", *map(str, shards), page], folder)
    for path in shards:
        path.unlink()
    return cost


def _run(
    judge: JudgeProcess, folder: Path, *options: str
) -> tuple[tuple[int, int, int], Cost, dict[str, int]]:
    judge.stats()
    variables = judge.variables(folder / "store")
    cost = pytest_run(folder, "test_rag.py", AT_ONCE, *options, variables=variables)
    return judgements(cost.output), cost, judge.stats()


def _cost(cost: Cost, cases: int) -> str:
    return f"{1000 * cost.cpu / cases:.1f}, {cost.peak / 1e6:,.0f}"


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
