"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path


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
