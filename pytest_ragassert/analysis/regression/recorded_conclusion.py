"""Converts a conclusion to its record in a results file, and back."""

from __future__ import annotations

from collections.abc import Sequence

from ...config.gate_syntax import Gate, GateSyntaxError, read_gate
from ...errors import ConfigurationError
from ..records.conclusion_record import (
    BaselineClaim,
    BaselineRecord,
    ConclusionRecord,
    GateRecord,
)
from ..records.measurement import Measurement
from .comparison import compared
from .conclusion import Conclusion
from .gates import GateResult


def conclusion_record(conclusion: Conclusion) -> ConclusionRecord:
    """The conclusion as data; `conclusion_of` reads it back."""
    before = conclusion.before
    return ConclusionRecord(
        against=conclusion.against,
        baseline=None if before is None else [_baseline_record(one) for one in before],
        gates=[
            GateRecord(
                text=held.gate.text,
                value=held.value,
                n=held.n,
                passed=held.passed,
                why=held.why,
                pulling=list(held.pulling),
            )
            for held in conclusion.gates
        ],
        unchecked=conclusion.unchecked,
        outcome=conclusion.outcome,
        partial=conclusion.partial,
        must_hold=conclusion.must_hold,
        errors=list(conclusion.errors),
        notes=list(conclusion.notes),
    )


def conclusion_of(record: ConclusionRecord, measured: Sequence[Measurement]) -> Conclusion:
    """Read back the conclusion of a run with these measurements.

    Raises:
        ConfigurationError: only a later release knows the kind of a gate.
    """
    before = None
    if record.baseline is not None:
        before = tuple(one.measurement() for one in record.baseline)
    return Conclusion(
        comparison=None if before is None else compared(before, measured),
        before=before,
        against=record.against,
        gates=tuple(
            GateResult(
                _gate(held.text),
                held.value,
                held.n,
                held.passed,
                held.why,
                tuple(held.pulling),
            )
            for held in record.gates
        ),
        unchecked=record.unchecked,
        outcome=record.outcome,
        partial=record.partial,
        must_hold=record.must_hold,
        errors=tuple(record.errors),
        notes=tuple(record.notes),
    )


def _gate(text: str) -> Gate:
    try:
        return read_gate(text)
    except GateSyntaxError as error:
        raise ConfigurationError(
            f"the results file has a gate that this release can't read, {text!r}: {error}; update "
            "pytest-ragassert"
        ) from None


def _baseline_record(one: Measurement) -> BaselineRecord:
    return BaselineRecord(
        case=one.case,
        metric=one.metric,
        judge=one.judge,
        score=one.value,
        label=one.label,
        inputs=dict(one.inputs),
        steps=dict(one.steps),
        claims=[BaselineClaim(**claim._asdict()) for claim in one.claims],
    )
