"""Classifies failures: assertion, judge error, missing verdicts, or other; turns errors into skips
if configured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..analysis.records.row_types import MeasuredRow


def skip_unmeasured(call: pytest.CallInfo[None], *, outages: bool, missing: bool) -> None:
    """Turn an error that prevented a test from measuring into a skip, before other plugins see a
    failure.

    Args:
        outages: whether judge errors skip.
        missing: whether verdicts missing in a replay skip.
    """
    if call.excinfo is None:
        return
    reasons: dict[tuple[str, str], None] = {}
    for error in leaves(call.excinfo.value):
        reason = _reason(error, outages=outages, missing=missing)
        if reason is None:
            # a mistake must be visible, whatever else went wrong
            return
        reasons[reason] = None
    # the test's line, so that the same error elsewhere in the test is the same skip
    skip = pytest.skip.Exception("; ".join(said for _, said in reasons), _use_item_location=True)
    ends = sorted({end for end, _ in reasons})
    skip.ragassert_end = " ".join(ends)  # type: ignore[attr-defined]  # `end_of` asks for it
    call.excinfo = pytest.ExceptionInfo.from_exc_info((type(skip), skip, call.excinfo.tb))


def _reason(error: BaseException, *, outages: bool, missing: bool) -> tuple[str, str] | None:
    """The end and reason of a test that the error skips; None if it does not skip."""
    from ..errors import JudgeError, VerdictMissing
    from ..report.outcome import SKIPPED, SKIPPED_MISSING

    if outages and isinstance(error, JudgeError) and error.outage:
        return SKIPPED, f"judge error ({error.kind}): {error}"
    if missing and isinstance(error, VerdictMissing):
        return SKIPPED_MISSING, f"VerdictMissing: {error}"
    return None


def end_of(
    report: pytest.TestReport, error: BaseException | None, rows: Sequence[MeasuredRow] = ()
) -> str | None:
    """The ends of a phase in the words of `report.outcome`, separated by spaces; None if it passed
    or was skipped for another reason.

    Args:
        error: the exception raised in the phase.
        rows: the measurements in the phase; a plugin may collect failures and report them in one
            error.
    """
    if report.skipped:
        end: str | None = getattr(error, "ragassert_end", None)
        return end
    if not report.failed:
        return None
    from ..errors import JudgeError, RagAssertionError, VerdictMissing
    from ..report.outcome import ASSERTION, JUDGE, MISSING, OTHER

    ends = []
    for one in () if error is None else leaves(error):
        if isinstance(one, RagAssertionError):
            ends.append(ASSERTION)
        elif isinstance(one, JudgeError):
            ends.append(JUDGE)
        elif isinstance(one, VerdictMissing):
            ends.append(MISSING)
        else:
            ends += (_collected(str(one), rows) if rows else []) or [OTHER]
    return " ".join(sorted(set(ends))) or OTHER


def _collected(text: str, rows: Iterable[MeasuredRow]) -> list[str]:
    """The ends found in the text of another plugin's error, such as pytest-check's."""
    from ..analysis.records.result_rows import is_failure, is_told_in
    from ..report.outcome import ASSERTION, JUDGE, MISSING

    ends = []
    for row in rows:
        if is_failure(row) and is_told_in(text, row):
            ends.append(ASSERTION)
        error = row["error"]
        if error is not None and error["message"] in text:
            kinds = {"JudgeError": [JUDGE], "VerdictMissing": [MISSING]}
            ends += kinds.get(error["type"], [])
    return ends


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The error, or the errors of an exception group, as raised by concurrent tasks."""
    inner = getattr(error, "exceptions", None)
    if isinstance(error, Exception) and isinstance(inner, tuple) and inner:
        for one in inner:
            yield from leaves(one)
    else:
        yield error
