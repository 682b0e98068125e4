"""`results …`: compares two runs, and merges the shards of one."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from . import join
from .gate_options import add_gates, gate_options
from .output import FAILED, PASSED, screen_here
from .project import in_project

if TYPE_CHECKING:
    from ..plugin.run import Run


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("results", help="compare two runs, or merge the shards of one")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    compare = actions.add_parser(
        "compare", help="show what changed between two runs; the exit status is 1 on a regression"
    )
    compare.add_argument("before", metavar="A", type=Path, help="results_<run>.json")
    compare.add_argument("after", metavar="B", type=Path, help="results_<run>.json")
    compare.set_defaults(run=_compare)
    add_gates(compare)
    compare.add_argument("-v", "--verbose", action="store_true", help="show all cases")
    join.add_as(actions, "merge", "the same as join")


def _compare(args: argparse.Namespace) -> int:
    from ..analysis.records.measurement import measurements_of
    from ..analysis.records.read_results import read_results, rows_of

    before, after = (read_results(path) for path in (args.before, args.after))
    old = measurements_of(rows_of(before))

    def work(run: Run) -> int:
        from ..plugin.regression import Regression
        from ..report.gate_lines import conclusion_lines

        regression = Regression(run, before=old)
        regression.conclude(rows_of(after), whole=None)
        conclusion = replace(regression.conclusion, against=str(args.before))
        for line in conclusion_lines(conclusion, screen_here(), verbose=args.verbose):
            print(line)
        dropped = conclusion.dropped()
        if dropped:
            print(f"a regression: {', '.join(dropped)}")
        failed = dropped or "failed" in (conclusion.outcome, conclusion.baseline)
        return FAILED if failed else PASSED

    judges = [sorted({one.judge for one in some if one.counts}) for some in (
        old, measurements_of(rows_of(after))
    )]  # fmt: skip
    if all(judges) and set(judges[0]).isdisjoint(judges[1]):
        raise ConfigurationError(
            f"{args.before} has results of judge {judges[0][0]}, {args.after} of {judges[1][0]}; "
            f"to ask about the same answers, run: python -m pytest_ragassert rejudge {args.before} "
            f"--from '{judges[0][0]}' --to '{judges[1][0]}'"
        )
    return in_project(work, gate_options(args))
