"""Writes generated cases as lines of a data set, and recognizes them when they are read again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..corpus.passages import Corpus, Passage
from ..errors import ConfigurationError
from ..language.escaping import visible
from ..runtime.canonical_json import Json, digest
from ..storage.files.committed_text import readable, strictly_read
from ..storage.files.plain_files import unreadable
from .candidates import KINDS, Kind, with_headings
from .draft import Draft
from .generator import EarlierCase

_HASH_DIGITS = 16  # hexadecimal


def passage_hash(passage: Passage) -> str:
    """Return a hash of a passage with the headings above it."""
    return digest(with_headings(passage))[:_HASH_DIGITS]


def record_of(draft: Draft, made_by: Mapping[str, Any]) -> Json:
    """Return a case as the fields of `EvalCase`.

    Its `generation_params` have the kind and key of the candidate, a hash of each passage, and a
    hash of what was written, by which an edited case is recognized.

    Args:
        made_by: further entries of `generation_params`.
    """
    candidate = draft.candidate
    record: Json = {"id": candidate.case_id, "question": draft.question}
    if draft.answer:
        record["ground_truth_answer"] = draft.answer
    if candidate.kind != "unanswerable":
        record["ground_truth_contexts"] = [one.text for one in draft.used]
        record["ground_truth_context_ids"] = [one.id for one in draft.used]
    record["source_units"] = [_source_unit(draft, one) for one in draft.used]
    if candidate.persona is not None:
        record["persona"] = candidate.persona
    record["metadata"] = {"question_type": candidate.kind}
    params = {
        "kind": candidate.kind,
        "candidate": candidate.key,
        "passages": [passage_hash(one) for one in candidate.passages],
        **made_by,
        "written": _written_hash(record),
    }
    return {**record, "generation_params": params}


def _source_unit(draft: Draft, passage: Passage) -> Json:
    quotes = [
        {"text": one.text, "start": one.span[0], "end": one.span[1]}
        for one in draft.quotes
        if one.span is not None and draft.candidate.passages[one.passage] == passage
    ]
    return {
        "id": passage.id,
        "document": passage.document,
        "headings": list(passage.headings),
        "text": passage.text,
        "quotes": quotes,
    }


def _written_hash(record: Mapping[str, Any]) -> str:
    written = {name: value for name, value in record.items() if name != "generation_params"}
    return digest(written)[:_HASH_DIGITS]


@dataclass(frozen=True)
class CaseLine:
    """A line of a data set.

    Attributes:
        text: the line as it is in the file, without its end.
    """

    text: str
    record: Json

    @classmethod
    def of_draft(cls, draft: Draft, made_by: Mapping[str, Any]) -> CaseLine:
        record = record_of(draft, made_by)
        return cls(readable(record), record)

    @cached_property
    def _params(self) -> Json:
        """The `generation_params`; empty if a generated case can't have them."""
        params: Any = self.record.get("generation_params")
        match params:
            case {"kind": kind, "candidate": str(), "written": str(), "passages": list(hashes)}:
                if kind in KINDS and all(isinstance(one, str) for one in hashes):
                    return dict(params)
        return {}

    @property
    def name(self) -> str:
        """The case's id, or else its question."""
        return visible(str(self.record.get("id") or self.record.get("question") or "without an id"))

    @property
    def kind(self) -> Kind | None:
        """The kind of a generated case; None if a person wrote the case."""
        kind: Kind | None = self._params.get("kind")
        return kind

    @property
    def edited(self) -> bool:
        """Whether a person wrote or changed the line."""
        return self.kind is None or self._params["written"] != _written_hash(self.record)

    def is_current(self, hashes: frozenset[str]) -> bool:
        """Whether all passages of the case are still there; True if a person wrote it.

        Args:
            hashes: those of all passages.
        """
        return self.kind is None or hashes.issuperset(self._params["passages"])

    @property
    def documents(self) -> list[str]:
        """The documents that the case is about."""
        return list(dict.fromkeys(str(unit.get("document")) for unit in self._units))

    @property
    def _units(self) -> list[Json]:
        """The source units, as far as a person left them as they were."""
        units = self.record.get("source_units")
        return [unit for unit in units if isinstance(unit, dict)] if isinstance(units, list) else []

    def as_earlier(self) -> EarlierCase:
        """Return what a generator needs to know of the case."""
        question = str(self.record.get("question") or "")
        if self.kind is None:
            return EarlierCase(question)
        places = [place for unit in self._units for place in _places(unit)]
        return EarlierCase(question, self.kind, self._params.get("candidate"), tuple(places))


def _places(unit: Json) -> Iterator[tuple[str, int, int]]:
    quotes = unit.get("quotes")
    for quote in quotes if isinstance(quotes, list) else ():
        match quote, unit:
            case {"start": int(start), "end": int(end)}, {"id": str(id)}:
                yield id, start, end


def hashes_of(corpus: Corpus) -> frozenset[str]:
    """Return the hashes of all passages."""
    return frozenset(
        passage_hash(passage) for document in corpus.documents for passage in document.passages
    )


def read_lines(path: Path) -> list[CaseLine]:
    """Read a data set of JSON Lines whose lines are to be kept as they are.

    Raises:
        ConfigurationError: it can't be read, or a line is not a JSON object.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise unreadable(path, error) from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8: {error.reason}") from None
    lines = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = strictly_read(line)
        except ValueError as error:
            raise ConfigurationError(f"{path}, line {number}: not JSON: {error}") from None
        if not isinstance(record, dict):
            raise ConfigurationError(f"{path}, line {number}: not a JSON object")
        lines.append(CaseLine(line.rstrip("\r"), record))
    return lines
