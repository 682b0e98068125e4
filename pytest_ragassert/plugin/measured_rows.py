"""What came of a measurement as a row of plain data, with what was asked for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..case import EvalCase
from ..errors import MissingFieldError
from ..measuring import Job, Measured
from ..report.rows import Row, case_fields, row_of
from ..steps.canonical import digest
from ..text.visible import is_blank

_INPUTS = {"id", "question", "answer", "retrieved_contexts", "ground_truth_contexts"}


def measured_row(measured: Measured) -> Row:
    """The row, which travels on the test's report."""
    job = measured.job
    if measured.result is not None:
        row = row_of(measured.result, job.case)
    else:
        error = measured.error
        row = {
            "metric": job.name,
            "score": None,
            "minimum": job.minimum,
            "passed": False,
            "vacuous": False,
            "claims": [],
            "details": {},
            "error": {
                "type": type(error).__name__,
                "kind": getattr(error, "kind", None),
                "message": str(error),
                "fields": _lacking(job) if isinstance(error, MissingFieldError) else [],
            },
            **case_fields(job.case),
        }
    row["asserted"] = job.asserted
    row["identity"] = _identity(job.name, job.options, job.models, job.case)
    row["asked"] = [
        {
            "key": asked.key,
            "model": asked.model,
            "stored": asked.answer.stored,
            "requests": asked.answer.usage.requests,
            "prompt": asked.answer.usage.prompt_tokens,
            "cached": asked.answer.usage.cached_tokens,
            "completion": asked.answer.usage.completion_tokens,
            "embedding": asked.embedding,
        }
        for asked in measured.asked
    ]
    return row


def _lacking(job: Job) -> list[str]:
    """The fields that the metric needs and the case lacks; else those that are blank."""
    return list(job.metric.missing(job.case)) or [
        name for name in job.metric.requires if _is_empty(job.case, name)
    ]


def _is_empty(case: EvalCase, name: str) -> bool:
    """Whether the text is blank; of several references, whether one is."""
    texts = case.references if name == "ground_truth_answer" else [getattr(case, name)]
    return any(text is None or (isinstance(text, str) and is_blank(text)) for text in texts)


def _identity(name: str, options: dict[str, Any], models: Sequence[str], case: EvalCase) -> str:
    """The same for the same measurement done twice in a test."""
    inputs = case.model_dump(include=_INPUTS)
    given = repr(sorted(options.items()))
    return digest([name, given, list(models), inputs, case.references])
