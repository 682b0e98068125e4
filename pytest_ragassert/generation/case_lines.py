"""Writes generated cases as lines of a data set, and recognizes them when they are read again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..case import EvalCase
from ..corpus.passages import Passage
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

    Its `generation_params` have the kind and key of the candidate, the documents, a hash of each
    passage by id, and a hash of what was written, by which an edited case is recognized.

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
        "documents": list(dict.fromkeys(one.document for one in draft.used)),
        "passages": {one.id: passage_hash(one) for one in draft.used},
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
    def of_record(cls, record: Json) -> CaseLine:
        return cls(readable(record), record)

    @classmethod
    def of_draft(cls, draft: Draft, made_by: Mapping[str, Any]) -> CaseLine:
        return cls.of_record(record_of(draft, made_by))

    @cached_property
    def _params(self) -> Json:
        """The `generation_params`; empty if a generated case can't have them."""
        params: Any = self.record.get("generation_params")
        match params:
            case {
                "kind": kind,
                "candidate": str(),
                "written": str(),
                "passages": dict(hashes),
                "documents": list(documents),
            }:
                names = [*hashes, *hashes.values(), *documents]
                if kind in KINDS and all(isinstance(name, str) for name in names):
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

    @property
    def key(self) -> str | None:
        """The key of a generated case's candidate; None if a person wrote the case."""
        return self._params.get("candidate")

    @property
    def passages(self) -> Mapping[str, str]:
        """The hashes of the passages of a generated case, by id."""
        return dict(self._params.get("passages", {}))

    @property
    def documents(self) -> list[str]:
        """The documents that a generated case is about."""
        return list(self._params.get("documents", ()))

    @property
    def rejected(self) -> list[str]:
        """Keys of candidates that a person rejected, as far as this line remembers them."""
        keys = self._params.get("rejected")
        return [str(key) for key in keys] if isinstance(keys, list) else []

    @property
    def quotes(self) -> list[str]:
        """The quotes that prove the case."""
        listed = (unit.get("quotes") for unit in self.units)
        quotes = [quote for some in listed if isinstance(some, list) for quote in some]
        return [str(quote.get("text")) for quote in quotes if isinstance(quote, dict)]

    def remembering(self, rejected: Sequence[str]) -> CaseLine:
        """Return the line, which also remembers the keys of rejected candidates."""
        return self._with_params(self.record, rejected=sorted({*self.rejected, *rejected}))

    def renamed(self, ids: Mapping[str, str], documents: Mapping[str, str]) -> CaseLine:
        """Return the line with the present names of its passages and documents.

        Args:
            ids, documents: by former name; others stay.
        """
        record = dict(self.record)
        listed = record.get("ground_truth_context_ids")
        if isinstance(listed, list):
            record["ground_truth_context_ids"] = [ids.get(str(one), one) for one in listed]
        if self.units:
            record["source_units"] = [
                {
                    **unit,
                    "id": ids.get(str(unit.get("id")), unit.get("id")),
                    "document": documents.get(str(unit.get("document")), unit.get("document")),
                }
                for unit in self.units
            ]
        changes: Json = {
            "passages": {ids.get(id, id): found for id, found in self.passages.items()},
            "documents": [documents.get(one, one) for one in self.documents],
        }
        if not self.edited:
            changes["written"] = _written_hash(record)
        return self._with_params(record, **changes)

    def _with_params(self, record: Json, **changes: Any) -> CaseLine:
        """Return a line of the record, with changes to the `generation_params` of this line."""
        params = {**self.record.get("generation_params", {}), **changes}
        return CaseLine.of_record({**record, "generation_params": params})

    @property
    def units(self) -> list[Json]:
        """The source units, as far as a person left them as they were."""
        units = self.record.get("source_units")
        return [unit for unit in units if isinstance(unit, dict)] if isinstance(units, list) else []

    def as_earlier(self) -> EarlierCase:
        """Return what a generator needs to know of the case."""
        question = str(self.record.get("question") or "")
        if self.kind is None:
            return EarlierCase(question)
        places = [place for unit in self.units for place in _places(unit)]
        return EarlierCase(question, self.kind, self.key, tuple(places))


def _places(unit: Json) -> Iterator[tuple[str, int, int]]:
    quotes = unit.get("quotes")
    for quote in quotes if isinstance(quotes, list) else ():
        match quote, unit:
            case {"start": int(start), "end": int(end)}, {"id": str(id)}:
                yield id, start, end


def read_lines(path: Path) -> list[CaseLine]:
    """Read a data set of JSON Lines whose lines are to be kept as they are.

    Raises:
        ConfigurationError: it can't be read, or a line is not a case; two cases have the same id.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise unreadable(path, error) from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8: {error.reason}") from None
    lines: list[CaseLine] = []
    ids: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            record = strictly_read(line)
        except ValueError as error:
            raise ConfigurationError(f"{place}: not JSON: {error}") from None
        if not isinstance(record, dict) or not record:
            raise ConfigurationError(f"{place}: not a JSON object with the fields of a case")
        try:
            case = EvalCase(**record)
        except (ValueError, TypeError) as error:
            raise ConfigurationError(f"{place}: {error}") from None
        if case.id is not None and ids.setdefault(case.id, number) != number:
            raise ConfigurationError(
                f"{path}, lines {ids[case.id]} and {number} have the same id {visible(case.id)}; "
                "change or delete one"
            )
        lines.append(CaseLine(line.rstrip("\r"), record))
    return lines
