"""Folders and files that belong to the user alone; the store's folder, kept out of git and
backups.
"""

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
    """Create the folder, with mode 0700, and the files that mark it, if they do not exist.

    Raises:
        OSError: it can't be created, or is a link.
    """
    check_store_folder(folder)
    make_private(folder, parents=True)
    for name, text in _MARKS:
        if not _is_marked(folder / name, text):
            write_private(folder / name, text)


def _is_marked(path: Path, text: str) -> bool:
    """Whether the file exists, and is more than the beginning that a full disk left of it."""
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
        what = "it is a link: give the folder that it points to with --ragassert-cache-dir"
        raise NotADirectoryError(errno.ENOTDIR, what, str(folder))


def plain_in_store(folder: Path, name: str) -> Path:
    """Return the path of a plain file in the store's folder, existing or not.

    Raises:
        OSError: it is not a plain file, or the folder is a link.
    """
    check_store_folder(folder)
    check_plain(folder / name)
    return folder / name


def read_in_store(folder: Path, name: str) -> bytes:
    """Return the bytes of a plain file in the store's folder.

    Raises:
        OSError: it can't be read, is not a plain file, or the folder is a link.
    """
    return read_private(plain_in_store(folder, name))


def make_private(folder: Path, *, parents: bool = False) -> None:
    """Create a folder with mode 0700, whatever the umask; an existing one is not changed."""
    try:
        folder.mkdir(mode=0o700, parents=parents)
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(0o700)


def check_own(folder: Path) -> None:
    """Check that a folder in a place that others write to belongs to this user and is closed to
    others.

    Raises:
        OSError: it does not exist, is not a folder or is a link to one, belongs to another user, or
            others can write to it.
    """
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "it is not a separate folder", str(folder))
    if not hasattr(os, "geteuid"):
        return  # Windows: the temporary folder belongs to the user
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
    """Write the names by model to the store's folder, which exists.

    Raises:
        OSError: the file can't be written.
    """
    text = json.dumps({model: sorted(names) for model, names in served.items()})
    write_private(plain_in_store(folder, _SERVED), text)


def read_served(folder: Path) -> dict[str, list[str]]:
    """Return the names by model; none if the last run left none."""
    try:
        served = json.loads(read_in_store(folder, _SERVED))
        return {
            str(model): [str(name) for name in names]
            for model, names in served.items()
            if isinstance(names, list)
        }
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
