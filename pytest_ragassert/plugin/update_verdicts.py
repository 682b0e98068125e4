"""Updates the committed verdicts at the end of a run, by what it used of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigurationError
from ..storage.committed.committed_verdicts import CommittedVerdicts, open_verdicts, update_verdicts
from ..storage.committed.verdict_line import VerdictLine, line_of, one_of
from ..storage.run_state.run_folder import RunFolder

if TYPE_CHECKING:
    from ..analysis.records.row_types import MeasuredRow
    from .run import Run


class Uses(NamedTuple):
    """Keys of what a run used, against those that are committed.

    Attributes:
        used: answered by a committed verdict.
        replaced: one is committed, but it was asked again, or did not fit and was passed over.
        former: of those used, the keys of whole questions that an earlier version committed, each
            with the keys of its judgements, which are to be committed in its place.
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
    # what failed is there for what it cost
    asked = [asked for row in rows for asked in row["asked"] if asked["answered"]]
    known = set(committed.keys()) - {line.key for line in committed.overrides()}
    former: dict[str, set[str]] = {}
    for one in asked:
        if one["stored"] and one["key"] not in known and one["question"] in known:
            former.setdefault(one["question"], set()).add(one["key"])
    every = {one["key"] for one in asked}.difference(*former.values()).union(former)
    used = {one["key"] for one in asked if one["committed"]} & known | former.keys()
    # a replay that lacks one judgement of a question has looked up its others
    missed = (row["missed"] for row in rows if row["missed"] is not None)
    looked_up = {key for one in missed for keys in one["known"].values() for key in keys} & known
    every |= looked_up
    used |= looked_up
    # what another verdict was carried over from stays with it: it says whether that is still right
    sources = {one["source"] for one in asked if one["source"] is not None}
    return Uses(used, (every & known) - used, every - known, known - every - sources, former)


class NotWritten(Exception):
    """The committed verdicts could not be written; its text is a line of the summary."""


def committed_lines(run: Run, rows: Sequence[MeasuredRow], incomplete: str | None) -> list[str]:
    """What the summary says of the committed verdicts, which are written where that is wanted.

    Args:
        incomplete: why this run can't say which verdicts are unused; None: all that uses them ran.

    Raises:
        NotWritten: they were to be written and can't be.
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
            writes = "; --ragassert-update-verdicts writes those of an earlier version anew"
        hint = writes if uses.to_write else ""
        return [f"{summary} ({run.shown(path)}{hint})"]
    first = not path.exists()
    prunes = run.updates == "prune" and incomplete is None
    try:
        update = _Update(run, uses, prunes=prunes)
        update_verdicts(path, update.change)
    except ConfigurationError as error:
        raise NotWritten(f"{summary}; not written, the run does not pass: {error}") from None
    done = "pruned" if prunes else "written"
    if not path.exists():
        done = "not there, as there is nothing to write"
    lines = [f"{summary} ({run.shown(path)}, {done})"]
    if run.updates == "prune" and incomplete is not None:
        lines.append(f"verdicts: nothing was removed, because {incomplete}")
    if update.lost:
        lines.append(
            f"verdicts: {update.lost} of the new ones are nowhere to be read and not written"
        )
    if update.others:
        lines.append(
            f"verdicts: another run committed other replies to {update.others} of these questions "
            "meanwhile; this run's took their place"
        )
    if first and path.is_file():
        lines.append(
            f"verdicts: the line {_pattern(path.name)} merge=union in .gitattributes merges "
            "branches without conflict"
        )
    return lines


class _Update:
    """The change that a run makes to the committed verdicts.

    Attributes:
        lost: how many new verdicts could not be found.
        others: how many of another run's, committed since this one began, were replaced.
    """

    def __init__(self, run: Run, uses: Uses, *, prunes: bool) -> None:
        wanted = uses.to_write
        self._run = run.run_folder()
        self._own = _answered(run, wanted)
        self._missing = wanted - self._own.keys()
        self._before = run.committed_at_start
        # what another run has added since is not this one's to remove
        self._removed = uses.unused & self._before if prunes else set()
        # in place of a whole question its judgements stand there, where all could be found
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
        """The line as this version writes it, where the run used one of an earlier version."""
        text = None if line.asked else self._run.converted(line.key)
        made = None if text is None else line_of(line.key, text)
        return line if made is None else one_of(line, made) or line


def _pattern(name: str) -> str:
    """A file's name as a pattern of git's, which ends at a space unless it is quoted."""
    return name if name.isascii() and " " not in name else json.dumps(name, ensure_ascii=False)


def _answered(run: Run, keys: set[str]) -> dict[str, VerdictLine]:
    """The answers of a run as lines, wherever they lie."""
    folder = RunFolder(run.path)
    made = {key: folder.answer(key) or folder.converted(key) for key in keys}
    texts = {key: text for key, text in made.items() if text is not None}
    if run.record_mode != "none" and run.folder.exists():
        from ..storage.open_store import open_store

        with open_store(run.folder, folder.add_notice) as store:
            texts |= store.get_many(keys - texts.keys())
    lines = {key: line_of(key, text) for key, text in texts.items()}
    return {key: line for key, line in lines.items() if line is not None}
