"""Scripted verdicts, the value that follows by definition, and why other libraries differ."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

FULL, PARTIAL, NONE, CONTRADICTED = (
    "FULLY_SUPPORTED",
    "PARTIALLY_SUPPORTED",
    "NO_EVIDENCE",
    "CONTRADICTORY",
)
RAGAS, DEEPEVAL, PROMPTFOO = "ragas", "deepeval", "promptfoo"

ONE_MINUS = "1e-10 in the denominator: a perfect score is below 1, so a minimum of 1 fails"
ROUNDED = "rounded to two digits before it is compared with a minimum"


@dataclass(frozen=True)
class Scene:
    """One measurement with all that the judge says.

    Args:
        metric: our name of it.
        says: the judge's part: `answer` and `reference` (verdicts of their claims), `relevant` (by
            passage, a flag for each of its statements), `question`, `generated`, `vectors`.
        score: by definition; None where there is nothing to measure.
        why: by rival, why its value is another.
    """

    name: str
    metric: str
    says: dict[str, Any]
    score: float | None
    why: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def _claims(answer: list[str], reference: list[str] | None = None) -> dict[str, Any]:
    return {"answer": answer, "reference": reference or []}


def _ranked(*flags: int) -> dict[str, Any]:
    return {"relevant": [[bool(flag)] for flag in flags]}


def _vectors(answer: list[float], reference: list[float]) -> dict[str, Any]:
    return {"vectors": {"answer": answer, "reference": reference}}


SCENES = [
    Scene("all supported", "faithfulness", _claims([FULL] * 3), 1.0),
    Scene(
        "one of three unsupported",
        "faithfulness",
        _claims([FULL, FULL, NONE]),
        2 / 3,
        {DEEPEVAL: "a claim without evidence passes as borderline, so made-up facts are faithful"},
    ),
    Scene(
        "nothing supported",
        "faithfulness",
        _claims([NONE, NONE]),
        0.0,
        {DEEPEVAL: "1.0 for an answer whose claims the contexts do not support"},
    ),
    Scene(
        "one contradicted of three",
        "faithfulness",
        _claims([FULL, FULL, CONTRADICTED]),
        1 / 3,
        {
            RAGAS: "has no verdict for a contradiction, which counts like missing evidence",
            DEEPEVAL: "counts claims that are not contradicted; ours subtracts 1 for one that is",
        },
    ),
    Scene(
        "one contradicted of three, ratio",
        "faithfulness",
        _claims([FULL, FULL, CONTRADICTED]),
        2 / 3,
        options={"scoring": "ratio"},
    ),
    Scene(
        "partly supported",
        "faithfulness",
        _claims([PARTIAL, FULL]),
        0.75,
        {
            RAGAS: "has no verdict for partly supported, which counts as unsupported",
            DEEPEVAL: "has no verdict for partly supported: borderline counts as supported",
        },
    ),
    Scene(
        "no claims",
        "faithfulness",
        _claims([]),
        None,
        {
            RAGAS: "NaN, and so is the mean of a run; ours is vacuous: in no mean",
            DEEPEVAL: "1.0, which raises the mean of a run; ours is vacuous: in no mean",
        },
    ),
    Scene(
        "3 of 4 and 2 of 3",
        "factual_recall",
        _claims([FULL] * 3 + [NONE], [FULL] * 2 + [NONE]),
        2 / 3,
        {RAGAS: "computes recall from answer claims, 3/(3+1); of the reference, 2 of 3 are met"},
    ),
    Scene(
        "3 of 4 and 2 of 3",
        "factual_f1",
        _claims([FULL] * 3 + [NONE], [FULL] * 2 + [NONE]),
        2 * 0.75 * (2 / 3) / (0.75 + 2 / 3),
        {RAGAS: "its recall uses answer claims, so F1 is .75 for precision 3/4 and recall 2/3"},
    ),
    Scene(
        "one reference claim in five answer claims",
        "factual_recall",
        _claims([FULL] * 5, [FULL] + [NONE] * 4),
        0.2,
        {RAGAS: "5/(5+4): a longer answer seems to contain more of the reference"},
    ),
    Scene(
        "exact at a third",
        "factual_precision",
        _claims([FULL, NONE, NONE], [FULL]),
        1 / 3,
        {RAGAS: ROUNDED},
    ),
    Scene("all wrong", "factual_f1", _claims([NONE], [NONE]), 0.0),
    Scene(
        "second and fourth of four",
        "context_precision",
        _ranked(0, 1, 0, 1),
        0.5,
        {RAGAS: ONE_MINUS},
    ),
    Scene("first alone", "context_precision", _ranked(1, 0, 0), 1.0, {RAGAS: ONE_MINUS}),
    Scene("none of two", "context_precision", _ranked(0, 0), 0.0),
    Scene("two of three", "context_recall", _claims([], [FULL, FULL, NONE]), 2 / 3),
    Scene("contradicted", "context_recall", _claims([], [FULL, CONTRADICTED]), 0.5),
    Scene(
        "one chunk of two, with one of four statements",
        "context_relevance",
        {"relevant": [[True], [False] * 3]},
        0.5,
        {DEEPEVAL: "counts statements over all chunks, so a long chunk outweighs the others"},
    ),
    Scene(
        "generated questions, one opposite",
        "answer_relevancy",
        {
            "question": [1.0, 0.0],
            "generated": [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]],
        },
        1 / 3,
        {RAGAS: "negative cosines count, so one opposite question cancels a right one"},
        {"method": "questions"},
    ),
    Scene(
        "all opposite",
        "answer_relevancy",
        {"question": [1.0, 0.0], "generated": [[-1.0, 0.0]] * 3},
        0.0,
        {RAGAS: "a score below 0 for a metric with the range [0, 1]"},
        {"method": "questions"},
    ),
    Scene("the same text", "semantic_similarity", _vectors([1.0, 0.0], [1.0, 0.0]), 1.0),
    Scene(
        "opposite vectors",
        "semantic_similarity",
        _vectors([1.0, 0.0], [-1.0, 0.0]),
        0.0,
        {RAGAS: "a score below 0 for a metric with the range [0, 1]"},
    ),
    Scene(
        "supported, similarity .6",
        "answer_correctness",
        {**_claims([FULL, NONE], [FULL]), **_vectors([1.0, 0.0], [0.6, 0.8])},
        0.75 * 2 / 3 + 0.25 * 0.6,
    ),
    Scene(
        "one claim, contradicted, much the same words",
        "answer_correctness",
        {**_claims([CONTRADICTED], [CONTRADICTED]), **_vectors([1.0, 0.0], [0.92, 0.391918])},
        0.0,
        {RAGAS: "a wrong number in similar words scores .23 for the words alone"},
    ),
    Scene(
        "supported both ways, other words",
        "answer_correctness",
        {**_claims([FULL], [FULL]), **_vectors([1.0, 0.0], [0.0, 1.0])},
        1.0,
        {RAGAS: ".75: an answer with every claim right loses points for its wording"},
    ),
]


def same(one: float | None, other: float | None) -> bool:
    """NaN and None are nothing measured, and equal to nothing but themselves."""
    if one is None or other is None or math.isnan(one) or math.isnan(other):
        return one is other
    return abs(one - other) <= 1e-12
