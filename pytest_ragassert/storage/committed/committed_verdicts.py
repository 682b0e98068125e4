"""The verdicts that a project commits: a file or a folder, read and written alike."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from ..files.plain_files import check_output, check_output_folder, unwritable
from ..judged_sets import JudgedSet
from .verdict_file import VerdictFile
from .verdict_folder import VerdictFolder
from .verdict_line import VerdictLine
from .writing import write_file, write_folder

PathLike = str | os.PathLike[str]


class CommittedVerdicts(Protocol):
    """Committed verdicts by the key of their question."""

    path: Path

    def line(self, key: str) -> VerdictLine | None:
        """The verdict under a key; read and parsed at each call.

        Raises:
            ConfigurationError: it is damaged; names file and line.
        """

    def lines_under(self, keys: Collection[str]) -> dict[str, VerdictLine]:
        """Those of the verdicts that are there, by key; in one reading.

        Raises:
            ConfigurationError: one is damaged; names file and line.
        """

    def __contains__(self, key: object) -> bool: ...

    def keys(self) -> Collection[str]: ...

    def judges(self) -> set[str]:
        """Who gave the replies, as in `judge_name`; people and embedders are not among them."""

    def embedders(self) -> set[str]:
        """Who made the vectors, as in `judge_name`."""

    def lines(self) -> Iterator[VerdictLine]:
        """All of them, by step, judge and key.

        Raises:
            ConfigurationError: one is damaged; names file and line.
        """

    def judged_sets(self) -> Iterator[JudgedSet]:
        """The sets of passages that claims were judged against when they were asked for.

        What is damaged is passed over: whoever needs it says so.
        """

    def overrides(self) -> list[VerdictLine]:
        """What people decided, in the order of `lines`.

        Raises:
            ConfigurationError: one is damaged; names file and line.
        """


def open_verdicts(path: PathLike) -> CommittedVerdicts:
    """The verdicts of a file or folder; none where nothing is there.

    Raises:
        ConfigurationError: damage, a conflict of git, two replies under one key; names file and
            line, and says what to do.
    """
    return VerdictFolder(Path(path)) if is_folder(path) else VerdictFile(Path(path))


def update_verdicts(
    path: PathLike,
    change: Callable[[CommittedVerdicts], Iterable[VerdictLine]],
    option: str = "--ragassert-verdicts",
) -> None:
    """Let the file or folder hold the verdicts that `change` makes of those that are there.

    No other writer comes between. The bytes depend on nothing but the verdicts. A file is replaced
    whole; in a folder only files that change are written, each whole, and only those of verdicts
    are removed. Takes about three times the size of the file in memory.

    Args:
        path: as given to `open_verdicts`.
        change: gives lines in any order; called once more where an editor wrote meanwhile.
        option: how the user named the place, for the error.

    Raises:
        ConfigurationError: two lines of one key differ, or the system refuses; what was there
            stays. What `change` raises.
    """
    _write(path, lambda: change(open_verdicts(path)), option)


def write_verdicts(
    path: PathLike, lines: Iterable[VerdictLine], option: str = "--ragassert-verdicts"
) -> None:
    """Let the file or folder hold these verdicts and no others; otherwise as `update_verdicts`."""
    listed = list(lines)
    _write(path, lambda: listed, option)


def _write(path: PathLike, lines: Callable[[], Iterable[VerdictLine]], option: str) -> None:
    write = write_folder if is_folder(path) else write_file
    try:
        write(Path(path), lines)
    except OSError as error:
        raise unwritable(path, option, error) from None


def check_writable(path: PathLike, option: str = "--ragassert-verdicts") -> None:
    """Check that verdicts can be written there, before anything is spent on them.

    Raises:
        ConfigurationError: they can't; names the option.
    """
    check = check_output_folder if is_folder(path) else check_output
    check(path, option)


def is_folder(path: PathLike) -> bool:
    """Whether verdicts lie there in a folder: where one is, or where nothing is and the name ends
    in a slash or has no suffix."""
    text = os.fspath(path)
    if os.path.exists(text):
        return os.path.isdir(text)
    return text.endswith(("/", os.sep)) or not Path(text).suffix
