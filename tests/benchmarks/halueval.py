"""Real questions with right and made-up answers, measured by the offline judge."""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

from pytest_ragassert import EvalCase, Evaluation, Settings, evaluate

FILE = "halueval_qa.jsonl"
METRICS = ("faithfulness", "factual_f1")
RIGHT = "supported"
Scored = list[tuple[float, bool]]  # score, whether the answer is right


def measure(data: Path) -> bool:
    """Nothing may be lost: every metric of every case has a score or a named reason."""
    records = _records(data / FILE if data.is_dir() else data)
    settings = Settings(judge="offline")
    cases = [_case(record) for record in records]
    started = time.perf_counter()
    evaluations = evaluate(cases, METRICS, settings=settings, on_error="collect")
    seconds = time.perf_counter() - started
    rights = [record["label"] == RIGHT for record in records]
    print(
        f"{len(cases)} cases ({sum(rights)} right, {len(cases) - sum(rights)} made up), "
        f"offline judge, {seconds / len(cases) * 1000:.1f} ms a case with both metrics"
    )
    same = sum(record["answer"] == record["reference"] for record in records)
    print(f"in {same} cases the answer is the reference itself: flattering to F1")
    good = len(evaluations) == len(cases)
    for metric in METRICS:
        good &= _report(metric, cases, evaluations, rights, settings.minimum(metric))
    return good


def _records(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _case(record: dict[str, Any]) -> EvalCase:
    return EvalCase(
        id=record["id"],
        question=record["question"],
        answer=record["answer"],
        retrieved_contexts=record["context"],
        ground_truth_answer=record["reference"],
    )


def _report(
    metric: str,
    cases: list[EvalCase],
    evaluations: list[Evaluation],
    rights: list[bool],
    minimum: float,
) -> bool:
    scored: Scored = []
    vacuous: Counter[bool] = Counter()
    named = 0
    for case, evaluation, right in zip(cases, evaluations, rights, strict=True):
        if metric in evaluation.errors:
            named += 1
            print(f"{metric}: {case.id} not measurable: {evaluation.errors[metric]}")
        elif metric in evaluation and evaluation[metric].vacuous:
            vacuous[right] += 1
        elif metric in evaluation:
            scored.append((evaluation[metric].score, right))
    measured = len(scored) + vacuous.total()
    lost = len(cases) - measured - named
    print(
        f"{metric}: {measured} measured + {named} not measurable = {measured + named} of "
        f"{len(cases)}, {lost} lost; no claims in {vacuous[True]} right and {vacuous[False]} "
        "made-up answers, left out below"
    )
    _print_separation(scored, minimum)
    return lost == 0


def _print_separation(scored: Scored, minimum: float) -> None:
    right = [score for score, is_right in scored if is_right]
    made_up = [score for score, is_right in scored if not is_right]
    if not right or not made_up:
        print("  no separation: one kind of answer only")
        return
    best = max(sorted({score for score, _ in scored}), key=lambda t: balanced(right, made_up, t))
    print(
        f"  mean {statistics.fmean(right):.3f} right, {statistics.fmean(made_up):.3f} made up; "
        f"AUC {area(right, made_up):.3f}; balanced accuracy "
        f"{balanced(right, made_up, best):.3f} at the best threshold {best:.2f}, "
        f"{balanced(right, made_up, minimum):.3f} at the default {minimum:.2f}"
    )


def area(right: list[float], made_up: list[float]) -> float:
    """The chance that a right answer scores above a made-up one; ties count half."""
    wins = sum((r > m) + (r == m) / 2 for r in right for m in made_up)
    return wins / (len(right) * len(made_up))


def balanced(right: list[float], made_up: list[float], threshold: float) -> float:
    """Mean of the shares of right answers that pass and of made-up ones that fail."""
    passed = sum(score >= threshold - 1e-9 for score in right) / len(right)
    failed = sum(score < threshold - 1e-9 for score in made_up) / len(made_up)
    return (passed + failed) / 2
