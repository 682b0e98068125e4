"""Measurements as gates, baselines and histories use them: one for each case and metric.

They are made from rows, records of results files and lines of baselines, with the standard library
only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

CRITERION = "criterion"  # the `source` of a criterion


class MeasuredClaim(NamedTuple):
    """A claim and its verdict, or a criterion and whether it was met.

    Attributes:
        source: `answer` or `reference`, or `criterion` for a criterion.
        verdict: the name of the verdict that counted.
        by_hand: whether it is a human override.
        carried: whether it was carried over from other passages.
    """

    source: str
    text: str
    verdict: str
    by_hand: bool = False
    carried: bool = False

    @property
    def is_judges(self) -> bool:
        """Whether the judge was asked for it, and the judge's verdict counts."""
        return not (self.by_hand or self.carried)


@dataclass(frozen=True)
class Measurement:
    """The result of one metric for one case.

    Attributes:
        case: the case's id, or its test if it has none.
        judge: the judge's name.
        score: in [0, 1]; None if it could not be measured.
        vacuous: whether there was nothing to check.
        inputs: a digest of each input: question, answer, contexts, references.
        steps: the fingerprint of each step that was asked, by name and version.
        metadata: the case's metadata.
        test: the test's node id.
        minimum: the minimum of the assertion; None without an assertion.
        votes, judgements, split: as in `MetricResult`.
        identity: equal for two copies of the same measurement.
    """

    case: str
    metric: str
    judge: str
    score: float | None
    label: str | None = None
    vacuous: bool = False
    inputs: Mapping[str, str] = field(default_factory=dict)
    claims: tuple[MeasuredClaim, ...] = ()
    steps: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    test: str = ""
    minimum: float | None = None
    votes: int = 1
    judgements: int = 0
    split: int = 0
    identity: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.case, self.metric, self.judge

    @property
    def counts(self) -> bool:
        """Whether it is included in means, gates and baselines."""
        return self.score is not None and not self.vacuous

    @property
    def value(self) -> float:
        """The score of a measurement that counts."""
        if self.score is None:
            raise ValueError(f"case {self.case}: {self.metric} was not measured")
        return self.score

    @property
    def content(self) -> tuple[object, ...]:
        """What must be equal for two measurements of a case and metric to be the same."""
        claims = tuple(claim._replace(carried=False) for claim in self.claims)
        return self.score, self.label, dict(self.inputs), claims


def measurements_of(rows: Iterable[Mapping[str, Any]]) -> list[Measurement]:
    """Make measurements of report rows, or of a results file's records as data; each once."""
    listed = list(rows)
    names = case_names(listed)
    found: dict[tuple[str, str], Measurement] = {}
    for row, name in zip(listed, names, strict=True):
        one = _measurement(row, name)
        known = found.get((one.identity, one.metric))
        if known is None or (known.minimum is None and one.minimum is not None):
            found[one.identity, one.metric] = one
    return list(found.values())


def case_names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The name of each row's case: its id, or else its test, with a number from the second on."""
    numbers: dict[str, dict[Any, int]] = {}
    names = []
    for row in rows:
        if row["case"] is not None:
            names.append(str(row["case"]))
            continue
        of_test = numbers.setdefault(row["nodeid"], {})
        text = (row.get("inputs") or {}).get("question", row["question"])
        number = of_test.setdefault(text, len(of_test) + 1)
        names.append(row["nodeid"] + (f" #{number}" if number > 1 else ""))
    return names


def _measurement(row: Mapping[str, Any], name: str) -> Measurement:
    return Measurement(
        case=name,
        metric=row["metric"],
        judge=row.get("judge") or "",
        score=None if row["error"] is not None else row["score"],
        label=row.get("label"),
        vacuous=row["vacuous"],
        inputs=row.get("inputs") or {},
        claims=(*_claims(row), *_criteria(row)),
        steps=row.get("steps") or {},
        metadata=row.get("metadata") or {},
        test=row["nodeid"],
        minimum=row["minimum"] if row["asserted"] else None,
        votes=row.get("votes", 1),
        judgements=row.get("judgements", 0),
        split=row.get("split", 0),
        # in files of releases that did not record it, each record has its own
        identity=row.get("identity") or f"{row['nodeid']} {name}",
    )


def _claims(row: Mapping[str, Any]) -> Iterator[MeasuredClaim]:
    for claim in row["claims"]:
        yield MeasuredClaim(
            claim["source"],
            claim["text"],
            getattr(claim["verdict"], "value", claim["verdict"]),
            claim.get("by_hand") is not None,
            claim.get("carried") is not None,
        )


def _criteria(row: Mapping[str, Any]) -> Iterator[MeasuredClaim]:
    # a project's metric may have details of the same name
    listed = (row.get("details") or {}).get("criteria", ()) if row["metric"] == "criteria" else ()
    for said in listed:
        yield MeasuredClaim(CRITERION, said["criterion"], said["met"], "by_hand" in said)
