"""Turns what fails a run as a whole, such as gates, into failed tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..language.escaping import visible
from .gate_lines import held_lines, pulling_text, said_of, unchecked_line
from .outcome import budget_line
from .terminal import Screen

if TYPE_CHECKING:
    from ..analysis.records.results_file import RunOutcome
    from ..analysis.records.row_types import MeasuredRow
    from ..analysis.regression.conclusion import Conclusion
    from ..analysis.regression.gates import GateResult

_MESSAGE = 300  # maximum columns of a line, since some tools print it uncut


class RunFailure(NamedTuple):
    """A failure of the run.

    Attributes:
        name: the test's name without a file, such as `gate[mean(faithfulness) >= 0.9]`.
        message: the message in one line.
        lines: the full text.
    """

    name: str
    message: str
    lines: Sequence[str]


_UNTOLD = "the cause of the failed run could not be reported; see the section ragassert"
UNTOLD = RunFailure("run", _UNTOLD, [_UNTOLD])


@dataclass(frozen=True)
class EndedRun:
    """How a failed run ended.

    Attributes:
        outcome: the outcome; None if it could not be determined.
        conclusion: the conclusion on gates and baseline; None if the run has neither.
        unwritten: why the committed verdicts were not written.
        tests_failed: whether a test failed, or a file could not be collected.
    """

    outcome: RunOutcome | None
    conclusion: Conclusion | None
    rows: Sequence[MeasuredRow]
    unwritten: Sequence[str]
    tests_failed: bool


def run_failures(of: EndedRun, screen: Screen, *, verbose: bool = False) -> list[RunFailure]:
    """Each failing gate and, if no test failed, everything else that fails the run.

    A run with exit status 1 must not report that all of its tests passed. If tests failed, the
    other causes are usually a consequence, and the summary shows them.
    """
    gates = of.conclusion.gates if of.conclusion is not None else ()
    failures = [_of_gate(one, screen, verbose=verbose) for one in gates if not one.passed]
    if not (failures or of.tests_failed):
        failures = _of_the_rest(of)
    return failures


def _of_gate(held: GateResult, screen: Screen, *, verbose: bool) -> RunFailure:
    message = "; ".join(filter(None, (said_of(held), pulling_text(held))))
    return RunFailure(
        f"gate[{visible(held.gate.text)}]",
        screen.cut(message, _MESSAGE),
        [line.removeprefix("  ") for line in held_lines(held, screen, verbose=verbose)],
    )


def _of_the_rest(of: EndedRun) -> list[RunFailure]:
    outcome, conclusion = of.outcome, of.conclusion
    if outcome is None:
        return [UNTOLD]
    failures = []
    if outcome.gates == "failed":
        failures.append(_said("gates", "the gates could not be checked"))
    if conclusion is not None and conclusion.fails_unchecked:
        why = conclusion.unchecked or ""
        failures.append(_said("gates", unchecked_line(why, fails=True)))
    if outcome.baseline == "failed" and conclusion is not None:
        failures.append(_said("baseline", *conclusion.errors))
    if outcome.verdicts == "failed":
        failures.append(_said("verdicts", *of.unwritten))
    spent = budget_line(outcome, of.rows)
    # tests skipped because of it are reported as skipped
    if spent is not None and not outcome.skipped:
        failures.append(_said("budget", spent))
    return failures


def _said(name: str, *lines: str) -> RunFailure:
    shown = [visible(line) for line in lines]
    return RunFailure(name, "; ".join(shown), shown)
