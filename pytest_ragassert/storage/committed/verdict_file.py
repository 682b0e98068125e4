"""Committed verdicts in one file of JSON lines: indexed when opened, parsed when needed."""

from __future__ import annotations

import codecs
import os
import re
from array import array
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from ...errors import ConfigurationError
from ...steps.evidence.passage_hashes import text_hash
from ..files.committed_text import check_conflict
from ..files.plain_files import open_plain, unreadable
from ..judged_sets import JudgedSet, judged_set
from .verdict_line import (
    BY_HAND,
    EMBED_TEXT,
    OVERRIDE,
    VerdictLine,
    difference,
    judged_set_of,
    one_of,
    read_line,
)

# How our own lines begin and end; lines in any other form are parsed when the file is opened.
_OURS = re.compile(
    rb'\{"key": "([0-9a-f]{64})", "step": "([A-Za-z0-9][A-Za-z0-9_-]{0,79})", '
    rb'"judge": "([^"\\\x00-\x1f]*)", "(?:asked": "[0-9a-f]{64}", ")?about": "'
)
# The same for a judgement of a claim that was asked for, up to its reply.
_JUDGED = re.compile(
    rb'\{"key": "[0-9a-f]{64}", "step": "verify_claims", "judge": "[^"\\\x00-\x1f]*", '
    rb'"asked": "([0-9a-f]{64})", "about": "([^"\\\x00-\x1f]*)", '
    rb'"passages": \[([0-9a-f", ]+)\], "reply": '
)
_HASHES = re.compile(rb"[0-9a-f]{32}")
_ENDS = (b"}}\n", b"}}\r\n", b"}}")
_BUFFER = 1 << 20  # bytes

_Stamp = tuple[int, int, int, int]


class VerdictFile:
    """The verdicts of a JSON-lines file, in any order and form; none if the file is missing.

    Opening reads the file once and keeps the key, place and maker of each line: about 210 bytes per
    line, 21 MB for 100,000, whatever their length. Between look-ups nothing of the file is kept
    open, mapped or remembered, so git and editors may replace it on every system. If the file has
    changed, the next look-up indexes it again.

    Raises:
        ConfigurationError: a line is damaged, there is a git conflict, or one key has two replies;
            the message names file and lines. What only a full parse shows is raised by the look-up.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._index = _Index()
        try:
            with open_plain(path, _BUFFER) as file:
                self._index = _indexed(file, path)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise unreadable(path, error, "committed verdicts (--ragassert-verdicts)") from None

    def line(self, key: str) -> VerdictLine | None:
        """Return the verdict under a key.

        Raises:
            ConfigurationError: its line is damaged; the message names file and line.
        """
        return self.lines_under([key]).get(key)

    def lines_under(self, keys: Collection[str]) -> dict[str, VerdictLine]:
        """Return the verdicts that exist under some keys.

        Raises:
            ConfigurationError: the line of one is damaged; the message names file and line.
        """
        try:
            with open_plain(self.path, 0) as file:
                index = self._current(file)
                try:
                    return self._found(file, index, keys)
                except ConfigurationError:
                    # written in place while it was read
                    return self._found(file, self._indexed(file), keys)
        except FileNotFoundError:
            self._index = _Index()
            return {}
        except OSError as error:
            raise unreadable(
                self.path, error, "committed verdicts (--ragassert-verdicts)"
            ) from None

    def __contains__(self, key: object) -> bool:
        return key in self._index.numbers

    def keys(self) -> Collection[str]:
        return self._index.numbers.keys()

    def judges(self) -> set[str]:
        """Return the judges of the replies, without people and embedders."""
        return {
            judge
            for step, judge in self._index.makers
            if judge != BY_HAND and step not in (OVERRIDE, EMBED_TEXT)
        }

    def embedders(self) -> set[str]:
        """Return the embedders of the vectors."""
        return {maker for step, maker in self._index.makers if step == EMBED_TEXT}

    def lines(self) -> Iterator[VerdictLine]:
        """Yield all of them in sorted order, parsed one by one.

        Raises:
            ConfigurationError: one is damaged; the message names file and line.
        """
        yield from self._lines(None)

    def judged_sets(self) -> Iterator[JudgedSet]:
        try:
            with open_plain(self.path, _BUFFER) as file:
                yield from filter(None, map(_judged_set, file))
        except OSError:
            return  # the look-ups say why

    def overrides(self) -> list[VerdictLine]:
        """Return the overrides.

        Raises:
            ConfigurationError: one is damaged; the message names file and line.
        """
        return list(self._lines(OVERRIDE))

    def _lines(self, step: str | None) -> Iterator[VerdictLine]:
        try:
            with open_plain(self.path, 1 << 16) as file:
                index = self._current(file)
                for key in index.sorted_keys(step):
                    yield self._read(file, index, index.numbers[key], key)
        except FileNotFoundError:
            self._index = _Index()
        except OSError as error:
            raise unreadable(
                self.path, error, "committed verdicts (--ragassert-verdicts)"
            ) from None

    def _current(self, file: IO[bytes]) -> _Index:
        return self._index if self._index.stamp == _stamp(file) else self._indexed(file)

    def _indexed(self, file: IO[bytes]) -> _Index:
        file.seek(0)
        with open(file.fileno(), "rb", buffering=_BUFFER, closefd=False) as again:
            self._index = _indexed(again, self.path)
        return self._index

    def _found(
        self, file: IO[bytes], index: _Index, keys: Collection[str]
    ) -> dict[str, VerdictLine]:
        numbers = {key: index.numbers[key] for key in keys if key in index.numbers}
        return {key: self._read(file, index, number, key) for key, number in numbers.items()}

    def _read(self, file: IO[bytes], index: _Index, number: int, key: str) -> VerdictLine:
        line = _line_at(file, self.path, index, number)
        if line.key != key:
            raise ConfigurationError(
                f"{self.path}: the file changed while it was being read; run again"
            )
        return line


class _Index:
    """Where the line of each key is, and who made it."""

    def __init__(self, stamp: _Stamp | None = None) -> None:
        self.stamp = stamp
        self.numbers: dict[str, int] = {}
        self.places = array("q")  # by number: where its line begins, and its length
        self.made_by = array("l")  # by number: its maker
        self.makers: dict[tuple[str, str], int] = {}  # step and judge, in this order

    def maker(self, step: str, judge: str) -> int:
        return self.makers.setdefault((step, judge), len(self.makers))

    def add(self, maker: int, place: int, length: int) -> int:
        """Add a line and return its number."""
        self.made_by.append(maker)
        self.places.append(place)
        self.places.append(length)
        return len(self.made_by) - 1

    def sorted_keys(self, step: str | None) -> list[str]:
        """Return the keys in the order of their lines, optionally of one step only."""
        ranks = {self.makers[maker]: rank for rank, maker in enumerate(sorted(self.makers))}
        wanted = {number for (of, _), number in self.makers.items() if step in (None, of)}
        ranked = [
            (ranks[maker], key)
            for key, number in self.numbers.items()
            if (maker := self.made_by[number]) in wanted
        ]
        return [key for _, key in sorted(ranked)]


def _indexed(file: IO[bytes], path: Path) -> _Index:
    index = _Index(_stamp(file))
    known: dict[tuple[bytes, bytes], int] = {}
    repeats: list[tuple[str, int]] = []
    place = 0
    for line_number, raw in enumerate(file, start=1):
        begins = _OURS.match(raw)
        named = (begins[2], begins[3]) if begins and raw.endswith(_ENDS) else None
        if begins and named in known:
            key, maker = begins[1].decode(), known[named]
        elif raw.removeprefix(codecs.BOM_UTF8).strip():
            line = _parsed(raw, path, line_number)
            key, maker = line.key, index.maker(line.step, line.judge)
            if named:
                known[named] = maker
        else:
            place += len(raw)
            continue
        number = index.add(maker, place, len(raw))
        if index.numbers.setdefault(key, number) != number:
            repeats.append((key, number))
        place += len(raw)
    _settle(file, path, index, repeats)
    return index


def _parsed(raw: bytes, path: Path, line_number: int) -> VerdictLine:
    where = _where(path, line_number)
    check_conflict(raw[:8].decode("latin-1"), where, path)
    return read_line(raw, where)


def _settle(file: IO[bytes], path: Path, index: _Index, repeats: list[tuple[str, int]]) -> None:
    """Keep one of several lines with the same key, or raise an error if they differ."""
    for key, later in repeats:
        earlier = index.numbers[key]
        if _raw(file, index, earlier).rstrip() == _raw(file, index, later).rstrip():
            continue
        first, second = (_line_at(file, path, index, number) for number in (earlier, later))
        chosen = one_of(first, second)
        if chosen is None:
            before, after = (_line_number(file, index, number) for number in (earlier, later))
            raise ConfigurationError(
                f"{path}, lines {before} and {after}: {difference(first, second)} under one key, "
                f"{key[:12]}…; delete one of these lines"
            )
        if chosen is second:
            index.numbers[key] = later


def _line_at(file: IO[bytes], path: Path, index: _Index, number: int) -> VerdictLine:
    raw = _raw(file, index, number)
    try:
        return read_line(raw, str(path))
    except ConfigurationError:
        # only now is it worth counting lines
        return read_line(raw, _where(path, _line_number(file, index, number)))


def _raw(file: IO[bytes], index: _Index, number: int) -> bytes:
    file.seek(index.places[2 * number])
    return file.read(index.places[2 * number + 1])


def _judged_set(raw: bytes) -> JudgedSet | None:
    """Return the same as `judged_set_of`, for any line."""
    begins = _JUDGED.match(raw)
    try:
        if begins is None:
            named = b"verify_claims" in raw
            return judged_set_of(read_line(raw, "")) if named else None
        asked, about, passages = begins.groups()
        hashes = b"".join(_HASHES.findall(passages)).decode()
        return judged_set(text_hash(about.decode()), asked.decode(), [hashes])
    except (ConfigurationError, ValueError):
        return None


def _line_number(file: IO[bytes], index: _Index, number: int) -> int:
    """Return the number of its line in the file, from 1."""
    left = index.places[2 * number]
    file.seek(0)
    ends = 0
    while left > 0 and (chunk := file.read(min(left, _BUFFER))):
        ends += chunk.count(b"\n")
        left -= len(chunk)
    return ends + 1


def _stamp(file: IO[bytes]) -> _Stamp:
    """Return a value that changes if the file is replaced or written."""
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _where(path: Path, line_number: int) -> str:
    return f"{path}, line {line_number}"
