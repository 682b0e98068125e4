"""Committed verdicts in a folder, one file each, so that branches that add verdicts never
conflict.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from ...errors import ConfigurationError
from ...runtime.canonical_json import is_digest
from ..files.plain_files import open_plain, unreadable
from ..judged_sets import ON_CLAIMS, JudgedSet
from .verdict_line import (
    BY_HAND,
    EMBED_TEXT,
    OVERRIDE,
    STEP,
    VerdictLine,
    damaged,
    has_conflict,
    judged_set_of,
    read_line,
)

_ENDING = ".json"
_HEAD_BYTES = 2048
# How our own files begin; files in any other form are parsed for their judge.
_OURS = re.compile(
    rb'\{\s*"key": "[0-9a-f]{64}",\s*"step": "[A-Za-z0-9_-]+",\s*'
    rb'"judge": "([^"\\\x00-\x1f]*)",\s*"(?:asked|about)": "'
)


class VerdictFolder:
    """The verdicts of a folder, in files `<step>/<key>.json`; none if the folder is missing.

    Other files in the folder are ignored. Opening lists the files; each is read when needed.

    Raises:
        ConfigurationError: one key has two files; the message names both. Damage or a git conflict
            in a file is raised by the look-up.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._steps: dict[str, str] = {}  # the folder that contains each key's file
        try:
            found = list(verdict_files(path))
        except OSError as error:
            raise unreadable(path, error, "committed verdicts (--ragassert-verdicts)") from None
        for step, key in found:
            other = self._steps.setdefault(key, step)
            if other != step:
                one, two = (file_of(path, name, key) for name in (other, step))
                raise ConfigurationError(
                    f"{one} and {two}: two verdicts under one key; delete one of these files"
                )

    def line(self, key: str) -> VerdictLine | None:
        """Return the verdict under a key.

        Raises:
            ConfigurationError: its file is damaged; the message names it.
        """
        return self.lines_under([key]).get(key)

    def lines_under(self, keys: Collection[str]) -> dict[str, VerdictLine]:
        """Return the verdicts that exist under some keys.

        Raises:
            ConfigurationError: the file of one is damaged; the message names it.
        """
        steps = {key: self._steps[key] for key in keys if key in self._steps}
        found = {key: self._read(step, key) for key, step in steps.items()}
        return {key: line for key, line in found.items() if line is not None}

    def __contains__(self, key: object) -> bool:
        return key in self._steps

    def keys(self) -> Collection[str]:
        return self._steps.keys()

    def judges(self) -> set[str]:
        """Return the judges of the replies, without people and embedders.

        Raises:
            ConfigurationError: a file is damaged; the message names it.
        """
        return self._makers(lambda step: step not in (OVERRIDE, EMBED_TEXT)) - {BY_HAND}

    def embedders(self) -> set[str]:
        """Return the embedders of the vectors.

        Raises:
            ConfigurationError: a file is damaged; the message names it.
        """
        return self._makers(lambda step: step == EMBED_TEXT)

    def _makers(self, of: Callable[[str], bool]) -> set[str]:
        found = {self._judge(step, key) for key, step in self._steps.items() if of(step)}
        return {maker for maker in found if maker is not None}

    def lines(self) -> Iterator[VerdictLine]:
        """Yield all of them in sorted order.

        Raises:
            ConfigurationError: one is damaged; the message names the file.
        """
        by_step: dict[str, list[str]] = {}
        for key, step in self._steps.items():
            by_step.setdefault(step, []).append(key)
        # steps are listed in order; their files are sorted by judge, whose name is inside
        for step, keys in by_step.items():
            judged = sorted((self._judge(step, key) or "", key) for key in keys)
            yield from filter(None, (self._read(step, key) for _, key in judged))

    def judged_sets(self) -> Iterator[JudgedSet]:
        for key, step in self._steps.items():
            if step == ON_CLAIMS:
                with contextlib.suppress(ConfigurationError):
                    line = self._read(step, key)
                    found = None if line is None else judged_set_of(line)
                    if found is not None:
                        yield found

    def overrides(self) -> list[VerdictLine]:
        """Return the overrides.

        Raises:
            ConfigurationError: a file is damaged; the message names it.
        """
        keys = [key for key, step in self._steps.items() if step == OVERRIDE]
        found = filter(None, (self._read(OVERRIDE, key) for key in keys))
        return sorted(found, key=lambda line: line.sort_key)

    def _judge(self, step: str, key: str) -> str | None:
        raw = self._raw(step, key, _HEAD_BYTES)
        if raw is None:
            return None
        begins = _OURS.match(raw)
        if begins:
            with contextlib.suppress(UnicodeDecodeError):  # reading it completely shows that
                return begins[1].decode("utf-8")
        line = self._read(step, key)
        return None if line is None else line.judge

    def _read(self, step: str, key: str) -> VerdictLine | None:
        file = file_of(self.path, step, key)
        raw = self._raw(step, key)
        if raw is None:
            return None
        if any(has_conflict(line) for line in raw.split(b"\n")):
            raise ConfigurationError(
                f"{file}: git left a conflict here: both branches have a reply to this question; "
                "keep one side's, or delete the file and record it with --ragassert-update-verdicts"
            )
        line = read_line(raw, str(file))
        if (line.step.casefold(), line.key) != (step.casefold(), key):
            raise damaged(str(file), f"it contains the verdict {line.step}/{line.key}")
        return line

    def _raw(self, step: str, key: str, most: int = -1) -> bytes | None:
        try:
            with open_plain(file_of(self.path, step, key), 0) as file:
                return file.read(most)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unreadable(
                self.path, error, "committed verdicts (--ragassert-verdicts)"
            ) from None


def file_of(folder: Path, step: str, key: str) -> Path:
    return folder / step / f"{key}{_ENDING}"


def verdict_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield step and key of each file whose name is that of a verdict.

    Raises:
        OSError: the folder can't be listed.
    """
    for step in _entries(folder):
        if step.is_dir() and STEP.fullmatch(step.name):
            for file in _entries(step):
                key = file.name.removesuffix(_ENDING)
                if key != file.name and is_digest(key) and file.is_file():
                    yield step.name, key


def _entries(folder: str | os.PathLike[str]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
