"""What a run says of the recorded answers of the application."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..language.escaping import visible
from ..language.number_format import plural

_FEW = 10  # cases that are told one by one


@dataclass(frozen=True)
class Uses:
    """How many cases have which answer.

    Attributes:
        used: it was recorded.
        new, replaced: the application gave it in this run; another one was recorded before.
        unused: lines of the file that no test of the run needed.
    """

    used: int
    new: int
    replaced: int
    unused: Collection[Any]


def use_line(uses: Uses, file: str) -> str:
    """
    Args:
        file: its name, and what was done with it.
    """
    replaced = f"{uses.replaced} replaced, " if uses.replaced else ""
    return (
        f"answers: {uses.used} used, {replaced}{uses.new} new, {len(uses.unused)} unused ({file})"
    )


def missing_lines(
    missing: Mapping[str, str], cases: int, file: str, command: str, *, verbose: bool
) -> list[str]:
    """The cases that a replay can't judge.

    Args:
        missing: why, by the case's name.
        cases: how many there are in all.
        command: what records them.
    """
    lines = [
        f"{len(missing)} of {plural(cases, 'case')} have no recorded answer in {visible(file)}:"
    ]
    each = sorted(missing.items())
    few = each if verbose else each[:_FEW]
    lines += [f"  {visible(case)}: {visible(why)}" for case, why in few]
    if len(few) < len(each):
        lines.append(f"  … {len(each) - len(few)} more (-v shows all)")
    return [*lines, f"record them with: {command}"]


def planned_lines(recorded: int, given: int, file: str | None, trouble: str | None) -> list[str]:
    """Where the answers of a plan's cases come from.

    Args:
        recorded, given: cases whose answer was recorded; to which the application gave one now.
        file: of recorded answers; None: there is none.
        trouble: why what it gave is not kept there.
    """
    lines = []
    if recorded:
        lines.append(f"answers: {plural(recorded, 'case')} recorded in {file}")
    if given:
        kept = trouble or (
            f"{file} keeps its answers"
            if file is not None
            else "its answers are not kept, and the run asks it again: --ragassert-answers=FILE "
            "keeps them"
        )
        lines.append(f"answers: the application answered {plural(given, 'case')}; {kept}")
    return lines
