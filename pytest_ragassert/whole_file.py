"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import time
import uuid
from collections.abc import Iterable
from pathlib import Path

# On Windows a file that somebody just reads can't be replaced; a look-up takes microseconds.
_TRIES = 5
_WAIT_SECONDS = 0.05


def write_whole(path: Path, text: str | Iterable[str]) -> None:
    """Write a file of ASCII text; all of it or nothing, whoever reads meanwhile.

    Its folder is made where it is missing.

    Args:
        text: whole, or in parts.

    Raises:
        OSError: the folder takes no file. ValueError: it is no path.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with draft.open("w", encoding="ascii", newline="\n") as file:
            file.writelines([text] if isinstance(text, str) else text)
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def replace_whole(path: Path, content: bytes) -> None:
    """Give the file this content, or leave it as it is: never half of it.

    It keeps its mode; a link stays one. Nothing is written where it has the content already.

    Raises:
        OSError: it can't be written.
    """
    target = Path(os.path.realpath(path))
    mode = None
    with contextlib.suppress(FileNotFoundError):
        if target.read_bytes() == content:
            return
        mode = stat.S_IMODE(target.stat().st_mode)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{uuid.uuid4().hex}.new")
    try:
        with open(draft, "xb") as file:
            file.write(content)
        if mode is not None:
            draft.chmod(mode)
        _move(draft, target)
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def _move(draft: Path, target: Path) -> None:
    for _ in range(_TRIES - 1):
        try:
            os.replace(draft, target)
            return
        except PermissionError:
            time.sleep(_WAIT_SECONDS)
    os.replace(draft, target)
