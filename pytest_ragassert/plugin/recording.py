"""Which test a measurement belongs to, and its rows until the test's next report takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..measuring import Measured
    from ..report.rows import Row


class ItemRecorder:
    """Hears of measurements while a test runs, from whichever thread."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._item: pytest.Item | None = None
        self._rows: list[Row] = []

    def begin(self, item: pytest.Item) -> None:
        self._item = item
        self._rows = []

    def end(self) -> None:
        self._item = None
        self._rows = []

    def record(self, measured: Measured) -> None:
        from .measured_rows import measured_row

        if self._item is None:
            return
        self._rows.append(measured_row(measured))
        if measured.result is not None:
            self._config.hook.pytest_ragassert_result(item=self._item, result=measured.result)

    def taken(self) -> str | None:
        """The rows since the last report as text, where there are any."""
        if not self._rows:
            return None
        from ..report.rows import to_text

        rows, self._rows = self._rows, []
        return to_text(rows)
