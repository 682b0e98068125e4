"""Finds instructions to a model in documents: they would reach the judge that writes cases."""

from __future__ import annotations

from ..language.escaping import shortened, visible
from ..language.phrases.model_commands import model_command

_SHOWN = 60  # characters


def check_harmless(text: str, *, line: int | None = None) -> None:
    """Check that a text contains no instructions to a model.

    Args:
        line: the line of the file that has all of the text; None: the text's lines count.

    Raises:
        ValueError: it does; the message says in which line, and what to do.
    """
    span = model_command(text)
    if span is None:
        return
    start, end = span
    number = text.count("\n", 0, start) + 1 if line is None else line
    words = shortened(visible(text[start:end]), _SHOWN)
    raise ValueError(
        f'line {number} contains instructions to a model: "{words}"; if the text is harmless, add '
        "--keep-suspicious"
    )
