"""Labelled claims of files: checked before anything is asked, read again when needed.

Contexts are long and claims are many, so that of a row that can be read again only its offset is
kept until it is judged.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

from ...datasets.case_reader import CaseReader
from ...datasets.json_lines_reader import JsonLinesReader
from ...datasets.readers import check_kind, reader_of, readers_of
from ...datasets.unpacking import inner_name, is_packed, unpacked
from ...errors import ConfigurationError
from ...language.escaping import is_blank, visible
from ...language.suggestions import did_you_mean, nearest, shown_value
from ...runtime.canonical_json import digest
from ...storage.files.plain_files import not_utf8, open_plain, unreadable

Field = TypeVar("Field")
SUPPORTED, UNSUPPORTED, CONTRADICTED, NEUTRAL = (
    "supported",
    "unsupported",
    "contradicted",
    "neutral",
)
LABELS = (SUPPORTED, UNSUPPORTED, NEUTRAL, CONTRADICTED)
_COLUMNS = ("id", "claim", "answer", "context", "label")
_TEXTS = ("claim", "answer")
_MOST_LISTED = 5  # wrong rows that a message lists
_MOST_COLUMNS, _MOST_COMPARED = 30, 1000  # columns of a row that a message lists, and looks at
_LONGEST_ID = 200


class Text(NamedTuple):
    """A row's claim and the contexts to check it against."""

    claim: str
    contexts: list[str]


@dataclass(frozen=True)
class LabelledClaim:
    """A row, without its texts.

    Attributes:
        id: its own, else file and line.
        label: one of `LABELS`.
        groups: what the row has under each name that figures are wanted by.
        cluster: the same for rows with the same contexts; such claims are alike.
        file: the number of its file.
        content: its texts, or the offset at which the reader of its file reads them again.
    """

    id: str
    label: str
    groups: tuple[str | None, ...]
    cluster: str
    file: int
    content: Text | int

    @property
    def supported(self) -> bool:
        return self.label == SUPPORTED


class LabelledFiles:
    """The rows of files; a context manager, which keeps the files open.

    A row is an object: `claim` (or `answer`, which is then verified whole, as one claim),
    `context` (a text, or a list of them), `label` (one of `LABELS`; `unsupported` says no more than
    that it isn't supported), and `id`, `lang`, `source` and others where there are any.

    Args:
        by: names that figures are wanted by.
        limit: of each file only so many rows, from the first; None: all.

    Raises:
        ConfigurationError: a file is named twice, can't be read, holds nothing or a row that does
            not fit: which lines, and why.
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
        """How many rows each file has, by its name, or its path where two have one name."""
        names = Counter(path.name for path in self.paths)
        rows = Counter(row.file for row in self.rows)
        return {
            path.name if names[path.name] == 1 else str(path): rows[place]
            for place, path in enumerate(self.paths)
        }

    def text(self, row: LabelledClaim) -> Text:
        """The row's texts, read again.

        Raises:
            ConfigurationError: the file was changed meanwhile.
        """
        if isinstance(row.content, Text):
            return row.content
        file, reader = self._files[row.file]
        file.seek(row.content)
        try:
            record = next((_checked(_fields(again.content)) for again in reader.read(file)), None)
        except ValueError:
            record = None
        if record is None or digest(record.contexts) != row.cluster:
            raise ConfigurationError(f"{self.paths[row.file]} was changed while it was read")
        return Text(record.claim, record.contexts)

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
                    data = _fields(row.content)
                    record = _checked(data)
                    groups = tuple(_group(data, name) for name in by)
                except ValueError as error:
                    wrong.append(f"{row.place}: {error}")
                    continue
                name = record.id or f"{path.name}:{row.number}"
                text = Text(record.claim, record.contexts)
                # to go back in a packed file is to unpack it from its beginning
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
                f"{path}: {len(wrong)} of {found} rows do not fit, nothing was asked: "
                f"{listed}{more}"
            )
        if not found:
            raise ConfigurationError(f"{path} holds no labelled claims")


class _Record(NamedTuple):
    id: str | None
    label: str
    claim: str
    contexts: list[str]


def _fields(content: Any) -> dict[str, Any]:
    """
    Raises:
        ValueError: it could not be read, or is no object.
    """
    if isinstance(content, UnicodeDecodeError):
        raise ValueError(not_utf8(content))
    if isinstance(content, ValueError):
        raise content
    if not isinstance(content, dict):
        raise ValueError(f"a row is a JSON object, not {type(content).__name__}")
    return content


def _checked(data: dict[str, Any]) -> _Record:
    """
    Raises:
        ValueError: all that the row lacks, or has that it can't have.
    """
    mistakes: list[str] = []

    def read(field: Callable[[dict[str, Any]], Field], otherwise: Field) -> Field:
        try:
            return field(data)
        except ValueError as error:
            mistakes.append(str(error))
            return otherwise

    record = _Record(
        claim=read(_claim, ""),
        contexts=read(_contexts, []),
        label=read(_label, ""),
        id=read(_id, None),
    )
    if mistakes:
        raise ValueError(" | ".join(mistakes))
    return record


def _claim(data: dict[str, Any]) -> str:
    names = [name for name in _TEXTS if data.get(name) is not None]
    if len(names) > 1:
        raise ValueError("it has both claim and answer; give one")
    if not names:
        raise ValueError(_missing("claim", data))
    claim = data[names[0]]
    if not isinstance(claim, str):
        raise ValueError(f"{names[0]} is {shown_value(claim)}, no text")
    if is_blank(claim):
        raise ValueError(f"{names[0]} is empty")
    return claim


def _contexts(data: dict[str, Any]) -> list[str]:
    contexts = data.get("context")
    if contexts is None:
        raise ValueError(_missing("context", data))
    contexts = [contexts] if isinstance(contexts, str) else contexts
    if not isinstance(contexts, list):
        raise ValueError(f"context is {shown_value(contexts)}, no text or list of texts")
    for place, text in enumerate(contexts, start=1):
        if not isinstance(text, str):
            raise ValueError(f"text {place} of context is {shown_value(text)}, no text")
    if all(map(is_blank, contexts)):
        raise ValueError("context has no text")
    return contexts


def _label(data: dict[str, Any]) -> str:
    label = data.get("label")
    if label is None:
        raise ValueError(f"{_missing('label', data)}; valid are {', '.join(LABELS)}")
    if not isinstance(label, str) or label not in LABELS:
        meant = did_you_mean(label, LABELS) if isinstance(label, str) else ""
        raise ValueError(f"label is {shown_value(label)}{meant}; valid are {', '.join(LABELS)}")
    return label


def _id(data: dict[str, Any]) -> str | None:
    name = data.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int | None):
        raise ValueError(f"id is {shown_value(name)}, no text")
    return visible(str(name))[:_LONGEST_ID] if name else None


def _group(data: dict[str, Any], name: str) -> str | None:
    """
    Raises:
        ValueError: the row's value can't name a group.
    """
    value = data.get(name)
    if isinstance(value, list | dict):
        raise ValueError(
            f"{name} is {shown_value(value)}, no text, so that there are no figures by it"
        )
    return None if value is None else str(value)


def _missing(name: str, data: dict[str, Any]) -> str:
    """The message about a row without the column, with the column that may have been meant."""
    if name in data:
        return f"{name} is null"
    others = itertools.islice((other for other in data if other not in _COLUMNS), _MOST_COMPARED)
    near = nearest(name, others)
    if near is not None:
        return f"it has no {name}; it has {near!r}: is that meant?"
    shown = [shown_value(other) for other in itertools.islice(data, _MOST_COLUMNS)]
    more = [f"and {len(data) - _MOST_COLUMNS} more"] if len(data) > _MOST_COLUMNS else []
    return f"it has no {name}; it has {', '.join([*shown, *more]) or 'no column'}"
