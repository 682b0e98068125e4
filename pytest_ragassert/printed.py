"""What may be printed: texts without secrets, in whose lines no CI service finds a command."""

from __future__ import annotations

from .redaction import redact
from .text.ci_log import inert


def printable(text: str) -> str:
    """Whole lines as they are to be printed."""
    return inert(redact(text))
