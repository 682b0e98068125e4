"""How often the offline judge agrees with people's labels."""

from __future__ import annotations

import time
from pathlib import Path

from pytest_ragassert import Settings
from pytest_ragassert.analysis.calibration.calibration_figures import Pair, agreement
from pytest_ragassert.analysis.calibration.collected_verdicts import ClaimAsGiven, judged
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.analysis.records.calibration_file import AgreementFigures
from pytest_ragassert.engine.session import Session

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


def measure(data: Path) -> bool:
    """Each set's balanced accuracy against the one to reach, and its contradictions."""
    good, measured = True, 0
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
            measured += len(pairs)
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
    return good and measured > 0


def _contradictions(figures: AgreementFigures) -> bool:
    said = figures.contradicted_raw
    if said is None or "contradicted" not in figures.labels:
        return True
    print(
        f"    contradicted: {said.right} of {figures.labels['contradicted']} found, "
        f"{said.said - said.right} others called so"
    )
    return said.precision is None or said.precision >= LEAST_PRECISION
