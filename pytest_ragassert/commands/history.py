"""`history FILE`: prints the means of a project's runs, run by run."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..errors import ConfigurationError
from .output import screen_here


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "history", help="show the means of earlier runs, from a file written by --ragassert-history"
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the history file")
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="show only this metric (default: all); repeatable",
    )
    parser.add_argument("--last", type=int, metavar="N", help="show only the last N runs")
    parser.set_defaults(run=_history)


def _history(args: argparse.Namespace) -> int:
    from ..analysis.records.history_file import read_history
    from ..report.history_lines import history_lines, metrics_of

    if args.last is not None and args.last < 1:
        raise ConfigurationError(f"--last must be a number of runs from 1, not {args.last}")
    entries = read_history(args.file)[-(args.last or 0) :]
    known = metrics_of(entries)
    if not known:
        raise ConfigurationError(f"{args.file} has no run that measured anything")
    metrics = args.metric or known
    for name in metrics:
        if name not in known:
            raise ConfigurationError(
                f"{args.file} has no metric {name!r}; it has {', '.join(known)}"
            )
    for line in history_lines(entries, metrics, screen_here()):
        print(line)
    return 0
