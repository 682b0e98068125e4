"""Kinds of failure: an assertion, the judge, or others; skips for outages, where wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..analysis.records.row_types import MeasuredRow
    from ..errors import JudgeError


def skip_for_outage(call: pytest.CallInfo[None]) -> None:
    """Make a skip of the judge's trouble, before anyone sees a failure in it."""
    outages = _outages(call)
    if call.excinfo is None or not outages:
        return
    reason = "; ".join(dict.fromkeys(f"judge error ({e.kind}): {e}" for e in outages))
    # the test's line: the same trouble elsewhere in the test is the same skip
    skip = pytest.skip.Exception(reason, _use_item_location=True)
    skip.for_judge_error = True  # type: ignore[attr-defined]  # `end_of` asks for it
    call.excinfo = pytest.ExceptionInfo.from_exc_info((type(skip), skip, call.excinfo.tb))


def end_of(
    report: pytest.TestReport, error: BaseException | None, rows: Sequence[MeasuredRow] = ()
) -> str | None:
    """The ends of a phase in the words of `report.outcome`, between spaces; None where it passed
    or was skipped otherwise.

    Args:
        error: what was raised in the phase.
        rows: what was measured in it; a plugin may collect failures and report all in one error.
    """
    if report.skipped and getattr(error, "for_judge_error", False):
        from ..report.outcome import SKIPPED

        return SKIPPED
    if not report.failed:
        return None
    from ..errors import JudgeError, RagAssertionError
    from ..report.outcome import ASSERTION, JUDGE, OTHER

    ends = []
    for one in () if error is None else _leaves(error):
        if isinstance(one, RagAssertionError):
            ends.append(ASSERTION)
        elif isinstance(one, JudgeError):
            ends.append(JUDGE)
        else:
            ends += (_collected(str(one), rows) if rows else []) or [OTHER]
    return " ".join(sorted(set(ends))) or OTHER


def _collected(text: str, rows: Iterable[MeasuredRow]) -> list[str]:
    """The ends that the text of another plugin's error reports, such as pytest-check's."""
    from ..analysis.records.result_rows import is_failure, is_told_in
    from ..report.outcome import ASSERTION, JUDGE

    ends = []
    for row in rows:
        if is_failure(row) and is_told_in(text, row):
            ends.append(ASSERTION)
        error = row["error"]
        if error is not None and error["type"] == "JudgeError" and error["message"] in text:
            ends.append(JUDGE)
    return ends


def _outages(call: pytest.CallInfo[None]) -> list[JudgeError]:
    """The errors of the judge where there are no others, and none is a mistake to be mended."""
    if call.excinfo is None:
        return []
    from ..errors import JudgeError

    outages = []
    for error in _leaves(call.excinfo.value):
        if not isinstance(error, JudgeError) or not error.outage:
            return []
        outages.append(error)
    return outages


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The error, or those of a group, as tasks side by side raise them."""
    inner = getattr(error, "exceptions", None)
    if isinstance(error, Exception) and isinstance(inner, tuple) and inner:
        for one in inner:
            yield from _leaves(one)
    else:
        yield error
