"""How diskcache stores values: as texts, so that nothing is ever unpickled."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import MODE_RAW, MODE_TEXT

from ..files.private import private, read_private
from ..store_folder import make_private

# As diskcache names its files: `0a/1b/` and 28 more digits.
_FILE = re.compile(r"([0-9a-f]{2})[/\\]([0-9a-f]{2})[/\\][0-9a-f]{28}\.val")


class RefusedRow(OSError):
    """A row that is not plain text. diskcache treats an OSError as a miss."""


class TextDisk(diskcache.Disk):  # type: ignore[misc]  # diskcache has no types
    """Keys and values are text. Every other mode is refused, so nothing is ever unpickled.

    Attributes:
        on_refused: called when a row is refused.
        on_damaged: called when a value's file can't be read.
    """

    on_refused: Callable[[], None] = staticmethod(lambda: None)
    on_damaged: Callable[[], None] = staticmethod(lambda: None)

    def put(self, key: Any) -> tuple[str, bool]:
        if type(key) is not str:
            raise TypeError(f"keys must be text, not {type(key).__name__}")
        return key, True

    def get(self, key: Any, raw: bool) -> str:
        if not raw or type(key) is not str:
            raise RefusedRow("a key that is not text")
        return key

    def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> Any:
        if type(value) is not str or read:
            raise TypeError(f"values must be text, not {type(value).__name__}")
        return super().store(value, False, key)

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> str:
        try:
            return text_of_row(self._directory, mode, filename, value)
        except RefusedRow:
            self.on_refused()
            raise
        except (OSError, UnicodeDecodeError) as error:
            self.on_damaged()
            raise RefusedRow(str(error)) from None

    def remove(self, file_path: str) -> None:
        if is_value_file(self._directory, file_path):
            super().remove(file_path)

    def _write(
        self, full_path: str, iterator: Iterable[Any], mode: str, encoding: str | None = None
    ) -> None:
        if not is_value_file(self._directory, os.path.relpath(full_path, self._directory)):
            raise OSError(errno.EINVAL, "a link leads out of the store's folder", full_path)
        folder = Path(full_path).parent
        for made in (folder.parent, folder):  # two levels below the store's own folder
            make_private(made)
        with open(full_path, mode, encoding=encoding, newline="", opener=private) as writer:
            writer.writelines(iterator)


def text_of_row(folder: str, mode: Any, filename: Any, value: Any) -> str:
    """Return the text in a row of the store's table, or in the file that it names.

    Raises:
        RefusedRow: it is not text, or names a file outside the folder.
        OSError: its file is missing.
        UnicodeDecodeError: its file is damaged.
    """
    if mode == MODE_RAW and type(value) is str:
        return value
    if mode == MODE_TEXT and is_value_file(folder, filename):
        return read_private(os.path.join(folder, filename)).decode()
    raise RefusedRow("a value that is not text")


def is_value_file(folder: str, filename: Any) -> bool:
    """Whether a row's file name is that of a value's file, without a link that leads out of the
    folder.

    The folder also contains the database itself and the locks.
    """
    found = _FILE.fullmatch(filename) if type(filename) is str else None
    if found is None:
        return False
    # the last part, the file, is never followed if it is a link
    inner = os.path.join(os.path.realpath(folder), *found.groups())
    return os.path.realpath(inner) == inner
