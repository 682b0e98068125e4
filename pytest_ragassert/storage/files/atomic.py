"""The only way in which files are written: completely or not at all, even by several processes or
when killed.

A new file is written beside the old one, forced to the disk (fsync) and renamed. So every reader,
even after a kill or a power failure, finds either the old content or the new one. Writers lock the
folder (`locks`). If the system has unnamed files (Linux), the new one gets a name only when it is
complete. What a kill leaves in the instant before the renaming is removed by the next writer in
that folder.

The file keeps its permission bits, and its owner if the system allows this. Its other hard links
keep the old content.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from ...runtime.clock import Clock
from .locks import folder_held
from .plain_files import target_of

# On Windows a file that is being read can't be replaced; a look-up takes microseconds.
_TRIES = 5
_WAIT_SECONDS = 0.05
# Files that were not moved to their place: complete under the first name, unfinished under others.
_WHOLE_DRAFT = ".ragassert.new"
_DRAFTS = re.compile(r"\.ragassert(-[0-9a-f]{32})?\.new")
_FORGOTTEN_SECONDS = 3600
_BINARY = getattr(os, "O_BINARY", 0)

Change = Callable[[], bytes | None]


def write_whole(path: str | os.PathLike[str], parts: Iterable[str | bytes]) -> None:
    """Write a file, creating its folder if it is missing.

    Args:
        parts: texts are written in UTF-8.

    Raises:
        OSError: it can't be written, or is not a plain file; the old content stays.
    """
    target = target_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with held_folder(target.parent) as folder:
        folder.put(target, parts)


def update_whole(path: str | os.PathLike[str], change: Change, mode: int = 0o666) -> None:
    """Give a file the content that `change` makes of the old one, without other writers
    interfering.

    Nothing is written if the file already has that content.

    Args:
        change: reads the file, which need not exist; None leaves it unchanged. It is called again
            if a program that uses no lock, such as an editor, wrote in the meantime.
        mode: of a new file, less the umask.

    Raises:
        OSError: it can't be written, or is not a plain file; the old content stays.
    """
    target = target_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with held_folder(target.parent) as folder:
        if not any(_updated(folder, target, change, mode) for _ in range(_TRIES)):
            raise OSError(f"{target} is constantly being written by another program")


def _updated(folder: HeldFolder, target: Path, change: Change, mode: int) -> bool:
    before = _stamp(target)
    content = change()
    if content is None or has_content(target, content):
        return True
    return folder.put(target, [content], mode=mode, still=lambda: _stamp(target) == before)


class HeldFolder:
    """A folder that no other writer changes in the meantime; see `held_folder`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(
        self,
        target: Path,
        parts: Iterable[str | bytes],
        *,
        durable: bool = True,
        mode: int = 0o666,
        still: Callable[[], bool] = lambda: True,
    ) -> bool:
        """Replace a file in the folder or below it. Return whether it was replaced.

        Args:
            durable: force it to the disk before it replaces the old one.
            mode: of a new file, less the umask.
            still: asked last; if it returns False, nothing is replaced.
        """
        was = _status(target)
        with _draft(self.path, mode) as draft:
            _fill(draft.file, parts, durable=durable)
            if was is not None:
                _take_over(draft.file.fileno(), was)
            if not still():
                return False
            draft.become(target)
            return True


@contextlib.contextmanager
def held_folder(path: Path) -> Iterator[HeldFolder]:
    """Lock a folder against other writers, and remove what killed writers left there.

    Args:
        path: without links.

    Raises:
        OSError: it does not exist, or another process locks it for too long.
    """
    with folder_held(path):
        _sweep(path)
        yield HeldFolder(path)


def write_private(
    path: str | os.PathLike[str], text: str, draft: str | os.PathLike[str] | None = None
) -> None:
    """Write a file with mode 0600 in a folder that belongs to the user alone, without waiting for
    writers.

    Args:
        draft: an unused path in the same file system; default: beside the file, where the next
            writer that locks the folder removes what a kill leaves.

    Raises:
        OSError: it can't be written; nothing is left of it.
    """
    with _named_draft(os.fspath(draft or _draft_in(Path(path).parent)), 0o600) as made:
        _fill(made.file, [text], durable=False)
        made.become(path)


class _Draft:
    """A file that is not yet in its place.

    Attributes:
        name: its path, once it has one.
    """

    def __init__(self, file: BinaryIO, name: str, *, named: bool) -> None:
        self.file = file
        self.name = name
        self.named = named

    def become(self, target: str | os.PathLike[str]) -> None:
        if self.named:
            # Windows can't rename open files
            self.file.close()
        else:
            # Python follows the link only with a folder's descriptor
            folder = os.open(os.path.dirname(self.name), os.O_RDONLY)
            try:
                source = f"/proc/self/fd/{self.file.fileno()}"
                os.link(
                    source, os.path.basename(self.name), dst_dir_fd=folder, follow_symlinks=True
                )
            finally:
                os.close(folder)
            self.named = True
        for _ in range(_TRIES - 1):
            try:
                os.replace(self.name, target)
                break
            except PermissionError:
                time.sleep(_WAIT_SECONDS)
        else:
            os.replace(self.name, target)
        self.named = False


@contextlib.contextmanager
def _draft(folder: Path, mode: int) -> Iterator[_Draft]:
    descriptor = _unnamed(folder, mode)
    if descriptor is None:
        with _named_draft(_draft_in(folder), mode) as draft:
            yield draft
        return
    with open(descriptor, "wb") as file:
        draft = _Draft(file, str(folder / _WHOLE_DRAFT), named=False)
        with _removed_after(draft):
            yield draft


def _draft_in(folder: Path) -> str:
    return str(folder / f".ragassert-{uuid.uuid4().hex}.new")


@contextlib.contextmanager
def _named_draft(name: str, mode: int) -> Iterator[_Draft]:
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    with open(descriptor, "wb") as file:
        draft = _Draft(file, name, named=True)
        with _removed_after(draft):
            yield draft


@contextlib.contextmanager
def _removed_after(draft: _Draft) -> Iterator[None]:
    try:
        yield
    finally:
        if draft.named:
            with contextlib.suppress(OSError):
                # on a full disk it tries once more to write the rest
                draft.file.close()
            with contextlib.suppress(OSError):
                os.unlink(draft.name)


def _unnamed(folder: Path, mode: int) -> int | None:
    """Create a file without a name, of which a kill leaves nothing; None if the system has none."""
    if not hasattr(os, "O_TMPFILE") or not os.path.exists("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_WRONLY | os.O_TMPFILE, mode)
    except OSError:
        # a named file also shows why nothing can be written
        return None


def _fill(file: BinaryIO, parts: Iterable[str | bytes], *, durable: bool) -> None:
    for part in parts:
        file.write(part.encode() if isinstance(part, str) else part)
    file.flush()
    if durable:
        os.fsync(file.fileno())


def _take_over(descriptor: int, was: os.stat_result) -> None:
    """Take over owner and permission bits of the file that is replaced."""
    if not hasattr(os, "fchown"):
        return
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (was.st_uid, was.st_gid):
        try:
            os.fchown(descriptor, was.st_uid, was.st_gid)
        except OSError:
            with contextlib.suppress(OSError):
                os.fchown(descriptor, -1, was.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(was.st_mode))


def _sweep(folder: Path) -> None:
    """Remove what killed writers left."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _DRAFTS.fullmatch(entry.name):
                old = Clock.since_1970() - entry.stat().st_mtime > _FORGOTTEN_SECONDS
                # others may be working on a machine that the lock does not reach
                if old or entry.name == _WHOLE_DRAFT:
                    os.unlink(entry.path)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Return a value that changes if the file is replaced or written."""
    status = _status(path)
    if status is None:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def has_content(path: Path, content: bytes) -> bool:
    """Whether a file exists and has exactly this content."""
    status = _status(path)
    return status is not None and status.st_size == len(content) and path.read_bytes() == content
