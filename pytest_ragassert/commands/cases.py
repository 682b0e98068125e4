"""`cases FILE`: shows how a file of cases is read, and converts it to JSON lines."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from ..language.escaping import shortened, visible
from .measuring import check_measured, reading_cases, write_measured
from .output import FAILED, PASSED, named, say, say_value
from .project import in_project

if TYPE_CHECKING:
    from ..case import EvalCase
    from ..datasets.loading import ReadCases
    from ..plugin.run import Run

# maximum number of characters of a text, and of items of a list, that are shown
_LONGEST, _MOST = 2000, 20


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "cases",
        help="show how a file of cases is read",
        description="Read cases as tests do, and show the format, the columns, how many cases "
        "have each field, which metrics can measure them, and the first case. No judge is "
        "asked. The exit status is 1 if there are no cases.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a file of cases, or a folder")
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        help="jsonl, json, csv, tsv, yaml, parquet, arrow, excel, or the tool that wrote the file, "
        "such as ragas",
    )
    parser.add_argument(
        "--field",
        metavar="COLUMN=FIELD",
        action="append",
        default=[],
        help="the field that a column contains; repeatable",
    )
    parser.add_argument(
        "--skip", action="store_true", help="skip cases with mistakes, and list the mistakes"
    )
    parser.add_argument(
        "--output",
        metavar="FILE.jsonl",
        type=Path,
        help="write the cases to this file as JSON Lines",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    status: int = in_project(lambda run: _tell(run, args))
    return status


def _tell(run: Run, args: argparse.Namespace) -> int:
    if args.output is not None:
        check_measured(args.output, args.file, *_files_of(args.file))
    read = _read(args)
    _say_source(args.file, read)
    if not read.cases:
        return FAILED
    _say_fields(read)
    _say_metrics(run, read.cases)
    say()
    say(f"the first case, {named(read.cases[0].name)}:")
    for name, value in _written(read.cases[0]).items():
        say_value(name, _beginning(value))
    if args.output is not None:
        _write(args.output, read.cases)
    return PASSED


def _files_of(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []  # not a folder; or reported when it is read


def _beginning(value: Any) -> Any:
    """Shorten a value to what shows how it was read."""
    if isinstance(value, str):
        return shortened(value, _LONGEST)
    if isinstance(value, list):
        more = [f"… and {len(value) - _MOST} more"] if len(value) > _MOST else []
        return [*map(_beginning, value[:_MOST]), *more]
    if isinstance(value, dict):
        first = dict(itertools.islice(value.items(), _MOST))
        shown = {shortened(str(name), _LONGEST): _beginning(one) for name, one in first.items()}
        return {**shown, **({"…": f"{len(value) - _MOST} more"} if len(value) > _MOST else {})}
    return value


def _read(args: argparse.Namespace) -> ReadCases:
    from ..config.option_types import columns
    from ..datasets.columns import advice_for_command
    from ..datasets.loading import read_cases

    fields = None
    if args.field:
        try:
            fields = columns("\n".join(args.field))
        except ValueError as error:
            raise ConfigurationError(f"--field takes COLUMN=FIELD: {error}") from None
    with reading_cases(args.file):
        return read_cases(
            args.file,
            format=args.format,
            fields=fields,
            on_error="skip" if args.skip else "raise",
            way_out=advice_for_command,
        )


def _say_source(file: Path, read: ReadCases) -> None:
    from ..datasets.folders import passed_over

    for called, format in read.formats.items():
        say(f"{visible(called)}: {format}")
    if file.is_dir():
        others = [visible(one.name) for one in passed_over(file)]
        if others:
            say(f"ignored: {', '.join(others)}")
    for note in read.notes:
        for line in note.splitlines():
            say(f"note: {visible(line)}")
    say(f"{len(read.cases)} case{'s' * (len(read.cases) != 1)}")


def _say_fields(read: ReadCases) -> None:
    say()
    say("columns:")
    width = max(len(visible(column)) for column in [*read.columns, ""])
    for column, field in read.columns.items():
        say(f"  {visible(column):{width}}  {field}")
    say()
    say("fields:")
    counts: dict[str, int] = {}
    for case in read.cases:
        for name in _written(case):
            counts[name] = counts.get(name, 0) + 1
    for name, count in counts.items():
        missing = len(read.cases) - count
        say(f"  {name}: {f'missing in {missing} of {len(read.cases)}' if missing else 'in all'}")


def _say_metrics(run: Run, cases: Sequence[EvalCase]) -> None:
    from ..metrics.registry import Registry

    say()
    say("metrics:")
    for metric in Registry(run.hooks.metrics()):
        lacking = [missing for case in cases if (missing := metric.missing(case))]
        if not lacking:
            say(f"  {metric.name}: all cases")
        else:
            fields = ", ".join(dict.fromkeys(name for names in lacking for name in names))
            say(f"  {metric.name}: {len(cases) - len(lacking)} of {len(cases)}; needs {fields}")


def _written(case: EvalCase) -> dict[str, Any]:
    """The names of the fields that a case has."""
    return case.model_dump(exclude_defaults=True, exclude={"results"})


def _write(path: Path, cases: Sequence[EvalCase]) -> None:
    from ..storage.files.committed_text import readable

    lines = []
    for case in cases:
        try:
            lines.append(f"{readable(_written(case))}\n")
        except (ValueError, TypeError) as error:
            raise ConfigurationError(f"--output: case {case.name}: {error}") from None
    say()
    write_measured(path, "".join(lines), f"{len(cases)} case{'s' * (len(cases) > 1)}")
