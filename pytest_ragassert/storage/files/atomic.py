"""The one way files are written: whole or not at all, also by several processes, and when killed.

A new file is written beside the old one, forced to the disk (fsync) and renamed, so that whoever
reads, and whoever comes after a kill or a power failure, finds the old content or the new. Writers
lock the folder (`locks`). Where the system has unnamed files (Linux), the new one gets a name
only when it is whole; what a kill leaves in the instant before the renaming is removed by the next
writer in that folder.

The file keeps its permission bits, and its owner where the system allows. Its other hard links
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

# On Windows a file that somebody just reads can't be replaced; a look-up takes microseconds.
_TRIES = 5
_WAIT_SECONDS = 0.05
# What was written before it got its place: whole under the first name, unfinished under others.
_WHOLE_DRAFT = ".ragassert.new"
_DRAFTS = re.compile(r"\.ragassert(-[0-9a-f]{32})?\.new")
_FORGOTTEN_SECONDS = 3600
_BINARY = getattr(os, "O_BINARY", 0)

Change = Callable[[], bytes | None]


def write_whole(path: str | os.PathLike[str], parts: Iterable[str | bytes]) -> None:
    """Write a file; its folder is made where it is missing.

    Args:
        parts: texts are written in UTF-8.

    Raises:
        OSError: it can't be written, or is no plain file; what was there stays.
    """
    target = target_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with held_folder(target.parent) as folder:
        folder.put(target, parts)


def update_whole(path: str | os.PathLike[str], change: Change, mode: int = 0o666) -> None:
    """Give a file the content that `change` makes of what is there; no other writer comes between.

    Nothing is written where the file has the content already.

    Args:
        change: reads the file, which need not be there; None leaves it as it is. Called again
            where somebody who holds no lock, such as an editor, wrote meanwhile.
        mode: of a new file, less the umask.

    Raises:
        OSError: it can't be written, or is no plain file; what was there stays.
    """
    target = target_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with held_folder(target.parent) as folder:
        if not any(_updated(folder, target, change, mode) for _ in range(_TRIES)):
            raise OSError(f"{target} is written all the time by another program")


def _updated(folder: HeldFolder, target: Path, change: Change, mode: int) -> bool:
    before = _stamp(target)
    content = change()
    if content is None or has_content(target, content):
        return True
    return folder.put(target, [content], mode=mode, still=lambda: _stamp(target) == before)


class HeldFolder:
    """A folder that no other writer changes meanwhile; see `held_folder`."""

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
        """Replace a file in the folder or below it; whether it was replaced.

        Args:
            durable: on the disk before it takes the old one's place.
            mode: of a new file, less the umask.
            still: asked last; where it is no more so, nothing is replaced.
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
    """Hold a folder against other writers; what killed ones left there is removed.

    Args:
        path: without links.

    Raises:
        OSError: it is not there, or somebody else holds it for too long.
    """
    with folder_held(path):
        _sweep(path)
        yield HeldFolder(path)


def write_private(
    path: str | os.PathLike[str], text: str, draft: str | os.PathLike[str] | None = None
) -> None:
    """Write a file of mode 0600 into a folder of the user alone, where no writer waits for another.

    Args:
        draft: a path that nobody else uses, in the same file system; default: beside the file,
            where the next writer that locks the folder removes what a kill leaves.

    Raises:
        OSError: it can't be written; nothing is left of it.
    """
    with _named_draft(os.fspath(draft or _draft_in(Path(path).parent)), 0o600) as made:
        _fill(made.file, [text], durable=False)
        made.become(path)


class _Draft:
    """A file on its way to its place.

    Attributes:
        name: its path, from when it has one.
    """

    def __init__(self, file: BinaryIO, name: str, *, named: bool) -> None:
        self.file = file
        self.name = name
        self.named = named

    def become(self, target: str | os.PathLike[str]) -> None:
        if self.named:
            # Windows renames no file that is open
            self.file.close()
        else:
            # only with a folder's descriptor does Python follow the link
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
                # on a full disk it tries once more to write what is left
                draft.file.close()
            with contextlib.suppress(OSError):
                os.unlink(draft.name)


def _unnamed(folder: Path, mode: int) -> int | None:
    """A file without a name, which no kill leaves behind; None where the system has none."""
    if not hasattr(os, "O_TMPFILE") or not os.path.exists("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_WRONLY | os.O_TMPFILE, mode)
    except OSError:
        # why nothing can be written, a named one tells too
        return None


def _fill(file: BinaryIO, parts: Iterable[str | bytes], *, durable: bool) -> None:
    for part in parts:
        file.write(part.encode() if isinstance(part, str) else part)
    file.flush()
    if durable:
        os.fsync(file.fileno())


def _take_over(descriptor: int, was: os.stat_result) -> None:
    """Owner and permission bits of the file that is replaced."""
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
                # others may be at work on a machine that the lock does not reach
                if old or entry.name == _WHOLE_DRAFT:
                    os.unlink(entry.path)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Differs where the file was replaced or written since."""
    status = _status(path)
    if status is None:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def has_content(path: Path, content: bytes) -> bool:
    """Whether a file is there and holds just this."""
    status = _status(path)
    return status is not None and status.st_size == len(content) and path.read_bytes() == content
