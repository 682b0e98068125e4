"""Formats what a replay lacks: which cases, what is known about them, why, and the command to
run.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..analysis.records.unjudged_cases import (
    EXTRACTION,
    RELEVANCE,
    VECTORS,
    VERIFICATION,
    Judged,
    Lacking,
    UnjudgedCase,
    UnjudgedCases,
)
from ..language.escaping import shortened, visible
from ..language.number_format import plural

# How to use the verdicts of a model at another address.
ONE_NAME = "--ragassert-judge-id gives a model the same name at every address"
_MOST_CASES = 10  # maximum number of cases listed by name
_LONGEST_TEXT = 60  # characters
# What each step judges, in singular and plural, and the word for missing ones; in the order of the
# lines.
_THINGS = {
    VERIFICATION: ("claim", "claims", "not judged"),
    EXTRACTION: ("sentence", "sentences", "not read"),
    RELEVANCE: ("passage", "passages", "not judged"),
    "check_criteria": ("criterion", "criteria", "not judged"),
    "rate_relevance": ("answer's relevance", "answers' relevance", "not rated"),
    "grade_accuracy": ("answer's accuracy", "answers' accuracy", "not graded"),
    "classify_answer": ("answer's class", "answers' classes", "not judged"),
    "generate_questions": ("answer's questions", "answers' questions", "not generated"),
    VECTORS: ("vector", "vectors", "missing"),
}
_PARTS = {"answer": "the answer", "passages": "the passages", "reference": "the reference"}


def miss_lines(found: UnjudgedCases, command: str, *, verbose: bool) -> list[str]:
    """The lines of the section; the last is the command that records what is missing.

    Args:
        verbose: list all cases, and each missing judgement.
    """
    lines = [*_counts(found), *_decided(found)]
    shown = found.cases if verbose else found.cases[:_MOST_CASES]
    lines += [f"  {_case(one)}" for one in shown]
    if len(shown) < len(found.cases):
        lines.append(f"  … {len(found.cases) - len(shown)} more (-v shows all)")
    return [*lines, *_causes(found, verbose=verbose), f"record them with: {command}"]


def _counts(found: UnjudgedCases) -> list[str]:
    """`the answer changed in 3 of 25 cases, the passages in 25; 71 of 80 claims known, …`"""
    changed: list[str] = []
    measured = plural(found.measured, "case")
    for part, count in found.changed.items():
        first = f"{_PARTS[part]} changed in {count} of {measured}"
        changed.append(f"{_PARTS[part]} in {count}" if changed else first)
    steps = sorted(found.steps, key=lambda step: [*_THINGS, step].index(step))
    lines = []
    for step in steps:
        judged = found.steps[step]
        cases = plural(judged.cases, "case") if changed else f"{judged.cases} of {measured}"
        lines.append(f"{_known(step, judged)} in {cases}")
    return ["; ".join([", ".join(changed), lines[0]]), *lines[1:]] if changed else lines


def _known(step: str, judged: Judged) -> str:
    one, several, lacking = _THINGS.get(step) or _of_own(step)
    return f"{judged.known} of {plural(judged.all, one, several)} known, {judged.missing} {lacking}"


def _of_own(step: str) -> tuple[str, str, str]:
    """The same for a step that a project added."""
    name = visible(step)
    return f"{name} reply", f"{name} replies", "missing"


def _decided(found: UnjudgedCases) -> list[str]:
    if not found.decided:
        return []
    fail, hold = found.decided.count(False), found.decided.count(True)
    counts = [
        *([f"{fail} {'fails' if fail == 1 else 'fail'}"] if fail else []),
        *([f"{hold} {'holds' if hold == 1 else 'hold'}"] if hold else []),
    ]
    return [f"decided all the same, whatever is missing: {' and '.join(counts)}"]


def _case(one: UnjudgedCase) -> str:
    """`fha-12: 2 of 5 claims not judged (the passages changed); faithfulness fails all the same`"""
    lacking = []
    for step in sorted(one.steps, key=lambda step: [*_THINGS, step].index(step)):
        judged = one.steps[step]
        thing, several, missing = _THINGS.get(step) or _of_own(step)
        lacking.append(f"{judged.missing} of {plural(judged.all, thing, several)} {missing}")
    line = f"{visible(one.name)}: {', '.join(lacking)}"
    if one.changed:
        line += f" ({' and '.join(_PARTS[part] for part in one.changed)} changed)"
    ends = {True: "holds all the same", False: "fails all the same"}
    return "; ".join(
        [line, *(f"{visible(metric)} {ends[end]}" for metric, end in dict.fromkeys(one.decided))]
    )


def _causes(found: UnjudgedCases, *, verbose: bool) -> Iterator[str]:
    """A line for each cause: `other model: 2, recorded by a, asked of b`"""
    if any(one.cause is None for one in found.lacking):
        yield f"not stored: {len(found.lacking)}"
    for cause, count in found.causes.items():
        own = [one for one in found.lacking if one.cause == cause]
        makers = {_makers(one) for one in own}
        yield f"{cause}: {count}{makers.pop() if len(makers) == 1 else ''}"
        if verbose:
            yield from (f"  {_told(one)}" for one in own)


def _makers(one: Lacking) -> str:
    if one.cause not in ("other model", "other endpoint") or one.miss is None:
        return ""
    recorded, asked = one.miss.judge or "", one.judgement["judge"]
    said = f", recorded by {visible(recorded)}, asked of {visible(asked)}"
    return said if one.cause == "other model" else f"{said}; {ONE_NAME}"


def _told(one: Lacking) -> str:
    told = f"{visible(one.case)}: {visible(one.judgement['step'])} {_short(one.judgement['about'])}"
    before = None if one.miss is None else one.miss.about
    if one.cause == "text changed" and before is not None and before != one.judgement["about"]:
        return f"{told}, recorded as {_short(before)}"
    if one.cause == "passages changed" and before == one.judgement["about"]:
        return f"{told}, recorded with other passages"
    return told


def _short(text: str) -> str:
    return f'"{shortened(visible(text), _LONGEST_TEXT)}"'
