"""Formats errors in reporting, shown instead of the report."""

from __future__ import annotations

import traceback

from ..language.escaping import visible

_LONGEST = 300  # maximum characters of an error message
START = "ragassert: could not "


def trouble_lines(what: str, error: Exception, *, verbose: bool = False) -> list[str]:
    """A line, and the traceback if verbose.

    Args:
        what: what was tried, in words that follow "could not".
    """
    try:
        said = " ".join(str(error).split())[:_LONGEST]
    except Exception:
        said = ""
    lines = [f"{START}{what}: {type(error).__name__}{': ' * bool(said)}{visible(said)}"]
    if verbose:
        whole = "".join(traceback.format_exception(error))
        lines += [f"  {visible(line)}" for line in whole.splitlines()]
    return lines
