"""Lines of a run on the recorded answers of the application."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..language.escaping import visible
from ..language.number_format import plural

_FEW = 10  # maximum number of cases listed one by one


@dataclass(frozen=True)
class Uses:
    """Counts cases by the origin of their answer.

    Attributes:
        used: number of recorded answers used.
        new, replaced: number of answers given by the application in this run, without and with an
            earlier recorded one.
        unused: lines of the file that no test in the run needed.
    """

    used: int
    new: int
    replaced: int
    unused: Collection[Any]


def use_line(uses: Uses, file: str) -> str:
    """
    Args:
        file: the file's name, and what was done with it.
    """
    replaced = f"{uses.replaced} replaced, " if uses.replaced else ""
    return (
        f"answers: {uses.used} used, {replaced}{uses.new} new, {len(uses.unused)} unused ({file})"
    )


def missing_lines(
    missing: Mapping[str, str], cases: int, file: str, command: str, *, verbose: bool
) -> list[str]:
    """The cases that a replay cannot judge.

    Args:
        missing: the reason, by the case's name.
        cases: the total number of cases.
        command: the command that records them.
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
    """The origin of the answers of a plan's cases.

    Args:
        recorded, given: number of cases whose answer was recorded, or was given by the application
            now.
        file: the file of recorded answers; None: there is none.
        trouble: why new answers are not kept there.
    """
    lines = []
    if recorded:
        lines.append(f"answers: {plural(recorded, 'case')} recorded in {file}")
    if given:
        kept = trouble or (
            f"{file} keeps its answers"
            if file is not None
            else "its answers are not recorded, so the run asks again (use "
            "--ragassert-answers=FILE to record them)"
        )
        lines.append(f"answers: the application answered {plural(given, 'case')}; {kept}")
    return lines
