"""Runs one measurement or all; exits 1 where one finds what must not be."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from . import halueval, idle, reruns, stored

MEASUREMENTS: dict[str, Callable[[], bool]] = {
    "idle": idle.measure,
    "reruns": reruns.measure,
    "stored": stored.measure,
}
DATA_VARIABLE = "RAGASSERT_DATA"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    names = [*MEASUREMENTS, "halueval", "all"]
    parser.add_argument("measurement", nargs="?", choices=names, default="all")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FILE",
        default=os.environ.get(DATA_VARIABLE),
        help=f"halueval_qa.jsonl or its folder (default: ${DATA_VARIABLE})",
    )
    options = parser.parse_args(arguments)
    if options.data is not None and not Path(options.data).exists():
        parser.error(f"no data: {options.data} is not there")
    wanted = names[:-1] if options.measurement == "all" else [options.measurement]
    good = True
    for name in wanted:
        print(f"## {name}", flush=True)
        if name != "halueval":
            good &= MEASUREMENTS[name]()
        elif options.data is not None:
            good &= halueval.measure(Path(options.data))
        elif options.measurement == "all":
            print(f"skipped: no data; give --data FILE or set {DATA_VARIABLE}")
        else:
            parser.error(f"halueval needs --data FILE or {DATA_VARIABLE}")
        print(flush=True)
    return 0 if good else 1


sys.exit(main())
