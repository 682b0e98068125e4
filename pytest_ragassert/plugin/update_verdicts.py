"""Updates the committed verdicts at the end of a run, according to what the run used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigurationError
from ..storage.committed.committed_verdicts import (
    CommittedVerdicts,
    open_verdicts,
    shard_file,
    update_verdicts,
)
from ..storage.committed.verdict_line import VerdictLine, line_of, one_of
from ..storage.files.atomic import write_whole
from ..storage.files.git_attributes import UNION, is_union_merged, pattern_of
from ..storage.files.plain_files import reason_of
from ..storage.run_state.run_folder import RunFolder

if TYPE_CHECKING:
    from pathlib import Path

    from ..analysis.records.row_types import MeasuredRow
    from .run import Run


class Uses(NamedTuple):
    """Keys of the verdicts that a run used, compared with the committed ones.

    Attributes:
        used: keys answered by a committed verdict.
        replaced: keys with a committed verdict that was asked again, or did not fit and was
            ignored.
        former: of those used, the keys of whole questions that an earlier version committed, each
            with the keys of the judgements that replace it.
    """

    used: set[str]
    replaced: set[str]
    new: set[str]
    unused: set[str]
    former: dict[str, set[str]]

    def __str__(self) -> str:
        replaced = f"{len(self.replaced)} replaced, " if self.replaced else ""
        former = f" ({len(self.former)} of an earlier version)" if self.former else ""
        return (
            f"{len(self.used)} used{former}, {replaced}{len(self.new)} new, "
            f"{len(self.unused)} unused"
        )

    @property
    def to_write(self) -> set[str]:
        return self.new.union(self.replaced, *self.former.values())


def uses_of(rows: Sequence[MeasuredRow], committed: CommittedVerdicts) -> Uses:
    # failed questions are listed only for their cost
    asked = [asked for row in rows for asked in row["asked"] if asked["answered"]]
    known = set(committed.keys()) - {line.key for line in committed.overrides()}
    former: dict[str, set[str]] = {}
    for one in asked:
        if one["stored"] and one["key"] not in known and one["question"] in known:
            former.setdefault(one["question"], set()).add(one["key"])
    every = {one["key"] for one in asked}.difference(*former.values()).union(former)
    used = {one["key"] for one in asked if one["committed"]} & known | former.keys()
    # a replay that lacks one judgement of a question still looked up the others
    missed = (row["missed"] for row in rows if row["missed"] is not None)
    looked_up = {key for one in missed for keys in one["known"].values() for key in keys} & known
    every |= looked_up
    used |= looked_up
    # keep the source of a carried-over verdict, which shows whether it is still right
    sources = {one["source"] for one in asked if one["source"] is not None}
    return Uses(used, (every & known) - used, every - known, known - every - sources, former)


class NotWritten(Exception):
    """The committed verdicts could not be written; the message is a line of the summary."""


def committed_lines(run: Run, rows: Sequence[MeasuredRow], incomplete: str | None) -> list[str]:
    """Update the committed verdicts if configured; return the lines of the summary on them.

    Args:
        incomplete: why this run cannot tell which verdicts are unused; None: every test ran.

    Raises:
        NotWritten: the update is configured but the verdicts cannot be written.
    """
    path = run.verdicts
    if path is None or run.record_mode == "off" or run.judge == "offline":
        return []
    try:
        committed = open_verdicts(path)
    except ConfigurationError as error:
        return [f"verdicts: {error}"]
    uses = uses_of(rows, committed)
    summary = f"verdicts: {uses}"
    if run.updates is None:
        writes = "; --ragassert-update-verdicts writes the new ones"
        if uses.former and not (uses.new or uses.replaced):
            writes = "; --ragassert-update-verdicts rewrites those of an earlier version"
        hint = writes if uses.to_write else ""
        return [f"{summary} ({run.shown(path)}{hint})"]
    first = not path.exists()
    prunes = run.updates == "prune" and incomplete is None
    try:
        update = _Update(run, uses, prunes=prunes)
        update_verdicts(path, update.change)
    except ConfigurationError as error:
        raise NotWritten(f"{summary}; not written, so the run fails: {error}") from None
    if run.shard is not None and run.artifacts is not None:
        _write_for_join(run, path, run.artifacts, uses)
    done = "pruned" if prunes else "written"
    if not path.exists():
        done = "not created, because there is nothing to write"
    lines = [f"{summary} ({run.shown(path)}, {done})"]
    if run.updates == "prune" and incomplete is not None:
        lines.append(f"verdicts: nothing was removed, because {incomplete}")
    if update.lost:
        lines.append(
            f"verdicts: {update.lost} of the new ones could not be read again and were not written"
        )
    if update.others:
        lines.append(
            f"verdicts: meanwhile another run committed other replies to {update.others} of these "
            "questions, which this run replaced"
        )
    if first and path.is_file() and not is_union_merged(path):
        lines.append(
            f"verdicts: add the line {pattern_of(path.name)} {UNION} to .gitattributes to merge "
            "branches without conflicts"
        )
    return lines


def _write_for_join(run: Run, path: Path, folder: Path, uses: Uses) -> None:
    """Write the committed verdicts that this shard uses next to its results.

    Raises:
        NotWritten: they cannot be written.
    """
    file = folder / shard_file(run.id)
    lines = (line for line in open_verdicts(path).lines() if line.key not in uses.unused)
    try:
        # even if there are none, so that the join knows that this shard uses none
        write_whole(file, (f"{line.to_text()}\n" for line in lines))
    except OSError as error:
        raise NotWritten(
            f"verdicts: {uses}; written to {run.shown(path)}, but not to {run.shown(file)} for the "
            f"join, so the run fails: {reason_of(error)}"
        ) from None


class _Update:
    """The changes that a run makes to the committed verdicts.

    Attributes:
        lost: the number of new verdicts that could not be found.
        others: the number of replaced verdicts that another run committed since this one began.
    """

    def __init__(self, run: Run, uses: Uses, *, prunes: bool) -> None:
        wanted = uses.to_write
        self._run = run.run_folder()
        self._own = _answered(run, wanted)
        self._missing = wanted - self._own.keys()
        self._before = run.committed_at_start
        # keep what another run added since this one began
        self._removed = uses.unused & self._before if prunes else set()
        # a whole question is replaced by its judgements if all of them were found
        self._removed |= {key for key, own in uses.former.items() if own.isdisjoint(self._missing)}
        self.lost = self.others = 0

    def change(self, committed: CommittedVerdicts) -> Iterator[VerdictLine]:
        self.lost = sum(key not in committed for key in self._missing)
        self.others = 0
        own = dict(self._own)
        for line in committed.lines():
            if line.key in own and line.key not in self._before:
                chosen = one_of(own[line.key], line)
                self.others += chosen is None
                own[line.key] = chosen or own[line.key]
            elif line.key not in own and line.key not in self._removed:
                yield self._anew(line)
        yield from own.values()

    def _anew(self, line: VerdictLine) -> VerdictLine:
        """The line in the current format, if the run used one from an earlier version."""
        text = None if line.asked else self._run.converted(line.key)
        made = None if text is None else line_of(line.key, text)
        return line if made is None else one_of(line, made) or line


def _answered(run: Run, keys: set[str]) -> dict[str, VerdictLine]:
    """The answers of a run as lines, wherever they are stored."""
    folder = RunFolder(run.path)
    made = {key: folder.answer(key) or folder.converted(key) for key in keys}
    texts = {key: text for key, text in made.items() if text is not None}
    if run.record_mode != "none" and run.has_store:
        from ..storage.open_store import open_store

        with open_store(run.store_place, folder.add_notice) as store:
            texts |= store.get_many(keys - texts.keys())
    lines = {key: line_of(key, text) for key, text in texts.items()}
    return {key: line for key, line in lines.items() if line is not None}
