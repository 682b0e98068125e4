"""`report FILE…`: writes the reports of a run from its results files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..storage.files.plain_files import check_output
from .output import FAILED, PASSED
from .project import in_project

if TYPE_CHECKING:
    from ..plugin.run import Run

# Outputs of `report.writers` that need only a results file.
_OUTPUTS = {"markdown": "the report as Markdown", "html": "the report as a page"}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "report",
        help="write a run's reports from its results files",
        description="Print the summary of a run and write its reports, from its results file or "
        "those of several shards. Shards are merged and checked against the project's gates "
        "and baseline. The exit status is 1 if a test, a gate or the baseline failed.",
    )
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="results_<run>.json")
    for name, what in _OUTPUTS.items():
        parser.add_argument(
            f"--{name}", metavar="FILE", type=Path, help=f"write {what} to this file"
        )
    parser.add_argument("-v", "--verbose", action="store_true", help="show all cases")
    parser.set_defaults(run=_report)


def _report(args: argparse.Namespace) -> int:
    from .recorded_runs import read_files

    wanted = {name: path for name in _OUTPUTS if (path := getattr(args, name)) is not None}
    _check(wanted, args.files)
    files = read_files(args.files)

    def work(run: Run) -> int:
        from ..plugin.project_reports import write_reports
        from ..report.summary import TerminalSummary
        from .recorded_runs import has_failed, record_of_files
        from .results import screen_here

        record = record_of_files(run, files)

        def path_of(name: str) -> Path | None:
            # in GitHub Actions, the summary of the step is written as a run writes it
            return run.output(name) if name == "github" else wanted.get(name)

        notes = write_reports(run, record, path_of)
        TerminalSummary(print, screen_here(), int(args.verbose), notes).write(record)
        for line in run.notices():
            print(line)
        return FAILED if has_failed(record) else PASSED

    return in_project(work)


def _check(wanted: Mapping[str, Path], inputs: Sequence[Path]) -> None:
    """
    Raises:
        ConfigurationError: an output has the path of a results file or another output, or cannot be
            written.
    """
    named: dict[str, str] = {}
    for name, path in wanted.items():
        check_output(path, f"--{name}", *inputs)
        other = named.setdefault(os.path.realpath(path), name)
        if other != name:
            raise ConfigurationError(
                f"--{other} and --{name} name one file, {path}; use different files"
            )
