"""What came of the run's gates and its baseline, in lines."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.regression.conclusion import Conclusion
from ..analysis.regression.gates import GateResult, figure_beside
from ..language.escaping import visible
from ..language.number_format import fixed, plural
from .comparison_lines import comparison_lines
from .terminal import Screen

_FEW = 5  # cases that a gate's lines name, unless more is wanted


def conclusion_lines(of: Conclusion, screen: Screen, *, verbose: bool = False) -> list[str]:
    """The comparison, the gates, and what went wrong."""
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
    """Failing gates first, with the cases that pull them down; the rest as a line each."""
    if not held:
        return []
    failed = [one for one in held if not one.passed]
    every = plural(len(held), "gate")
    title = f"{every} hold{'s' * (len(held) == 1)}"
    if failed:
        fail = f"fail{'s' * (len(failed) == 1)}"
        title = f"{len(failed)} of {every} {fail}, so that the run does not pass"
    lines = [title]
    for one in (*failed, *(one for one in held if one.passed)):
        lines += held_lines(one, screen, verbose=verbose)
    return lines


def unchecked_line(why: str, *, fails: bool) -> str:
    """Why no gate was checked.

    Args:
        fails: the run does not pass for that.
    """
    if not fails:
        return f"the gates are not checked: {visible(why)}"
    return (
        "the gates are not checked, so that the run does not pass where CI is set: "
        f"{visible(why)}; --ragassert-gates=off says that this is intended"
    )


def held_lines(held: GateResult, screen: Screen, *, verbose: bool = False) -> list[str]:
    """A gate with its value and, where it fails, the cases that pull it down."""
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
    """`0.83 over 6 cases`, and what is to be said beside it."""
    cases = f"over {plural(held.n, 'case')}"
    value = "" if held.value is None else f"{gate_figure(held)} {cases}"
    return visible("; ".join(filter(None, (value, held.why))))


def pulling_text(held: GateResult, *, verbose: bool = False, hint: str = " (-v names them)") -> str:
    """Which cases make a gate fail; empty where it holds, or none does.

    Args:
        hint: behind how many are not named.
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
    """`pulled down by`, of a gate that fails."""
    up = held.gate.of_changes or held.gate.wants_more
    return f"pulled {'down' if up else 'up'} by"


def gate_figure(held: GateResult) -> str:
    """The gate's value, of one that has one."""
    value = held.value or 0.0
    if held.gate.function == "count":
        return fixed(value, 0)
    return figure_beside(value, held.gate)
