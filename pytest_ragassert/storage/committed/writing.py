"""Writes committed verdicts: whole files, only if bytes change, and without other writers
interfering.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from ...errors import ConfigurationError
from ..files.atomic import HeldFolder, has_content, held_folder, update_whole, write_whole
from ..files.plain_files import target_of
from .verdict_folder import file_of, verdict_files
from .verdict_line import VerdictLine, difference, one_of, read_line

Lines = Callable[[], Iterable[VerdictLine]]


class _Written(NamedTuple):
    """A verdict as it will be written."""

    sort_key: tuple[str, str, str]
    content: bytes


def write_file(path: Path, lines: Lines) -> None:
    """Write the lines as one sorted file.

    Args:
        lines: called while no other process writes, and again if an editor wrote nevertheless.

    Raises:
        ConfigurationError: two lines with one key differ.
        OSError: the file can't be written.
    """

    def content() -> bytes | None:
        written = _distinct(lines(), lambda line: f"{line.to_text()}\n".encode())
        if not written and not path.exists():
            return None
        return b"".join(one.content for one in sorted(written.values()))

    update_whole(path, content)


def write_folder(path: Path, lines: Lines) -> None:
    """Write each line as a file; files of other verdicts are removed.

    Args:
        lines: called while no other process writes.

    Raises:
        ConfigurationError: two lines with one key differ.
        OSError: a file can't be written.
    """
    target = Path(os.path.realpath(path))
    was_there = target.exists()
    target.mkdir(parents=True, exist_ok=True)
    try:
        with held_folder(target) as folder:
            written = _distinct(lines(), lambda line: line.to_document().encode())
            for (step, _, key), content in sorted(written.values()):
                _put(folder, file_of(target, step, key), content)
            _remove_others(target, {key: sort_key[0] for key, (sort_key, _) in written.items()})
    finally:
        if not was_there:
            with contextlib.suppress(OSError):  # it has files
                target.rmdir()


def _put(folder: HeldFolder, file: Path, content: bytes) -> None:
    if has_content(file, content):
        return
    file.parent.mkdir(exist_ok=True)
    target = target_of(file)
    if target.is_relative_to(folder.path):
        # forcing each of many files to the disk would take minutes
        folder.put(target, [content], durable=False)
    else:
        # a link leads elsewhere
        write_whole(target, [content])


def _remove_others(folder: Path, steps: dict[str, str]) -> None:
    """Remove the files of verdicts except those with these keys, each in its step's folder."""
    for step, key in list(verdict_files(folder)):
        file = file_of(folder, step, key)
        # the same file if the system treats both spellings of a folder as one
        if key in steps and file.samefile(file_of(folder, steps[key], key)):
            continue
        file.unlink()
        with contextlib.suppress(OSError):  # it has other files
            file.parent.rmdir()


def _distinct(
    lines: Iterable[VerdictLine], encoded: Callable[[VerdictLine], bytes]
) -> dict[str, _Written]:
    """Return the lines by key, as bytes: parsed ones would need four times the memory."""
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
