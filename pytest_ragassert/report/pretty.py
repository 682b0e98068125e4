"""A result as text: what `MetricResult.pretty` returns."""

from __future__ import annotations

from ..results import MetricResult

__all__ = ["MetricResult"]


def as_text(result: MetricResult) -> str:
    """Return the table of the result's claims, to be printed as it is."""
    # every test that measures imports this module, and few print a table
    from ..analysis.records.result_rows import row_of
    from ..runtime.printable import printable
    from .failure_report import result_lines

    return printable("\n".join(result_lines(row_of(result), verbose=True)))


MetricResult.as_text = as_text
