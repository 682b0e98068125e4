"""What may be printed: texts without secrets, in whose lines CI services find no command."""

from __future__ import annotations

from .ci_log import inert
from .redaction import redact


def printable(text: str) -> str:
    """Return whole lines in the form in which they may be printed."""
    return inert(redact(text))
