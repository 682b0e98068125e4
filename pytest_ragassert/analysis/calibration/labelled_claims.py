"""Reads labelled claims: all rows are checked before anything is asked, and read again when needed.

Contexts are long and claims are many, so only the offset of a row is kept until it is judged, if it
can be read again.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ...datasets.case_reader import CaseReader
from ...datasets.json_lines_reader import JsonLinesReader
from ...datasets.readers import check_kind, reader_of, readers_of
from ...datasets.unpacking import inner_name, is_packed, unpacked
from ...errors import ConfigurationError
from ...judgements import Met
from ...runtime.canonical_json import digest
from ...storage.files.plain_files import open_plain, unreadable
from .labelled_row import MET_LABELS, SUPPORTED, LabelledRow, checked, fields_of, group_of

_MOST_LISTED = 5  # wrong rows that a message lists


class Text(NamedTuple):
    """A row's claim, and the contexts to check it against."""

    claim: str
    contexts: list[str]


class Criterion(NamedTuple):
    """A row's criterion, the answer, and the question that the answer replies to."""

    text: str
    answer: str
    question: str | None


@dataclass(frozen=True)
class LabelledClaim:
    """A row, without its texts.

    Attributes:
        id: its own id, or else file and line.
        label: one of `LABELS`; for a criterion, one of `MET_LABELS`.
        groups: the row's value in each column by which figures are grouped.
        cluster: equal for rows with the same contexts, because such claims are similar.
        file: the index of its file.
        content: its texts, or the offset at which the reader of its file reads them again.
    """

    id: str
    label: str
    groups: tuple[str | None, ...]
    cluster: str
    file: int
    content: Text | Criterion | int

    @property
    def supported(self) -> bool:
        """Whether the claim is supported, or the criterion met."""
        return self.label in (SUPPORTED, Met.YES.value)

    @property
    def is_criterion(self) -> bool:
        return self.label in MET_LABELS


class LabelledFiles:
    """The rows of files; a context manager, which keeps the files open.

    A row is an object with `claim` (or `answer`, which is then verified as one claim), `context` (a
    text, or a list of texts), `label` (one of `LABELS`; `unsupported` means only that the claim is
    not supported), and optionally `id`, `lang`, `source` and other columns.

    Args:
        by: the columns by which figures are grouped.
        limit: read only this many rows of each file, from the first; None: all.

    Raises:
        ConfigurationError: a file is named twice, can't be read, is empty or has invalid rows; the
            message says which lines, and why.
    """

    def __init__(
        self, paths: Sequence[Path], by: Sequence[str] = (), limit: int | None = None
    ) -> None:
        self.paths = list(paths)
        self.rows: list[LabelledClaim] = []
        self._files: list[tuple[BinaryIO, CaseReader]] = []
        self._open = contextlib.ExitStack()
        try:
            if len({path.resolve() for path in self.paths}) < len(self.paths):
                raise ConfigurationError("a file of labelled claims is named twice")
            for path in self.paths:
                self._read(path, by, limit)
            if len({row.is_criterion for row in self.rows}) > 1:
                raise ConfigurationError(
                    "some rows have a claim and others a criterion; calibrate each kind separately"
                )
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> LabelledFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._open.close()

    def counts(self) -> dict[str, int]:
        """The number of rows of each file, by its name, or by its path if two names are equal."""
        names = Counter(path.name for path in self.paths)
        rows = Counter(row.file for row in self.rows)
        return {
            path.name if names[path.name] == 1 else str(path): rows[place]
            for place, path in enumerate(self.paths)
        }

    def text(self, row: LabelledClaim) -> Text | Criterion:
        """Return the row's texts, reading them again if necessary.

        Raises:
            ConfigurationError: the file was changed meanwhile.
        """
        if not isinstance(row.content, int):
            return row.content
        file, reader = self._files[row.file]
        file.seek(row.content)
        try:
            record = next((checked(fields_of(again)) for again in reader.read(file)), None)
        except ValueError:
            record = None
        if record is None or digest(record.contexts) != row.cluster:
            raise ConfigurationError(f"{self.paths[row.file]} was changed while it was read")
        return _text_of(record)

    def _read(self, path: Path, by: Sequence[str], limit: int | None) -> None:
        try:
            file = self._open.enter_context(open_plain(path))
            number = len(self._files)
            packed = is_packed(file)
            if packed:
                file = unpacked(file)
            reader = reader_of(file, readers_of(inner_name(path).suffix) or [JsonLinesReader()])
            check_kind(file, reader)
            self._files.append((file, reader))
            wrong, found = list[str](), 0
            for row in itertools.islice(reader.read(file), limit):
                found += 1
                try:
                    data = fields_of(row)
                    record = checked(data)
                    groups = tuple(group_of(data, name) for name in by)
                except ValueError as error:
                    wrong.append(f"{row.place}: {error}")
                    continue
                name = record.id or f"{path.name}:{row.number}"
                text = _text_of(record)
                # going back in a compressed file means unpacking it from its beginning
                content = text if row.offset is None or packed else row.offset
                cluster = digest(record.contexts)
                claim = LabelledClaim(name, record.label, groups, cluster, number, content)
                self.rows.append(claim)
        except OSError as error:
            raise unreadable(path, error) from None
        except ValueError as error:
            raise ConfigurationError(f"{path}: {error}") from None
        except MemoryError:
            raise ConfigurationError(f"{path}: it needs more memory than there is") from None
        if wrong:
            listed = "; ".join(wrong[:_MOST_LISTED])
            more = f"; and {len(wrong) - _MOST_LISTED} more" if len(wrong) > _MOST_LISTED else ""
            raise ConfigurationError(
                f"{path}: {len(wrong)} of {found} rows are invalid, so nothing was asked: "
                f"{listed}{more}"
            )
        if not found:
            raise ConfigurationError(f"{path} has no labelled claims")


def _text_of(row: LabelledRow) -> Text | Criterion:
    if row.label in MET_LABELS:
        return Criterion(row.claim, row.contexts[0], row.question)
    return Text(row.claim, row.contexts)
