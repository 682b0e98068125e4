"""Lone surrogates: half characters that JSON may hold and no encoding takes."""

from __future__ import annotations

import re

SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """The text, of the same length, as every encoding takes it."""
    return SURROGATE.sub("\ufffd", text)
