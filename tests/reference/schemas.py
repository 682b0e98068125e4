"""JSON Schemas of the files that a project has, a run writes, and a judge replies with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from pytest_ragassert import CalibrationFile, DebugClaim, ErrorCase, EvalCase, ResultsFile
from pytest_ragassert.judgements import Met, Verdict
from pytest_ragassert.steps.catalogue import STEPS

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TEXT = {"type": "string"}
_NAME = {"type": "string", "minLength": 1}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_TEXTS_OR_NULL = {"type": ["array", "null"], "items": _TEXT_OR_NULL}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_KEY = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_HASH = {"type": "string", "pattern": "^[0-9a-f]{32}$"}
_STEP = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$"}


def _object(
    properties: Mapping[str, Any], optional: tuple[str, ...] = (), **more: Any
) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required, **more}


# The lines of files that no model describes: by name what a line is, and its schema.
LINES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "verdict": (
        "A line of the committed verdicts: one judgement, one vector, or one override.",
        _object(
            {
                "key": _KEY,
                "step": _STEP,
                "judge": _TEXT,
                "asked": _KEY,
                "about": _TEXT,
                "passages": {"type": "array", "items": _HASH},
                "from": _KEY,
                "reply": {"type": "object"},
            },
            ("asked", "passages", "from"),
            additionalProperties=False,
            dependentRequired={
                "asked": ["passages"],
                "passages": ["asked"],
                "from": ["asked", "passages"],
            },
        ),
    ),
    "baseline": (
        "A line of the baseline: the result of one metric for one case by one judge.",
        _object(
            {
                "case": _NAME,
                "metric": _NAME,
                "judge": _NAME,
                "score": _SHARE,
                "label": _TEXT_OR_NULL,
                "inputs": {"type": "object", "additionalProperties": _TEXT},
                "steps": {"type": "object", "additionalProperties": _TEXT},
                "claims": {
                    "type": "array",
                    "items": {
                        "oneOf": [
                            _object(
                                {
                                    "source": {"enum": sources},
                                    "text": _TEXT,
                                    "verdict": {"enum": verdicts},
                                    "by_hand": {"const": True},
                                    "carried": {"const": True},
                                },
                                ("by_hand", "carried"),
                                additionalProperties=False,
                            )
                            for sources, verdicts in (
                                (["answer", "reference"], [one.value for one in Verdict]),
                                (["criterion"], [one.value for one in Met]),
                            )
                        ]
                    },
                },
            },
            additionalProperties=False,
        ),
    ),
    "answer": (
        "A line of the recorded answers: what the application answered to one case.",
        _object(
            {
                "case": _TEXT,
                "question": _TEXT_OR_NULL,
                "key": _TEXT_OR_NULL,
                "answer": _TEXT_OR_NULL,
                "retrieved_contexts": _TEXTS_OR_NULL,
                "hook": _TEXT,
                "input": _TEXT,
                "retrieved_context_ids": _TEXTS_OR_NULL,
                "retrieved_context_sources": _TEXTS_OR_NULL,
            },
            ("retrieved_context_ids", "retrieved_context_sources"),
        ),
    ),
    "history": (
        "A line of the history: the means of one run.",
        _object(
            {
                "date": {"type": "string", "format": "date-time"},
                "commit": _TEXT_OR_NULL,
                "judge": _TEXT,
                "metrics": {
                    "type": "object",
                    "additionalProperties": _object({"n": {"type": "integer"}, "mean": _SHARE}),
                },
            }
        ),
    ),
}
# The files, and lines of files, that have a model.
MODELS: Mapping[str, tuple[str, type[BaseModel]]] = {
    "case": ("A case, as `cases --output` writes it: a line of a case file.", EvalCase),
    "results": ("A results file.", ResultsFile),
    "debug-claim": ("A line of debug_claims.jsonl.", DebugClaim),
    "error-case": ("A line of error_cases.jsonl.", ErrorCase),
    "calibration": ("What `calibrate --output` writes.", CalibrationFile),
}


def schemas() -> dict[str, dict[str, Any]]:
    """Each schema by the name of its file."""
    found: dict[str, dict[str, Any]] = {}
    for name, (what, schema) in LINES.items():
        found[f"{name}.json"] = {"$schema": _DRAFT, "title": name, "description": what, **schema}
    for name, (what, model) in MODELS.items():
        schema = _bare(model.model_json_schema())
        found[f"{name}.json"] = {"$schema": _DRAFT, **schema, "title": name, "description": what}
    for name, step in STEPS.items():
        what = f"What a judge replies to the step {name}."
        head = {"$schema": _DRAFT, "title": f"reply-{name}", "description": what}
        found[f"reply-{name}.json"] = head | step.schema
    return found


def _bare(schema: Any) -> Any:
    """A model's schema without titles and docstrings: the API page has these."""
    if isinstance(schema, list):
        return [_bare(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    named = ("properties", "$defs")
    return {
        word: {name: _bare(inner) for name, inner in one.items()} if word in named else _bare(one)
        for word, one in schema.items()
        if word not in ("title", "description")
    }


def schema_texts() -> dict[str, str]:
    return {
        name: json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for name, schema in schemas().items()
    }
