"""Compares what metrics say about answers with people's labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from ...config.metric_table import COUNTS, NOT_OF_TRUTH
from ...judgements import DONT_KNOW, WRONG
from ...runtime.canonical_json import digest
from ..stats.agreement import confusion
from .agreement_figures import ConfusionFigures
from .results_file import TruthFigures
from .row_types import MeasuredRow

Said = Literal["correct", "incorrect"]
CORRECT_ANSWER: Said = "correct"
INCORRECT_ANSWER: Said = "incorrect"
UNLABELLED = "unlabelled"


def said_of(row: MeasuredRow) -> Said | None:
    """Whether the metric says that the answer is right; None if it does not say."""
    if row["score"] is None or row["vacuous"] or row["metric"] in NOT_OF_TRUTH:
        return None
    if COUNTS.get(row["metric"]) == "labels":
        if row["label"] == DONT_KNOW:
            return None
        return INCORRECT_ANSWER if row["label"] == WRONG else CORRECT_ANSWER
    return CORRECT_ANSWER if row["passed"] else INCORRECT_ANSWER


def is_wrong_about(row: MeasuredRow) -> bool:
    """Whether people say the opposite."""
    said = said_of(row)
    return said is not None and row["truth"] is not None and said != row["truth"]


def truth_figures(rows: Sequence[MeasuredRow]) -> dict[str, TruthFigures]:
    """Figures over labelled answers for each metric that judges whether answers are right."""
    labelled = [
        row for row in _once(rows) if row["truth"] is not None and row["metric"] not in NOT_OF_TRUTH
    ]
    names = sorted({row["metric"] for row in labelled})
    return {name: _figures([row for row in labelled if row["metric"] == name]) for name in names}


def ground_truth(rows: Sequence[MeasuredRow]) -> dict[str, int]:
    """The number of different cases with each label."""
    cases = {digest([row["case"], row["inputs"]]): row["truth"] or UNLABELLED for row in rows}
    counts = Counter(cases.values())
    names = (CORRECT_ANSWER, INCORRECT_ANSWER, UNLABELLED)
    return {name: counts[name] for name in names if name in counts}


def _figures(rows: Sequence[MeasuredRow]) -> TruthFigures:
    pairs = [
        (row["truth"] == INCORRECT_ANSWER, said == INCORRECT_ANSWER)
        for row in rows
        if (said := said_of(row)) is not None
    ]
    return TruthFigures(
        **ConfusionFigures.of(confusion(pairs)).model_dump(),
        decided=len(pairs),
        abstained=len(rows) - len(pairs),
        coverage=len(pairs) / len(rows),
    )


def _once(rows: Iterable[MeasuredRow]) -> list[MeasuredRow]:
    """The rows without duplicates, because several tests may measure one answer."""
    return list({row["identity"]: row for row in rows}.values())
