"""Runs one measurement or all; exits 1 where one finds what must not be."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from . import accuracy, committed, halueval, idle, judging, reruns, store, stored

MEASUREMENTS: dict[str, Callable[[], bool]] = {
    "idle": idle.measure,
    "reruns": reruns.measure,
    "store": store.measure,
    "stored": stored.measure,
    "committed": committed.measure,
    "judging": judging.measure,
}
# These read labelled claims.
WITH_DATA: dict[str, Callable[[Path], bool]] = {
    "halueval": halueval.measure,
    "accuracy": accuracy.measure,
}
DATA_VARIABLE = "RAGASSERT_DATA"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    names = [*MEASUREMENTS, *WITH_DATA, "all"]
    parser.add_argument("measurement", nargs="?", choices=names, default="all")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        default=os.environ.get(DATA_VARIABLE),
        help=f"folder of labelled claims, one file a set (default: ${DATA_VARIABLE})",
    )
    options = parser.parse_args(arguments)
    if options.data is not None and not Path(options.data).exists():
        parser.error(f"no data: {options.data} is not there")
    wanted = names[:-1] if options.measurement == "all" else [options.measurement]
    good = True
    for name in wanted:
        print(f"## {name}", flush=True)
        if name in MEASUREMENTS:
            good &= MEASUREMENTS[name]()
        elif options.data is not None:
            good &= WITH_DATA[name](Path(options.data))
        elif options.measurement == "all":
            print(f"skipped: no data; give --data FOLDER or set {DATA_VARIABLE}")
        else:
            parser.error(f"{name} needs --data FOLDER or {DATA_VARIABLE}")
        print(flush=True)
    return 0 if good else 1


sys.exit(main())
