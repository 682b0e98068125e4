"""Adds scores to Allure results as parameters and as a text, since Allure shows neither properties
nor sections.
"""

from __future__ import annotations

from collections.abc import Sequence

import allure

from ..analysis.records.result_rows import counted
from ..analysis.records.row_types import MeasuredRow, score_of
from ..language.escaping import visible
from ..report.score_lines import score_lines, scores_of
from ..runtime.redaction import redact


def tell_allure(rows: Sequence[MeasuredRow]) -> None:
    """Add what the reported test measured to its Allure result."""
    rows = counted(rows)
    for row, _ in scores_of([one for one in rows if one["score"] is not None]):
        if not row["vacuous"]:
            # excluded: a test with other scores is still the same test
            allure.dynamic.parameter(visible(row["metric"]), score_of(row), excluded=True)
    if lines := score_lines(rows):
        kind = allure.attachment_type.TEXT
        allure.attach(redact("\n".join(lines)), name="ragassert", attachment_type=kind)
