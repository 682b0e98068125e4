"""The error for a well-formed option value with an invalid part."""

from __future__ import annotations


class WrongPart(ValueError):
    """The message is a sentence on what is wrong; other reader errors say what the option takes."""
