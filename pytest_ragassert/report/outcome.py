"""How a run's tests ended and why, which decides the exit status and the last line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from ..language.number_format import plural

if TYPE_CHECKING:
    from ..analysis.records.results_file import FailedBy, RunOutcome
    from ..analysis.records.row_types import MeasuredRow

# How a phase of a test ended, as noted on its report.
ASSERTION, JUDGE, SKIPPED, OTHER = "assertion", "judge", "skipped", "other"
MISSING, SKIPPED_MISSING = "missing", "skipped-missing"  # its verdicts are missing in a replay


def run_outcome(
    ends: Iterable[Collection[str]],
    rows: Sequence[MeasuredRow],
    *,
    refused: bool,
    gates: Literal["ok", "failed", "partial", "off"] | None = None,
    must_hold: bool = False,
    baseline: Literal["failed"] | None = None,
    store: Literal["unused"] | None = None,
) -> RunOutcome:
    """
    Args:
        ends: the ends of the phases of each test that failed, or was skipped because of a judge
            error or missing verdicts.
        refused: whether a request was refused because a budget was spent.
        gates: the outcome of the run's gates; None if it has none.
        must_hold: whether a partial run, in which gates are not checked, fails.
        baseline: whether it was not written, or comes from another judge.
        store: whether a shared store could not be used at the end.
    """
    # these import pydantic; the constants above are used for every failing test
    from ..analysis.records.results_file import RunOutcome

    each = list(ends)
    counts = {end: sum(end in of_test for of_test in each) for end in _ALL}
    measured = sum(row["error"] is None for row in rows)
    skips = counts[SKIPPED] + counts[SKIPPED_MISSING]
    outcome = RunOutcome(
        assertions=counts[ASSERTION],
        judge_errors=counts[JUDGE],
        skipped=counts[SKIPPED],
        other=counts[OTHER],
        missing=counts[MISSING] or None,
        skipped_missing=counts[SKIPPED_MISSING] or None,
        measured=measured,
        judged=0 if skips and measured and not _any_judged(rows) else None,
        budget="spent" if refused or spent_budgets(rows) else "ok",
        gates=gates,
        baseline=baseline,
        store=store,
    )
    outcome.failed_by = failed_by(outcome, must_hold=must_hold)
    return outcome


_ALL = (ASSERTION, JUDGE, SKIPPED, OTHER, MISSING, SKIPPED_MISSING)


def spent_budgets(rows: Iterable[MeasuredRow]) -> dict[str, int]:
    """The message of each exhausted budget, and the number of measurements it prevented."""
    spent: dict[str, int] = {}
    for row in rows:
        if row["error"] is not None and row["error"]["kind"] == "budget":
            said = row["error"]["message"].rpartition(" not measured: ")[2]
            spent[said] = spent.get(said, 0) + 1
    return spent


def _any_judged(rows: Sequence[MeasuredRow]) -> bool:
    """Whether a metric that may need the judge or the embedder was measured with one.

    Embeddings alone count only for the metrics that an error prevented elsewhere: another
    metric's embeddings do not show that the judge answers.
    """
    prevented = {row["metric"] for row in rows if row["error"] is not None}
    return any(
        row["judged"]
        or row["interval"] is not None
        or (row["metric"] in prevented and bool(row["asked"]))
        for row in rows
        if row["error"] is None
    )


def nothing_measured(outcome: RunOutcome) -> bool:
    """Whether tests were skipped because of judge errors or missing verdicts, and no other measured
    anything that needs the judge.
    """
    skipped = outcome.skipped > 0 or outcome.skipped_missing is not None
    return skipped and 0 in (outcome.measured, outcome.judged)


def nothing_words(outcome: RunOutcome) -> str:
    """Return "nothing was measured", or that only metrics without a judge were."""
    return "nothing was measured" if outcome.measured == 0 else "the judge measured nothing"


def lacks_shards(outcome: RunOutcome) -> bool:
    """Whether a shard of the joined run is missing or was interrupted."""
    return bool(outcome.missing_shards or outcome.interrupted_shards)


def shard_words(outcome: RunOutcome) -> Iterator[str]:
    """Yield how many shards are missing, and how many were interrupted."""
    if outcome.missing_shards:
        yield f"{plural(outcome.missing_shards, 'shard')} missing"
    if outcome.interrupted_shards:
        yield f"{plural(outcome.interrupted_shards, 'shard')} interrupted"


def is_red(outcome: RunOutcome) -> bool:
    """Whether the run fails although no test failed."""
    held = "failed" not in (outcome.gates, outcome.baseline) and outcome.failed_by != "gates"
    return outcome.budget == "spent" or nothing_measured(outcome) or not held


def outcome_lines(outcome: RunOutcome, rows: Sequence[MeasuredRow]) -> list[str]:
    """Lines on skipped tests, and on why a run without failures fails."""
    lines = []
    if outcome.skipped:
        lines.append(f"skipped because of judge errors: {outcome.skipped}")
    if outcome.skipped_missing:
        lines.append(f"skipped because of missing verdicts: {outcome.skipped_missing}")
    if (spent := budget_line(outcome, rows)) is not None:
        lines.append(spent)
    if nothing_measured(outcome):
        reasons = [
            *(["a judge error"] if outcome.skipped else []),
            *(["missing verdicts"] if outcome.skipped_missing else []),
        ]
        which = "measures" if outcome.measured == 0 else "needs the judge"
        lines.append(
            f"{nothing_words(outcome)}, so the run fails: each test that {which} was skipped "
            f"because of {' or '.join(reasons)}"
        )
    return lines


def budget_line(outcome: RunOutcome, rows: Sequence[MeasuredRow]) -> str | None:
    """The measurements prevented by an exhausted budget; None if no budget was exhausted."""
    if outcome.budget != "spent":
        return None
    spent = spent_budgets(rows)
    said = "; ".join(f"{count} not measured: {said}" for said, count in spent.items())
    return f"budget spent, so the run fails: {said or 'a request was refused'}"


def machine_line(outcome: RunOutcome) -> str:
    """The last line of the section; its format is stable, for other tools."""
    values = outcome.model_dump(mode="python", exclude_none=True)
    pairs = (f"{name.replace('_', '-')}={value}" for name, value in values.items())
    return " ".join(("ragassert-outcome:", *pairs))


def failed_by(outcome: RunOutcome, *, must_hold: bool = False) -> FailedBy:
    """The outcome of a run from its record.

    Args:
        must_hold: as for `run_outcome`.
    """
    nothing = nothing_measured(outcome)
    by_judge = outcome.judge_errors > 0 or outcome.budget == "spent"
    by_judge = by_judge or (nothing and outcome.skipped > 0)
    if outcome.assertions:
        return "both" if by_judge else "assertions"
    if by_judge:
        return "judge-errors"
    if outcome.missing or nothing:
        # problems of gates and others are a consequence
        return "missing"
    if lacks_shards(outcome):
        return "shards"
    if outcome.gates == "failed" or (must_hold and outcome.gates == "partial"):
        return "gates"
    if outcome.baseline == "failed":
        return "baseline"
    if outcome.verdicts == "failed":
        return "verdicts"
    return "other" if outcome.other else "none"
