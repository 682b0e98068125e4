"""Formats votes: next to what they decided, and for the run."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.records.measurement import measurements_of
from ..analysis.records.results_file import VoteFigures
from ..analysis.records.row_types import MeasuredRow
from ..analysis.regression.comparison import waverings
from ..language.escaping import visible
from ..language.number_format import percent, plural


def votes_line(figures: VoteFigures) -> str:
    """`votes: 3 a question; 5 of 120 judgements split (4.2 %)`"""
    each = f"{figures.fewest}" if figures.fewest == figures.most else _between(figures)
    what = f"{figures.split} of {plural(figures.judgements, 'judgement')}"
    return f"votes: {each} a question; {what} split ({percent(figures.flip_rate)})"


def wavering_lines(rows: Sequence[MeasuredRow]) -> list[str]:
    """`  faithfulness: a vote flips in 3.1 %, the majority in 0.3 %; visible drop 0.012`

    Metrics without a split are omitted, because no observed split does not give a rate.
    """
    return [
        f"  {visible(metric)}: a vote flips in {percent(one.rate)}, the majority in "
        f"{percent(one.of_majority)}; visible drop {one.smallest_drop():.3f}"
        for metric, one in waverings(measurements_of(rows)).items()
        if one.rate
    ]


def _between(figures: VoteFigures) -> str:
    return f"{figures.fewest} to {figures.most}"
