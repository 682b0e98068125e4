"""Adds a column with each test's scores to pytest-html; the details already show them."""

from __future__ import annotations

import html
from typing import Any

import pytest

from .recorder import fields_of

_PLACE = 2  # after the columns result and test
_HEAD = '<th class="sortable col-scores" data-column-type="scores">Scores</th>'
# hide the column if the project measures nothing
_HIDDEN = "<style>.col-scores { display: none; }</style>"


class HtmlScores:
    """Registered if pytest-html writes a file."""

    def __init__(self) -> None:
        self._has_scores = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[Any]) -> None:
        _insert(cells, _HEAD)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_row(self, report: Any, cells: list[Any]) -> None:
        scores = fields_of(report).get("scores", "")
        self._has_scores = self._has_scores or bool(scores)
        _insert(cells, f'<td class="col-scores">{html.escape(scores)}</td>')

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[Any]) -> None:
        if not self._has_scores:
            prefix.append(_HIDDEN)


def _insert(cells: list[Any], cell: str) -> None:
    # a row without cells is omitted; before version 4, cells were not texts
    if cells and all(isinstance(one, str) for one in cells):
        cells.insert(_PLACE, cell)
