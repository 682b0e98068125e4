"""Questions that a replay has no verdict on, by why it has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..analysis.records.result_rows import Row
from ..language.sanitize import shortened, visible

if TYPE_CHECKING:
    from ..storage.committed.misses import Miss

_FEW = 5  # misses of a cause that are told one by one
_LONGEST_TEXT = 60  # characters


def missed_rows(rows: Sequence[Row]) -> list[Row]:
    """Those that were not measured for want of a stored verdict, one for each question."""
    by_key: dict[str, Row] = {}
    for row in rows:
        missed = row["error"] and row["error"].get("missed")
        if missed:
            by_key.setdefault(missed["key"], row)
    return list(by_key.values())


def miss_lines(
    rows: Sequence[Row], misses: Sequence[Miss] | None, command: str, *, verbose: bool
) -> list[str]:
    """The section's lines; the last is the command that records all of them.

    Args:
        rows: as `missed_rows` gives them.
        misses: why, in the rows' order; None where there are no committed verdicts to tell it.
    """
    lines: list[str] = []
    if misses is None:
        lines += _told("not in the store", [_asked(row) for row in rows], verbose=verbose)
    else:
        told: dict[str, list[str]] = {}
        for row, miss in zip(rows, misses, strict=True):
            told.setdefault(miss.cause, []).append(f"{_asked(row)}{_recorded(row, miss)}")
        for cause in sorted(told):
            lines += _told(cause, told[cause], verbose=verbose)
    return [*lines, f"record them with: {command}"]


def _told(cause: str, each: Sequence[str], *, verbose: bool) -> Iterator[str]:
    yield f"{cause}: {len(each)}"
    few = each if verbose else each[:_FEW]
    yield from (f"  {line}" for line in few)
    if len(few) < len(each):
        yield f"  … {len(each) - len(few)} more (-v shows all)"


def _asked(row: Row) -> str:
    missed = row["error"]["missed"]
    case = f"case {visible(row['case'])}: " if row["case"] is not None else ""
    return f"{case}{missed['step']} {_short(missed['about'])}"


def _recorded(row: Row, miss: Miss) -> str:
    """What the verdict that tells the cause says."""
    missed = row["error"]["missed"]
    if miss.cause == "other model":
        return f", recorded by {visible(miss.judge or '')}, asked of {visible(missed['judge'])}"
    if miss.cause != "text changed":
        return ""
    if miss.about == missed["about"]:
        return ", recorded with other passages or another question"
    return f", recorded as {_short(miss.about or '')}"


def _short(text: str) -> str:
    return f'"{shortened(visible(text), _LONGEST_TEXT)}"'
