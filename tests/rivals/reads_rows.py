"""`python reads_rows.py READER FILE`: reads a file of rows as Python has them; prints what it took.

Run in the environment of a reader; `parquet` writes the file as Parquet beside it.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_UNIT = 1 if sys.platform == "darwin" else 1024


def _ours() -> Callable[[str], Any]:
    from pytest_ragassert import load_cases

    load_cases([{"question": "what is needed is imported"}])
    return load_cases


def _pandas() -> Callable[[str], Any]:
    import pandas

    return lambda file: pandas.read_json(file, lines=True).to_dict("records")


def _datasets() -> Callable[[str], Any]:
    import datasets

    datasets.disable_progress_bars()

    def read(file: str) -> list[Any]:
        with tempfile.TemporaryDirectory() as folder:
            rows: Iterator[Any] = iter(
                datasets.load_dataset("json", data_files=file, split="train", cache_dir=folder)
            )
            return list(rows)

    return read


def _parquet() -> Callable[[str], Any]:
    import pandas

    def written(file: str) -> list[Any]:
        pandas.read_json(file, lines=True).to_parquet(Path(file).with_suffix(".parquet"))
        return []

    return written


READERS = {"ours": _ours, "pandas": _pandas, "datasets": _datasets, "parquet": _parquet}


def main(reader: str, file: str) -> None:
    read = READERS[reader]()
    before = _peak()
    started = time.process_time()
    rows = read(file)
    cpu = time.process_time() - started
    print(json.dumps({"rows": len(rows), "cpu": cpu, "bytes": _peak() - before}))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


if __name__ == "__main__":
    main(*sys.argv[1:])
