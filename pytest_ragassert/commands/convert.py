"""`verdicts convert [FILE …]`: converts verdicts of earlier versions to the current format."""

from __future__ import annotations

import argparse
from dataclasses import replace

from ..language.number_format import plural
from ..storage.committed.committed_verdicts import check_writable, open_verdicts, update_verdicts
from ..storage.failed_claims import read_reported
from .conversion import Counts
from .convert_lines import LineConversion
from .convert_store import StoreConversion
from .foreign_lines import check_there, damage_fails, is_of_whole_question
from .locations import Places, add_action
from .lookup import store_in
from .output import CONVERT, say

_ABOUT = """\
Convert verdicts of earlier versions, which kept one reply per question, to one entry per judgement.
The command converts the store, or committed verdicts (FILE) whose questions are in the store. No
judge is asked. Anything that cannot be converted stays as it is and still works; a run with
--ragassert-update-verdicts rewrites it. Convert committed verdicts before the store: converting the
store keeps only the questions of the configured committed verdicts."""


def add_to(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = add_action(
        actions,
        "convert",
        "convert verdicts of earlier versions to the current format",
        _ABOUT,
        _convert,
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="a file or folder of committed verdicts (default: the store)",
    )


def _convert(args: argparse.Namespace, places: Places) -> int:
    for path in args.files:
        check_there(path)
        check_writable(path, "FILE")
    for path in args.files:
        _convert_lines(path, places)
    if not args.files:
        _convert_store(places)
    return 0


def _convert_store(places: Places) -> None:
    conversion = StoreConversion(places, _committed_questions(places))
    # what machines share may still be used by those with an earlier version
    with store_in(replace(places, store=places.store.disk)) as store:
        if not store.exists():
            say(f"store {places.folder}: does not exist")
            return
        conversion.convert(store)
    _tell(conversion.counts, f"store {places.folder}")
    if conversion.for_lines:
        count = conversion.for_lines
        say(
            f"  {plural(count, 'question')} {'stays' if count == 1 else 'stay'} in the store for "
            f"committed verdicts; convert those with: {CONVERT} {places.verdicts}"
        )


def _committed_questions(places: Places) -> set[str]:
    """The keys of whole questions among the project's committed verdicts."""
    with damage_fails():
        committed = places.committed()
        lines = committed.lines() if committed is not None else ()
        return {line.key for line in lines if is_of_whole_question(line)}


def _convert_lines(path: str, places: Places) -> None:
    with store_in(places) as store, damage_fails():
        conversion = LineConversion(places, store, read_reported(places.folder))
        conversion.changed(open_verdicts(path))
        writes = conversion.counts.changes
        if writes:
            update_verdicts(path, conversion.changed, "FILE")
    _tell(conversion.counts, path)
    if writes:
        say(f"written to {path}; commit it")


def _tell(counts: Counts, where: str) -> None:
    for line in counts.lines(where):
        say(line)
