"""Computes the figures of a run, for the session summary and the results file."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...config.metric_table import COUNTS, DOCUMENT_NAMES
from ...judgements import CORRECT, DONT_KNOW, GRADES, WRONG
from .result_rows import is_failure
from .results_file import (
    AnswerCounts,
    ClassCounts,
    MetricFigures,
    Spread,
    UsageFigures,
    VoteFigures,
)
from .row_types import MeasuredRow, score_of

# The names of the source documents for counts of answer classes.
DOCUMENT_COUNTS: Mapping[str, str] = {
    CORRECT: "correct_answers_count",
    WRONG: "wrong_answers_count",
    DONT_KNOW: "dont_know_answers_count",
}


def figures(rows: Sequence[MeasuredRow]) -> dict[str, MetricFigures]:
    """Each metric's figures, by name in alphabetical order."""
    names = sorted({row["metric"] for row in rows})
    return {name: _figures([r for r in rows if r["metric"] == name]) for name in names}


def _figures(rows: Sequence[MeasuredRow]) -> MetricFigures:
    done = [row for row in rows if row["error"] is None]
    measured = [row for row in done if row["score"] is not None and not row["vacuous"]]
    scores = list(map(score_of, measured))
    mean = statistics.fmean(scores) if scores else None
    return MetricFigures(
        n=len(measured),
        mean=mean,
        min=min(scores, default=None),
        below=sum(is_failure(row) for row in measured),
        vacuous=sum(row["vacuous"] for row in done),
        errors=len(rows) - len(done),
        document_values=_document_values(measured, mean),
    )


def _document_values(measured: Sequence[MeasuredRow], mean: float | None) -> dict[str, float]:
    if mean is None:
        return {}
    metric = measured[0]["metric"]
    if COUNTS.get(metric) == "labels":
        labels = Counter(row["label"] for row in _distinct(measured))
        return {name: labels[label] for label, name in DOCUMENT_COUNTS.items()}
    if metric not in DOCUMENT_NAMES:
        return {}
    name, factor = DOCUMENT_NAMES[metric]
    return {name: factor * mean}


def answer_counts(rows: Sequence[MeasuredRow]) -> AnswerCounts | None:
    """The number of answers in each class; None if the class was not measured."""
    classed = _counted(rows, "labels")
    if not classed:
        return None
    return AnswerCounts(
        **_class_counts(classed).model_dump(),
        by_method={name: _class_counts(own) for name, own in by_method(classed).items()},
        by_question_type={
            name: _class_counts(own) for name, own in _grouped(classed, _question_type).items()
        },
    )


def _class_counts(rows: Sequence[MeasuredRow]) -> ClassCounts:
    labels = Counter(row["label"] for row in rows)
    return ClassCounts(correct=labels[CORRECT], wrong=labels[WRONG], dont_know=labels[DONT_KNOW])


def grades(rows: Sequence[MeasuredRow]) -> dict[str, int]:
    """The number of results with each grade; empty if nothing was graded."""
    given = Counter(row["grade"] for row in _counted(rows, "grades"))
    return {grade: given[grade] for grade in GRADES} if given else {}


def ragas_scores(rows: Sequence[MeasuredRow]) -> dict[str, Spread]:
    """The composite's scores, by method."""
    return {
        name: Spread(
            n=len(own),
            mean=statistics.fmean(map(score_of, own)),
            best=max(map(score_of, own)),
            worst=min(map(score_of, own)),
        )
        for name, own in by_method(_counted(rows, "methods")).items()
    }


def usage_figures(rows: Sequence[MeasuredRow]) -> UsageFigures:
    """What a judge was asked for the rows, each question once."""
    asked = {one["key"]: one for row in rows for one in row["asked"] if not one["embedding"]}
    return UsageFigures(
        questions=len({one["question"] for one in asked.values()}),
        judgements=len(asked),
        prompt=sum(one["prompt"] for one in asked.values()),
        completion=sum(one["completion"] for one in asked.values()),
    )


def vote_figures(rows: Sequence[MeasuredRow]) -> VoteFigures | None:
    """The run's flip rate; None if nothing was voted on.

    A judgement that several measurements use, such as the verdict on one claim, counts once.
    """
    voted = [row for row in rows if row["splits"]]
    if not voted:
        return None
    splits: dict[str, bool] = {}
    for row in voted:
        for judgement, split in row["splits"].items():
            splits[judgement] = split or splits.get(judgement, False)
    differing = sum(splits.values())
    return VoteFigures(
        fewest=min(row["votes"] for row in voted),
        most=max(row["votes"] for row in voted),
        judgements=len(splits),
        split=differing,
        flip_rate=differing / len(splits),
    )


def by_method(rows: Sequence[MeasuredRow]) -> dict[str, list[MeasuredRow]]:
    return _grouped(rows, lambda row: row["metadata"].get("method"))


def _question_type(row: MeasuredRow) -> object:
    metadata = row["metadata"]
    return metadata.get("question_type", metadata.get("type"))


def _grouped(
    rows: Sequence[MeasuredRow], key: Callable[[MeasuredRow], object]
) -> dict[str, list[MeasuredRow]]:
    """The rows by name, in alphabetical order; rows without a name are left out."""
    groups: dict[str, list[MeasuredRow]] = {}
    for row in rows:
        name = key(row)
        if name is not None and name != "":
            groups.setdefault(str(name), []).append(row)
    return dict(sorted(groups.items()))


def _counted(rows: Sequence[MeasuredRow], what: str) -> list[MeasuredRow]:
    """The measurements whose metric has this count, each once: several tests may make the same."""
    return _distinct(
        row
        for row in rows
        if COUNTS.get(row["metric"]) == what and row["score"] is not None and not row["vacuous"]
    )


def _distinct(rows: Iterable[MeasuredRow]) -> list[MeasuredRow]:
    return list({row["identity"]: row for row in rows}.values())
