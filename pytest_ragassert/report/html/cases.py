"""Groups the rows of a run by case: the results of all metrics, in any test, on the same texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...analysis.records.measurement import case_names
from ...analysis.records.result_record import CaseTexts
from ...analysis.records.result_rows import is_failure
from ...analysis.records.row_types import MeasuredRow
from ...analysis.run_record import RunRecord
from ...case import references_of
from ...language.detection import detected_language
from ...language.number_format import TOLERANCE
from ...runtime.canonical_json import canonical_json

# How a result ended, the worst first; a case ends as the worst of its results.
FAILED, UNMEASURED, KNOWN, BELOW, EMPTY, MEASURED, PASSED = OUTCOMES = (
    "failed",
    "not measured",
    "known failure",
    "below minimum, not asserted",
    "nothing to check",
    "measured, not asserted",
    "passed",
)
_LANGUAGE = ("language", "lang")
_MOST_VALUES = 40  # maximum number of values of a metadata key that can be filtered by
_LONGEST_VALUE = 60


@dataclass
class PageCase:
    """A case of the page.

    Attributes:
        name: its id, or its test if it has none.
        link: a unique form of the name.
        texts: the case's texts; None if the record of the run does not have them.
        rows: its rows in the order of measuring.
        tags: its own tags, and `key=value` from its metadata.
        language: from its metadata, or detected; empty if unknown.
    """

    name: str
    texts: CaseTexts | None
    link: str = ""
    rows: list[MeasuredRow] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    language: str = ""

    @property
    def outcome(self) -> str:
        return min((outcome_of(row) for row in self.rows), key=OUTCOMES.index)

    @property
    def question(self) -> str | None:
        return self.texts.question if self.texts is not None else self.rows[0]["question"]

    @property
    def answer(self) -> str | None:
        return self.texts.answer if self.texts is not None else self.rows[0]["answer"]

    @property
    def references(self) -> list[str]:
        """The references, as in `EvalCase.references`."""
        if self.texts is None:
            return []
        return references_of(self.texts.ground_truth_answer, self.texts.ground_truth_answers)


def outcome_of(row: MeasuredRow) -> str:
    """How the result ended, in a word of `OUTCOMES`."""
    if row["error"] is not None:
        return UNMEASURED
    if is_failure(row):
        return FAILED
    if row["quarantine"] is not None and row["asserted"] and not row["passed"]:
        return KNOWN
    if row["vacuous"]:
        return EMPTY
    if row["asserted"]:
        return PASSED
    score, minimum = row["score"], row["minimum"]
    is_below = score is not None and minimum is not None and score < minimum - TOLERANCE
    return BELOW if is_below else MEASURED


def cases_of(run: RunRecord) -> list[PageCase]:
    """The cases of the run, in the order of measuring."""
    found: dict[tuple[str, str], PageCase] = {}
    for row, name in zip(run.results, case_names(run.results), strict=True):
        texts = run.cases.get(row["texts"] or "")
        # two methods may give the same answer, and two answers may share an id
        same = row["texts"] if texts is not None else canonical_json(dict(row["inputs"]))
        key = name, f"{same} {canonical_json(row['metadata'])}"
        found.setdefault(key, PageCase(name, texts)).rows.append(row)
    cases = list(found.values())
    for case in cases:
        case.language = _language(case)
    _name_links(cases)
    _tag(cases)
    return cases


def _name_links(cases: Iterable[PageCase]) -> None:
    taken: set[str] = set()
    for case in cases:
        case.link, number = case.name, 1
        while case.link in taken:
            number += 1
            case.link = f"{case.name}~{number}"
        taken.add(case.link)


def _language(case: PageCase) -> str:
    metadata = case.rows[0]["metadata"]
    for key in _LANGUAGE:
        if isinstance(metadata.get(key), str) and metadata[key].strip():
            return str(metadata[key])
    return detected_language(case.question or "") or detected_language(case.answer or "") or ""


def _tag(cases: Sequence[PageCase]) -> None:
    """The metadata keys with values shared by several cases; a unique id is not a useful filter."""
    values: dict[str, set[str]] = {}
    for case in cases:
        for key, value in _scalars(case.rows[0]["metadata"]):
            values.setdefault(key, set()).add(value)
    for case in cases:
        row = case.rows[0]
        own = [
            f"{key}={value}"
            for key, value in _scalars(row["metadata"])
            if len(values[key]) <= _MOST_VALUES
        ]
        case.tags = [*dict.fromkeys([*row["tags"], *own])]


def _scalars(metadata: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for key, value in metadata.items():
        listed = value if isinstance(value, list) else [value]
        for one in listed if key not in _LANGUAGE else ():
            text = str(one).lower() if isinstance(one, bool) else str(one)
            if isinstance(one, str | int | float) and 0 < len(text) <= _LONGEST_VALUE:
                yield key, text
