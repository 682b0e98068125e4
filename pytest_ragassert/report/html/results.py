"""Turns a result and its claims into plain data for the page's script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...analysis.records.result_rows import score_words
from ...analysis.records.row_types import (
    ClaimRow,
    CriterionRow,
    MeasuredRow,
    QuoteRow,
    cited_of,
    is_against_contexts,
    is_proven,
)
from ...judgements import Verdict
from ...language.number_format import plural
from ...metrics.findings import (
    Beside,
    EachContext,
    EachCriterion,
    Headline,
    JudgesWords,
    Line,
)
from ...metrics.registry import OWN
from ...metrics.votes import split_words
from ...steps.evidence.claim_ids import SHORT_ID, claim_id
from ...steps.evidence.evidence_check import passages_of
from ..claim_lines import missing_words
from ..criterion_lines import criteria_shown, criterion_evidence, criterion_words
from ..finding_blocks import findings_of
from .cases import FAILED, OUTCOMES, PageCase, outcome_of

Json = dict[str, Any]

_METRICS = {metric.name: metric for metric in OWN}
_CAME = {
    "asked": "judged in this run",
    "stored": "stored before this run",
    "committed": "from the committed verdicts",
}
# Characters that JavaScript counts as two code units.
_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")


class Panels:
    """The texts of a case that contain claims and quotes, as the page shows them.

    A place is `[panel, index, start, end]`, in the answer, the references or the contexts, with
    offsets in UTF-16 code units.
    """

    def __init__(self, case: PageCase) -> None:
        contexts = (case.texts.retrieved_contexts if case.texts else None) or []
        self.contexts: list[str | None] = list(contexts)
        self._texts: dict[str, Sequence[str | None]] = {
            "answer": [case.answer],
            "reference": case.references,
            "context": contexts,
        }
        self._wide: dict[tuple[str, int], list[int]] = {}

    def place(self, panel: str, index: int | None, span: Sequence[int] | None) -> list[Any] | None:
        """The place of a span; None if the text is missing or the place is unknown."""
        texts = self._texts[panel]
        if span is None or index is None or not 0 <= index < len(texts):
            return None
        text, (start, end) = texts[index], span
        if text is None or not 0 <= start < end <= len(text):
            return None
        wide = self._wide.setdefault((panel, index), [])
        if not wide and not text.isascii():
            wide += [found.start() for found in _TWO_UNITS.finditer(text)]
        before = sum(place < start for place in wide)
        within = sum(start <= place < end for place in wide)
        return [panel, index, start + before, end + before + within]

    def texts(self, panel: str) -> Sequence[str | None]:
        return self._texts[panel]


def result_summary(row: MeasuredRow) -> Json:
    """The data on a result for the list of cases."""
    scored = row["error"] is None and (row["score"] is not None or row["interval"] is not None)
    told = scored and not row["vacuous"] and not (row["minimum"] is None and row["label"])
    return {
        "metric": row["metric"],
        "outcome": OUTCOMES.index(outcome_of(row)),
        "said": score_words(row) if told else row["label"] or "",
    }


def result_data(row: MeasuredRow, panels: Panels) -> Json:
    """A result, with its claims in text order."""
    findings, contexts = _findings(row)
    return result_summary(row) | _without_blanks(
        {
            "score": row["score"],
            "label": row["label"],
            "grade": row["grade"],
            "test": row["nodeid"],
            "asserted": row["asserted"],
            "reason": _headline(row),
            "findings": findings,
            "contexts": contexts,
            "judge": row["judge"] if row["judged"] else "",
            "came": _came(row),
            "votes": _votes(row),
            "models": row["by_model"],
            "known": row["quarantine"],
            "truth": row["truth"],
            "error": _error(row),
            "options": row["options"],
            "details": row["details"],
            "claims": [
                _claim(number, claim, row, panels) for number, claim in enumerate(row["claims"])
            ],
        }
    )


def _without_blanks(data: Json) -> Json:
    """Drop empty values, since the page has them for each claim of each case; keep zero."""
    return {
        name: value
        for name, value in data.items()
        if value or (isinstance(value, int | float) and value is not False)
    }


def _headline(row: MeasuredRow) -> str:
    metric = _METRICS.get(row["metric"])
    if metric is None or row["vacuous"] or row["interval"] is not None or row["error"] is not None:
        return row["reason"]
    said: Headline = metric.headline(row)
    if isinstance(said, JudgesWords):
        return said.text
    return said if isinstance(said, str) else row["reason"]


def _findings(row: MeasuredRow) -> tuple[list[list[str]], list[Json]]:
    """The metric's lines below its score, and its findings on each context."""
    listed: list[list[str]] = []
    contexts: list[Json] = []
    for finding in findings_of(row):
        match finding:
            case Line(text):
                listed.append(["", text])
            case Beside(left, text):
                listed.append([left, text])
            case EachContext():
                contexts += [_context(said) for said in row["details"].get("contexts", ())]
            case EachCriterion():
                listed += [_criterion(said) for said in criteria_shown(row)]
    return listed, contexts


def _context(said: Json) -> Json:
    relevant = bool(said["relevant"])
    label = "relevant" if relevant else "not relevant"
    votes = split_words(said.get("votes") or {}, label)
    return {
        "context": said["context"],
        "relevant": relevant,
        "words": f"{label} {votes}".rstrip(),
        "reason": said.get("reason") or "",
    }


def _criterion(said: CriterionRow) -> list[str]:
    """The outcome of a criterion, and the criterion with the judge's remarks."""
    texts = [said["criterion"], *(text for text, _ in criterion_evidence(said))]
    return [criterion_words(said), " – ".join(texts)]


def _came(row: MeasuredRow) -> str:
    if not row["judged"] or row["error"] is not None:
        return ""
    if row["stored"]:
        return "stored before this run"
    return f"{plural(row['requests'], 'question')} asked in this run" if row["requests"] else ""


def _votes(row: MeasuredRow) -> str:
    if row["votes"] < 2:
        return ""
    return f"{row['votes']} votes a judgement; {row['split']} of {row['judgements']} split"


def _error(row: MeasuredRow) -> Json | None:
    error = row["error"]
    if error is None:
        return None
    return {"type": error["type"], "kind": error["kind"] or "", "message": error["message"]}


def _claim(number: int, claim: ClaimRow, row: MeasuredRow, panels: Panels) -> Json:
    verdict = Verdict(claim["verdict"])
    reference = row["details"].get("reference", 0) if claim["source"] == "reference" else 0
    against = "contexts" if is_against_contexts(claim) else claim["against"] or ""
    evidence = [_quote(one, against, row, panels) for one in claim["evidence"]]
    severity = next(
        (span["severity"] for span in row["details"].get("spans", ()) if span["claim"] == number),
        None,
    )
    return _without_blanks(
        {
            "text": claim["text"],
            "verdict": claim["verdict"],
            "words": _words(claim, verdict),
            "source": claim["source"],
            "place": panels.place(claim["source"], reference, claim["span"]),
            "evidence": evidence,
            "against": against,
            "reason": claim["reason"],
            "gate": claim["gate_reason"],
            "raw": _raw(claim),
            "hand": claim["by_hand"],
            "carried": claim["carried"] is not None,
            "came": "" if claim["came"] is None else _CAME[claim["came"]],
            "votes": split_words(claim["votes"], claim["verdict"]),
            "weight": claim["weight"],
            "confidence": claim["confidence"],
            "conflict": claim["conflict"],
            "label": claim["label_final"],
            "severity": severity,
            "coverage": claim["coverage_note"],
            "looked": claim["selection_reason"],
            "nearest": _nearest(claim, verdict, against, panels),
            "id": _id(claim, row, against, panels),
        }
    )


def _words(claim: ClaimRow, verdict: Verdict) -> str:
    if verdict is Verdict.NO_EVIDENCE and claim["against"] not in (None, "contexts"):
        return missing_words(claim)
    return verdict.words


def _raw(claim: ClaimRow) -> str:
    """The judge's label, if another one counts."""
    judged = claim["judged"] if claim["by_hand"] is not None else claim["label_raw"]
    if judged is None or (judged == claim["verdict"] and claim["by_hand"] is None):
        return ""
    return Verdict(judged).words


def _quote(one: QuoteRow, against: str, row: MeasuredRow, panels: Panels) -> Json:
    panel = against.removesuffix("s")
    index = one["passage"]
    if panel == "reference":
        index = row["details"].get("reference", 0)
    elif panel == "answer":
        index = 0
    place = panels.place(panel, index, one["span"]) if one["verified"] else None
    return _without_blanks(
        {
            "quote": one["quote"],
            "panel": panel,
            "index": index,
            "verified": one["verified"],
            "place": place,
        }
    )


def _nearest(claim: ClaimRow, verdict: Verdict, against: str, panels: Panels) -> list[Any] | None:
    """The place of the passage sentence nearest to an unsupported claim."""
    if against != "contexts" or verdict is Verdict.FULLY_SUPPORTED or is_proven(claim):
        return None
    from ...language.words.claim_match import nearest_sentence

    found = nearest_sentence(claim["text"], passages_of(panels.contexts))
    return None if found is None else panels.place("context", found[0], found[1:])


def _id(claim: ClaimRow, row: MeasuredRow, against: str, panels: Panels) -> str:
    """The id by which commands find a claim of a failed result."""
    if outcome_of(row) != FAILED or against != "contexts" or not panels.contexts:
        return ""
    held_against = cited_of(claim, panels.contexts)
    return claim_id(claim["text"], held_against)[:SHORT_ID] if any(held_against) else ""
