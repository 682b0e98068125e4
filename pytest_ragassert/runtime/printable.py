"""What may be printed: texts without secrets, in whose lines no CI service finds a command."""

from __future__ import annotations

from .ci_log import inert
from .redaction import redact


def printable(text: str) -> str:
    """Whole lines as they are to be printed."""
    return inert(redact(text))
