"""`verdicts prune`: removes what the store no longer needs."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..language.number_format import plural
from ..steps.evidence.passage_hashes import HASH_DIGITS
from ..storage.contents import Content, Row, UnreadableStore, content_of, named_passages
from ..storage.failed_claims import forget_reported, read_reported
from ..storage.keys import time_in_words
from ..storage.store import Store
from .locations import Places, add_action
from .lookup import store_in
from .output import Failed, counted, say

_ABOUT = """\
Remove from the store what this version does not use: verdicts of other formats and prompts, damaged
rows, questions without an answer, passages without a verdict. With --older-than only verdicts of
that age are removed, unless --unused-versions is given too. A shared store is pruned for everyone
who uses it, of other versions, too; --store=disk leaves it alone. Committed verdicts do not change:
a test run prunes them with --ragassert-update-verdicts=prune."""
_DAY = 24 * 3600.0


def add_to(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = add_action(actions, "prune", "remove unused rows from the store", _ABOUT, _prune)
    parser.add_argument(
        "--older-than",
        metavar="DAYS",
        type=_days,
        help="remove verdicts answered, and claims reported, more than DAYS days ago",
    )
    parser.add_argument(
        "--unused-versions",
        action="store_true",
        help="remove what this version does not use (the default without --older-than)",
    )
    parser.add_argument("--dry-run", action="store_true", help="only list what would be removed")


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days from 0")
    return days


def _prune(args: argparse.Namespace, places: Places) -> int:
    age = args.older_than
    before = None if age is None else time_in_words(time.time() - age * _DAY)
    unused = args.unused_versions or before is None
    done = "would be removed from" if args.dry_run else "removed from"
    with store_in(places) as whole:
        for store in whole.parts():
            if not store.exists():
                say(f"store {store.place}: does not exist")
                continue
            chosen = list(_chosen(store, unused, before))
            if chosen and not args.dry_run:
                _remove(store, [row for row, _ in chosen])
            say(f"{plural(len(chosen), 'row')} {done} {store.place}")
            for line in counted(Counter(why for _, why in chosen)):
                say(f"  {line}")
    if before is not None:
        reported = sum(claim.when < before for claim in read_reported(places.folder))
        if not args.dry_run:
            _forget(places, before)
        if reported:
            say(f"{plural(reported, 'reported claim')} {done} {places.folder}")
    return 0


def _remove(store: Store, rows: Sequence[Row]) -> None:
    try:
        store.delete(rows)
    except UnreadableStore as error:
        raise Failed(f"the rows could not be removed from {store.place}: {error}") from None


def _forget(places: Places, before: str) -> None:
    try:
        forget_reported(places.folder, before)
    except OSError as error:
        raise Failed(f"the reported claims did not change: {error}") from None


def _chosen(store: Store, unused: bool, before: str | None) -> Iterator[tuple[Row, str]]:
    """The rows to remove, each with the reason."""
    others: list[_Beside] = []
    used: set[str] = set()  # passages, by hash
    unneeded: set[str] = set()
    kept: set[str] = set()
    removed: set[str] = set()
    for row in store.rows():
        content = content_of(row)
        if content.kind in ("question", "passage"):
            # without its texts, which may be many
            bare = row._replace(text=None)
            others.append(_Beside(bare, content.key, content.kind, named_passages(content)))
            continue
        why = _why(content, unused, before)
        if why is None:
            kept.add(content.key)
            used.update(named_passages(content))
        else:
            removed.add(content.key)
            unneeded.update(named_passages(content))
            yield row, why
    for question in (one for one in others if one.kind == "question"):
        why = None
        if question.key in removed:
            why = "questions of these"
        elif unused and question.key not in kept:
            why = "questions without an answer"
        (used if why is None else unneeded).update(question.passages)
        if why is not None:
            yield question.row, why
    for passage in (one for one in others if one.kind == "passage"):
        hash = passage.key[:HASH_DIGITS]
        if hash in used:
            continue
        if hash in unneeded:
            yield passage.row, "passages of these"
        elif unused:
            yield passage.row, "passages without a verdict"


class _Beside(NamedTuple):
    """A row that belongs to answers: a question or a passage.

    Attributes:
        passages: hashes of the passages that it names.
    """

    row: Row
    key: str
    kind: str
    passages: list[str]


def _why(content: Content, unused: bool, before: str | None) -> str | None:
    if unused and content.kind == "old":
        return str(content.problem)
    if unused and content.kind == "damaged":
        return "damaged"
    if before is not None and _answered(content) < before:
        return "old age"
    return None


def _answered(content: Content) -> str:
    """The time of the answer; if the record lacks it, the time when the row was written."""
    when = content.record.get("when")
    return when if isinstance(when, str) and when else time_in_words(content.row.when)
