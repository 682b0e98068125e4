"""The summary section: each metric's figures, what was asked, and what could not be measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..analysis.records.figures import answer_counts, figures, grades, ragas_scores
from ..analysis.records.result_rows import asked_in
from ..analysis.records.results_file import ClassCounts, MetricFigures, RunOutcome
from ..analysis.records.row_types import AskedRow, ErrorRow, MeasuredRow, is_proven
from ..analysis.run_record import RunRecord
from ..language.escaping import shortened, visible
from ..language.number_format import percent, plural, share_of_one, tokens
from ..usage import Prices, cost_of
from .known_failures import quarantine_lines
from .outcome import lacks_shards, machine_line, outcome_lines
from .override_lines import override_lines
from .prefetch_lines import broken_off_lines, unused_lines
from .terminal import Screen
from .trouble_lines import trouble_lines

if TYPE_CHECKING:
    from ..analysis.regression.conclusion import Conclusion

_LONGEST_ERROR = 80  # characters

OFFLINE_CAVEAT = (
    "the offline judge compares words, not meaning: it counts paraphrases as missing and misses "
    "many wrong facts; use a model (--ragassert-model) for a release gate"
)


@dataclass(frozen=True)
class TerminalSummary:
    """Prints the summary section, without its title.

    Attributes:
        line: the function that prints a line.
        verbosity: pytest's verbosity.
        notes: the notes of the other writers.
    """

    line: Callable[[str], object]
    screen: Screen
    verbosity: int = 0
    notes: Sequence[str] = ()
    name = "the summary"

    def write(self, run: RunRecord) -> list[str]:
        for line in summary_lines(run, self.screen, self.notes, verbosity=self.verbosity):
            self.line(line)
        return []


def summary_lines(
    run: RunRecord, screen: Screen, notes: Iterable[str] = (), *, verbosity: int = 0
) -> list[str]:
    """The lines of the section; the last one, the outcome, is machine-readable."""
    rows, outcome = run.results, run.outcome
    parts: list[tuple[str, Callable[[], Iterable[str]]]] = [
        ("the metrics", lambda: _metric_table(figures(rows))),
        ("the answers", lambda: _answers(rows)),
        ("what was not measured", lambda: _unmeasured(rows)),
        ("the votes", lambda: _votes(run)),
        ("known failures", lambda: quarantine_lines(rows)),
        (
            "the outcome",
            lambda: [] if outcome is None else map(visible, outcome_lines(outcome, rows)),
        ),
        ("why it was asked again", lambda: [run.asked_again] if run.asked_again else []),
        ("what was asked", lambda: _questions(run)),
        ("what was asked ahead", lambda: _unused(run)),
        ("the committed verdicts", lambda: map(visible, run.verdicts)),
        ("overrides", lambda: override_lines(rows, run.judge)),
        ("the served models", lambda: _mixed(rows)),
        (
            "gates and baseline",
            lambda: _conclusion(run.conclusion, screen, verbose=verbosity > 0),
        ),
        (
            "missing and interrupted shards",
            lambda: [] if outcome is None else _shards(run, outcome),
        ),
        ("the notes", lambda: [f"note: {visible(note)}" for note in (*run.notices, *notes)]),
        ("the outcome", lambda: [] if outcome is None else [machine_line(outcome)]),
    ]
    lines = [f"judge {visible(run.judge)}", *([OFFLINE_CAVEAT] if run.judged_offline else [])]
    for what, make in parts:
        # an error in one part does not affect the others
        try:
            lines += make()
        except Exception as error:
            lines += trouble_lines(f"report {what}", error, verbose=verbosity > 1)
    return [screen.safe(line) for line in lines]


def _shards(run: RunRecord, outcome: RunOutcome) -> list[str]:
    return [f"error: {visible(run.partial or '')}"] if lacks_shards(outcome) else []


def _conclusion(conclusion: Conclusion | None, screen: Screen, *, verbose: bool) -> list[str]:
    if conclusion is None:
        return []
    from .gate_lines import conclusion_lines

    return conclusion_lines(conclusion, screen, verbose=verbose)


def _metric_table(by_metric: dict[str, MetricFigures]) -> list[str]:
    lines = []
    for metric, own in by_metric.items():
        if not own.n and not own.vacuous:
            continue
        line = f"{visible(metric):<20}{own.n:>6}"
        if own.mean is None or own.min is None:
            line += f"{'-':>8}{'-':>8}{'-':>7}"
        else:
            mean, least = share_of_one(own.mean, 2), share_of_one(own.min, 2)
            line += f"{mean:>8}{least:>8}{own.below:>7}"
        named = ", ".join(_named(*named) for named in own.document_values.items())
        lines.append(f"{line}   {named}".rstrip())
    if lines:
        lines.insert(0, f"{'metric':<20}{'n':>6}{'mean':>8}{'min':>8}{'below':>7}")
    return lines


def _named(name: str, value: float) -> str:
    """A figure under its name in a source document, in the unit of that name."""
    if name.endswith("_count"):
        return f"{name} {value:.0f}"
    shown = share_of_one(value, 2) if name == "bert_score_f1" else percent(value / 100)
    return f"{name} {shown}"


def _answers(rows: Sequence[MeasuredRow]) -> list[str]:
    """Counts of answers by class, and grades and scores, in total and by method."""
    lines = []
    classes = answer_counts(rows)
    if classes is not None:
        lines.append(f"answers: {_classes(classes)}")
        for what, groups in (
            ("method", classes.by_method),
            ("question type", classes.by_question_type),
        ):
            lines += [f"  {what} {visible(name)}: {_classes(own)}" for name, own in groups.items()]
    graded = grades(rows)
    if graded:
        each = ", ".join(f"{grade} {count}" for grade, count in graded.items())
        lines.append(f"factual_accuracy grades: {each}")
    for method, spread in ragas_scores(rows).items():
        lines.append(
            f"ragas_score of method {visible(method)}: mean {share_of_one(spread.mean, 2)}, "
            f"best {share_of_one(spread.best, 2)}, worst {share_of_one(spread.worst, 2)}"
        )
    return lines


def _classes(counts: ClassCounts) -> str:
    return f"{counts.correct} correct, {counts.wrong} wrong, {counts.dont_know} don't know"


def _unmeasured(rows: Sequence[MeasuredRow]) -> list[str]:
    lines = []
    vacuous = sum(row["vacuous"] for row in rows)
    if vacuous:
        lines.append(f"vacuous (nothing to check): {vacuous}")
    failed = [(row["metric"], row["error"]) for row in rows if row["error"] is not None]
    judge = Counter(e["kind"] or "judge" for _, e in failed if e["type"] == "JudgeError")
    missing = sum(error["type"] == "VerdictMissing" for _, error in failed)
    other = [one for one in failed if one[1]["type"] not in ("JudgeError", "VerdictMissing")]
    if judge:
        kinds = ", ".join(f"{count} {visible(kind)}" for kind, count in sorted(judge.items()))
        lines.append(f"judge errors (not measured): {judge.total()}: {kinds}")
    if missing:
        lines.append(f"no stored verdict (not measured): {missing}")
    if other:
        lines.append(f"not measurable: {_lacking(other)}")
    unproven = Counter(
        claim["label_raw"] for row in rows for claim in row["claims"] if not is_proven(claim)
    )
    for label, told in (
        ("CONTRADICTORY", "judge says contradicted, no evidence"),
        ("FULLY_SUPPORTED", "judge says supported, quote unverified"),
    ):
        if unproven[label]:
            lines.append(f"{told}: {plural(unproven[label], 'claim')}")
    return lines


def _votes(run: RunRecord) -> list[str]:
    if run.votes is None:
        return []
    from .vote_lines import votes_line, wavering_lines

    return [votes_line(run.votes), *wavering_lines(run.results)]


def _lacking(errors: Sequence[tuple[str, ErrorRow]]) -> str:
    """`context_recall 3 (ground_truth_answer)`: the number for each metric, with the missing fields
    or the first other error.
    """
    said = []
    for metric in sorted({metric for metric, _ in errors}):
        own = [error for of_metric, error in errors if of_metric == metric]
        fields = dict.fromkeys(visible(name) for error in own for name in error["fields"])
        why = ", ".join(fields) or next(filter(None, map(_told, own)), "")
        said.append(f"{visible(metric)} {len(own)}" + (f" ({why})" if why else ""))
    return ", ".join(said)


def _told(error: ErrorRow) -> str:
    if error["type"] == "MissingFieldError":
        return ""  # its fields already show it
    return shortened(f"{visible(error['type'])}: {visible(error['message'])}", _LONGEST_ERROR)


def _questions(run: RunRecord) -> list[str]:
    uses, embedded = _by_kind(asked_in(run.results))
    repeated, embedded_before = _by_kind(run.spent)
    return [
        *_asked(uses, repeated, run.prices, offline=run.offline),
        *_embeddings(embedded, embedded_before),
    ]


def _unused(run: RunRecord) -> list[str]:
    asked = [*asked_in(run.results), *run.spent]
    return [*unused_lines(asked, run.asked_ahead), *broken_off_lines(run.broken_off)]


def _by_kind(asked: Iterable[AskedRow]) -> tuple[list[AskedRow], list[AskedRow]]:
    """Lines on questions to a judge, and on texts to embed."""
    kinds: tuple[list[AskedRow], list[AskedRow]] = ([], [])
    for one in asked:
        kinds[bool(one["embedding"])].append(one)
    return kinds


class _Counts(NamedTuple):
    """Counts of questions, or of texts to embed.

    Attributes:
        asked: the number asked in this run.
        stored: the number stored before it.
        carried: the number carried over from other judgements, in this run or before.
        new: what this run asked for, without duplicates.
    """

    asked: int
    stored: int
    carried: int
    new: list[AskedRow]


def _counts(uses: Sequence[AskedRow], spent: Sequence[AskedRow]) -> _Counts:
    distinct = {one["key"]: one for one in (*spent, *uses)}
    carried = {key for key, one in distinct.items() if one["carried"]}
    new = {key: one for key, one in distinct.items() if not one["stored"] and key not in carried}
    stored = {one["key"] for one in uses} - carried - new.keys()
    return _Counts(len(new), len(stored), len(carried), list(new.values()))


def _embeddings(uses: Sequence[AskedRow], spent: Sequence[AskedRow]) -> list[str]:
    if not (uses or spent):
        return []
    counts = _counts(uses, spent)
    requests = sum(asked["requests"] for asked in counts.new)
    paid = sum(asked["prompt"] for asked in counts.new)
    line = f"embeddings: {counts.asked} asked, {counts.stored} stored"
    if requests:
        line += f"; {plural(requests, 'request')}"
    return [line + (f", {plural(paid, 'token')}" if paid else "")]


def _mixed(rows: Sequence[MeasuredRow]) -> list[str]:
    """Notes on models that were served by more than one model in this run."""
    return [
        f"note: {visible(model)} was served by {', '.join(map(visible, names))}, whose verdicts "
        "may differ"
        for model, names in served_models(rows).items()
        if len(names) > 1
    ]


def served_models(rows: Sequence[MeasuredRow]) -> dict[str, list[str]]:
    """The names of the served models by model, as reported by endpoints."""
    served: dict[str, set[str]] = {}
    for row in rows:
        for asked in row["asked"]:
            if asked["served"]:
                served.setdefault(asked["model"], set()).add(asked["served"])
    return {model: sorted(names) for model, names in sorted(served.items())}


def _asked(
    uses: Sequence[AskedRow], spent: Sequence[AskedRow], prices: Prices, *, offline: bool
) -> list[str]:
    if not (uses or spent):
        return []
    counts = _counts(uses, spent)
    new = counts.new
    line = f"judgements: {counts.asked} asked, {counts.stored} stored, {counts.carried} carried"
    if offline:
        return [line]
    prompt = sum(asked["prompt"] for asked in new)
    cached = sum(asked["cached"] for asked in new)
    completion = sum(asked["completion"] for asked in new)
    requests = sum(asked["requests"] for asked in new)
    if requests != counts.asked:
        line += f" ({plural(requests, 'request')})"
    if prompt or completion:
        line += f"; tokens: {tokens(prompt, completion, cached)}"
    cost = _cost(new, prices)
    return [line + (f"; cost {cost:.4f}" if cost is not None else ""), *_repairs(new)]


def _repairs(new: Sequence[AskedRow]) -> list[str]:
    """The number of replies that were unusable or proved nothing, and the cost of asking again."""
    again = sum(asked["again"] for asked in new)
    if not again:
        return []
    spent = sum(asked["again_tokens"] for asked in new)
    cost = f", {plural(spent, 'token')}" if spent else ""
    return [f"asked again for a usable reply or a quote: {again}{cost}"]


def _cost(asked: Sequence[AskedRow], prices: Prices) -> float | None:
    """The cost in the currency of the prices; None if the price of an asked model is missing."""
    costs = [cost_of(one["model"], one["prompt"], one["completion"], prices) for one in asked]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if costs and len(known) == len(costs) else None
