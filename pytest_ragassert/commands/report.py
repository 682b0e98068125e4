"""`report FILE…`: writes the reports of a run from its results files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..storage.files.plain_files import check_output
from .output import FAILED, PASSED, screen_here
from .project import in_project

if TYPE_CHECKING:
    from ..analysis.run_record import RunRecord
    from ..plugin.run import Run

# Outputs of `report.writers` that need only a results file.
_OUTPUTS = {"markdown": "the report as Markdown", "html": "the report as a page"}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "report",
        help="write a run's reports from its results files",
        description="Print the summary of a run and write its reports, from its results file. "
        "Files of several shards are joined as by the command join, which also writes the baseline "
        "and the verdicts. The exit status is 1 if a test, a gate or the baseline failed, or if a "
        "shard is missing.",
    )
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="results_<run>.json")
    add_outputs(parser)
    parser.set_defaults(run=_report)


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Add the options for reports."""
    for name, what in _OUTPUTS.items():
        parser.add_argument(
            f"--{name}", metavar="FILE", type=Path, help=f"write {what} to this file"
        )
    parser.add_argument("-v", "--verbose", action="store_true", help="show all cases")


def checked_outputs(
    args: argparse.Namespace, inputs: Iterable[Path], **more: Path | None
) -> Mapping[str, Path]:
    """The files to write, by the name of their option.

    Args:
        more: files of other options.

    Raises:
        ConfigurationError: an output has the path of an input or another output, or cannot be
            written.
    """
    named = {**{name: getattr(args, name) for name in _OUTPUTS}, **more}
    wanted = {name: path for name, path in named.items() if path is not None}
    options: dict[str, str] = {}
    for name, path in wanted.items():
        check_output(path, f"--{name}", *inputs)
        other = options.setdefault(os.path.realpath(path), name)
        if other != name:
            raise ConfigurationError(
                f"--{other} and --{name} name one file, {path}; use different files"
            )
    return wanted


def _report(args: argparse.Namespace) -> int:
    from .recorded_runs import read_files, record_of_files

    wanted = checked_outputs(args, args.files)
    files = read_files(args.files)

    def work(run: Run) -> int:
        def path_of(name: str) -> Path | None:
            # in GitHub Actions, the summary of the step is written as a run writes it
            return run.output(name) if name == "github" else wanted.get(name)

        return reported(run, record_of_files(run, files), path_of, verbosity=int(args.verbose))

    return in_project(work)


def reported(
    run: Run,
    record: RunRecord,
    path_of: Callable[[str], Path | None],
    *,
    verbosity: int,
    notes: Sequence[str] = (),
) -> int:
    """Write reports, print the summary, and return the exit status.

    Args:
        path_of: as for `writers.write_all`.
        notes: for the summary, on what is already written.
    """
    from ..plugin.project_reports import write_reports
    from ..report.summary import TerminalSummary
    from .recorded_runs import has_failed

    written = [*notes, *write_reports(run, record, path_of)]
    TerminalSummary(print, screen_here(), verbosity, written).write(record)
    for line in run.notices():
        print(line)
    return FAILED if has_failed(record) else PASSED
