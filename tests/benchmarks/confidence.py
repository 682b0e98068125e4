"""What the offline judge's confidence is worth on texts that its weights were not fitted on.

Each set is measured by weights fitted on all others: the gap is its mean confidence less the share
of its verdicts that are right. Texts made from a set are left out with it.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from pytest_ragassert.judging.judges.offline import confidence
from pytest_ragassert.judging.judges.offline.claim_verdicts import found_on, grounds_of
from pytest_ragassert.judging.judges.offline.confidence import (
    Grounds,
    chance,
    confidence_of,
    evidence_in,
)
from pytest_ragassert.language.words.claim_match import common_language, read_passage

from .halueval import area
from .made_texts import LabelledText, made_of

# file and language: name
SETS = {
    ("wice_dev.jsonl", "en"): "WiCE",
    ("factcheckgpt.jsonl", "en"): "Factcheck-GPT",
    ("begin.jsonl", "en"): "BEGIN",
    ("nli_de_ru.jsonl", "de"): "RTE-3, German",
    ("nli_de_ru.jsonl", "ru"): "TERRa, Russian",
    ("halueval_qa.jsonl", "en"): "HaluEval QA",
}
MADE_FROM = {"WiCE", "Factcheck-GPT", "BEGIN"}
FLATTERING = {"HaluEval QA": 0.25}  # style gives its made-up answers away
MADE = 0.5  # how much a set that was made weighs beside one that people labelled
LARGEST, MEAN = 0.1, 0.05  # gap of a set that was left out, and of all sets on average

# A cautious guess at the weights, and how firmly they are held to it: what few claims say is not
# believed at once.
GUESSED = {True: (0.6, 2.0, 3.0), False: (0.1, 1.0, 3.5, 1.2, 1.5)}
HELD, HELD_FIRST = 0.1, 0.6
RESAMPLES = 1000


class Measured(NamedTuple):
    """A verdict of the judge: what it rests on, and whether people agree with it."""

    group: str
    of: str
    right: bool
    grounds: Grounds

    @property
    def supports(self) -> bool:
        return self.grounds.verdict == "FULLY_SUPPORTED"


Weights = dict[bool, tuple[float, ...]]  # by whether the verdict is fully supported


def measure(data: Path) -> bool:
    """Print weights fitted on all sets, then each set's gaps; whether they are small enough."""
    labelled = list(_labelled(data))
    if not labelled:
        print(f"no labelled claims in {data}")
        return False
    made = made_of([row for row in labelled if row.of in MADE_FROM])
    everything = [_measured(row) for row in [*labelled, *made]]
    fitted = fitted_weights(everything)
    for supports, name in ((True, "FULLY_SUPPORTED"), (False, "NOT_SUPPORTED")):
        in_use = " ".join(f"{weight:.2f}" for weight in getattr(confidence, name))
        print(f"{name}: fitted {_listed(fitted[supports])}; in use {in_use}")
    print("gap: in use / left out (95 %), of these supported and not; by confidence; AUC")
    gaps = list[float]()
    for group in dict.fromkeys(one.group for one in everything):
        own = [one for one in everything if one.group == group]
        rest = [one for one in everything if group not in (one.group, one.of)]
        gaps.append(_print_group(group, own, fitted_weights(rest)))
    print(f"mean gap of sets that were left out: {fmean(gaps):.3f}, largest {max(gaps):.3f}")
    return max(gaps) <= LARGEST and fmean(gaps) <= MEAN


def _labelled(data: Path) -> Iterable[LabelledText]:
    for file in sorted({file for file, _ in SETS}):
        if not (data / file).exists():
            print(f"no {file}")
            continue
        for line in (data / file).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            name = SETS[file, row["lang"]]
            contexts = tuple(text for text in row["context"] if text.strip())
            text = row.get("claim") or row["answer"]
            yield LabelledText(name, name, text, contexts, row["label"] == "supported")


def _measured(row: LabelledText) -> Measured:
    code = common_language(row.text, row.contexts)
    passages = [read_passage(text, code) for text in row.contexts]
    grounds = grounds_of(found_on(row.text, passages, code), row.text, passages, code)
    right = (grounds.verdict == "FULLY_SUPPORTED") == row.supported
    return Measured(row.group, row.of, right, grounds)


def fitted_weights(everything: Sequence[Measured]) -> Weights:
    """The weights that say best what is right; each set weighs the same, whatever its size."""
    sizes = {one.group: 0 for one in everything}
    for one in everything:
        sizes[one.group] += 1
    people = set(SETS.values())
    share = {
        group: FLATTERING.get(group, 1.0 if group in people else MADE) / size
        for group, size in sizes.items()
    }
    return {
        supports: _logistic(
            [
                (evidence_in(one.grounds), one.right, share[one.group])
                for one in everything
                if one.supports is supports and one.grounds.decided != "nothing"
            ],
            GUESSED[supports],
        )
        for supports in (True, False)
    }


def _logistic(
    points: Sequence[tuple[tuple[float, ...], bool, float]], guess: tuple[float, ...]
) -> tuple[float, ...]:
    """The weights of the least loss, each held to a guess (Newton's method)."""
    held = [HELD_FIRST] + [HELD] * (len(guess) - 1)
    weights = list(guess)
    for _ in range(30):
        slope = [h * (w - g) for h, w, g in zip(held, weights, guess, strict=True)]
        curve = [[h * (i == j) for j in range(len(guess))] for i, h in enumerate(held)]
        for x, right, share in points:
            p = 1 / (1 + math.exp(-_dot(weights, x)))
            for i, own in enumerate(x):
                slope[i] += share * (p - right) * own
                for j, other in enumerate(x):
                    curve[i][j] += share * p * (1 - p) * own * other
        weights = [w - step for w, step in zip(weights, _solved(curve, slope), strict=True)]
    return tuple(weights)


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """x of matrix * x = right; the matrix is symmetric and positive."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place, pivot in enumerate(rows):
        for other in rows[:place] + rows[place + 1 :]:
            factor = other[place] / pivot[place]
            other[:] = [a - factor * b for a, b in zip(other, pivot, strict=True)]
    return [row[-1] / row[place] for place, row in enumerate(rows)]


def _dot(one: Iterable[float], other: Iterable[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def said(one: Measured, weights: Weights | None = None) -> float:
    """The confidence by these weights, or by those in use."""
    if weights is None or one.grounds.decided == "nothing":
        return confidence_of(one.grounds)
    return chance(weights[one.supports], evidence_in(one.grounds))


def _print_group(group: str, own: Sequence[Measured], left_out: Weights) -> float:
    """The gap, in absolute value, by weights fitted on other sets."""
    pairs = [(said(one, left_out), one.right) for one in own]
    in_use = [(said(one), one.right) for one in own]
    gap = _gap(pairs)
    rng = random.Random(0)
    resampled = sorted(_gap(rng.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    low, high = resampled[RESAMPLES // 40], resampled[-RESAMPLES // 40]
    sides = [
        [pair for pair, one in zip(pairs, own, strict=True) if one.supports is supports]
        for supports in (True, False)
    ]
    right, wrong = ([c for c, was in in_use if was is good] for good in (True, False))
    print(
        f"  {group:17} {len(own):4} claims: {_gap(in_use):+.3f} / {gap:+.3f} ({low:+.3f} to "
        f"{high:+.3f}), {' '.join(f'{_gap(side):+.3f}' for side in sides if side)}; "
        f"{_by_confidence(in_use):.3f} / {_by_confidence(pairs):.3f}; {area(right, wrong):.3f}"
    )
    return abs(gap)


def _gap(pairs: Sequence[tuple[float, bool]]) -> float:
    return fmean(confidence for confidence, _ in pairs) - fmean(right for _, right in pairs)


def _by_confidence(pairs: Sequence[tuple[float, bool]]) -> float:
    """The mean gap of verdicts of like confidence, a tenth of the scale each."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for pair in pairs:
        bins.setdefault(min(9, int(pair[0] * 10)), []).append(pair)
    return sum(abs(_gap(part)) * len(part) for part in bins.values()) / len(pairs)


def _listed(weights: Iterable[float]) -> str:
    return " ".join(f"{weight:.2f}" for weight in weights)
