"""Attributes failures: what retrieval did not find, what the answer left out, what it added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..analysis.records.row_types import ClaimRow, MeasuredRow
from ..config.metric_table import SIDES
from ..judgements import Verdict
from ..language.escaping import is_blank
from ..language.number_format import plural

# The names of compared texts in a row's digests.
_INPUTS = {
    "answer": "answer",
    "reference": "references",
    "contexts": "contexts",
    "cited": "contexts",
}


def _judging(claims_of: str, against: str) -> list[str]:
    """The metrics that check these claims against that text, those that judge nothing else
    first.
    """
    found = [name for name, sides in SIDES.items() if (claims_of, against) in sides]
    return sorted(found, key=lambda name: len(SIDES[name]))


_REFERENCE_IN_CONTEXTS = _judging("reference", "contexts")
_REFERENCE_IN_ANSWER = _judging("reference", "answer")
_ANSWER_IN_CONTEXTS = _judging("answer", "contexts")
_JUDGING_CONTEXTS = ("context_relevance", "context_precision")
_CONTRADICTED = Verdict.CONTRADICTORY.value
_PARTLY = Verdict.PARTIALLY_SUPPORTED.value
# Where claims of a case got lost, or came from.
NOT_RETRIEVED = "not retrieved"
NOT_USED = "retrieved but not used"
ADDED = "added by the answer"
_AGAINST = f"{ADDED}, contradicted"


@dataclass(frozen=True)
class Attribution:
    """The claims of a case by where they got lost or came from, in text order.

    Attributes:
        not_retrieved: claims of the reference that the contexts do not support.
        not_used: claims of the reference that the contexts support and the answer does not.
        added: claims of the answer that the contexts do not support; None if not measured.
        contradicted: those added claims that the contexts contradict.
        partly: the number of these claims that the text supports in part.
    """

    not_retrieved: tuple[str, ...]
    not_used: tuple[str, ...]
    added: tuple[str, ...] | None
    contradicted: tuple[str, ...] = ()
    partly: int = 0

    @property
    def named(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        rest = tuple(claim for claim in self.added or () if claim not in self.contradicted)
        return (
            (NOT_RETRIEVED, self.not_retrieved),
            (NOT_USED, self.not_used),
            (_AGAINST, self.contradicted),
            (ADDED, rest),
        )

    @property
    def counts(self) -> Counts:
        return Counts(
            len(self.not_retrieved),
            len(self.not_used),
            len(self.added or ()),
            len(self.contradicted),
            self.partly,
        )


class Counts(NamedTuple):
    """The number of claims of a case by where they got lost or came from.

    Attributes:
        contradicted: the number of added claims that are contradicted.
        partly: the number of all these claims that the text supports in part.
    """

    not_retrieved: int
    not_used: int
    added: int
    contradicted: int
    partly: int = 0

    @property
    def words(self) -> str:
        """`1 claim not retrieved, 2 added by the answer (1 contradicted)`; empty if all are 0."""
        lost = [
            (count, what)
            for count, what in ((self.not_retrieved, NOT_RETRIEVED), (self.not_used, NOT_USED))
            if count
        ]
        said = [
            f"{count if place else plural(count, 'claim')} {what}"
            for place, (count, what) in enumerate(lost)
        ]
        if self.added:
            added = (
                f"{self.added} {ADDED}"
                if said
                else f"the answer added {plural(self.added, 'claim')}"
            )
            said.append(f"{added}{self._of_these}")
        return ", ".join(said) + (self._because if len(said) == 1 else "")

    @property
    def _of_these(self) -> str:
        if not self.contradicted:
            return ""
        if self.contradicted < self.added:
            return f" ({self.contradicted} contradicted)"
        return " (all contradicted)" if self.added > 1 else " (contradicted)"

    @property
    def _because(self) -> str:
        """The explanation for claims of one kind."""
        count = self.not_retrieved + self.not_used + self.added
        it = "it" if count == 1 else "them"
        of = f"{self.partly} of them" if self.partly < count else it
        if self.not_used:
            says = f"says {of} only in part" if self.partly else "does not"
            return f": a passage says {it}, the answer {says}"
        if self.contradicted:
            return ""
        if self.partly:
            return f": the passages support {of} only in part"
        return ", in no passage"

    @property
    def advice(self) -> str:
        """The advice on what to check."""
        check = ["the retriever"] if self.not_retrieved else []
        check += ["the prompt"] if self.not_used or self.added else []
        return f"check {', then '.join(check)}"


def attributed(failed: MeasuredRow, rows: Sequence[MeasuredRow]) -> Attribution | None:
    """Attribute the failure of a row, using all rows of its test.

    None if the reference's claims were not checked against both the contexts and the answer. As in
    recall, a claim is supported if its verdict is FULLY_SUPPORTED.
    """
    retrieved = _found(rows, _REFERENCE_IN_CONTEXTS, "reference", [failed])
    if retrieved is None:
        return None
    used = _found(rows, _REFERENCE_IN_ANSWER, "reference", [failed, retrieved])
    if used is None:
        return None
    grounded = _found(rows, _ANSWER_IN_CONTEXTS, "answer", [failed, retrieved, used])
    # a claim that the other metric did not have cannot be attributed
    in_contexts = {c["text"] for c in _claims(retrieved, "reference") if _supported(c)}
    not_retrieved = _unsupported(retrieved, "reference")
    not_used = [c for c in _unsupported(used, "reference") if c["text"] in in_contexts]
    unsupported = [] if grounded is None else _unsupported(grounded, "answer")
    return Attribution(
        not_retrieved=tuple(c["text"] for c in not_retrieved),
        not_used=tuple(c["text"] for c in not_used),
        added=None if grounded is None else tuple(c["text"] for c in unsupported),
        contradicted=tuple(c["text"] for c in unsupported if c["verdict"] == _CONTRADICTED),
        partly=_partly([*not_retrieved, *not_used, *unsupported]),
    )


def where_it_broke(
    failed: Sequence[MeasuredRow],
    rows: Sequence[MeasuredRow],
    contexts: Sequence[str | None] | None = None,
) -> str:
    """A sentence on where a case broke and what to check; empty if nothing is known.

    Args:
        failed: the failed rows of the case.
        rows: all rows of its test.
        contexts: the retrieved contexts of the case; None if they are not known.
    """
    nothing = contexts is None or all(map(is_blank, contexts))
    if contexts is not None and nothing and any(map(_on_contexts, failed)):
        blank = ""
        if contexts:
            blank = f" ({plural(len(contexts), 'passage')}, {'all ' * (len(contexts) > 1)}blank)"
        return f"nothing was retrieved{blank}; check the retriever"
    found = attributed(failed[0], rows)
    counts = _known(failed) if found is None else found.counts
    if found is None and not counts.words:
        return _irrelevant(failed) or ("" if nothing else _left_out(failed))
    return f"{counts.words}; {counts.advice}" if counts.words else ""


def _known(failed: Sequence[MeasuredRow]) -> Counts:
    """The same if the reference was not checked against both contexts and answer."""
    missing: list[ClaimRow] = []
    added: list[ClaimRow] = []
    # if several metrics judged the same claims, any of them has the count
    for row in failed:
        sides = SIDES.get(row["metric"], ())
        if ("reference", "contexts") in sides:
            missing = max(missing, _unsupported(row, "reference"), key=len)
        if ("answer", "contexts") in sides:
            added = max(added, _unsupported(row, "answer"), key=_how_bad)
    return Counts(len(missing), 0, len(added), _contradicted(added), _partly([*missing, *added]))


def _irrelevant(failed: Sequence[MeasuredRow]) -> str:
    """The same if only the contexts were judged."""
    for row in failed:
        if row["metric"] in _JUDGING_CONTEXTS and row["details"].get("contexts"):
            relevant = [one["relevant"] for one in row["details"]["contexts"]]
            said = f"{relevant.count(False)} of {plural(len(relevant), 'passage')} not relevant"
            return f"{said}; check the retriever"
    return ""


def _left_out(failed: Sequence[MeasuredRow]) -> str:
    """The same if the reference was only checked against the answer: which metric shows more."""
    asked = [row for row in failed if ("reference", "answer") in SIDES.get(row["metric"], ())]
    count = max((len(_unsupported(row, "reference")) for row in asked), default=0)
    if not count:
        return ""
    was = "was" if count == 1 else "were"
    said = f"{plural(count, 'claim')} of the reference not in the answer"
    return f"{said}; context_recall shows whether {'it' if count == 1 else 'they'} {was} retrieved"


def _on_contexts(row: MeasuredRow) -> bool:
    """Whether the metric measures the contexts."""
    sides = SIDES.get(row["metric"], ())
    return row["metric"] in _JUDGING_CONTEXTS or any(
        text in ("contexts", "cited") for _, text in sides
    )


def _found(
    rows: Sequence[MeasuredRow], metrics: Sequence[str], source: str, beside: Sequence[MeasuredRow]
) -> MeasuredRow | None:
    """The last row of the same case from the first of these metrics that has one."""
    for metric in metrics:
        for row in rows[::-1]:
            if row["metric"] != metric or row["error"] is not None or row["missed"] is not None:
                continue
            has_claims = bool(_claims(row, source)) or row["vacuous"]
            if has_claims and all(_same_case(row, other) for other in beside):
                return row
    return None


def _same_case(one: MeasuredRow, other: MeasuredRow) -> bool:
    """Whether the inputs of both did not change between them."""
    if not one["inputs"] or not other["inputs"] or one["case"] != other["case"]:
        return False
    shared = _compared(one) & _compared(other)
    return all(one["inputs"][name] == other["inputs"][name] for name in shared)


def _compared(row: MeasuredRow) -> set[str]:
    """The inputs that determine the row's claims."""
    sides = SIDES.get(row["metric"])
    if sides is None:
        return set(row["inputs"])
    return {"question", *(_INPUTS[text] for side in sides for text in side)}


def _claims(row: MeasuredRow, source: str) -> list[ClaimRow]:
    return [claim for claim in row["claims"] if claim["source"] == source]


def _unsupported(row: MeasuredRow, source: str) -> list[ClaimRow]:
    return [claim for claim in _claims(row, source) if not _supported(claim)]


def _how_bad(claims: Sequence[ClaimRow]) -> tuple[int, int]:
    return len(claims), _contradicted(claims)


def _contradicted(claims: Sequence[ClaimRow]) -> int:
    return sum(claim["verdict"] == _CONTRADICTED for claim in claims)


def _partly(claims: Sequence[ClaimRow]) -> int:
    return sum(claim["verdict"] == _PARTLY for claim in claims)


def _supported(claim: ClaimRow) -> bool:
    return bool(claim["verdict"] == Verdict.FULLY_SUPPORTED.value)
