"""`verdicts info`: lists what is stored and committed, and where."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from ..language.escaping import visible
from ..language.number_format import plural
from ..storage.committed.verdict_line import EMBED_TEXT, OVERRIDE, judge_name
from ..storage.contents import PRUNE, Content, content_of
from ..storage.failed_claims import NAME, read_reported
from .foreign_lines import damage_fails, is_of_whole_question
from .locations import NO_VERDICTS, Places, add_action
from .lookup import store_in
from .output import CONVERT, counted, named, say, short

_ABOUT = """\
List what is in the store and in the committed verdicts: how many verdicts, of which steps, judges
and served models, how old they are, and what this version no longer uses."""

_VERIFY = "python -m pytest_ragassert verdicts verify"


def add_to(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    add_action(actions, "info", "list what is stored and committed, and where", _ABOUT, _info)


def _info(args: argparse.Namespace, places: Places) -> int:
    _tell_store(places)
    _tell_reported(places.folder)
    _tell_committed(places)
    return 0


def _tell_store(places: Places) -> None:
    with store_in(places) as whole:
        for store in whole.parts():
            if not store.exists():
                say(f"store {store.place}: does not exist")
                continue
            tally = _Tally()
            for row in store.rows():
                tally.add(content_of(row))
            size = tally.texts if store.networked else _size(places.folder)
            say(f"store {store.place}: {size_in_words(size)}")
            tally.show(store.networked)


class _Tally:
    """Counts what is stored."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.steps: Counter[str] = Counter()
        self.judges: Counter[str] = Counter()
        self.served: Counter[str] = Counter()
        self.old: Counter[str] = Counter()
        self.times: list[str] = []
        self.carried = self.former = 0
        self.texts = 0  # bytes

    def add(self, content: Content) -> None:
        self.kinds[content.kind] += 1
        self.texts += len((content.row.text or "").encode("utf-8", "surrogatepass"))
        record = content.record
        if content.kind == "old":
            self.old[str(content.problem)] += 1
        if content.kind not in ("answer", "vector"):
            return
        self.former += content.is_of_whole_question
        self.carried += record.get("from") is not None
        self.steps[content.step] += 1
        self.judges[judge_name(record["judge"], record["model"])] += 1
        if content.kind == "answer":
            self.served[record["served"] or "not reported"] += 1
        if record["when"]:
            self.times.append(record["when"])

    def show(self, networked: bool) -> None:
        kinds = self.kinds
        _show_counts("steps", self.steps)
        _show_counts("judges", self.judges)
        _show_counts("served models", self.served)
        say(
            f"  their questions: {kinds['question']}, passages: {kinds['passage']}, parts of split "
            f"questions: {kinds['part']}"
        )
        if self.carried:
            say(f"  carried over: {self.carried}")
        if self.times:
            say(f"  oldest {visible(min(self.times))}, newest {visible(max(self.times))}")
        if self.former:
            say(f"  answers to whole questions, of an earlier version: {self.former}")
            say(f"    split them into judgements with: {CONVERT}")
        if self.old:
            _show_counts("not used by this version", self.old)
            say(f"    remove them with: {PRUNE}")
        if kinds["damaged"]:
            say(f"  damaged: {kinds['damaged']}")
            do = f"remove it with: {PRUNE}" if networked else f"list the damage with: {_VERIFY}"
            say(f"    {do}")


def _tell_reported(folder: Path) -> None:
    claims = len({claim.id for claim in read_reported(folder)})
    if claims:
        say(f"reported {folder / NAME}: {plural(claims, 'claim')} of failed results")


def _tell_committed(places: Places) -> None:
    if places.verdicts is None:
        say(NO_VERDICTS)
        return
    if not os.path.exists(places.verdicts):
        say(f"committed verdicts {places.verdicts}: do not exist")
        return
    steps: Counter[str] = Counter()
    judges: Counter[str] = Counter()
    by_hand = []
    carried = former = 0
    with damage_fails():
        committed = places.committed()
        for line in committed.lines() if committed is not None else ():
            if line.step == OVERRIDE:
                by_hand.append(line)
                continue
            steps[line.step] += 1
            carried += line.source is not None
            former += is_of_whole_question(line)
            if line.step != EMBED_TEXT:
                judges[line.judge] += 1
    say(f"committed verdicts {places.verdicts}: {size_in_words(_size(Path(places.verdicts)))}")
    _show_counts("steps", steps)
    _show_counts("judges", judges)
    if carried:
        say(f"  carried over: {carried}")
    if former:
        say(f"  answers to whole questions, of an earlier version: {former}")
        say(f"    split them into judgements with: {CONVERT} {places.verdicts}")
    say(f"  overrides: {len(by_hand)}")
    for line in by_hand:
        say(f"    {short(line.key)} {visible(str(line.reply.get('verdict')))}: {named(line.about)}")


def _show_counts(name: str, counts: Mapping[str, int]) -> None:
    say(f"  {name}: {', '.join(counted(counts)) or 'none'}")


def _size(path: Path) -> int:
    """The size of a file, or of all files in a folder, in bytes."""
    if not path.is_dir():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def size_in_words(count: int) -> str:
    """A size in bytes, kB or MB (powers of 1000)."""
    if count < 1000:
        return plural(count, "byte")
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
