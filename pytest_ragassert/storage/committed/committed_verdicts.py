"""The verdicts that a project commits: a file or a folder, with one interface for both."""

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
        """Return the verdict under a key; it is read and parsed at each call.

        Raises:
            ConfigurationError: it is damaged; the message names file and line.
        """

    def lines_under(self, keys: Collection[str]) -> dict[str, VerdictLine]:
        """Return those of the verdicts that exist, by key, in one pass.

        Raises:
            ConfigurationError: one is damaged; the message names file and line.
        """

    def __contains__(self, key: object) -> bool: ...

    def keys(self) -> Collection[str]: ...

    def judges(self) -> set[str]:
        """Return the judges of the replies, as in `judge_name`, without people and embedders."""

    def embedders(self) -> set[str]:
        """Return the embedders of the vectors, as in `judge_name`."""

    def lines(self) -> Iterator[VerdictLine]:
        """Yield all verdicts, by step, judge and key.

        Raises:
            ConfigurationError: one is damaged; the message names file and line.
        """

    def judged_sets(self) -> Iterator[JudgedSet]:
        """Return the sets of passages that claims were judged against when they were asked.

        Damaged lines are ignored; the code that needs such a line reports it.
        """

    def overrides(self) -> list[VerdictLine]:
        """Return the overrides, in the order of `lines`.

        Raises:
            ConfigurationError: one is damaged; the message names file and line.
        """


def open_verdicts(path: PathLike) -> CommittedVerdicts:
    """Open the verdicts of a file or folder, which need not exist.

    Raises:
        ConfigurationError: there is damage, a git conflict, or a key with two replies. The message
            names file and line, and says what to do.
    """
    return VerdictFolder(Path(path)) if is_folder(path) else VerdictFile(Path(path))


def update_verdicts(
    path: PathLike,
    change: Callable[[CommittedVerdicts], Iterable[VerdictLine]],
    option: str = "--ragassert-verdicts",
) -> None:
    """Write the verdicts that `change` makes of those in the file or folder.

    No other writer interferes. The bytes depend only on the verdicts. A file is replaced as a
    whole. In a folder, only changed files are written, each as a whole, and only files of verdicts
    are removed. This needs about three times the size of the file in memory.

    Args:
        path: as given to `open_verdicts`.
        change: returns lines in any order; called again if an editor wrote in the meantime. Its
            errors are passed on.
        option: how the user named the path, for the error.

    Raises:
        ConfigurationError: two lines with one key differ, or the system refuses; the existing
            verdicts are not changed.
    """
    _write(path, lambda: change(open_verdicts(path)), option)


def write_verdicts(
    path: PathLike, lines: Iterable[VerdictLine], option: str = "--ragassert-verdicts"
) -> None:
    """Write these verdicts and remove all others; otherwise like `update_verdicts`."""
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
        ConfigurationError: they can't; the message names the option.
    """
    check = check_output_folder if is_folder(path) else check_output
    check(path, option)


def shard_file(run: str) -> str:
    """The name of the file with the committed verdicts that a shard uses; `run` is its run's id."""
    return f"verdicts_{run}.jsonl"


def is_folder(path: PathLike) -> bool:
    """Whether verdicts are kept there in a folder: it exists, or nothing exists and the name ends
    in a slash or has no suffix.
    """
    text = os.fspath(path)
    if os.path.exists(text):
        return os.path.isdir(text)
    return text.endswith(("/", os.sep)) or not Path(text).suffix
