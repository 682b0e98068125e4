"""Folders and files of the user alone; the store's folder, kept out of git and of backups."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from .files.atomic import write_private
from .files.private import check_plain, read_private

DATABASE = "cache.db"  # in the store's folder
_CACHEDIR_TAG = """\
Signature: 8a477f597d28d172789f06886806bc55
# Verdicts of pytest-ragassert; delete the folder to ask every judge again.
"""


_MARKS = ((".gitignore", "*\n"), ("CACHEDIR.TAG", _CACHEDIR_TAG))


def make_store_folder(folder: Path) -> None:
    """Make the folder, with mode 0700, and what marks it, where they are not there.

    Raises:
        OSError: it can't be made, or is a link.
    """
    check_store_folder(folder)
    make_private(folder, parents=True)
    for name, text in _MARKS:
        if not _is_marked(folder / name, text):
            write_private(folder / name, text)


def _is_marked(path: Path, text: str) -> bool:
    """Whether the file is there, and is more than the beginning that a full disk left of it."""
    try:
        found = read_private(path)
    except OSError:
        return path.is_dir() and not path.is_symlink()
    return found == text.encode() or not text.encode().startswith(found)


def check_store_folder(folder: Path) -> None:
    """Check that the folder is where its name says, so that nothing outside it is touched.

    Raises:
        OSError: it is a link.
    """
    if folder.is_symlink():
        what = "it is a link: give the folder that it leads to with --ragassert-cache-dir"
        raise NotADirectoryError(errno.ENOTDIR, what, str(folder))


def plain_in_store(folder: Path, name: str) -> Path:
    """The path of a plain file in the store's folder, whether or not it is there.

    Raises:
        OSError: it is no plain file, or the folder is a link.
    """
    check_store_folder(folder)
    check_plain(folder / name)
    return folder / name


def read_in_store(folder: Path, name: str) -> bytes:
    """The bytes of a plain file in the store's folder.

    Raises:
        OSError: it can't be read, is no plain file, or the folder is a link.
    """
    return read_private(plain_in_store(folder, name))


def make_private(folder: Path, *, parents: bool = False) -> None:
    """Make a folder with mode 0700, whatever the umask; one that is there stays as it is."""
    try:
        folder.mkdir(mode=0o700, parents=parents)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(0o700)


def check_own(folder: Path) -> None:
    """Check that a folder in a place that others write to is this user's own, and closed to them.

    Raises:
        OSError: it is not there, is no folder or a link to one, belongs to another user, or others
            can write to it.
    """
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "it is no folder of its own", str(folder))
    if not hasattr(os, "geteuid"):
        return  # Windows: the temporary folder is the user's own
    if found.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "it belongs to another user", str(folder))
    if stat.S_IMODE(found.st_mode) & 0o022:
        raise PermissionError(errno.EPERM, "other users can write to it", str(folder))


def is_own(folder: Path) -> bool:
    try:
        check_own(folder)
    except OSError:
        return False
    return True


# -- which models answered the last run -----------------------------------------------------------

_SERVED = "served.json"  # read by the header of every run with a judge


def keep_served(folder: Path, served: Mapping[str, Sequence[str]]) -> None:
    """Write the names by model, in the store's folder, which is there.

    Raises:
        OSError: the file can't be written.
    """
    text = json.dumps({model: sorted(names) for model, names in served.items()})
    write_private(plain_in_store(folder, _SERVED), text)


def read_served(folder: Path) -> dict[str, list[str]]:
    """The names by model; none where the last run left none."""
    try:
        served = json.loads(read_in_store(folder, _SERVED))
        return {
            str(model): [str(name) for name in names]
            for model, names in served.items()
            if isinstance(names, list)
        }
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
