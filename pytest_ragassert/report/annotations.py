"""Annotations for GitHub Actions: failures shown at the lines of a pull request's files.

Each is a single line with a workflow command. Texts of cases and judges in it are escaped according
to GitHub's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ..analysis.records.row_types import MeasuredRow, name_of_case
from ..analysis.regression.gates import GateResult
from ..analysis.run_record import RunRecord
from ..language.escaping import escaped, shortened, visible
from ..runtime.ci_log import without_prefixes
from ..runtime.redaction import redact
from .claim_lines import evidence_words, shown, verdict_words
from .failed_cases import FailedCase, failed_cases
from .finding_blocks import score_line
from .gate_cases import pulling_cases
from .gate_lines import pulls, said_of
from .outcome import OTHER

MOST = 10  # GitHub shows at most this number of errors per step
_FEW = 3  # maximum number of claims of a case, and of cases of a gate
_LONGEST_TITLE = 200  # characters
_LONGEST_LINE = 300


class Place(NamedTuple):
    """Where a test failed: the file's path in the repository, and the 1-based line if it is
    known.
    """

    file: str
    line: int | None


def annotation_lines(run: RunRecord, place_of: Callable[[str], Place | None]) -> list[str]:
    """Lines for the log: gates first, then cases, the worst first, then what was not measured, and
    tests that failed for other reasons.

    Args:
        place_of: returns where a test failed, by its node id; None if it did not fail.
    """
    return list(islice(_all(run, place_of), MOST))


def _all(run: RunRecord, place_of: Callable[[str], Place | None]) -> Iterator[str]:
    for held in () if run.conclusion is None else run.conclusion.gates:
        if not held.passed:
            yield _command("gate not met", _gate_lines(held, run.results), None)
    for case in failed_cases(run):
        place = None if case.caught else place_of(case.worst["nodeid"])
        if place is not None:
            yield _command(_title(case), _lines(case), place)
    unmeasured = [row for row in run.results if row["error"] is not None]
    for row in unmeasured:
        if row["error"] is not None and (place := place_of(row["nodeid"])) is not None:
            title = f"{visible(row['metric'])} not measured: case {name_of_case(row)}"
            yield _command(title, [row["error"]["message"]], place)
    told = {row["nodeid"] for row in unmeasured}
    for test in run.failed_tests or ():
        if OTHER in test.ends and test.nodeid not in told:
            yield _command(f"{test.nodeid} failed", [test.message], place_of(test.nodeid))


def _gate_lines(held: GateResult, rows: Sequence[MeasuredRow]) -> list[str]:
    lines = [f"{visible(held.gate.text)}: {said_of(held)}"]
    cases, more = pulling_cases(held, rows, _FEW)
    if cases:
        lines.append(f"{pulls(held)}:")
    for case in cases:
        test = case.nodeid if case.nodeid != case.name else None
        named = [f"{case.name} {case.what}", *([test] if test else [])]
        lines.append("  " + ", ".join(shortened(one, _LONGEST_LINE // 2) for one in named))
        lines += [f"  {case.lacks}"] if case.lacks else []
    return [*lines, *([f"… {more} more"] if more else [])]


def _title(case: FailedCase) -> str:
    return f"{', '.join(map(score_line, case.failed))}: case {case.name}"


def _lines(case: FailedCase) -> list[str]:
    lines = [case.worst["question"] or ""]
    claims = [claim for row in case.failed for claim in shown(row["claims"], verbose=False)]
    for claim in claims[:_FEW]:
        lines.append(f"{verdict_words(claim)}: {claim['text']}")
        lines += [f"  {one}" for one in evidence_words(claim, 1)]
    if len(claims) > _FEW:
        lines.append(f"… {len(claims) - _FEW} more")
    return [line for line in lines if line] or [case.worst["reason"]]


def _command(title: str, lines: list[str], place: Place | None) -> str:
    text = "\n".join(_clean(line, _LONGEST_LINE) for line in lines)
    properties = {} if place is None else {"file": escaped(place.file)}
    if place is not None and place.line is not None:
        properties["line"] = f"{place.line}"
    properties["title"] = _clean(title, _LONGEST_TITLE)
    said = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    # GitHub looks for older forms of commands anywhere in a line
    return without_prefixes(f"::error {said}::{_data(text)}")


def _clean(text: str, most: int) -> str:
    indent = "  " if text.startswith("  ") else ""
    return indent + shortened(visible(redact(text)), most)


def _data(text: str) -> str:
    """Escape data like `escapeData` of GitHub's toolkit."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape a property like `escapeProperty` of GitHub's toolkit."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
