"""The template's data on the run as a whole: metrics, gates and notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ...analysis.records.figures import answer_counts, figures, grades, ragas_scores
from ...analysis.records.history_file import entry_of
from ...analysis.records.result_rows import is_failure
from ...analysis.records.results_file import ClassCounts, HistoryEntry, MetricFigures
from ...analysis.records.row_types import MeasuredRow
from ...analysis.regression.conclusion import Conclusion
from ...analysis.regression.gates import GateResult
from ...analysis.run_record import RunRecord
from ...language.number_format import percent, plural, share_of_one, tokens
from ..gate_lines import gate_figure, unchecked_line
from ..history_writer import judges_of
from ..known_failures import quarantine_lines
from ..outcome import outcome_lines, shard_words
from ..summary import OFFLINE_CAVEAT
from .cases import OUTCOMES, PageCase
from .changes import mean_rows

Json = dict[str, Any]

_HISTORY_WIDTH, _HISTORY_HEIGHT = 300, 60  # size of a line chart, in its own units
_BINS = 10  # bins of a distribution, with one for full marks
_ENDED = {
    0: "passed",
    1: "failed",
    2: "interrupted",
    3: "internal error",
    4: "wrong usage",
    5: "no tests",
}
# Settings of a model, which are omitted if no model judged.
_OF_MODELS = ("model", "base_url", "temperature", "timeout", "token_budget", "stream")


def overview_of(run: RunRecord, cases: Sequence[PageCase]) -> Json:
    """The template's data, with numbers already formatted."""
    rows = run.results
    metrics = figures(rows)
    return {
        "ended": _ENDED.get(run.exit_status, f"exit status {run.exit_status}"),
        "passed": run.exit_status == 0,
        "why": list(_why(run)),
        "judge": run.judge,
        "caveat": OFFLINE_CAVEAT.capitalize() if run.judged_offline else "",
        "facts": list(_facts(run)),
        "counts": _counts(cases),
        "has_vacuous": any(row["vacuous"] for row in rows),
        "has_errors": any(row["error"] is not None for row in rows),
        "metrics": [_metric(name, own, rows) for name, own in metrics.items()],
        "tables": list(_tables(rows)),
        "history": list(_history(run, metrics)),
        "gates": [] if run.conclusion is None else list(map(_gate, _gates(run.conclusion))),
        "unchecked": _unchecked(run.conclusion),
        "against": _against(run.conclusion),
        "notes": list(_notes(run)),
        "settings": sorted(
            (name, _setting(value))
            for name, value in run.settings.items()
            if value not in _UNSET and not (run.offline and name in _OF_MODELS)
        ),
    }


_UNSET: tuple[object, ...] = (None, [], {}, "")


def _setting(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _why(run: RunRecord) -> Iterable[str]:
    """Every reason why the run fails."""
    outcome, conclusion = run.outcome, run.conclusion
    if run.exit_status == 0:
        return
    if below := Counter(row["metric"] for row in run.results if is_failure(row)):
        metrics = ", ".join(f"{metric} {count}" for metric, count in below.most_common())
        yield f"{plural(below.total(), 'score')} below the minimum ({metrics})"
    if outcome is not None:
        if outcome.judge_errors:
            yield f"{plural(outcome.judge_errors, 'test')} could not be measured"
        if outcome.missing:
            yield f"{plural(outcome.missing, 'test')} without a verdict"
    gates = [] if conclusion is None else _gates(conclusion)
    if failing := [held for held in gates if not held.passed]:
        told = ", ".join(
            held.gate.text if held.value is None else f"{held.gate.text} is {gate_figure(held)}"
            for held in failing
        )
        fail = "fails" if len(failing) == 1 else "fail"
        yield f"{len(failing)} of {plural(len(gates), 'gate')} {fail} ({told})"
    if conclusion is not None and conclusion.fails_unchecked:
        yield "gates that are not checked"
    if conclusion is not None and conclusion.errors:
        yield f"the baseline ({'; '.join(conclusion.errors)})"
    if outcome is not None:
        if outcome.verdicts is not None:
            yield "the committed verdicts could not be written"
        yield from shard_words(outcome)
        # a failed gate counts as a separate failed test
        if outcome.other:
            yield f"{plural(outcome.other, 'other failure')}"


def _facts(run: RunRecord) -> Iterable[tuple[str, str]]:
    yield "judge", run.judge
    yield "started", _when(run.started)
    yield "took", _seconds((run.ended - run.started).total_seconds())
    if run.commit:
        yield "commit", run.commit
    if run.part is not None:
        yield "part of the tests", run.part
    outcome = run.outcome
    if outcome is not None:
        told = (
            (outcome.assertions, "below their minimum"),
            (outcome.judge_errors, "judge errors"),
            (outcome.missing or 0, "missing verdicts"),
            (outcome.other, "other"),
        )
        if failed := ", ".join(f"{count} {what}" for count, what in told if count):
            yield "failed tests", failed
    if run.usage is not None and run.usage.judgements:
        used = f"{run.usage.judgements} judgements in {plural(run.usage.questions, 'question')}"
        counted = tokens(run.usage.prompt, run.usage.completion)
        yield "judged", f"{used}; tokens: {counted}" if counted else used
    if run.votes is not None:
        votes = run.votes
        fewest = f"{votes.fewest} to {votes.most}" if votes.fewest != votes.most else votes.most
        yield (
            "votes",
            f"{fewest} a question; {votes.split} of {votes.judgements} judgements split "
            f"({percent(votes.flip_rate)})",
        )
    yield "versions", f"pytest-ragassert {run.tool_version}, pytest {run.pytest_version}"
    yield "run", run.id


def _when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _seconds(seconds: float) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{seconds:.1f} s" if minutes < 1 else f"{minutes:.0f} min {rest:.0f} s"


def _counts(cases: Sequence[PageCase]) -> list[tuple[str, int]]:
    counts = Counter(case.outcome for case in cases)
    return [(outcome, counts[outcome]) for outcome in OUTCOMES if counts[outcome]]


def _metric(name: str, own: MetricFigures, rows: Sequence[MeasuredRow]) -> Json:
    scores = [
        row["score"]
        for row in rows
        if row["metric"] == name
        and row["error"] is None
        and row["score"] is not None
        and not row["vacuous"]
    ]
    has = own.mean is not None and own.min is not None
    return {
        "name": name,
        "n": own.n,
        "mean": share_of_one(own.mean or 0.0, 2) if has else "",
        "min": share_of_one(own.min or 0.0, 2) if has else "",
        "below": own.below,
        "vacuous": own.vacuous,
        "errors": own.errors,
        "bins": _bins(scores),
    }


def _bins(scores: Sequence[float]) -> list[Json]:
    """The number of scores in each tenth; 1 has a separate bin."""
    counts = Counter(min(_BINS, int(score * _BINS + 1e-9)) for score in scores)
    most = max(counts.values(), default=1)
    bins = []
    for number in range(_BINS + 1):
        low, high = number / _BINS, (number + 1) / _BINS
        name = "1" if number == _BINS else f"{low:.1f} to {high:.1f}"
        count = counts[number]
        # so that one case among thousands is visible
        height = 0 if not count else max(2, round(30 * count / most))
        bins.append({"name": name, "count": count, "x": 8 * number, "height": height})
    return bins


def _history(run: RunRecord, metrics: Mapping[str, MetricFigures]) -> Iterable[Json]:
    """Each metric's means, run by run, if there were earlier runs; this run's is the last."""
    this = [] if run.part is not None else [_this_run(run, metrics)]
    entries = [*run.history, *this]
    for metric in sorted({name for entry in run.history for name in entry.means}):
        own = [entry for entry in entries if metric in entry.means]
        step = _HISTORY_WIDTH / max(1, len(own) - 1)
        points = [
            {
                "x": round(step * place, 1),
                "y": round(_HISTORY_HEIGHT * (1 - entry.means[metric][1]), 1),
                "date": f"{entry.date:%Y-%m-%d %H:%M}",
                "commit": (entry.commit or "")[:12],
                "judge": entry.judge,
                "n": entry.means[metric][0],
                "mean": f"{entry.means[metric][1]:.3f}",
                "this": entry in this,
            }
            for place, entry in enumerate(own)
        ]
        yield {"metric": metric, "points": points, "judges": len({one.judge for one in own})}


def _this_run(run: RunRecord, metrics: Mapping[str, MetricFigures]) -> HistoryEntry:
    """The means of this run, as in its line of the history."""
    entry = entry_of(
        metrics,
        date=run.date or run.ended.isoformat(),
        commit=run.commit,
        judge=judges_of(run.results),
    )
    means = dict(entry.means)
    return HistoryEntry(date=entry.date, commit=entry.commit, judge=entry.judge, means=means)


def _tables(rows: Sequence[MeasuredRow]) -> Iterable[Json]:
    """The counts of a run in addition to the means: classes of answers, grades, scores by
    method.
    """
    if (classes := answer_counts(rows)) is not None:
        groups: list[tuple[str, ClassCounts]] = [("all", classes)]
        groups += [(f"method {name}", own) for name, own in classes.by_method.items()]
        groups += [(f"type {name}", own) for name, own in classes.by_question_type.items()]
        yield {
            "title": "Answers by class",
            "head": ["answers", "correct", "wrong", "don't know"],
            "rows": [[name, own.correct, own.wrong, own.dont_know] for name, own in groups],
        }
    if graded := grades(rows):
        yield {
            "title": "Grades of factual_accuracy",
            "head": list(graded),
            "rows": [list(graded.values())],
        }
    if by_method := ragas_scores(rows):
        yield {
            "title": "ragas_score by method",
            "head": ["method", "n", "mean", "best", "worst"],
            "rows": [
                [name, own.n, *(share_of_one(v, 2) for v in (own.mean, own.best, own.worst))]
                for name, own in by_method.items()
            ],
        }


def _gates(conclusion: Conclusion) -> list[GateResult]:
    """The gates, failing ones first."""
    return sorted(conclusion.gates, key=lambda held: held.passed)


def _gate(held: GateResult) -> Json:
    return {
        "text": held.gate.text,
        "passed": held.passed,
        "value": "" if held.value is None else gate_figure(held),
        "n": held.n,
        "why": held.why,
        "pulling": [] if held.passed else list(held.pulling),
    }


def _unchecked(conclusion: Conclusion | None) -> str:
    if conclusion is None or conclusion.unchecked is None:
        return ""
    return unchecked_line(conclusion.unchecked, fails=conclusion.fails_unchecked)


def _against(conclusion: Conclusion | None) -> Json | None:
    if conclusion is None or conclusion.comparison is None:
        return None
    comparison = conclusion.comparison
    return {
        "what": conclusion.against,
        "cases": comparison.cases,
        "means": mean_rows(comparison),
        "partial": conclusion.partial,
        "ambiguous": [f"{case} ({metric})" for case, metric, _ in comparison.ambiguous],
    }


def _notes(run: RunRecord) -> Iterable[str]:
    if run.outcome is not None:
        yield from outcome_lines(run.outcome, run.results)
    yield from (line.strip() for line in quarantine_lines(run.results))
    if run.conclusion is not None:
        yield from run.conclusion.errors
        yield from run.conclusion.notes
    yield from run.notices
