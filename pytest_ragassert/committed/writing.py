"""Writing committed verdicts: whole, and only where bytes change."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from ..errors import ConfigurationError
from ..whole_file import replace_whole
from .faults import unwritable
from .line import VerdictLine, difference, one_of, read_line
from .verdict_folder import file_of, verdict_files


class _Written(NamedTuple):
    """A verdict as it will stand there."""

    sort_key: tuple[str, str, str]
    content: bytes


def write_file(path: Path, lines: Iterable[VerdictLine]) -> None:
    """The lines as one file, sorted.

    Raises:
        ConfigurationError: two lines of one key differ, or the file can't be written.
    """
    written = _distinct(lines, lambda line: f"{line.to_text()}\n".encode())
    content = b"".join(one.content for one in sorted(written.values()))
    try:
        if content or path.exists():
            replace_whole(path, content)
    except OSError as error:
        raise unwritable(path, error) from None


def write_folder(path: Path, lines: Iterable[VerdictLine]) -> None:
    """The lines as a file each; files of verdicts that are not among them are removed.

    Raises:
        ConfigurationError: two lines of one key differ, or a file can't be written.
    """
    written = _distinct(lines, lambda line: line.to_document().encode())
    try:
        for (step, _, key), content in sorted(written.values()):
            replace_whole(file_of(path, step, key), content)
        _remove_others(path, {key: sort_key[0] for key, (sort_key, _) in written.items()})
    except OSError as error:
        raise unwritable(path, error) from None


def _remove_others(folder: Path, steps: dict[str, str]) -> None:
    """Remove the files of verdicts but those of these keys, each in its step's folder."""
    for step, key in list(verdict_files(folder)):
        file = file_of(folder, step, key)
        # the same one where the system takes both spellings of a folder for one
        if key in steps and file.samefile(file_of(folder, steps[key], key)):
            continue
        file.unlink()
        with contextlib.suppress(OSError):  # it has other files
            file.parent.rmdir()


def _distinct(
    lines: Iterable[VerdictLine], encoded: Callable[[VerdictLine], bytes]
) -> dict[str, _Written]:
    """The lines by key, as their bytes: parsed ones would take four times the memory."""
    written: dict[str, _Written] = {}
    for line in lines:
        content = encoded(line)
        earlier = written.get(line.key)
        if earlier is not None and earlier.content != content:
            other = read_line(earlier.content, line.key)
            kept = one_of(other, line)
            if kept is None:
                raise ConfigurationError(
                    f"{difference(other, line)} under one key, {line.key} of step {line.step}, "
                    "can't both be committed"
                )
            content = encoded(kept)
        written[line.key] = _Written(line.sort_key, content)
    return written
