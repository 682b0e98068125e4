"""What a replay lacks, case by case: what changed, what is known, why judgements are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ...config.metric_table import COUNTS, SIDES
from ...storage.committed.misses import Cause, Miss
from .row_types import MeasuredRow, MissedJudgement, MissedRow, name_of_case

Part = Literal["answer", "passages", "reference"]
PARTS: tuple[Part, ...] = ("answer", "passages", "reference")
EXTRACTION, VERIFICATION, RELEVANCE = "extract_claims", "verify_claims", "judge_passages"
VECTORS = "embed_text"
_Case = tuple[str, str]


class Judged(NamedTuple):
    """Counts of judgements of a step.

    Attributes:
        cases: the number of cases that lack some.
    """

    known: int
    missing: int
    cases: int = 1

    @property
    def all(self) -> int:
        return self.known + self.missing


@dataclass(frozen=True)
class UnjudgedCase:
    """A case that lacks judgements.

    Attributes:
        name: its id, or its test if it has none.
        steps: its judgements by step, for steps that lack some.
        changed: the parts of the case that are known to have changed.
        decided: for each of its assertions that is decided anyway, the metric and whether it
            passes.
    """

    name: str
    steps: Mapping[str, Judged]
    changed: tuple[Part, ...]
    decided: tuple[tuple[str, bool], ...]


class Lacking(NamedTuple):
    """A missing judgement, the first case that needs it, and why it is missing, if known."""

    case: str
    judgement: MissedJudgement
    cause: Cause | None
    miss: Miss | None


@dataclass(frozen=True)
class UnjudgedCases:
    """All cases of a run that lack judgements.

    Attributes:
        measured: the number of cases that the run measured, or tried to.
        cases: the cases that lack judgements, in the order of rows.
        changed: the number of cases that are known to have changed, by what changed.
        steps: the run's judgements by step, for steps that lack some.
        lacking: each missing judgement.
        decided: for each assertion that is decided anyway, whether it passes.
    """

    measured: int
    cases: Sequence[UnjudgedCase]
    changed: Mapping[Part, int]
    steps: Mapping[str, Judged]
    lacking: Sequence[Lacking]
    decided: Sequence[bool]

    @property
    def causes(self) -> dict[Cause, int]:
        """The number of missing judgements by cause, the most frequent first."""
        counts = Counter(one.cause for one in self.lacking if one.cause is not None)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def missed_judgements(rows: Iterable[MeasuredRow]) -> list[MissedJudgement]:
    """The judgements that a replay lacks, each once."""
    found = {one["key"]: one for row in rows for one in _missing(row)}
    return list(found.values())


def unjudged_cases(rows: Sequence[MeasuredRow], misses: Mapping[str, Miss] | None) -> UnjudgedCases:
    """Summarise what is missing, case by case.

    Args:
        misses: why each judgement is missing, by its key; None: unknown.
    """
    groups: dict[_Case, _Group] = {}
    for row in rows:
        groups.setdefault(_case_of(row), _Group(name_of_case(row))).add(row)
    for group in groups.values():
        group.note_changes(misses or {})
    whole = _Group("")
    whole.rows = list(rows)
    lacking: dict[str, Lacking] = {}
    for group in groups.values():
        for row in group.rows:
            for one in _missing(row):
                miss = None if misses is None else misses[one["key"]]
                cause = None if miss is None else group.cause(row, one, miss)
                lacking.setdefault(one["key"], Lacking(group.name, one, cause, miss))
    unjudged = [group for group in groups.values() if any(map(_missing, group.rows))]
    cases = Counter(step for group in unjudged for step in group.steps())
    return UnjudgedCases(
        measured=len(groups),
        cases=[group.case() for group in unjudged],
        changed={
            part: count
            for part in PARTS
            if (count := sum(part in group.changed for group in groups.values()))
        },
        steps={step: judged._replace(cases=cases[step]) for step, judged in whole.steps().items()},
        lacking=list(lacking.values()),
        decided=[row["passed"] for row in rows if row["interval"] is not None],
    )


@dataclass
class _Group:
    """The rows of a case."""

    name: str
    rows: list[MeasuredRow] = field(default_factory=list)
    changed: set[Part] = field(default_factory=set)

    def add(self, row: MeasuredRow) -> None:
        self.rows.append(row)

    def note_changes(self, misses: Mapping[str, Miss]) -> None:
        for row in self.rows:
            if _carries_contexts(row):
                self.changed.add("passages")
            for one in _missing(row):
                if row["missed"] is not None and one["key"] in misses:
                    self.changed |= _changed(one, misses[one["key"]], row["missed"])

    def cause(self, row: MeasuredRow, one: MissedJudgement, miss: Miss) -> Cause:
        """Why the judgement is missing, from the perspective of the case."""
        if miss.cause == "passages changed" and _against(one, row["missed"]) != "passages":
            return "text changed"  # the claim was checked against another answer or reference
        new = one["step"] == RELEVANCE and miss.cause == "never recorded"
        return "passages changed" if new and "passages" in self.changed else miss.cause

    def steps(self) -> dict[str, Judged]:
        """The judgements of steps that lack some."""
        missing: dict[str, set[str]] = {}
        known: dict[str, set[str]] = {}
        for row in self.rows:
            for one in _missing(row):
                missing.setdefault(one["step"], set()).add(one["key"])
            for asked in row["asked"]:
                if asked["answered"]:
                    known.setdefault(asked["step"] or VECTORS, set()).add(asked["key"])
            for step, keys in (row["missed"]["known"] if row["missed"] else {}).items():
                known.setdefault(step, set()).update(keys)
        return {
            step: Judged(len(known.get(step, set()) - keys), len(keys))
            for step, keys in missing.items()
        }

    def case(self) -> UnjudgedCase:
        return UnjudgedCase(
            self.name,
            self.steps(),
            tuple(part for part in PARTS if part in self.changed),
            tuple((r["metric"], r["passed"]) for r in self.rows if r["interval"] is not None),
        )


def _missing(row: MeasuredRow) -> list[MissedJudgement]:
    return [] if row["missed"] is None else row["missed"]["missing"]


def _case_of(row: MeasuredRow) -> _Case:
    """A key that is equal for rows of one case; those without an id differ by test and question."""
    return name_of_case(row), row["inputs"].get("question", "")


def _carries_contexts(row: MeasuredRow) -> bool:
    """Whether verdicts were carried over to the case's contexts in this run, which means that the
    contexts differ from those judged before."""
    # `evidence` checks claims against a selection of the contexts
    if COUNTS.get(row["metric"]) == "spans":
        return False
    if all(against != "contexts" for _, against in SIDES.get(row["metric"], ())):
        return False
    return any(one["carried"] and not one["stored"] for one in row["asked"])


def _changed(one: MissedJudgement, miss: Miss, missed: MissedRow) -> set[Part]:
    """The parts of the case that changed, as far as a missing judgement shows it."""
    if one["step"] == EXTRACTION and miss.cause == "text changed":
        if one["text"] == missed["answer"]:
            return {"answer"}
        return {"reference"} if one["text"] in missed["references"] else set()
    if one["step"] != VERIFICATION or miss.cause != "passages changed":
        return set()
    against = _against(one, missed)
    if against != "passages":
        return {against}
    contexts = set(missed["contexts"])
    # a metric may check claims against some of the contexts, and select others next time
    is_whole = set(one["passages"]) == contexts
    shows = not miss.used and (is_whole or not contexts.issuperset(miss.passages))
    return {"passages"} if shows else set()


def _against(one: MissedJudgement, missed: MissedRow | None) -> Part:
    """The part of the case that a claim is checked against."""
    held = set(one["passages"])
    if missed is None or not held or held <= set(missed["contexts"]):
        return "passages"
    if held == {missed["answer"]}:
        return "answer"
    return "reference" if held <= set(missed["references"]) else "passages"
