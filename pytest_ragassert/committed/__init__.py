"""Verdicts that are committed with a project: their lines, and the file or folder of them."""

from __future__ import annotations

from .line import BY_HAND, EMBED_TEXT, OVERRIDE, VerdictLine, judge_name
from .verdicts import (
    CommittedVerdicts,
    check_writable,
    is_folder,
    open_verdicts,
    update_verdicts,
    write_verdicts,
)

__all__ = [
    "BY_HAND",
    "EMBED_TEXT",
    "OVERRIDE",
    "CommittedVerdicts",
    "VerdictLine",
    "check_writable",
    "is_folder",
    "judge_name",
    "open_verdicts",
    "update_verdicts",
    "write_verdicts",
]
