"""The error of a value that has its option's form, with a part that is wrong."""

from __future__ import annotations


class WrongPart(ValueError):
    """Says what is wrong as a sentence, where other errors of readers say what the option takes."""
