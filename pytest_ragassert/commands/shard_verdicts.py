"""Adds the verdicts that the shards of a run committed to those of the project."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..language.number_format import plural
from ..storage.committed.committed_verdicts import (
    CommittedVerdicts,
    check_writable,
    shard_file,
    update_verdicts,
)
from ..storage.committed.verdict_line import VerdictLine
from .foreign_lines import lines_in
from .merge_verdicts import Merged
from .output import Failed

if TYPE_CHECKING:
    from ..analysis.run_record import RunRecord
    from ..analysis.shards import Shards
    from ..plugin.run import Run

_OPTION = "--verdicts"


def place_of(run: Run, given: Path | None, inputs: Iterable[Path]) -> Path:
    """The file or folder of committed verdicts to write.

    Args:
        given: the file or folder on the command line, if any.
        inputs: the files of the shards.

    Raises:
        ConfigurationError: there is no place for the verdicts, or they cannot be written there.
    """
    path = given or run.verdicts
    if path is None:
        raise ConfigurationError(
            "the shards have verdicts, but there is no file for them: use --verdicts FILE, or set "
            "ragassert_verdicts in the ini file"
        )
    if path.resolve() in {one.resolve() for one in inputs}:
        raise ConfigurationError(f"{_OPTION}: {path} is also an input; name another file")
    check_writable(path, _OPTION)
    return path


def with_verdicts(
    run: Run,
    record: RunRecord,
    shards: Shards,
    files: Sequence[Path],
    path: Path,
    args: argparse.Namespace,
) -> RunRecord:
    """Add the shards' verdicts to the committed ones; return the record with lines on that. If that
    fails, the run fails.

    Args:
        files: a file of verdicts of each shard, in the order of the shards.
        path: the file or folder of committed verdicts.
        args: the options `prefer` and `prune_verdicts`.
    """
    kept = _keeps_unused(shards, files) if args.prune_verdicts else "it is not asked for"
    adding = _Adding(files, args.prefer, prunes=kept is None)
    try:
        update_verdicts(path, adding.change, _OPTION)
    except (ConfigurationError, Failed) as error:
        return _failed(record, f"verdicts: not written, so the run fails: {error}")
    lines = [f"verdicts: {adding} ({run.shown(path)}, {'pruned' if kept is None else 'written'})"]
    if args.prune_verdicts and kept is not None:
        lines.append(f"verdicts: nothing was removed, because {kept}")
    return replace(record, verdicts=lines)


def _failed(record: RunRecord, line: str) -> RunRecord:
    from ..report.outcome import failed_by

    outcome = record.outcome
    if outcome is not None:
        outcome = outcome.model_copy(update={"verdicts": "failed"})
        if outcome.failed_by in ("none", "other"):
            outcome.failed_by = failed_by(outcome)
    status = record.exit_status or 1
    return replace(record, outcome=outcome, exit_status=status, verdicts=[line])


def _keeps_unused(shards: Shards, files: Sequence[Path]) -> str | None:
    """Why the shards cannot tell which committed verdicts are unused; None: they can."""
    if shards.lacking is not None:
        return shards.lacking
    names = {path.name for path in files}
    for path, one in shards.files.items():
        if shard_file(one.run) not in names:
            return f"{path} has no file of verdicts: run the shard with --ragassert-update-verdicts"
    return shards.incomplete


class _Adding:
    """Adds verdicts of shards to the committed ones."""

    def __init__(self, files: Sequence[Path], prefer: str | None, *, prunes: bool) -> None:
        self._files = list(map(str, files))
        self._merged = Merged(prefer)
        self._prunes = prunes
        self._removed = self._all = 0

    def change(self, committed: CommittedVerdicts) -> list[VerdictLine]:
        """
        Raises:
            ConfigurationError: the committed verdicts are damaged.
            Failed: the verdicts of a shard are damaged, or two shards have different replies to one
                question.
        """
        before = {line.key: line for line in committed.lines()}
        self._merged.clear()
        used = set[str]()
        for path in self._files:
            for line in lines_in(path):
                used.add(line.key)
                if before.get(line.key) != line:
                    self._merged.add(line, path)
        new = {line.key: line for line in self._merged.lines()}
        kept = [
            line
            for line in before.values()
            if line.key not in new and (line.key in used or not self._prunes)
        ]
        self._removed = len(before.keys() - new.keys()) - len(kept)
        self._all = len(kept) + len(new)
        return [*kept, *new.values()]

    def __str__(self) -> str:
        removed = f", {self._removed} removed" if self._removed else ""
        new = f"{len(self._merged.lines())} new or replaced{self._merged.preference()}"
        shards = plural(len(self._files), "shard")
        return f"{shards} joined: {new}{removed}, {self._all} in all"
