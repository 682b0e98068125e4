"""Which test a measurement belongs to, and its rows until the test's next report takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..measuring import Measured
    from ..report.rows import Row
    from .quarantine import Quarantine


class ItemRecorder:
    """Hears of measurements while a test runs, from whichever thread."""

    def __init__(self, config: pytest.Config, *, keeps_texts: bool = False) -> None:
        self._config = config
        # of cases whose texts the process that prints has been told; None: it wants none
        self._told: set[str] | None = set() if keeps_texts else None
        self._item: pytest.Item | None = None
        self._rows: list[Row] = []
        self.quarantines: list[Quarantine] = []

    def begin(self, item: pytest.Item) -> None:
        self._item = item
        self._rows = []
        self.quarantines = []

    def end(self) -> None:
        self._item = None
        self._rows = []
        self.quarantines = []

    def known_failure(self, metric: str, case: str | None) -> str | None:
        """Why the running test expects the metric to fail; None where it does not."""
        covers = (one.reason for one in self.quarantines if one.covers(metric, case))
        return next(covers, None)

    def record(self, measured: Measured) -> None:
        from .measured_rows import case_texts, measured_row

        if self._item is None:
            return
        row = measured_row(measured)
        row["quarantine"] = measured.job.known_failure
        if self._told is not None:
            name, texts = case_texts(measured)
            row["texts"] = name
            if name not in self._told:
                row["case_texts"] = texts
                self._told.add(name)
        self._rows.append(row)
        if measured.result is not None:
            self._config.hook.pytest_ragassert_result(item=self._item, result=measured.result)

    def taken(self) -> list[Row]:
        """The rows since the last report."""
        rows, self._rows = self._rows, []
        return rows
