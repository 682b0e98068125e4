"""Allure, which shows neither properties nor sections: scores as parameters, and as a text."""

from __future__ import annotations

from collections.abc import Sequence

import allure

from ..analysis.records.result_rows import counted
from ..analysis.records.row_types import MeasuredRow, score_of
from ..language.escaping import visible
from ..report.score_lines import score_lines, scores_of
from ..runtime.redaction import redact


def tell_allure(rows: Sequence[MeasuredRow]) -> None:
    """Put what the test that is being reported has measured into its result."""
    rows = counted(rows)
    for row, _ in scores_of([one for one in rows if one["score"] is not None]):
        if not row["vacuous"]:
            # excluded: two runs of a test with other scores are the same test
            allure.dynamic.parameter(visible(row["metric"]), score_of(row), excluded=True)
    if lines := score_lines(rows):
        kind = allure.attachment_type.TEXT
        allure.attach(redact("\n".join(lines)), name="ragassert", attachment_type=kind)
