"""Finds overrides whose claim no test of a run checks, for example because the answer changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..judgements import Met
from ..report.override_lines import unused_line
from ..storage.committed.committed_verdicts import open_verdicts
from ..storage.overrides import Overrides

if TYPE_CHECKING:
    from pathlib import Path

    from ..analysis.records.row_types import MeasuredRow


def unused_override_lines(path: Path, rows: Sequence[MeasuredRow]) -> list[str]:
    """Return a line of the summary for each override that a whole run did not meet.

    Args:
        path: the committed verdicts.
        rows: the results of every test. If one of them lacks verdicts, there are no lines.
    """
    if not rows or any(row["error"] is not None or row["missed"] is not None for row in rows):
        return []
    met = {use["claim"] for row in rows for use in row["by_hands"]}
    try:
        overrides = Overrides(open_verdicts(path).overrides())
    except ConfigurationError:
        # the tests report it
        return []
    return [
        unused_line(one.id, one.claim, one.verdict.words, criterion=isinstance(one.verdict, Met))
        for one in overrides
        if one.claim not in met
    ]
