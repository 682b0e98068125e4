"""Turns a measurement into a row of plain data, with the questions asked for it."""

from __future__ import annotations

from typing import Any, cast

from ..analysis.records.result_record import CaseTexts
from ..analysis.records.result_rows import row_of, unmeasured_row
from ..analysis.records.row_types import Came, ErrorRow, MeasuredRow, MissedRow, TextsRow
from ..analysis.records.to_json import plain
from ..engine.jobs import Job, Measured
from ..errors import MissingFieldError
from ..interop.documents import CONTEXT_NAMES
from ..runtime.canonical_json import digest
from ..storage.answers import Embedding

_TEXTS = set(CaseTexts.model_fields)
_CAME: tuple[Came, ...] = ("asked", "stored", "committed")
_INPUTS = {"id", "history", "question", "answer", "retrieved_contexts", "ground_truth_contexts"}
# Fields of later releases: left out if empty, so that cases of earlier files keep their digest.
_LATER = {"retrieved_context_ids", "ground_truth_context_ids", "ground_truth_claims", "criteria"}
_LATER_TEXTS = {*_LATER, *CONTEXT_NAMES}


def measured_row(measured: Measured) -> MeasuredRow:
    """The row of a measurement, which is sent with the test's report."""
    job = measured.job
    if measured.result is not None:
        row = row_of(measured.result, job.case)
    else:
        row = unmeasured_row(job.name, job.case)
        row["minimum"], row["error"] = job.minimum, _error(measured)
    came = _came(measured)
    for claim in row["claims"]:
        claim["came"] = came.get(claim["text"])
    row["missed"] = cast("MissedRow | None", measured.missed)
    row["asserted"] = job.asserted
    row["splits"] = measured.splits
    row["by_hands"] = [
        {"id": use.id, "claim": use.claim, "applied": use.applied, "verdicts": use.verdicts}
        for use in measured.by_hands
    ]
    row["steps"] = _steps(measured)
    row["options"] = plain(job.options)
    row["labels"] = list(job.labels)
    row["identity"] = _identity(job, row["metadata"])
    # false if only phrases, embeddings or reference contexts decided
    row["judged"] = any(not asked.embedding for asked in measured.asked)
    row["asked"] = [
        {
            "key": asked.key,
            "question": asked.question,
            "step": None if asked.step is None else asked.step.name,
            "model": asked.model,
            "stored": asked.answer.stored,
            "requests": asked.answer.usage.requests,
            "prompt": asked.answer.usage.prompt_tokens,
            "cached": asked.answer.usage.cached_tokens,
            "completion": asked.answer.usage.completion_tokens,
            "again": asked.answer.usage.again,
            "again_tokens": asked.answer.usage.again_tokens,
            "embedding": asked.embedding,
            "answered": not asked.failed,
            "committed": asked.answer.committed,
            "carried": asked.source is not None,
            "source": asked.source,
            "served": getattr(asked.answer, "served", None),
        }
        for asked in measured.asked
    ]
    return row


def _came(measured: Measured) -> dict[str, Came]:
    """The origin of each claim's verdict, by claim text."""
    found: dict[str, Came] = {}
    for asked in measured.asked:
        if asked.claim is None or asked.failed or isinstance(asked.answer, Embedding):
            continue
        came: Came = "committed" if asked.answer.committed else "stored"
        if not asked.stored:
            came = "asked"
        found[asked.claim] = min(came, found.get(asked.claim, came), key=_CAME.index)
    return found


def _error(measured: Measured) -> ErrorRow:
    error, job = measured.error, measured.job
    lacks = isinstance(error, MissingFieldError)
    return {
        "type": type(error).__name__,
        "kind": getattr(error, "kind", None),
        "message": getattr(error, "message", str(error)),
        "fields": [*job.missing] if lacks else [],
    }


def case_texts(measured: Measured) -> tuple[str, TextsRow]:
    """The texts that the case was judged by, and their digest."""
    texts = measured.job.case.model_dump(include=_TEXTS)
    named = {name: v for name, v in texts.items() if v is not None or name not in _LATER_TEXTS}
    return digest(named)[:16], cast(TextsRow, texts)


def _steps(measured: Measured) -> dict[str, str]:
    """The steps that were asked, each with its mark."""
    steps = (asked.step for asked in measured.asked if asked.step is not None)
    return {step.name: step.mark for step in steps}


def _identity(job: Job, metadata: dict[str, Any]) -> str:
    """A digest that is equal for repetitions of the same measurement."""
    inputs = job.case.model_dump(include=_INPUTS)
    inputs |= job.case.model_dump(include=_LATER, exclude_none=True)
    given = repr(sorted(job.options.items()))
    judged = [list(job.models), job.votes]
    return digest([job.name, given, judged, inputs, job.case.references, metadata])
