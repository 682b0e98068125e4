"""Claims and criteria of failed results as they were reported, so that ids in reports can be looked
up.

They are in `<cache-dir>/reported.jsonl`, one JSON object per line, the newest first.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from ..judgements import Met, Verdict
from ..runtime.canonical_json import canonical_json, is_digest
from .files.atomic import update_whole
from .files.json_lines import lines_of
from .store_folder import make_store_folder, plain_in_store, read_in_store

NAME = "reported.jsonl"
MOST = 2_000  # claims that are kept
LONGEST_PASSAGES = 8_000  # characters of a claim's passages together


@dataclass(frozen=True)
class ReportedClaim:
    """A claim of a failed result, or a criterion, whose labels are its own.

    Attributes:
        id: `claim_id` of the claim and its whole passages; `criterion_id`.
        passages: what it was compared with; for a criterion, the answer. Blank ones are empty
            texts, so that `passage` is an index into them.
        passages_cut: their texts are not complete here.
        label_raw: the judge's own verdict, by name.
        verdict: the verdict that counts, by name.
        gate_reason: why the gate changed label or passage, if it did.
        reason: the judge's explanation.
        evidence: its quotes, each `{"passage", "quote"}`, with the passage as a 0-based index or
            None.
        nodeid: the test.
        judge: the judge, for people.
        questions: keys of the questions that the result rests on.
        by_hand: a committed override decided.
        when: UTC, as ISO 8601 to the second.
    """

    id: str
    claim: str
    passages: list[str]
    label_raw: str
    verdict: str
    gate_reason: str | None
    reason: str | None
    evidence: list[dict[str, Any]]
    metric: str
    case: str
    nodeid: str
    judge: str
    questions: list[str]
    by_hand: bool
    when: str
    passages_cut: bool = False

    @property
    def place(self) -> tuple[str, str, str, str]:
        """What identifies a report of a claim, so that a later one replaces it."""
        return self.id, self.nodeid, self.case, self.metric


def read_reported(folder: Path) -> list[ReportedClaim]:
    """Return the claims reported in the store's folder, the newest first; damaged lines are
    skipped.
    """
    try:
        lines = lines_of(io.BytesIO(read_in_store(folder, NAME)))
    except OSError:
        return []
    read = (_claim_of(raw.decode("utf-8", "replace")) for _, _, raw in lines)
    return [claim for claim in read if claim is not None]


def keep_reported(folder: Path, claims: Iterable[ReportedClaim]) -> None:
    """Add claims, the newest first, to the existing ones; at most `MOST` are kept.

    A claim that the same test, case and metric reported before replaces its old line. Long passages
    are cut.

    Raises:
        OSError: the file can't be written.
    """
    newest = sorted(claims, key=lambda claim: claim.when, reverse=True)
    if not newest:
        return

    def text() -> bytes:
        kept: dict[tuple[str, ...], ReportedClaim] = {}
        for claim in (*newest, *read_reported(folder)):
            kept.setdefault(claim.place, claim)
        return _text_of(list(kept.values())[:MOST]).encode()

    make_store_folder(folder)
    update_whole(plain_in_store(folder, NAME), text, mode=0o600)


def forget_reported(folder: Path, before: str) -> None:
    """Remove the claims that were reported before a time in the form of `ReportedClaim.when`.

    Raises:
        OSError: the file can't be written.
    """

    def text() -> bytes | None:
        claims = read_reported(folder)
        kept = [claim for claim in claims if claim.when >= before]
        return _text_of(kept).encode() if len(kept) < len(claims) else None

    if (folder / NAME).exists():
        update_whole(plain_in_store(folder, NAME), text, mode=0o600)


def _text_of(claims: Iterable[ReportedClaim]) -> str:
    return "".join(f"{canonical_json(_fields_of(_cut(claim)))}\n" for claim in claims)


def _cut(claim: ReportedClaim) -> ReportedClaim:
    """Return the claim with at most `LONGEST_PASSAGES` characters of passages. Each passage that is
    longer than its share is cut to an equal share.
    """
    if sum(map(len, claim.passages)) <= LONGEST_PASSAGES:
        return claim
    share = LONGEST_PASSAGES // len(claim.passages)
    return replace(claim, passages=[text[:share] for text in claim.passages], passages_cut=True)


def _fields_of(claim: ReportedClaim) -> dict[str, Any]:
    return {field.name: getattr(claim, field.name) for field in fields(claim)}


def _claim_of(line: str) -> ReportedClaim | None:
    """Return the claim in a line, or None if the line is damaged."""
    try:
        record = json.loads(line)
        if not isinstance(record, dict) or record.keys() != _FIELDS.keys():
            return None
    except (ValueError, RecursionError):
        return None
    if not all(fits(record[name]) for name, fits in _FIELDS.items()):
        return None
    return ReportedClaim(**record)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_quotes(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and one.keys() == {"passage", "quote"}
        and _is_text(one["quote"])
        and _is_place_or_none(one["passage"])
        for one in value
    )


def _is_place_or_none(value: Any) -> bool:
    return value is None or (type(value) is int and value >= 0)


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and (value in Verdict.__members__ or value in Met.__members__)


def _is_true_or_false(value: Any) -> bool:
    return isinstance(value, bool)


_FIELDS = {
    "id": is_digest,
    "claim": _is_text,
    "passages": _are_texts,
    "label_raw": _is_label,
    "verdict": _is_label,
    "gate_reason": _is_text_or_none,
    "reason": _is_text_or_none,
    "evidence": _are_quotes,
    "metric": _is_text,
    "case": _is_text,
    "nodeid": _is_text,
    "judge": _is_text,
    "questions": _are_texts,
    "by_hand": _is_true_or_false,
    "when": _is_text,
    "passages_cut": _is_true_or_false,
}
