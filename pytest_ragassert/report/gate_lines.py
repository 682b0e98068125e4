"""Formats the outcome of gates and baseline as lines."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.regression.conclusion import Conclusion
from ..analysis.regression.gates import GateResult, figure_beside
from ..language.escaping import visible
from ..language.number_format import fixed, plural
from .comparison_lines import comparison_lines
from .terminal import Screen

_FEW = 5  # maximum number of cases named for a gate, unless verbose


def conclusion_lines(of: Conclusion, screen: Screen, *, verbose: bool = False) -> list[str]:
    """Lines on the comparison, the gates, and errors."""
    lines: list[str] = []
    if of.comparison is not None:
        lines += comparison_lines(
            of.comparison, screen, against=of.against, partial=of.partial, verbose=verbose
        )
    lines += gate_lines(of.gates, screen, verbose=verbose)
    if of.unchecked is not None:
        lines.append(unchecked_line(of.unchecked, fails=of.fails_unchecked))
    lines += [f"error: {one}" for one in of.errors]
    return [*lines, *of.notes]


def gate_lines(held: Sequence[GateResult], screen: Screen, *, verbose: bool = False) -> list[str]:
    """Lines on gates: failing ones first, with the cases that pull them down; one line for each
    other gate.
    """
    if not held:
        return []
    failed = [one for one in held if not one.passed]
    every = plural(len(held), "gate")
    title = f"{every} hold{'s' * (len(held) == 1)}"
    if failed:
        fail = f"fail{'s' * (len(failed) == 1)}"
        title = f"{len(failed)} of {every} {fail}, so the run fails"
    lines = [title]
    for one in (*failed, *(one for one in held if one.passed)):
        lines += held_lines(one, screen, verbose=verbose)
    return lines


def unchecked_line(why: str, *, fails: bool) -> str:
    """Why no gate was checked.

    Args:
        fails: whether the run fails because of that.
    """
    if not fails:
        return f"the gates are not checked: {visible(why)}"
    return (
        f"the gates are not checked, so the run fails because CI is set: {visible(why)}; if this "
        "is intended, use --ragassert-gates=off"
    )


def held_lines(held: GateResult, screen: Screen, *, verbose: bool = False) -> list[str]:
    """A gate with its value and, if it fails, the cases that pull it down."""
    sign = screen.glyph("+" if held.passed else "x")
    head = f"{sign} {visible(held.gate.text)}: {said_of(held)}"
    first, *more = screen.wrapped(head, max(20, screen.width - 4), 4)
    lines = [f"  {first}", *(f"    {line}" for line in more)]
    if pulling := pulling_text(held, verbose=verbose):
        most = 1000 if verbose else 4
        first, *more = screen.wrapped(pulling, max(20, screen.width - 6), most)
        lines += [f"      {first}", *(f"        {line}" for line in more)]
    return lines


def said_of(held: GateResult) -> str:
    """`0.83 over 6 cases`, with remarks."""
    cases = f"over {plural(held.n, 'case')}"
    value = "" if held.value is None else f"{gate_figure(held)} {cases}"
    return visible("; ".join(filter(None, (value, held.why))))


def pulling_text(held: GateResult, *, verbose: bool = False, hint: str = " (-v names them)") -> str:
    """The cases that make a gate fail; empty if it passes, or if no case does.

    Args:
        hint: follows the number of cases that are not named.
    """
    if held.passed or not held.pulling:
        return ""
    most = len(held.pulling) if verbose else _FEW
    named = ", ".join(f"{visible(case)} {what}" for case, what in held.pulling[:most])
    rest = len(held.pulling) - most
    if rest > 0:
        named += f" and {rest} more{hint}"
    return f"{pulls(held)}: {named}"


def pulls(held: GateResult) -> str:
    """`pulled down by`, for a failing gate."""
    up = held.gate.of_changes or held.gate.wants_more
    return f"pulled {'down' if up else 'up'} by"


def gate_figure(held: GateResult) -> str:
    """The value of a gate that has one."""
    value = held.value or 0.0
    if held.gate.function == "count":
        return fixed(value, 0)
    return figure_beside(value, held.gate)
