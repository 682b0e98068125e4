"""Turns the record of a run into plain data for the page's template and script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote

from ...analysis.records.row_types import MeasuredRow
from ...analysis.run_record import RunRecord
from ...judgements import Verdict
from ...language.escaping import without_surrogates
from ..attribution import where_it_broke
from ..context_names import names_in
from ..rerun_words import rerun_words
from .cases import BELOW, FAILED, KNOWN, OUTCOMES, UNMEASURED, PageCase, cases_of, outcome_of
from .changes import BETTER, CLAIMS, GONE, WORSE, change_list, verdict_words
from .overview import overview_of
from .results import Panels, result_data, result_summary

Json = dict[str, Any]

CHUNK = 50  # number of cases whose texts are loaded together when one of them is opened
# Signs that distinguish verdicts without colours.
_SIGNS = {
    Verdict.FULLY_SUPPORTED: "✓",
    Verdict.PARTIALLY_SUPPORTED: "~",
    Verdict.NO_EVIDENCE: "?",
    Verdict.CONTRADICTORY: "✗",
}
_WORST = 10  # maximum number of cases named in the overview
_NOT_FINE = (FAILED, UNMEASURED, KNOWN, BELOW)


@dataclass(frozen=True)
class PageData:
    """
    Attributes:
        overview: the data for the template.
        index: the data that the script lists and filters, loaded when the page opens.
        chunks: the details of the cases, several cases per chunk; made on demand.
    """

    overview: Json
    index: Json
    chunks: Iterator[list[Json]]


def page_data(run: RunRecord) -> PageData:
    """All data of the page, in the order of measuring."""
    cases = cases_of(run)
    comparison = None if run.conclusion is None else run.conclusion.comparison
    listed = [_listed(case) for case in cases]
    index = {
        "outcomes": list(OUTCOMES),
        "verdicts": verdict_words(),
        "signs": {verdict.value: sign for verdict, sign in _SIGNS.items()},
        "chunk": CHUNK,
        "gone": GONE,
        "kinds": [WORSE, BETTER, CLAIMS],
        "texts": any(case.texts is not None for case in cases),
        "changes": [] if comparison is None else change_list(comparison),
        "cases": listed,
    }
    bad = [one for one in listed if OUTCOMES[one["outcome"]] in _NOT_FINE]
    shown: Json = {"cases": len(cases), "bad": len(bad), "worst": _worst(bad)}
    overview = {**overview_of(run, cases), **shown}
    return PageData(overview, index, _chunks(cases, run))


def link_of(case: str) -> str:
    """The URL fragment of a case in the page."""
    return f"#case={in_address(case)}"


def in_address(text: str) -> str:
    """A text as a part of a URL fragment."""
    return quote(without_surrogates(text), safe="")


def _chunks(cases: Sequence[PageCase], run: RunRecord) -> Iterator[list[Json]]:
    left = iter(cases)
    while chunk := list(islice(left, CHUNK)):
        yield [_shown(case, run) for case in chunk]


def _listed(case: PageCase) -> Json:
    """The data by which a case is found; these texts are not repeated in its chunk."""
    claims = dict.fromkeys(claim["text"] for row in case.rows for claim in row["claims"])
    return {
        "name": case.name,
        "link": without_surrogates(case.link),
        "outcome": OUTCOMES.index(case.outcome),
        "tests": list(dict.fromkeys(row["nodeid"] for row in case.rows)),
        "question": case.question or "",
        "answer": case.answer or "",
        "claims": "\n".join(claims),
        "tags": case.tags,
        "language": case.language,
        "margin": min(map(_margin, case.rows)),
        "results": [result_summary(row) for row in case.rows],
    }


def _margin(row: MeasuredRow) -> float:
    """How far a score is above its minimum; small values need attention."""
    score = row["score"] if row["score"] is not None else 0.0
    return round(score - (row["minimum"] or 0.0), 6)


def _shown(case: PageCase, run: RunRecord) -> Json:
    """The details of a case that are not in the index."""
    panels, texts = Panels(case), case.texts
    contexts = None if texts is None else texts.retrieved_contexts
    failed = [row for row in case.rows if outcome_of(row) in (FAILED, KNOWN, BELOW)]
    shown: Json = {
        "metadata": case.rows[0]["metadata"],
        "tests": [
            {"id": nodeid, "command": rerun_words(run, nodeid)}
            for nodeid in dict.fromkeys(row["nodeid"] for row in case.rows)
        ],
        "results": [result_data(row, panels) for row in case.rows],
        "broke": where_it_broke(failed, case.rows, contexts) if failed else "",
    }
    if texts is not None:
        shown |= {
            "history": texts.history,
            "references": case.references,
            "contexts": [
                {"text": text, "source": name or ""}
                for text, name in zip(panels.contexts, names_in(texts), strict=True)
            ],
            "right": texts.ground_truth_contexts or [],
            "has": {"answer": texts.answer is not None, "contexts": _has_contexts(case)},
        }
    return shown


def _has_contexts(case: PageCase) -> bool:
    return case.texts is not None and case.texts.retrieved_contexts is not None


def _worst(bad: Sequence[Json]) -> list[Json]:
    """The cases to look at first, each with its link."""
    order = sorted(bad, key=lambda one: (one["outcome"], one["margin"]))
    return [
        {
            **one,
            "href": link_of(one["link"]),
            "outcome": OUTCOMES[one["outcome"]],
            "results": [
                {**said, "outcome": OUTCOMES[said["outcome"]]}
                for said in one["results"]
                if OUTCOMES[said["outcome"]] in _NOT_FINE
            ],
        }
        for one in order[:_WORST]
    ]
