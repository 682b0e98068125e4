"""Checks a run against its gates and its baseline, on the controller."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..analysis.records.baseline_file import (
    UPDATE,
    Baseline,
    open_baseline,
    replaced_of_others,
    update_baseline,
)
from ..analysis.records.conclusion_record import GatesOutcome
from ..analysis.records.measurement import Measurement, measurements_of
from ..analysis.regression.comparison import Comparison, compared
from ..analysis.regression.conclusion import Conclusion
from ..analysis.regression.gates import GateResult, evaluated_gates, unknown_metric
from ..config.gate_syntax import read_gate
from ..config.options import OFFLINE_ID
from ..errors import ConfigurationError

if TYPE_CHECKING:
    from ..analysis.records.row_types import MeasuredRow
    from .run import Run


class Regression:
    """The gates and the baseline of a run, and the outcome of checking them.

    Args:
        before: measurements to compare with instead of the baseline.
    """

    def __init__(self, run: Run, before: Iterable[Measurement] | None = None) -> None:
        self._run = run
        self._gates = [read_gate(text) for text in run.value("gates", ())]
        self._update: str | None = run.value("update_baseline", None)
        self._before = None if before is None else tuple(before)
        self._baseline: Baseline | None = None
        self._comparison: Comparison | None = None
        self._held: list[GateResult] = []
        # why the gates are not checked; None: they are checked
        self._open: str | None = None
        self._came_to: GatesOutcome | None = "failed" if self._gates else None
        self._partial = False
        self._wrong: list[str] = []
        self._notes: list[str] = []

    def check(self, *, judge_too: bool = True) -> None:
        """
        Args:
            judge_too: whether the baseline must come from the configured judge.

        Raises:
            ConfigurationError: the baseline cannot be read, comes from another judge, or is not
                configured. A shard may lack it.
        """
        path = self._run.baseline
        if path is None:
            if self._update is not None:
                raise ConfigurationError(
                    f"{UPDATE} needs a file to write to: --ragassert-baseline FILE"
                )
            for gate in self._gates:
                if gate.of_changes:
                    raise ConfigurationError(
                        f"the gate {gate.text!r} needs a baseline to compare with: "
                        "--ragassert-baseline FILE"
                    )
            return
        if self._update is None and self._run.shard is not None and not path.exists():
            # only the join can write it, so a shard goes on
            self._notes.append(
                f"nothing is compared: there is no baseline {self._run.baseline_name} yet; "
                "python -m pytest_ragassert join --update-baseline writes it"
            )
            return
        self._baseline = open_baseline(path, update=self._update is not None)
        if self._update is None and judge_too:
            problem = self._other_judge(self._run.known_judge())
            if problem is not None:
                raise ConfigurationError(problem)

    def _other_judge(self, judge: str | None) -> str | None:
        """Why the baseline's judge is not this run's judge; None if it is, or if that is
        unknown.
        """
        if judge is None or not self._baseline:
            return None
        judges = sorted(self._baseline.judges())
        if judge not in judges:
            return self._way_out(f"of judge {' and '.join(judges)}", judges[0], judge)
        if judge == OFFLINE_ID:
            return None  # its answers do not depend on instructions, and its id has its version
        steps = self._run.hooks.steps()
        for one in self._baseline:
            for name, mark in one.steps.items() if one.judge == judge else ():
                if name in steps and steps[name].mark != mark:
                    was = f"of {judge} with other instructions ({name} {mark.partition(' ')[0]})"
                    return self._way_out(was, judge, judge)
        return None

    def _way_out(self, was: str, before: str, after: str) -> str:
        return (
            f"the baseline {self._run.baseline} is {was}, but this run's judge is {after}: python "
            f"-m pytest_ragassert rejudge RESULTS --from '{before}' --to '{after}' shows "
            f"what changes, then {UPDATE}"
        )

    def check_names(self, known: Sequence[str]) -> None:
        """
        Raises:
            ConfigurationError: a gate names a metric that does not exist.
        """
        problem = unknown_metric(self._gates, known)
        if problem is not None:
            raise ConfigurationError(problem)

    def conclude(
        self,
        rows: Sequence[MeasuredRow],
        *,
        whole: str | None,
        partial: str | None = None,
        off: str | None = None,
        unwritten: str | None = None,
    ) -> None:
        """
        Args:
            whole: why not every test ran to its end and passed; None if all did.
            partial: why the run is partial, so that no gate is checked; None if it is whole.
            off: why the gates are not to be checked at all; None: they are, if the run is whole.
            unwritten: why the baseline is not to be written; None: it is, if it is configured.
        """
        measured = measurements_of(rows)
        if self._before is None and self._baseline is not None:
            self._before = tuple(self._baseline)
        if self._before is not None:
            self._comparison = compared(self._before, measured)
        if self._baseline is not None and len(self._baseline):
            judges = sorted({one.judge for one in measured if one.counts})
            if self._update is None and judges and self._baseline.judges().isdisjoint(judges):
                problem = self._other_judge(judges[0])
                self._wrong += [problem] if problem is not None else []
        self._partial = partial is not None
        self._hold(measured, partial, off)
        if self._update is None or self._baseline is None:
            return
        if unwritten is not None:
            self._notes.append(f"the baseline was not written: {unwritten}")
        else:
            self._write(self._baseline, rows, whole)

    def _hold(self, measured: Sequence[Measurement], partial: str | None, off: str | None) -> None:
        if not self._gates:
            return
        if off is not None:
            self._open, self._came_to = off, "off"
        elif partial is not None:
            self._open, self._came_to = partial, "partial"
        else:
            writes = self._update is not None
            self._held = evaluated_gates(self._gates, measured, self._comparison, writes=writes)
            self._came_to = "ok" if all(one.passed for one in self._held) else "failed"

    def _write(self, baseline: Baseline, rows: Sequence[MeasuredRow], whole: str | None) -> None:
        path = self._run.baseline
        if path is None:
            return
        prune = self._update == "prune"
        if prune and whole is not None:
            self._wrong.append(
                f"the baseline was not written: {whole}, and =prune would remove the results of "
                f"such tests; run all tests, or use {UPDATE} without =prune"
            )
            return
        measured = measurements_of(rows)
        written, others = Baseline(), 0

        def change(there: Baseline) -> Baseline:
            nonlocal written, others
            # keep what another run added since this one began
            written = there.updated(measured, prune=baseline.keys() if prune else ())
            others = replaced_of_others(baseline, there, written)
            return written

        try:
            if not any(one.counts for one in measured):
                raise ConfigurationError("nothing was measured")
            update_baseline(path, change)
        except ConfigurationError as error:
            self._wrong.append(f"the baseline was not written: {error}")
        else:
            lines = f"{len(written)} line{'s' * (len(written) != 1)}"
            self._notes.append(f"the baseline {path} was written: {lines}")
            if others:
                self._notes.append(
                    f"meanwhile another run wrote other results for {others} of them, which this "
                    "run replaced"
                )

    @property
    def conclusion(self) -> Conclusion:
        """The outcome of `conclude`; before it is called, the gates count as failed."""
        shown = self._update is None
        return Conclusion(
            comparison=self._comparison if shown else None,
            before=self._before if shown else None,
            against=f"the baseline {self._run.baseline_name}",
            gates=tuple(self._held),
            unchecked=self._open,
            outcome=self._came_to,
            partial=self._partial,
            must_hold=self._run.must_hold_gates,
            errors=tuple(self._wrong),
            notes=tuple(self._notes),
        )
