"""`verdicts merge A B … -o OUT`: merges committed verdicts of several files or folders."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from ..errors import ConfigurationError
from ..language.number_format import plural
from ..storage.committed.committed_verdicts import check_writable, update_verdicts
from ..storage.committed.verdict_line import VerdictLine, difference, one_of
from .foreign_lines import check_there, damage_fails, lines_in, place_of
from .locations import plain_action
from .output import Failed, say, short

_ABOUT = """\
Merge committed verdicts of files and folders. OUT becomes a folder if its name ends in a slash or
has no suffix, and a file otherwise. OUT may be one of the inputs; any other OUT must not exist
yet."""


def add_to(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = plain_action(actions, "merge", "merge committed verdicts", _ABOUT)
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a file or folder of verdicts")
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="the file or folder to write"
    )
    parser.add_argument(
        "--prefer",
        choices=("first", "last"),
        help="which reply to use if inputs have different ones (default: fail)",
    )
    parser.set_defaults(run=_merge)


def _merge(args: argparse.Namespace) -> int:
    out = args.output
    check_writable(out, "--output")
    if os.path.exists(out) and not any(_is_same_place(out, path) for path in args.paths):
        raise ConfigurationError(
            f"{out} already exists and is not one of the inputs; list it as an input too, or "
            "choose another"
        )
    for path in args.paths:
        check_there(path)
    merged = Merged(args.prefer)
    with damage_fails():
        # read under the write lock: the output may be one of the inputs
        update_verdicts(out, lambda _: _lines(args.paths, merged), "--output")
    count = plural(len(merged.lines()), "verdict")
    say(f"{count} written to {out}{merged.preference()}")
    return 0


def _lines(paths: Sequence[str], merged: Merged) -> list[VerdictLine]:
    """
    Raises:
        Failed: there are no verdicts, or two differ and there is no preference.
    """
    merged.clear()
    for path in paths:
        for line in lines_in(path):
            merged.add(line, path)
    if not merged.lines():
        raise Failed(f"nothing was written: there are no verdicts in {', '.join(paths)}")
    return merged.lines()


class Merged:
    """Merges verdicts of several files and folders.

    Args:
        prefer: `first` or `last`, the reply to use if several differ; None: fail.
    """

    def __init__(self, prefer: str | None) -> None:
        self._prefer = prefer
        self._by_key: dict[str, tuple[VerdictLine, str]] = {}
        self._settled = 0

    def clear(self) -> None:
        self._by_key.clear()
        self._settled = 0

    def add(self, line: VerdictLine, path: str) -> None:
        """Add a verdict that was read from a file or folder.

        Raises:
            Failed: another verdict with its key differs, and there is no preference.
        """
        known, source = self._by_key.setdefault(line.key, (line, path))
        chosen = one_of(known, line)
        if chosen is None:
            self._settled += 1
            chosen = _preferred(self._prefer, (known, source), (line, path))
        self._by_key[line.key] = (chosen, source if chosen is known else path)

    def lines(self) -> list[VerdictLine]:
        return [line for line, _ in self._by_key.values()]

    def preference(self) -> str:
        """The number of verdicts that the preference decided, for the end of a line; empty if it
        decided none.
        """
        if not self._settled:
            return ""
        return f", {self._settled} of them by --prefer {self._prefer}"


def _is_same_place(one: str, other: str) -> bool:
    return Path(one).resolve() == Path(other).resolve()


def _preferred(
    prefer: str | None, first: tuple[VerdictLine, str], last: tuple[VerdictLine, str]
) -> VerdictLine:
    if prefer is None:
        places = [place_of(path, line) for line, path in (first, last)]
        raise Failed(
            f"nothing was written: {places[0]} and {places[1]}: {difference(first[0], last[0])} "
            f"for the same key {short(first[0].key)}; delete one, or use --prefer first or "
            "--prefer last"
        )
    return first[0] if prefer == "first" else last[0]
