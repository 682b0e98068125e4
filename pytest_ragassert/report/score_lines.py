"""Formats the scores of a test: a word for each metric, and a line for each measurement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..analysis.records.result_rows import is_failure, score_words
from ..analysis.records.row_types import MeasuredRow
from ..language.escaping import is_blank, shortened, visible

_LONGEST_NAME = 60  # maximum characters of a metric's name if a line has several
_LONGEST_LINE = 200  # maximum characters of a reason


class MetricScore(NamedTuple):
    """A test's results of one metric.

    Attributes:
        row: the result, or the one with the lowest score of several.
        of: the number of results.
    """

    row: MeasuredRow
    of: int


def scores_of(rows: Sequence[MeasuredRow]) -> list[MetricScore]:
    """Each metric's lowest score, in the order of measuring, without results that could not be
    measured.

    Vacuous results are only included if there are no others.
    """
    by_metric: dict[str, list[MeasuredRow]] = {}
    for row in rows:
        if row["score"] is not None or row["interval"] is not None:
            by_metric.setdefault(row["metric"], []).append(row)
    scores = []
    for own in by_metric.values():
        checked = [row for row in own if not row["vacuous"]] or own
        scores.append(MetricScore(min(checked, key=_least), len(checked)))
    return scores


def _least(row: MeasuredRow) -> float:
    """The score, or the lowest possible one."""
    if row["interval"] is not None:
        return row["interval"][0]
    return 0.0 if row["score"] is None else row["score"]


def in_a_line(scores: Sequence[MetricScore], most: int | None) -> str:
    """`faithfulness 0.92, factual_f1 0.50 (lowest of 3)`; failures come first.

    Args:
        most: maximum number of metrics; None: all.
    """
    ranked = sorted(scores, key=lambda one: not is_failure(one.row))
    if most is not None and len(ranked) <= most + 1:
        # naming the last one takes no more room than counting it
        most = None
    named = [_in_words(one) for one in ranked[:most]]
    more = len(ranked) - len(named)
    return ", ".join([*named, *([f"{more} more"] if more else [])])


def _in_words(score: MetricScore) -> str:
    name = shortened(visible(score.row["metric"]), _LONGEST_NAME)
    several = f" (lowest of {score.of})" if score.of > 1 else ""
    return f"{name} {_value(score.row)}{several}"


def _value(row: MeasuredRow) -> str:
    if row["vacuous"]:
        return "vacuous"
    if row["minimum"] is None and row["label"]:
        return visible(row["label"])
    # with enough digits to distinguish it from the minimum
    return score_words(row).partition(" < ")[0].partition(" >= ")[0]


def score_lines(rows: Sequence[MeasuredRow]) -> list[str]:
    """Each case with its question, followed by a line for each of its metrics."""
    by_case: dict[str, list[str]] = {}
    for row in rows:
        if row["score"] is not None or row["interval"] is not None:
            by_case.setdefault(_case_line(row), []).append(_line(row))
    return [line for case, own in by_case.items() for line in (*filter(None, [case]), *own)]


def _case_line(row: MeasuredRow) -> str:
    question = "" if is_blank(row["question"]) else visible(row["question"] or "")
    name = "" if row["case"] is None else f"case {visible(row['case'])}"
    return shortened("  ".join(filter(None, (name, question))), _LONGEST_LINE)


def _line(row: MeasuredRow) -> str:
    value, reason = _value(row), row["reason"]
    if row["minimum"] is None and row["label"]:
        reason = reason.removeprefix(row["label"]).removeprefix(": ")
    elif not row["vacuous"]:
        value = score_words(row)
    line = f"{visible(row['metric'])} {value}   {visible(reason)}".rstrip()
    return shortened(line, _LONGEST_LINE)
