"""How long the offline judge takes for a claim against five passages of 2 kB."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pytest_ragassert.judging.judges.offline.claim_verdicts import verdicts_on
from pytest_ragassert.language.sentences import split_sentences

LIMIT = 1.0  # ms a claim
PASSAGES, SIZE = 5, 2_000  # passages of a case, characters of each
CLAIMS = 4  # of a case
NOTICES = Path(__file__).resolve().parents[2] / "example_project" / "corpus" / "en"
Case = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def measure() -> bool:
    """Passages that no case has had before; within the limit, and flat in the number of cases."""
    notices = "\n\n".join(file.read_text(encoding="utf-8") for file in sorted(NOTICES.glob("*.md")))
    text = "\n".join(" ".join(paragraph.split()) for paragraph in notices.split("\n\n"))
    cases = _cases(text)
    _milliseconds(itertools.islice(cases, 20))  # what every run reads once: tables, words
    medians = []
    for count in (10, 100, 1_000):
        taken = _milliseconds(itertools.islice(cases, count))
        medians.append(statistics.median(taken))
        print(
            f"{count:5} cases of {CLAIMS} claims, {PASSAGES} new passages of {SIZE} characters: "
            f"{medians[-1]:.2f} ms a claim (median; mean {statistics.fmean(taken):.2f})"
        )
    alone = statistics.median(_milliseconds((p, c[:1]) for p, c in itertools.islice(cases, 100)))
    print(f"one claim alone, passages not read before: {alone:.2f} ms")
    print(f"limit {LIMIT:.1f} ms; 1,000 cases against 10: {medians[-1] / medians[0]:.2f} times")
    return medians[-1] <= LIMIT


def _cases(text: str) -> Iterator[Case]:
    """Endless cases; no two have a passage in common."""
    sentences = [text[start:end] for start, end in split_sentences(text) if end - start > 30]
    claims = itertools.cycle(sentences)
    doubled = text + text
    for number in itertools.count():
        starts = [(number * 37 + place * 4_001) % len(text) for place in range(PASSAGES)]
        passages = [
            {"id": place + 1, "text": f"{number}-{place} {doubled[start : start + SIZE]}"}
            for place, start in enumerate(starts)
        ]
        yield passages, [{"id": n + 1, "text": next(claims)} for n in range(CLAIMS)]


def _milliseconds(cases: Iterable[Case]) -> list[float]:
    taken = []
    for passages, claims in cases:
        started = time.perf_counter()
        verdicts_on(passages, claims)
        taken.append((time.perf_counter() - started) / len(claims) * 1000)
    return taken
