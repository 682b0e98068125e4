"""How often the offline judge agrees with people's labels, and what its confidence is worth."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pytest_ragassert import Settings
from pytest_ragassert.analysis.calibration.calibration_figures import Pair, agreement, is_supported
from pytest_ragassert.analysis.calibration.collected_verdicts import ClaimAsGiven, judged
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledClaim, LabelledFiles, Text
from pytest_ragassert.analysis.records.calibration_file import AgreementFigures
from pytest_ragassert.engine.session import Session
from pytest_ragassert.judging.judges.offline import confidence
from pytest_ragassert.judging.judges.offline.claim_verdicts import ClaimFinding, found_on
from pytest_ragassert.language.words.claim_match import common_language, read_passage

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


class Judged(NamedTuple):
    """A labelled claim, what the judge says of it, and what it found."""

    row: LabelledClaim
    supports: bool
    confidence: float
    finding: ClaimFinding

    @property
    def right(self) -> bool:
        """Whether judge and people agree that the claim is supported, or that it isn't."""
        return self.supports == self.row.supported


def measure(data: Path) -> bool:
    """Each set's balanced accuracy against the one to reach, contradictions and confidence."""
    good, everything = True, list[Judged]()
    print("balanced accuracy, supported against the rest")
    session = Session(Settings(judge="offline"), metrics=[ClaimAsGiven()])
    for name, (file, language, wanted) in SETS.items():
        if not (data / file).exists():
            print(f"  {name}: no {file}")
            continue
        with LabelledFiles([data / file], ["lang"]) as files:
            rows = [row for row in files.rows if row.groups == (language,)]
            started = time.perf_counter()
            verdicts = judged(session, rows, files.text).verdicts
            each = (time.perf_counter() - started) / len(rows) * 1000
            pairs: list[Pair] = [(row, verdicts[number]) for number, row in enumerate(rows)]
            everything += [
                Judged(row, is_supported(said), said.confidence or 0.0, _found(files.text(row)))
                for row, said in pairs
            ]
        figures = agreement(pairs)
        reached = figures.supported.balanced_accuracy or 0.0
        good &= reached >= wanted
        limits = figures.interval
        print(
            f"  {name:14} {reached:.3f} (to reach: {wanted:.2f}"
            + (f"; 95 %: {limits.low:.3f} to {limits.high:.3f}" if limits else "")
            + f"), {len(rows)} claims, {each:.1f} ms a claim"
        )
        good &= _contradictions(figures)
    session.close()
    _print_confidence(everything)
    return good and bool(everything)


def _found(text: Text) -> ClaimFinding:
    code = common_language(text.claim, text.contexts)
    return found_on(text.claim, [read_passage(one, code) for one in text.contexts], code)


def _contradictions(figures: AgreementFigures) -> bool:
    said = figures.contradicted_raw
    if said is None:
        return True
    print(
        f"    contradicted: {said.right} of {figures.labels['contradicted']} found, "
        f"{said.said - said.right} others called so"
    )
    return said.precision is None or said.precision >= LEAST_PRECISION


def _print_confidence(everything: Sequence[Judged]) -> None:
    """Fit on every other claim, and how often the judge is right on the rest, by confidence."""
    fitted, checked = everything[::2], everything[1::2]
    plain = [(one.finding.share, one.row.supported) for one in fitted if not one.finding.sure]
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
