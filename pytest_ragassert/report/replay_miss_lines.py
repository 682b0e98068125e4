"""Questions that a replay has no verdict on, by why it has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..analysis.records.row_types import MeasuredRow, MissedRow
from ..language.escaping import shortened, visible

if TYPE_CHECKING:
    from ..storage.committed.misses import Miss

_FEW = 5  # misses of a cause that are told one by one
_LONGEST_TEXT = 60  # characters


class Missed(NamedTuple):
    """A question that could not be asked, and the id of the first case that needed it."""

    case: str | None
    question: MissedRow


def missed_questions(rows: Sequence[MeasuredRow]) -> list[Missed]:
    """Those for which a row was not measured, as no verdict on them is stored; each once."""
    by_key: dict[str, Missed] = {}
    for row in rows:
        if row["error"] is not None and (question := row["error"]["missed"]):
            by_key.setdefault(question["key"], Missed(row["case"], question))
    return list(by_key.values())


def miss_lines(
    missed: Sequence[Missed], misses: Sequence[Miss] | None, command: str, *, verbose: bool
) -> list[str]:
    """The section's lines; the last is the command that records all of them.

    Args:
        missed: as `missed_questions` gives them.
        misses: why, in their order; None where there are no committed verdicts to tell it.
    """
    lines: list[str] = []
    if misses is None:
        lines += _told("not in the store", [_asked(one) for one in missed], verbose=verbose)
    else:
        told: dict[str, list[str]] = {}
        for one, miss in zip(missed, misses, strict=True):
            told.setdefault(miss.cause, []).append(f"{_asked(one)}{_recorded(one, miss)}")
        for cause in sorted(told):
            lines += _told(cause, told[cause], verbose=verbose)
    return [*lines, f"record them with: {command}"]


def _told(cause: str, each: Sequence[str], *, verbose: bool) -> Iterator[str]:
    yield f"{cause}: {len(each)}"
    few = each if verbose else each[:_FEW]
    yield from (f"  {line}" for line in few)
    if len(few) < len(each):
        yield f"  … {len(each) - len(few)} more (-v shows all)"


def _asked(missed: Missed) -> str:
    case = f"case {visible(missed.case)}: " if missed.case is not None else ""
    return f"{case}{missed.question['step']} {_short(missed.question['about'])}"


def _recorded(missed: Missed, miss: Miss) -> str:
    """What the verdict that tells the cause says."""
    judge, about = missed.question["judge"], missed.question["about"]
    if miss.cause == "other model":
        return f", recorded by {visible(miss.judge or '')}, asked of {visible(judge)}"
    if miss.cause != "text changed":
        return ""
    if miss.about == about:
        return ", recorded with other passages or another question"
    return f", recorded as {_short(miss.about or '')}"


def _short(text: str) -> str:
    return f'"{shortened(visible(text), _LONGEST_TEXT)}"'
