"""Where a case broke: what retrieval did not find, what the answer left out, what it added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..analysis.records.row_types import ClaimRow, MeasuredRow
from ..config.metric_table import SIDES
from ..judgements import Verdict

# What a row's digests call the texts that metrics compare.
_INPUTS = {"answer": "answer", "reference": "references", "contexts": "contexts"}


def _judging(claims_of: str, against: str) -> list[str]:
    """The metrics that hold these claims against that text, those that judge nothing else first."""
    found = [name for name, sides in SIDES.items() if (claims_of, against) in sides]
    return sorted(found, key=lambda name: len(SIDES[name]))


_REFERENCE_IN_CONTEXTS = _judging("reference", "contexts")
_REFERENCE_IN_ANSWER = _judging("reference", "answer")
_ANSWER_IN_CONTEXTS = _judging("answer", "contexts")


@dataclass(frozen=True)
class Attribution:
    """Claims of a case by where they were lost or came from, in text order.

    Attributes:
        not_retrieved: the reference's, that the contexts do not support.
        not_used: the reference's, that the contexts support and the answer does not.
        added: the answer's, that the contexts do not support; None where that was not measured.
    """

    not_retrieved: tuple[str, ...]
    not_used: tuple[str, ...]
    added: tuple[str, ...] | None

    @property
    def words(self) -> str:
        """`1 not retrieved, 2 retrieved but not used`; empty where every claim is all right."""
        return ", ".join(f"{len(claims)} {what}" for what, claims in self.named if claims)

    @property
    def named(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return (
            ("not retrieved", self.not_retrieved),
            ("retrieved but not used", self.not_used),
            ("added by the answer", self.added or ()),
        )


def attributed(failed: MeasuredRow, rows: Sequence[MeasuredRow]) -> Attribution | None:
    """Where the case of a failed row broke, from all rows of its test.

    None where the reference's claims were not held against both the contexts and the answer. A
    claim is supported where its verdict is FULLY_SUPPORTED, as recall counts.
    """
    retrieved = _found(rows, _REFERENCE_IN_CONTEXTS, "reference", [failed])
    if retrieved is None:
        return None
    used = _found(rows, _REFERENCE_IN_ANSWER, "reference", [failed, retrieved])
    if used is None:
        return None
    grounded = _found(rows, _ANSWER_IN_CONTEXTS, "answer", [failed, retrieved, used])
    in_answer = {claim["text"]: _supported(claim) for claim in _claims(used, "reference")}
    reference = _claims(retrieved, "reference")
    return Attribution(
        not_retrieved=tuple(c["text"] for c in reference if not _supported(c)),
        # a claim that the other metric did not have is nobody's fault
        not_used=tuple(
            c["text"] for c in reference if _supported(c) and not in_answer.get(c["text"], True)
        ),
        added=None
        if grounded is None
        else tuple(c["text"] for c in _claims(grounded, "answer") if not _supported(c)),
    )


def _found(
    rows: Sequence[MeasuredRow], metrics: Sequence[str], source: str, beside: Sequence[MeasuredRow]
) -> MeasuredRow | None:
    """The last row of the first of these metrics that is of the same case as those beside it."""
    for metric in metrics:
        for row in rows[::-1]:
            if row["metric"] != metric or row["error"] is not None or row["missed"] is not None:
                continue
            has_claims = bool(_claims(row, source)) or row["vacuous"]
            if has_claims and all(_same_case(row, other) for other in beside):
                return row
    return None


def _same_case(one: MeasuredRow, other: MeasuredRow) -> bool:
    """Whether nothing that both were measured on was changed between them."""
    if not one["inputs"] or not other["inputs"] or one["case"] != other["case"]:
        return False
    shared = _compared(one) & _compared(other)
    return all(one["inputs"][name] == other["inputs"][name] for name in shared)


def _compared(row: MeasuredRow) -> set[str]:
    """The inputs that decide on the row's claims."""
    sides = SIDES.get(row["metric"])
    if sides is None:
        return set(row["inputs"])
    return {"question", *(_INPUTS[text] for side in sides for text in side)}


def _claims(row: MeasuredRow, source: str) -> list[ClaimRow]:
    return [claim for claim in row["claims"] if claim["source"] == source]


def _supported(claim: ClaimRow) -> bool:
    return bool(claim["verdict"] == Verdict.FULLY_SUPPORTED.value)
