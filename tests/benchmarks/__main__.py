"""Runs one measurement, those of the table in docs/project/speed.md, or all.

Exits 1 where one finds what must not be.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.rivals.__main__ import CACHE

from . import (
    accuracy,
    ahead,
    committed,
    confidence,
    extras,
    first_miss,
    footprint,
    halueval,
    idle,
    judging,
    large,
    many,
    outages,
    pace,
    page,
    plot,
    quotes,
    reruns,
    reuse,
    scaling,
    shared_store,
    six,
    soak,
    store,
    stored,
    unchanged,
    workers,
)
from .rows import HEADER, Choice, Row, machine

MEASUREMENTS: dict[str, Callable[[], bool]] = {
    "idle": idle.measure,
    "reruns": reruns.measure,
    "store": store.measure,
    "stored": stored.measure,
    "committed": committed.measure,
    "first-miss": first_miss.measure,
    "judging": judging.measure,
    "pace": pace.measure,
    "page": page.measure,
    "shared-store": shared_store.measure,
}
# These give the table's rows; some run others beside us.
SPEED: dict[str, Callable[[Choice], Iterator[Row]]] = {
    "ahead": ahead.measure,
    "six": six.measure,
    "workers": lambda _: workers.measure(),
    "ten-thousand": lambda _: many.measure(),
    "quotes": lambda _: quotes.measure(),
}
# A table of its own: it takes as long as all of those.
TABLES = {**SPEED, "large-files": large.measure}
# These read labelled claims.
WITH_DATA: dict[str, Callable[[Path], bool]] = {
    "halueval": halueval.measure,
    "accuracy": accuracy.measure,
    "confidence": confidence.measure,
}
# Tables of their own, with rivals beside us.
WITH_RIVALS: dict[str, Callable[[Choice], bool]] = {
    "reuse": reuse.measure,
    "unchanged": unchanged.measure,
    "footprint": footprint.measure,
}
# These take too long to be part of all; EXTRAS downloads gigabytes besides.
SOAK, OUTAGES, EXTRAS, SCALING = "soak", "outages", "extras", "scaling"
DATA_VARIABLE = "RAGASSERT_DATA"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    names = [*MEASUREMENTS, *TABLES, *WITH_RIVALS, *WITH_DATA]
    parser.add_argument(
        "measurement",
        nargs="?",
        choices=[*names, "speed", "plot", SOAK, OUTAGES, EXTRAS, SCALING, "all"],
        default="all",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        default=os.environ.get(DATA_VARIABLE),
        help=f"folder of labelled claims, one file a set (default: ${DATA_VARIABLE})",
    )
    parser.add_argument(
        "--rivals",
        type=Path,
        metavar="FOLDER",
        default=CACHE,
        help="where the rivals are, or are to be, installed (default: %(default)s)",
    )
    parser.add_argument(
        "--whole", action="store_true", help="measure rivals on all cases, not on a slice (minutes)"
    )
    parser.add_argument(
        "--cases", type=int, default=soak.CASES, help="of soak (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    if options.data is not None and not Path(options.data).exists():
        parser.error(f"no data: {options.data} is not there")
    choice = Choice(options.rivals, options.whole)
    if options.measurement == "plot":
        return 0 if plot.measure(choice) else 1
    groups = {"all": names, "speed": list(SPEED)}
    good, wanted = True, groups.get(options.measurement, [options.measurement])
    if options.measurement == "speed":
        return 0 if _print_table(wanted, choice) else 1
    for name in wanted:
        print(f"## {name}", flush=True)
        if name == SOAK:
            good &= soak.measure(options.cases)
        elif name == OUTAGES:
            good &= outages.measure()
        elif name == EXTRAS:
            good &= extras.measure()
        elif name == SCALING:
            good &= scaling.measure()
        elif name in MEASUREMENTS:
            good &= MEASUREMENTS[name]()
        elif name in TABLES:
            good &= _print_table([name], choice)
        elif name in WITH_RIVALS:
            good &= WITH_RIVALS[name](choice)
        elif options.data is not None:
            good &= WITH_DATA[name](Path(options.data))
        elif options.measurement == "all":
            print(f"skipped: no data; give --data FOLDER or set {DATA_VARIABLE}")
        else:
            parser.error(f"{name} needs --data FOLDER or {DATA_VARIABLE}")
        print(flush=True)
    return 0 if good else 1


def _print_table(names: list[str], choice: Choice) -> bool:
    """Markdown, as docs/project/speed.md has it; whether all was reached."""
    print(f"{machine()}\n\n{HEADER}", flush=True)
    good = True
    for name in names:
        for row in TABLES[name](choice):
            print(row, flush=True)
            good &= row.reached
    return good


sys.exit(main())
