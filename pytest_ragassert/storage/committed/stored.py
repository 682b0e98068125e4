"""Stored texts as committed lines."""

from __future__ import annotations

import json
from typing import Any

from .verdict_line import VerdictLine, judge_name


def line_of(key: str, text: str) -> VerdictLine | None:
    """The line of a stored answer or vector; None where the text is damaged, of an old form,
    or another question's."""
    try:
        record = json.loads(text)
        return line_of_record(key, record) if record.get("key", key) == key else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def line_of_record(key: str, record: dict[str, Any]) -> VerdictLine:
    """The line of what a sound stored text holds."""
    judge = judge_name(record["judge"], record["model"])
    return VerdictLine(key, record["step"], judge, record["about"], record["reply"])
