"""Blocks on the run as a whole: outcome, metrics, gates, and notes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from ...analysis.records.failed_tests import FailedTest
from ...analysis.records.figures import figures
from ...analysis.records.result_rows import is_failure
from ...analysis.records.results_file import MetricFigures, RunOutcome
from ...analysis.records.row_types import MeasuredRow, name_of_case
from ...analysis.regression.comparison import MetricChange
from ...analysis.regression.conclusion import Conclusion
from ...analysis.regression.gates import GateResult
from ...analysis.run_record import RunRecord
from ...language.number_format import plural, share_of_one, signed
from ..gate_cases import PullingCase, pulling_cases
from ..gate_lines import pulls, said_of, unchecked_line
from ..known_failures import quarantine_lines
from ..outcome import OTHER, nothing_measured, nothing_words, shard_words
from ..summary import OFFLINE_CAVEAT
from . import inline
from .fitting import Section

_LONGEST = 300  # maximum characters of a text in a line
_LONGEST_NAME = 120
_FEW = 10  # maximum number of names in a list
_MOST_PULLING = 5  # maximum number of cases of a gate
_MOST_METRICS = 50
_MOST_NOTES = 10
# By pytest's exit status.
_ENDS = {
    2: "interrupted",
    3: "ended by a pytest error",
    4: "ended by a pytest error",
    5: "without a test",
}


def head(run: RunRecord) -> str:
    """The outcome of the run and its causes, the number of cases, and the judge."""
    reasons = list(_reasons(run))
    why = f": {', '.join(reasons)}" if reasons else ""
    lines = [f"<h3>{_word(run)}{why}</h3>", f"<p>{_judged(run)}</p>"]
    if run.judged_offline:
        lines.append(f"<p>Note: {inline.line(OFFLINE_CAVEAT)}</p>")
    if run.part is not None:
        lines.append(f"<p>A part of the tests: {inline.cut(run.part, _LONGEST)}</p>")
    return "\n".join(lines)


def _word(run: RunRecord) -> str:
    if run.exit_status == 0:
        return "✅ RAG tests passed"
    if run.outcome is not None and run.outcome.failed_by == "other":
        return "❌ RAG tests passed, other tests did not"
    return f"❌ RAG tests {_ENDS.get(run.exit_status, 'failed')}"


def _judged(run: RunRecord) -> str:
    measured = [row for row in run.results if row["error"] is None]
    if not measured:
        return f"Nothing was measured, judge {inline.cut(run.judge, _LONGEST)}."
    return (
        f"{plural(len(cases_of(measured)), 'case')}, {plural(len(measured), 'result')}, "
        f"judge {inline.cut(run.judge, _LONGEST)}."
    )


def cases_of(rows: Iterable[MeasuredRow]) -> list[str]:
    """The names of the cases, without duplicates; a case without an id is named by its test."""
    return list(dict.fromkeys(map(name_of_case, rows)))


def _reasons(run: RunRecord) -> Iterable[str]:
    outcome = run.outcome
    if failing := _failing(run):
        yield f"{plural(failing, 'test')} below the minimum"
    if run.conclusion is not None:
        failed = sum(not one.passed for one in run.conclusion.gates)
        if failed:
            yield f"{plural(failed, 'gate')} not met"
        elif run.conclusion.fails_unchecked:
            yield "gates not checked"
        if run.conclusion.errors:
            yield "no baseline to compare with"
    if outcome is not None:
        yield from _other_reasons(outcome)


def _failing(run: RunRecord) -> int:
    """The number of tests that failed because of a score below its minimum."""
    if run.outcome is not None:
        return run.outcome.assertions
    return len({row["nodeid"] for row in run.results if is_failure(row)})


def _other_reasons(outcome: RunOutcome) -> Iterable[str]:
    if outcome.judge_errors:
        yield f"{plural(outcome.judge_errors, 'test')} without a judgement"
    if outcome.missing:
        yield f"{plural(outcome.missing, 'test')} without a stored verdict"
    skipped = outcome.skipped + (outcome.skipped_missing or 0)
    if skipped:
        yield f"{plural(skipped, 'test')} skipped"
    if outcome.budget == "spent":
        yield "the budget is spent"
    if nothing_measured(outcome):
        yield nothing_words(outcome)
    if outcome.verdicts == "failed":
        yield "the verdicts could not be written"
    yield from shard_words(outcome)
    if outcome.other:
        yield f"{plural(outcome.other, 'other failure')}"


def gates(run: RunRecord, conclusion: Conclusion) -> list[Section]:
    """Each failing gate with the cases that pull it down, and the number of other gates."""
    sections = []
    failed = [one for one in conclusion.gates if not one.passed]
    held = len(conclusion.gates) - len(failed)
    if failed:
        sections.append(
            Section(
                "<h4>Gates not met</h4>\n<ul>",
                [partial(_gate, one, run.results) for one in failed],
                lambda rest: f"<p>… {plural(rest, 'more gate')}</p>",
                "</ul>",
                share=0.2,
            )
        )
    said = [f"{plural(held, 'gate')} met."] if held else []
    if conclusion.unchecked is not None:
        # the head shows why a run is partial
        why = conclusion.unchecked
        why = "only some of the tests were run" if why == run.partial else why
        said.append(unchecked_line(why, fails=conclusion.fails_unchecked))
    said += [*conclusion.errors, *conclusion.notes]
    if said:
        lines = [partial(_line, text) for text in said]
        sections.append(Section("", lines, lambda rest: "", share=0.2))
    return sections


def _line(text: str, _: int) -> str:
    return f"<p>{inline.cut(text, _LONGEST)}</p>"


def _gate(held: GateResult, rows: Sequence[MeasuredRow], _: int) -> str:
    text = inline.code(held.gate.text, _LONGEST)
    lines = [f"{text}: {inline.cut(said_of(held), _LONGEST)}"]
    cases, more = pulling_cases(held, rows, _MOST_PULLING)
    if cases:
        lines += [f"{pulls(held)}:", *map(_pulling, cases)]
    if more:
        lines.append(f"… {more} more")
    return f"<li>{'<br>'.join(lines)}</li>"


def _pulling(case: PullingCase) -> str:
    parts = [f"<b>{inline.cut(case.name, _LONGEST_NAME)}</b> {inline.cut(case.what, _LONGEST)}"]
    if case.nodeid is not None and case.nodeid != case.name:
        parts.append(inline.code(case.nodeid, _LONGEST))
    if case.lacks:
        parts.append(inline.cut(case.lacks, _LONGEST))
    return " – ".join(parts)


def metrics(run: RunRecord) -> Section | None:
    """The table of metrics, with the values in the baseline, over the cases in both."""
    by_metric = {name: own for name, own in figures(run.results).items() if own.n or own.vacuous}
    if not by_metric:
        return None
    comparison = None if run.conclusion is None else run.conclusion.comparison
    changes = {} if comparison is None else comparison.metrics
    names = ["metric", "n", "mean", "min", "below"]
    if changes:
        names += ["before", "after", "change", "95% interval"]
    # the largest drop first, then the metric with most results below the minimum
    order = sorted(by_metric, key=lambda name: (_fall(changes.get(name)), -by_metric[name].below))
    shown = order if len(order) > _MOST_METRICS else list(by_metric)
    return Section(
        "<table>\n<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>",
        [
            partial(_metric, name, by_metric[name], changes.get(name), bool(changes))
            for name in shown
        ],
        lambda rest: f"<p>… {plural(rest, 'more metric')}</p>",
        "</table>",
        share=0.25,
        most=_MOST_METRICS,
    )


def _fall(change: MetricChange | None) -> float:
    return 0.0 if change is None else change.after - change.before


def _metric(
    name: str, own: MetricFigures, change: MetricChange | None, compared: bool, _: int
) -> str:
    cells = [inline.code(name, 100), f"{own.n}"]
    for value in (own.mean, own.min):
        cells.append("–" if value is None else share_of_one(value, 2))
    cells.append(f"{own.below}")
    if change is not None:
        interval = change.interval()
        cells += [
            share_of_one(change.before, 2),
            share_of_one(change.after, 2),
            signed(change.after - change.before),
            "–" if interval is None else f"{signed(interval.low)} to {signed(interval.high)}",
        ]
    elif compared:
        cells += ["–"] * 4
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def rest(run: RunRecord) -> list[Section]:
    """What was not measured and why, known failures, and other notes."""
    sections: list[Section] = []
    errors = [row for row in run.results if row["error"] is not None]
    sections += _other_failures(run, {row["nodeid"] for row in errors})
    missing = [row for row in errors if row["missed"] is not None]
    if missing:
        tests = list(dict.fromkeys(row["nodeid"] for row in missing))
        title = f"No stored verdict: {plural(len(tests), 'test')}"
        sections.append(_few(title, [partial(_item, test) for test in tests]))
    other = [row for row in errors if row["missed"] is None]
    if other:
        items = [partial(_unmeasured, row) for row in other]
        sections.append(_few(f"Not measured: {len(other)}", items))
    notes = [*quarantine_lines(run.results), *(f"note: {notice}" for notice in run.notices)]
    if notes:
        sections.append(
            Section(
                "<ul>",
                [partial(_item, note) for note in notes],
                lambda rest: f"<p>… {plural(rest, 'more note')}</p>",
                "</ul>",
                share=0.1,
                most=_MOST_NOTES,
            )
        )
    return sections


def _other_failures(run: RunRecord, unmeasured: Collection[str]) -> list[Section]:
    """Tests that failed for other reasons, those not explained below first."""
    tests = [one for one in run.failed_tests or () if OTHER in one.ends]
    if not tests:
        return []
    tests.sort(key=lambda one: one.nodeid in unmeasured)
    items = [partial(_failed_test, one, one.nodeid in unmeasured) for one in tests]
    return [_few(f"Other failures: {plural(len(tests), 'test')}", items)]


def _failed_test(test: FailedTest, is_unmeasured: bool, _: int) -> str:
    said = "not measured, see below" if is_unmeasured else test.message
    name = inline.code(test.nodeid, _LONGEST)
    return f"<li>{name}: {inline.cut(said, _LONGEST)}</li>" if said else f"<li>{name}</li>"


def _few(title: str, items: Sequence[Callable[[int], str]]) -> Section:
    """A list with a title, a few items, and the number of others."""
    return Section(
        f"<h4>{title}</h4>\n<ul>",
        items,
        lambda rest: f"<p>… {rest} more</p>",
        "</ul>",
        share=0.1,
        most=_FEW,
    )


def _item(text: str, _: int) -> str:
    return f"<li>{inline.cut(text, _LONGEST)}</li>"


def _unmeasured(row: MeasuredRow, _: int) -> str:
    error = row["error"]
    said = "" if error is None else error["message"]
    name = inline.cut(name_of_case(row), _LONGEST)
    return f"<li>{name}, {inline.code(row['metric'], 100)}: {inline.cut(said, _LONGEST)}</li>"
