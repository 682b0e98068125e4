"""Restricts reading and replacing to plain files.

Replacing a device, a named pipe or a socket would take it away from the system, and reading one may
never end.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ...errors import ConfigurationError

PathLike = str | os.PathLike[str]

_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# Folders whose entries are devices and open files, although some of them look plain.
_SYSTEM = re.compile("/dev(/fd)?|/proc(/.*)?")
_MOST_LINKS = 40  # Linux follows at most this many links


def open_plain(path: PathLike, buffering: int = -1) -> BinaryIO:
    """Open a plain file to read its bytes, without ever waiting for a writer.

    Raises:
        OSError: it can't be opened, or is not a plain file; `strerror` says what it is.
    """

    def opener(name: str, flags: int) -> int:
        # merely opening may affect a device
        _check_plain(os.stat(name), name)
        descriptor = os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
        try:
            _check_plain(os.fstat(descriptor), name)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    with _no_null(path):
        return open(path, "rb", buffering, opener=opener)


def read_plain(path: PathLike) -> bytes:
    """Return the bytes of a plain file.

    Raises:
        OSError: as in `open_plain`.
    """
    with open_plain(path) as file:
        return file.read()


def target_of(path: PathLike) -> Path:
    """Return the plain file, existing or not, that is replaced by writing to a path.

    A link remains, and the file that it points to is replaced.

    Raises:
        OSError: something else is there, or nothing can be there.
    """
    with _no_null(path):
        with contextlib.suppress(FileNotFoundError):
            _check_plain(os.stat(path), path)
        if _is_of_system(path):
            raise OSError(
                errno.EINVAL, "it belongs to the system and is not a plain file", os.fspath(path)
            )
        return Path(os.path.realpath(path))


def check_output(path: PathLike, option: str, *inputs: PathLike) -> None:
    """Check that a file can be written, before anything is spent on its content.

    Args:
        option: how the user named the file, for the error.
        inputs: files that must not be replaced.

    Raises:
        ConfigurationError: it is not a plain file, is read-only or one of the inputs, or its folder
            does not allow new files; the message names the option.
    """
    try:
        target = target_of(path)
        if any(target == Path(os.path.realpath(file)) for file in inputs):
            raise OSError(errno.EINVAL, "it is also an input; name another file", str(target))
        _check_takes_files(_first_folder(target.parent))
        if target.exists():
            _check_permissions(target)
    except OSError as error:
        raise unwritable(path, option, error) from None


def check_output_kind(path: PathLike, option: str) -> None:
    """Check that a path is that of a plain file, existing or not.

    Raises:
        ConfigurationError: it is not; the message names the option.
    """
    try:
        target_of(path)
    except OSError as error:
        raise unwritable(path, option, error) from None


def check_output_folder(path: PathLike, option: str, *, kind_only: bool = False) -> None:
    """Check that files can be written in a folder, which need not exist.

    Args:
        kind_only: do not check permissions.

    Raises:
        ConfigurationError: they can't; the message names the option.
    """
    try:
        with _no_null(path):
            folder = _first_folder(Path(os.path.realpath(path)))
            if not kind_only:
                _check_takes_files(folder)
    except OSError as error:
        raise unwritable(path, option, error) from None


def text_of(raw: bytes, line: int = 1) -> str:
    """Return the text of a file in UTF-8, or of a line of it, with or without a byte order mark.

    Args:
        line: the number of the first line, for the error.

    Raises:
        ValueError: it is not UTF-8; the message says where.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(not_utf8_since(error, line)) from None


def not_utf8(error: UnicodeDecodeError) -> str:
    return f"not UTF-8 (it has the byte 0x{error.object[error.start]:02x})"


def not_utf8_since(error: UnicodeDecodeError, line: int) -> str:
    """Return the message about a file that is not UTF-8.

    Args:
        line: the number of the first line that was decoded.
    """
    line += error.object.count(b"\n", 0, error.start)
    return f"{not_utf8(error)}, first in line {line}; save the file as UTF-8"


def reason_of(error: Exception) -> str:
    """Return why a file can't be read or written, without its name."""
    return str(getattr(error, "strerror", None) or error)


def cant_be_read(error: OSError) -> str:
    """Return the message about a file that can't be read, without its name."""
    return f"can't be read: {reason_of(error)}"


def unreadable(path: PathLike, error: OSError, option: str = "") -> ConfigurationError:
    """Return the message for a user who named an input.

    Args:
        path: the file, or a folder that contains the one named by the error.
        option: the option, or the words by which the user knows it; empty: none.
    """
    place = error.filename if isinstance(error.filename, str) else os.fspath(path)
    return ConfigurationError(f"{option}{': ' * bool(option)}{place} {cant_be_read(error)}")


def unwritable(path: PathLike, option: str, error: Exception) -> ConfigurationError:
    """Return the message for a user who named an output by `option`."""
    why = reason_of(error)
    return ConfigurationError(f"{option}: {os.fspath(path)} can't be written: {why}")


def _check_plain(status: os.stat_result, path: PathLike) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, not a plain file", os.fspath(path))


def _is_of_system(path: PathLike) -> bool:
    """Whether a path leads through the system's own files, such as /dev/stdout, directly or by
    links.
    """
    step = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        folder = os.path.realpath(os.path.dirname(step))
        if _SYSTEM.fullmatch(folder):
            return True
        if not os.path.islink(step):
            return False
        step = os.path.join(folder, os.readlink(step))
    return False


def _first_folder(path: Path) -> Path:
    """Return the folder or, if it does not exist, the one to create it in.

    Raises:
        OSError: something else is there.
    """
    while True:
        try:
            status = os.stat(path)
        except FileNotFoundError:
            path = path.parent
            continue
        if not stat.S_ISDIR(status.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, f"{path} is not a folder", str(path))
        return path


def _check_takes_files(folder: Path) -> None:
    if not _allows(folder, os.W_OK | os.X_OK):
        why = f"no permission to write in the folder {folder}"
        raise PermissionError(errno.EACCES, why, str(folder))


def _check_permissions(file: Path) -> None:
    if not _allows(file, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only", str(file))


def _allows(path: Path, mode: int) -> bool:
    return os.access(path, mode, effective_ids=os.access in os.supports_effective_ids)


@contextlib.contextmanager
def _no_null(path: PathLike) -> Iterator[None]:
    """Treat a path that no system accepts like one that can't be opened."""
    try:
        yield
    except ValueError as error:
        raise OSError(errno.EINVAL, str(error), os.fspath(path)) from None
