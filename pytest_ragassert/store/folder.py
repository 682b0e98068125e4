"""Folders and files of the user alone; the store's folder, kept out of git and of backups."""

from __future__ import annotations

import errno
import os
import stat
import uuid
from pathlib import Path

from ..whole_file import put_private

_CACHEDIR_TAG = """\
Signature: 8a477f597d28d172789f06886806bc55
# Verdicts of pytest-ragassert; delete the folder to ask every judge again.
"""


def make_store_folder(folder: Path) -> None:
    """Make the folder, with mode 0700, and what marks it, where they are not there.

    Raises:
        OSError: it can't be made.
    """
    make_private(folder, parents=True)
    for name, text in ((".gitignore", "*\n"), ("CACHEDIR.TAG", _CACHEDIR_TAG)):
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")


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


def private(path: str | Path, flags: int) -> int:
    """An opener for `open`: a new file has mode 0600, from its first byte on."""
    return os.open(path, flags, 0o600)


def write_private(path: str | Path, text: str, draft: str | Path | None = None) -> None:
    """Write a file of mode 0600; all of it or nothing, whoever reads meanwhile.

    Args:
        draft: what becomes the file, in the same file system; default: beside it.

    Raises:
        OSError: it can't be written; nothing is left of it.
    """
    put_private(path, text, os.fspath(draft or f"{path}.{uuid.uuid4().hex}.new"))
