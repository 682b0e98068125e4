"""`results …`: merges results files of shards, and compares two runs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..storage.files.plain_files import check_output, unwritable
from .output import FAILED, PASSED
from .project import in_project

if TYPE_CHECKING:
    from ..plugin.run import Run


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("results", help="merge results files of shards, or compare runs")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    merge = actions.add_parser(
        "merge",
        help="merge results files of shards, and check the project's gates and baseline",
    )
    merge.add_argument("files", metavar="FILE", nargs="+", type=Path, help="results_<run>.json")
    merge.add_argument("--out", metavar="FILE", type=Path, help="the file to write")
    merge.add_argument("--baseline", metavar="FILE", help="instead of the project's")
    merge.add_argument(
        "--update-baseline",
        nargs="?",
        choices=("on", "prune"),
        const="on",
        help="write the results to the baseline; =prune also removes results that are not among "
        "them",
    )
    merge.set_defaults(run=_merge)
    compare = actions.add_parser(
        "compare", help="show what changed between two runs; the exit status is 1 on a regression"
    )
    compare.add_argument("before", metavar="A", type=Path, help="results_<run>.json")
    compare.add_argument("after", metavar="B", type=Path, help="results_<run>.json")
    compare.set_defaults(run=_compare)
    for action in (merge, compare):
        action.add_argument(
            "--gate", action="append", default=[], help="instead of the project's; repeatable"
        )
        action.add_argument("-v", "--verbose", action="store_true", help="show all cases")


def _merge(args: argparse.Namespace) -> int:
    from ..analysis.merge_results import merged
    from ..analysis.run_record import results_file
    from .recorded_runs import has_failed, held, read_files

    if args.out is not None:
        check_output(args.out, "--out")
    whole = merged(read_files(args.files))

    def work(run: Run) -> int:
        from ..report.summary import TerminalSummary

        record = held(run, whole)
        if args.out is not None:
            _write(results_file(record).to_text(), args.out)
        TerminalSummary(print, screen_here(), int(args.verbose)).write(record)
        return FAILED if has_failed(record) else PASSED

    options = [f"--ragassert-baseline={args.baseline}"] if args.baseline else []
    if args.update_baseline:
        prune = "=prune" if args.update_baseline == "prune" else ""
        options.append(f"--ragassert-update-baseline{prune}")
    return in_project(work, [*options, *_gates(args)])


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
    return in_project(work, _gates(args))


def _gates(args: argparse.Namespace) -> Sequence[str]:
    return [f"--ragassert-gate={gate}" for gate in args.gate]


def screen_here() -> Screen:
    """The properties of the terminal that a command prints to."""
    import shutil
    import sys

    from ..report.terminal import Screen

    width = shutil.get_terminal_size().columns
    return Screen(width, getattr(sys.stdout, "encoding", None) or "utf-8")


def _write(text: str, path: Path) -> None:
    from ..storage.files.atomic import write_whole

    try:
        write_whole(path, [text])
    except OSError as error:
        raise unwritable(path, "--out", error) from None
    print(f"results in {path}")


if TYPE_CHECKING:
    from ..report.terminal import Screen
