"""What large files of cases cost: collected beside as many plain tests, sampled, and read beside
pandas and `datasets`."""

from __future__ import annotations

import importlib.util
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pytest_ragassert.datasets.readers import known_suffixes
from tests import rivals
from tests.rivals.__main__ import environment

from .children import Cost, pytest_run, run
from .rows import Choice, Row

SIZES = (50_000, 100_000, 200_000)
SAMPLE = 200
# characters of a row: question, answer, and each of three contexts
QUESTION, ANSWER, CONTEXT, CONTEXTS = 80, 300, 400, 3
TEXTS = QUESTION + ANSWER + CONTEXTS * CONTEXT
MOST_BYTES = 8_000  # of a row, beyond what pytest keeps of a test
MOST_SAMPLED = 1_000  # of a row, beyond a run without any
MOST_GROWTH = 1.2  # of the time and the bytes of a row
MOST_TIME = {"pandas": 4.0, "datasets": 4.0}  # of theirs
TABLES = "tables"
NEEDS = ["pandas>=3", "datasets>=5"]

_PLAIN = """\
import pytest

@pytest.mark.parametrize("row", range({size}), ids=[f"row-{{n}}" for n in range({size})])
def test_row(row):
    pass
"""
_CASES = """\
import pytest

@pytest.mark.rag_cases("{name}")
def test_row(rag_case):
    pass
"""
_COLLECT = ("--collect-only", "-qq")


class _Found(NamedTuple):
    """What a row took of a run that only collects: beside as many plain tests, or in whole."""

    bytes: float
    cpu: float


def measure(choice: Choice) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = environment(TABLES, choice.rivals, NEEDS)
        files = {size: _written(folder / f"rows-{size}.jsonl", size) for size in SIZES}
        plain = {size: _collected(folder, _PLAIN.format(size=size)) for size in SIZES}
        yield _row("JSON Lines", plain, {size: _of(folder, files[size]) for size in SIZES})
        if ".parquet" in known_suffixes() and importlib.util.find_spec("pyarrow"):
            for file in files.values():
                _read("parquet", file, python)
            tables = {size: files[size].with_suffix(".parquet") for size in SIZES}
            yield _row("Parquet", plain, {size: _of(folder, tables[size]) for size in SIZES})
        yield _workers(folder, files[SIZES[0]])
        yield _sampled(folder, files)
        yield from _beside(files[SIZES[-1]], python)


def _row(kind: str, plain: dict[int, Cost], ours: dict[int, Cost]) -> Row:
    each = {size: _difference(ours[size], plain[size], size) for size in SIZES}
    first, last = each[SIZES[0]], each[SIZES[-1]]
    growth = max(last.bytes / first.bytes, last.cpu / first.cpu)
    return Row(
        f"{_listed(f'{size:,}' for size in SIZES)} rows of {TEXTS:,} characters as {kind}, "
        "collected, beside as many plain parametrized tests",
        f"<= {MOST_BYTES:,} bytes a row more at {SIZES[-1]:,}; bytes and time of a row grow "
        f"<= {MOST_GROWTH} x",
        f"{_listed(f'{one.bytes:,.0f}' for one in each.values())} bytes a row more "
        f"({ours[SIZES[-1]].peak / 1e6:,.0f} MB, plain {plain[SIZES[-1]].peak / 1e6:,.0f} MB); "
        f"{_listed(f'{one.cpu * 1e6:.0f}' for one in each.values())} µs of CPU a row more "
        f"({ours[SIZES[-1]].cpu / plain[SIZES[-1]].cpu:.2f} x plain); growth {growth:.2f} x",
        last.bytes <= MOST_BYTES and growth <= MOST_GROWTH,
    )


def _workers(folder: Path, file: Path) -> Row:
    size, two = SIZES[0], ("-n", "2")
    plain = _collected(folder, _PLAIN.format(size=size), *two)
    ours = _collected(folder, _CASES.format(name=file.name), *two)
    found = _difference(ours, plain, size)
    return Row(
        f"{size:,} of these, as JSON Lines, under `-n 2`, beside as many plain tests",
        f"<= {MOST_BYTES:,} bytes a row more in the largest process",
        f"{found.bytes:,.0f} bytes a row more",
        found.bytes <= MOST_BYTES,
    )


def _sampled(folder: Path, files: dict[int, Path]) -> Row:
    option = f"--ragassert-sample={SAMPLE}"
    few = _written(folder / "few.jsonl", SAMPLE)
    none = _of(folder, few, option)
    size = SIZES[-1]
    found = _difference(_of(folder, files[size], option), none, size)
    return Row(
        f"a sample of {SAMPLE} of {size:,} of these, collected, beside a file of {SAMPLE}",
        f"<= {MOST_SAMPLED:,} bytes a row more",
        f"{found.bytes:,.0f} bytes and {found.cpu * 1e6:.0f} µs of CPU a row more",
        found.bytes <= MOST_SAMPLED,
    )


def _beside(file: Path, python: Path) -> Iterator[Row]:
    """Ours and theirs in turn, each the best of three: other work only makes them worse."""
    taken: dict[str, list[_Found]] = {"ours": [], "pandas": [], "datasets": []}
    for _ in range(3):
        for reader, found in taken.items():
            found.append(_read(reader, file, None if reader == "ours" else python))
    best = {
        reader: _Found(min(one.bytes for one in found), min(one.cpu for one in found))
        for reader, found in taken.items()
    }
    ours = best.pop("ours")
    for reader, theirs in best.items():
        ratio = ours.cpu / theirs.cpu
        yield Row(
            f"{SIZES[-1]:,} of these read by `load_cases`, beside {reader} reading the file into "
            "dicts",
            f"<= {MOST_TIME[reader]:.0f} x its CPU time",
            f"{ratio:.2f} x: {ours.cpu * 1e6:.0f} against {theirs.cpu * 1e6:.0f} µs a row; "
            f"{ours.bytes / theirs.bytes:.2f} x its memory: {ours.bytes:,.0f} against "
            f"{theirs.bytes:,.0f} bytes a row",
            ratio <= MOST_TIME[reader],
        )


def _read(reader: str, file: Path, python: Path | None) -> _Found:
    script = Path(rivals.__file__).with_name("reads_rows.py")
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    child = run(
        ["-W", "ignore", str(script), reader, str(file)], file.parent, offline, python=python
    )
    said = json.loads(child.output.splitlines()[-1])
    rows = said["rows"] or 1
    return _Found(said["bytes"] / rows, said["cpu"] / rows)


def _of(folder: Path, file: Path, *options: str) -> Cost:
    return _collected(folder, _CASES.format(name=file.name), *options)


def _collected(folder: Path, test: str, *options: str) -> Cost:
    (folder / "test_rows.py").write_text(test)
    return pytest_run(folder, *_COLLECT, *options, "test_rows.py")


def _difference(cost: Cost, base: Cost, size: int) -> _Found:
    return _Found((cost.peak - base.peak) / size, (cost.cpu - base.cpu) / size)


def _written(file: Path, size: int) -> Path:
    chance = random.Random(0)
    words = ["".join(chance.choices("abcdefghij", k=chance.randint(2, 10))) for _ in range(5000)]

    def text(characters: int) -> str:
        return " ".join(chance.choices(words, k=characters // 3))[:characters]

    with file.open("w") as out:
        for number in range(size):
            row = {
                "id": f"row-{number}",
                "question": text(QUESTION),
                "answer": text(ANSWER),
                "retrieved_contexts": [text(CONTEXT) for _ in range(CONTEXTS)],
            }
            out.write(json.dumps(row) + "\n")
    return file


def _listed(values: Iterator[str]) -> str:
    return " / ".join(values)
