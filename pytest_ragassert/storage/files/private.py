"""Files that belong to the user alone, in a folder where others may have put links and named
pipes.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

# Nothing that is stored is nearly as large; a planted file may be as large as a disk can pretend.
_MOST_BYTES = 2**28
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def private(path: str | Path, flags: int) -> int:
    """An opener for `open` that opens only plain files and creates new ones with mode 0600.

    It follows no link and does not wait, as opening a named pipe would.

    Raises:
        OSError: it can't be opened, or is not a plain file.
    """
    try:
        descriptor = os.open(path, flags | _CAREFULLY, 0o600)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise not_plain(path) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise not_plain(path)
    return descriptor


def read_private(path: str | Path) -> bytes:
    """Return the bytes of a plain file.

    Raises:
        OSError: it can't be read, is not a plain file, or is larger than anything that is stored.
    """
    with open(path, "rb", opener=private) as file:
        if os.fstat(file.fileno()).st_size > _MOST_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(path))
        return file.read()


def check_plain(path: str | Path) -> None:
    """Check that a file that other code opens is a plain file or does not exist.

    Raises:
        OSError: it is something else, or can't be reached.
    """
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(found.st_mode):
        raise not_plain(path)


def not_plain(path: str | Path) -> OSError:
    name = os.path.basename(path)
    return OSError(errno.EINVAL, f"{name} is a link, or not a plain file", os.fspath(path))
