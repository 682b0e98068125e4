"""What each test asked for when it last ran, for planning tests whose cases are not known before.

It is in `<cache-dir>/last-run.jsonl`, one JSON object per line, by the test's node id.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..runtime.canonical_json import canonical_json, is_digest
from .files.atomic import update_whole
from .files.json_lines import lines_of
from .store_folder import make_store_folder, plain_in_store, read_in_store

NAME = "last-run.jsonl"
MOST = 20_000  # maximum tests that are kept, those that ran last


@dataclass(frozen=True)
class AskedOfModel:
    """What a test asked one model, including answers that were already known.

    Attributes:
        keys: keys of judgements.
        requests: the requests for their answers.
        prompt: the prompt tokens of these; 0 if unknown.
        completion: the completion tokens of these; 0 if unknown.
    """

    model: str
    keys: list[str]
    requests: int
    prompt: int
    completion: int


@dataclass(frozen=True)
class PastTest:
    """A test as it last ran.

    Attributes:
        case: a hash of its case as it was collected, without an answer; empty if the case had an
            answer, or if there was none.
        models: the configured models.
        when: the day on which it ran, UTC, as ISO 8601; another run on the same day changes nothing
            if it asks the same.
    """

    nodeid: str
    case: str
    models: list[str]
    asked: list[AskedOfModel]
    when: str


def read_last_run(folder: Path) -> dict[str, PastTest]:
    """Return what the store's folder has, by node id; damaged lines are ignored."""
    try:
        lines = lines_of(io.BytesIO(read_in_store(folder, NAME)))
    except OSError:
        return {}
    read = (_record_of(raw) for _, _, raw in lines)
    return {record.nodeid: record for record in read if record is not None}


def keep_last_run(
    folder: Path, records: Iterable[PastTest], asked_nothing: Collection[str] = ()
) -> None:
    """Add records to the existing ones; a test's new record replaces the older one.

    Args:
        asked_nothing: tests that ran and no longer have a record.

    Raises:
        OSError: the file can't be written.
    """
    new = {record.nodeid: record for record in records}

    def content() -> bytes | None:
        known = read_last_run(folder)
        merged = {**known, **new}
        for nodeid in asked_nothing:
            merged.pop(nodeid, None)
        if merged == known:
            return None
        return _text_of(_newest(merged)).encode()

    if new or (folder / NAME).exists():
        make_store_folder(folder)
        update_whole(plain_in_store(folder, NAME), content, mode=0o600)


def _newest(records: Mapping[str, PastTest]) -> list[PastTest]:
    kept = sorted(records.values(), key=lambda record: record.when, reverse=True)[:MOST]
    return sorted(kept, key=lambda record: record.nodeid)


def _text_of(records: Iterable[PastTest]) -> str:
    # `asdict` copies each text, which takes longer than all the rest
    return "".join(
        f"{canonical_json({**vars(one), 'asked': [vars(part) for part in one.asked]})}\n"
        for one in records
    )


def _record_of(line: bytes) -> PastTest | None:
    """Return the record in a line, or None if the line is damaged."""
    try:
        record = json.loads(line)
        asked = [AskedOfModel(**one) for one in record.pop("asked")]
        read = PastTest(**record, asked=asked)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return read if _is_sound(read) else None


def _is_sound(record: PastTest) -> bool:
    texts = (record.nodeid, record.case, record.when)
    return (
        all(isinstance(text, str) for text in texts)
        and _are_texts(record.models)
        and all(map(_is_sound_part, record.asked))
    )


def _is_sound_part(part: AskedOfModel) -> bool:
    counts = (part.requests, part.prompt, part.completion)
    return (
        isinstance(part.model, str)
        and isinstance(part.keys, list)
        and all(map(is_digest, part.keys))
        and all(type(count) is int and count >= 0 for count in counts)
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
