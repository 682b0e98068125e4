"""`join PATH…`: joins the shards of a run, and checks the whole run."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigurationError
from ..storage.committed.committed_verdicts import shard_file
from ..storage.files.plain_files import unwritable
from .gate_options import add_gates, gate_options
from .output import Failed
from .project import in_project
from .report import add_outputs, checked_outputs, reported
from .shard_verdicts import place_of, with_verdicts

if TYPE_CHECKING:
    from ..analysis.records.results_file import ResultsFile
    from ..analysis.run_record import RunRecord
    from ..analysis.shards import Shards
    from ..plugin.run import Run

_ABOUT = """\
Join the shards of a run: check the project's gates and baseline over all of them, write reports,
and add the verdicts that the shards committed to the project's. The exit status is 1 if a test, a
gate or the baseline failed, if a shard is missing or was interrupted, or if the verdicts could not
be written."""
_RESULTS, _VERDICTS = "results_*.json", shard_file("*")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    add_as(commands, "join", "join the shards of a run, and check the whole run")


def add_as(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, help: str
) -> None:
    """Add the command under a name."""
    parser = commands.add_parser(name, help=help, description=_ABOUT)
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        type=Path,
        help=f"a folder with {_RESULTS} and {_VERDICTS}, at any depth, or such a file",
    )
    parser.add_argument(
        "--shards",
        metavar="N",
        type=_number,
        help="the number of shards (default: as in the files of shards with --ragassert-shard)",
    )
    add_outputs(parser)
    parser.add_argument("--out", metavar="FILE", type=Path, help="write the joined results file")
    parser.add_argument("--baseline", metavar="FILE", help="instead of the project's")
    parser.add_argument(
        "--update-baseline",
        nargs="?",
        choices=("on", "prune"),
        const="on",
        help="write the results to the baseline; =prune also removes results that are not among "
        "them",
    )
    add_gates(parser)
    parser.add_argument(
        "--verdicts",
        metavar="PATH",
        type=Path,
        help="the file or folder of committed verdicts, instead of the project's",
    )
    parser.add_argument(
        "--prefer",
        choices=("first", "last"),
        help="which reply to use if shards have different ones (default: fail)",
    )
    parser.add_argument(
        "--prune-verdicts",
        action="store_true",
        help="also remove committed verdicts that no shard used",
    )
    parser.set_defaults(run=_join)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of shards from 1")
    return int(text)


class _Found(NamedTuple):
    """The files of shards."""

    results: Sequence[Path]
    verdicts: Sequence[Path]


def _files_in(paths: Sequence[Path]) -> _Found:
    """
    Raises:
        ConfigurationError: a path does not exist.
        Failed: there is no results file.
    """
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            raise ConfigurationError(f"{path}: no such file or folder")
        files += _below(path) if path.is_dir() else [path]
    verdicts = [path for path in files if path.match(_VERDICTS)]
    results = [path for path in files if not path.match(_VERDICTS)]
    if not results:
        raise Failed(
            f"there is no {_RESULTS} in {', '.join(map(str, paths))}: all shards are missing, or "
            "ran without --ragassert-artifacts=DIR"
        )
    return _Found(results, verdicts)


def _below(folder: Path) -> Iterator[Path]:
    for pattern in (_RESULTS, _VERDICTS):
        yield from sorted(path for path in folder.rglob(pattern) if path.is_file())


def _join(args: argparse.Namespace) -> int:
    from ..analysis.shards import shards_of
    from .recorded_runs import joined, read_files

    checked_outputs(args, args.paths, out=args.out)
    found = _files_in(args.paths)
    inputs = [*found.results, *found.verdicts]
    # an input in a folder is known only now
    wanted = checked_outputs(args, inputs, out=args.out)
    files = read_files(found.results)
    shards = shards_of(files, args.shards)
    verdicts = _verdicts_of(shards, files, found.verdicts)

    def work(run: Run) -> int:
        def path_of(name: str) -> Path | None:
            # these are written as a run writes them
            return run.output(name) if name in ("github", "history") else wanted.get(name)

        place = place_of(run, args.verdicts, inputs) if verdicts else None
        record = joined(run, shards)
        if place is not None:
            record = with_verdicts(run, record, shards, verdicts, place, args)
        notes = [] if args.out is None else _written(record, args.out)
        return reported(run, record, path_of, verbosity=int(args.verbose), notes=notes)

    return in_project(work, [*_baseline_options(args), *gate_options(args)])


def _verdicts_of(
    shards: Shards, files: Mapping[str, ResultsFile], verdicts: Sequence[Path]
) -> list[Path]:
    """The files of verdicts in the order of their shards, without those of runs that do not
    count.
    """
    order = [shard_file(one.run) for one in shards.files.values()]
    known = {shard_file(one.run) for one in files.values()}
    # a shard may have been killed between its verdicts and its results
    by_name = {path.name: path for path in verdicts}
    own = [by_name[name] for name in order if name in by_name]
    return own + [path for name, path in by_name.items() if name not in known]


def _baseline_options(args: argparse.Namespace) -> list[str]:
    options = [f"--ragassert-baseline={args.baseline}"] if args.baseline else []
    if args.update_baseline:
        prune = "=prune" if args.update_baseline == "prune" else ""
        options.append(f"--ragassert-update-baseline{prune}")
    return options


def _written(record: RunRecord, path: Path) -> list[str]:
    """Write the joined results file; return a note."""
    from ..analysis.run_record import results_file
    from ..storage.files.atomic import write_whole

    try:
        write_whole(path, [results_file(record).to_text()])
    except OSError as error:
        raise unwritable(path, "--out", error) from None
    return [f"results in {path}"]
