"""How a run's tests ended, and by whose fault: what decides the exit status and the last line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from ..analysis.records.results_file import FailedBy, RunOutcome
    from ..analysis.records.row_types import MeasuredRow

# How a test's phase ended, as its report says it.
ASSERTION, JUDGE, SKIPPED, OTHER = "assertion", "judge", "skipped", "other"
MISSING, SKIPPED_MISSING = "missing", "skipped-missing"  # a replay does not have its verdicts


def run_outcome(
    ends: Iterable[Collection[str]],
    rows: Sequence[MeasuredRow],
    *,
    refused: bool,
    gates: Literal["ok", "failed", "partial", "off"] | None = None,
    must_hold: bool = False,
    baseline: Literal["failed"] | None = None,
) -> RunOutcome:
    """
    Args:
        ends: of each test that failed, or was skipped for a judge error or missing verdicts, the
            ends of its phases.
        refused: a request was refused because a budget was spent, whatever became of it.
        gates: what came of those of the run; None where it has none.
        must_hold: a run in which they are not held for being a part does not pass.
        baseline: it was not written, or is another judge's.
    """
    # pydantic's models; the words above are read for each test that fails, ours or not
    from ..analysis.records.results_file import RunOutcome

    counts = {end: sum(end in of_test for of_test in ends) for end in _ALL}
    outcome = RunOutcome(
        assertions=counts[ASSERTION],
        judge_errors=counts[JUDGE],
        skipped=counts[SKIPPED],
        other=counts[OTHER],
        missing=counts[MISSING] or None,
        skipped_missing=counts[SKIPPED_MISSING] or None,
        measured=sum(row["error"] is None for row in rows),
        budget="spent" if refused or spent_budgets(rows) else "ok",
        gates=gates,
        baseline=baseline,
    )
    outcome.failed_by = failed_by(outcome, must_hold=must_hold)
    return outcome


_ALL = (ASSERTION, JUDGE, SKIPPED, OTHER, MISSING, SKIPPED_MISSING)


def spent_budgets(rows: Iterable[MeasuredRow]) -> dict[str, int]:
    """What each spent budget's error says, and how many measurements could not be made."""
    spent: dict[str, int] = {}
    for row in rows:
        if row["error"] is not None and row["error"]["kind"] == "budget":
            said = row["error"]["message"].rpartition(" not measured: ")[2]
            spent[said] = spent.get(said, 0) + 1
    return spent


def nothing_measured(outcome: RunOutcome) -> bool:
    """Tests were skipped for judge errors or missing verdicts, and no other measured anything."""
    skipped = outcome.skipped > 0 or outcome.skipped_missing is not None
    return skipped and outcome.measured == 0


def is_red(outcome: RunOutcome) -> bool:
    """The run says too little to pass, even where no test failed."""
    held = "failed" not in (outcome.gates, outcome.baseline) and outcome.failed_by != "gates"
    return outcome.budget == "spent" or nothing_measured(outcome) or not held


def outcome_lines(outcome: RunOutcome, rows: Sequence[MeasuredRow]) -> list[str]:
    """For people: what was skipped, and why a run without failures does not pass."""
    lines = []
    if outcome.skipped:
        lines.append(f"skipped for judge errors: {outcome.skipped}")
    if outcome.skipped_missing:
        lines.append(f"skipped for missing verdicts: {outcome.skipped_missing}")
    if (spent := budget_line(outcome, rows)) is not None:
        lines.append(spent)
    if nothing_measured(outcome):
        reasons = [
            *(["a judge error"] if outcome.skipped else []),
            *(["missing verdicts"] if outcome.skipped_missing else []),
        ]
        lines.append(
            "nothing was measured, the run does not pass: each test that measures was skipped "
            f"for {' or '.join(reasons)}"
        )
    return lines


def budget_line(outcome: RunOutcome, rows: Sequence[MeasuredRow]) -> str | None:
    """What was not measured for a spent budget; None where none was."""
    if outcome.budget != "spent":
        return None
    spent = spent_budgets(rows)
    said = "; ".join(f"{count} not measured: {said}" for said, count in spent.items())
    return f"budget spent, the run does not pass: {said or 'a request was refused'}"


def machine_line(outcome: RunOutcome) -> str:
    """The section's last line; its form is an interface."""
    values = outcome.model_dump(mode="python", exclude_none=True)
    pairs = (f"{name.replace('_', '-')}={value}" for name, value in values.items())
    return " ".join(("ragassert-outcome:", *pairs))


def failed_by(outcome: RunOutcome, *, must_hold: bool = False) -> FailedBy:
    """What failed the run, from what is told of it.

    Args:
        must_hold: as in `run_outcome`.
    """
    nothing = nothing_measured(outcome)
    by_judge = outcome.judge_errors > 0 or outcome.budget == "spent"
    by_judge = by_judge or (nothing and outcome.skipped > 0)
    if outcome.assertions:
        return "both" if by_judge else "assertions"
    if by_judge:
        return "judge-errors"
    if outcome.missing or nothing:
        # what gates and others lack follows from it
        return "missing"
    if outcome.gates == "failed" or (must_hold and outcome.gates == "partial"):
        return "gates"
    if outcome.baseline == "failed":
        return "baseline"
    if outcome.verdicts == "failed":
        return "verdicts"
    return "other" if outcome.other else "none"
