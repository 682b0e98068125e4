"""Formats a result as text, for `MetricResult.pretty`."""

from __future__ import annotations

from ..results import MetricResult

__all__ = ["MetricResult"]


def as_text(result: MetricResult) -> str:
    """Return the table of the result's claims, ready to print."""
    # imported here because every measuring test imports this module, and few print a table
    from ..analysis.records.result_rows import row_of
    from ..runtime.printable import printable
    from .failure_report import result_lines

    return printable("\n".join(result_lines(row_of(result), verbose=True)))


MetricResult.as_text = as_text
