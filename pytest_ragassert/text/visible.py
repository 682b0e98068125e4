"""Untrusted text made harmless for terminals and encoders: nothing acts, everything is seen."""

from __future__ import annotations

import re

# C0 and C1 controls, line and paragraph separators, bidirectional controls, lone surrogates.
_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SPACE = re.compile(r"\s+")


def visible(text: str) -> str:
    """The text on one line; space runs are one space, what would act is shown as an escape."""
    return _ACTING.sub(_escape, _SPACE.sub(" ", text).strip())


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
