"""How often the offline judge agrees with people's labels, and what its confidence is worth."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pytest_ragassert.judges.offline import confidence
from pytest_ragassert.judges.offline.verdicts import Finding, found_on
from pytest_ragassert.words.passages import common_language, read_passage

# name: file, language, balanced accuracy to reach
SETS = {
    "WiCE": ("wice_dev.jsonl", "en", 0.72),
    "Factcheck-GPT": ("factcheckgpt.jsonl", "en", 0.65),
    "BEGIN": ("begin.jsonl", "en", 0.85),
    "German": ("nli_de_ru.jsonl", "de", 0.65),
    "Russian": ("nli_de_ru.jsonl", "ru", 0.57),
}
FILES = sorted({file for file, _, _ in SETS.values()})
LEAST_PRECISION = 0.5  # of CONTRADICTORY
Record = dict[str, Any]


class Judged(NamedTuple):
    """A labelled claim and what the judge found."""

    label: str
    finding: Finding

    @property
    def supports(self) -> bool:
        return self.finding.verdict == "FULLY_SUPPORTED"

    @property
    def right(self) -> bool:
        """Whether judge and people agree that the claim is supported, or that it isn't."""
        return self.supports == (self.label == "supported")

    @property
    def confidence(self) -> float:
        found = self.finding
        return confidence.confidence_of(found.verdict, found.share, found.sure)


def measure(data: Path) -> bool:
    """Each set's balanced accuracy against the one to reach, contradictions and confidence."""
    good, everything = True, list[Judged]()
    print("balanced accuracy, supported against the rest")
    for name, (file, language, wanted) in SETS.items():
        if not (data / file).exists():
            print(f"  {name}: no {file}")
            continue
        records = [r for r in _records(data / file) if r["lang"] == language]
        started = time.perf_counter()
        judged = [Judged(record["label"], _found(record)) for record in records]
        each = (time.perf_counter() - started) / len(records) * 1000
        reached = balanced_accuracy(judged)
        good &= reached >= wanted
        print(
            f"  {name:14} {reached:.3f} (to reach: {wanted:.2f}), {len(judged)} claims, "
            f"{each:.1f} ms a claim"
        )
        good &= _contradictions(judged)
        everything += judged
    _print_confidence(everything)
    return good and bool(everything)


def _records(file: Path) -> list[Record]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _found(record: Record) -> Finding:
    contexts: list[str] = record["context"]
    code = common_language(record["claim"], contexts)
    return found_on(record["claim"], [read_passage(text, code) for text in contexts], code)


def balanced_accuracy(judged: Sequence[Judged]) -> float:
    """Mean of the shares of supported claims found so and of the others not found so."""
    yes = [one.supports for one in judged if one.label == "supported"]
    no = [not one.supports for one in judged if one.label != "supported"]
    return (sum(yes) / len(yes) + sum(no) / len(no)) / 2


def _contradictions(judged: Sequence[Judged]) -> bool:
    said = Counter(j.label for j in judged if j.finding.verdict == "CONTRADICTORY")
    labelled = sum(one.label == "contradicted" for one in judged)
    if labelled:
        print(
            f"    contradicted: {said['contradicted']} of {labelled} found, "
            f"{said.total() - said['contradicted']} others called so"
        )
    return not labelled or said["contradicted"] >= LEAST_PRECISION * said.total()


def _print_confidence(everything: Sequence[Judged]) -> None:
    """Fit on every other claim, and how often the judge is right on the rest, by confidence."""
    fitted, checked = everything[::2], everything[1::2]
    plain = [
        (one.finding.share, one.label == "supported") for one in fitted if not one.finding.sure
    ]
    if not plain:
        return
    offset, slope = logistic(plain)
    decided = [one for one in fitted if one.finding.sure and one.finding.verdict == "NO_EVIDENCE"]
    opposed = [one for one in everything if one.finding.verdict == "CONTRADICTORY"]
    print(
        f"confidence, fitted on one half: offset {offset:.2f}, slope {slope:.2f}, "
        f"decided {_rightness(decided)}, opposed {_rightness(opposed)} (all)\n"
        f"  in use: offset {confidence.OFFSET}, slope {confidence.SLOPE}, "
        f"decided {confidence.DECIDED}, opposed {confidence.OPPOSED}\n"
        "  on the other half:"
    )
    gaps = 0.0
    for low in (0.0, 0.5, 0.6, 0.7, 0.8, 0.9):
        high = 1.01 if low == 0.9 else 0.5 if low == 0.0 else low + 0.1
        part = [one for one in checked if low <= one.confidence < high]
        if part:
            said = sum(one.confidence for one in part) / len(part)
            was = sum(one.right for one in part) / len(part)
            gaps += abs(said - was) * len(part)
            print(f"    said {said:.2f}, was right {was:.2f} ({len(part)} claims)")
    print(f"  mean gap {gaps / len(checked):.3f}")


def _rightness(judged: Sequence[Judged]) -> str:
    return f"{sum(one.right for one in judged)} of {len(judged)}"


def logistic(points: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """Offset and slope of the log-odds that fit the points best (Newton's method)."""
    offset = slope = 0.0
    for _ in range(50):
        g0 = g1 = h00 = h01 = h11 = 0.0
        for x, y in points:
            p = 1 / (1 + math.exp(-(offset + slope * x)))
            g0, g1 = g0 + y - p, g1 + (y - p) * x
            w = p * (1 - p)
            h00, h01, h11 = h00 + w, h01 + w * x, h11 + w * x * x
        determinant = h00 * h11 - h01 * h01
        if determinant < 1e-9:
            break
        offset += (h11 * g0 - h01 * g1) / determinant
        slope += (h00 * g1 - h01 * g0) / determinant
    return offset, slope
