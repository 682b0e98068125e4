"""Results as rows of plain data, which processes exchange, and their one-line message."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...case import LONGEST_ID, EvalCase
from ...config.metric_table import SIDES
from ...judgements import Verdict
from ...language.escaping import is_blank, shortened, visible
from ...language.number_format import between, compared
from ...metrics.claims import reference_texts
from ...results import ClaimVerdict, MetricResult
from ...runtime.canonical_json import canonical_json, digest
from ...runtime.redaction import redact, redacted
from ...steps.evidence.claim_ids import claim_id
from ...steps.evidence.evidence_check import Passage, passages_of
from .row_types import (
    CRITERIA,
    AskedRow,
    CaseRow,
    ClaimRow,
    MeasuredRow,
    NearestSentence,
    Text,
    TextsRow,
    score_of,
)
from .to_json import plain

_LONGEST_PASSAGES = 8000  # characters of all passages in a failed row
_LONGEST_BEGINNING = 400  # characters of a context in a failed row
_LONGEST_TURN = 100  # characters of the turn before the question in a row


def headline(result: MetricResult, case: str) -> str:
    """The exception's line; the failure comes first, because lists of failed tests cut the end."""
    return headline_of_several([result], case)


def headline_of_several(results: Sequence[MetricResult], case: str) -> str:
    """The same for several metrics of a case."""
    failed = ", ".join(map(_failed, results))
    reasons = [(visible(result.metric), visible(_reason(result))) for result in results]
    if len(results) > 1:
        why = "; ".join(f"{metric}: {reason}" for metric, reason in reasons if reason)
    else:
        why = reasons[0][1]
    return f"{failed}: case {case}" + (f" ({why})" if why else "")


def _failed(result: MetricResult) -> str:
    metric = visible(result.metric)
    if result.vacuous:
        return f"{metric}: {visible(result.reason)}"
    if result.minimum is None:
        return f"{metric} {visible(result.label or result.reason)}"
    return f"{metric} {scored(result.score, result.interval, result.minimum)}"


def scored(score: float, interval: tuple[float, float] | None, minimum: float | None) -> str:
    """A score, or its bounds, beside the minimum."""
    if interval is not None and minimum is not None:
        return between(*interval, minimum)
    return compared(score, minimum)


def score_words(row: MeasuredRow) -> str:
    """The same for a row that has a score, or bounds of one."""
    interval = row["interval"]
    if interval is not None:
        return scored(interval[0], interval, row["minimum"])
    return scored(score_of(row), None, row["minimum"])


def _reason(result: MetricResult) -> str:
    if result.vacuous:
        return 'no_claims="pass" or ragassert_no_claims allows that'
    if result.minimum is None:
        return result.reason.removeprefix(result.label or result.reason).removeprefix(": ")
    return result.reason


def row_of(result: MetricResult, case: EvalCase | None = None) -> MeasuredRow:
    """A result as plain data; given its case, unproven claims get the nearest sentence."""
    passages = _passages(case, result)
    kept, cut = _texts_of(passages)
    return {
        **unmeasured_row(result.metric, case),
        "score": result.score if result.interval is None else None,
        "interval": result.interval,
        "minimum": result.minimum,
        "passed": bool(result.passed),
        "vacuous": result.vacuous,
        "reason": result.reason,
        "label": result.label,
        "grade": result.grade,
        "judge": result.judge,
        "stored": result.stored,
        "requests": result.requests,
        "votes": result.votes,
        "judgements": result.judgements,
        "split": result.split,
        "by_model": dict(result.by_model),
        "claims": [_claim_row(claim, result, passages) for claim in result.claims],
        "passages": kept,
        "passages_cut": cut,
        "details": plain(result.details),
        "contexts": []
        if case is None
        else beginnings(case.retrieved_contexts, result.details, passed=bool(result.passed)),
    }


def unmeasured_row(metric: str, case: EvalCase | None) -> MeasuredRow:
    """The row of a metric while nothing except its case is known."""
    return {
        **_case_row(case),
        "nodeid": "",
        "metric": metric,
        "score": None,
        "interval": None,
        "minimum": None,
        "passed": False,
        "vacuous": False,
        "reason": "",
        "label": None,
        "grade": None,
        "judge": "",
        "stored": False,
        "requests": 0,
        "votes": 1,
        "judgements": 0,
        "split": 0,
        "by_model": {},
        "claims": [],
        "passages": {},
        "passages_cut": False,
        "details": {},
        "contexts": [],
        "error": None,
        "missed": None,
        "asserted": False,
        "splits": {},
        "by_hands": [],
        "steps": {},
        "judged": True,
        "asked": [],
        "options": {},
        "labels": [],
        "identity": "",
        "quarantine": None,
        "texts": None,
    }


def is_failure(row: MeasuredRow) -> bool:
    """Whether the result fails a test."""
    below = row["asserted"] and row["error"] is None and not row["passed"]
    return bool(below) and row["quarantine"] is None


def is_told_in(text: str, row: MeasuredRow) -> bool:
    """Whether an error's text reports this failure: some plugins collect all failures of a test."""
    said, minimum = visible(row["metric"]), row["minimum"]
    if minimum is not None and not row["vacuous"]:
        said += f" {score_words(row)}"
    if said not in text or row["case"] is None:
        return said in text
    name = re.escape(shortened(visible(row["case"]), LONGEST_ID))
    # another case's id may begin with this one
    return re.search(rf"case {name}(?![\w-])", text) is not None


def counted(rows: Iterable[MeasuredRow]) -> list[MeasuredRow]:
    """A test's rows without the measurements that it repeats."""
    seen: dict[str, MeasuredRow] = {}
    for row in rows:
        known = seen.get(row["identity"])
        # a test may measure again what it has asserted
        if known is None or row["asserted"] or not known["asserted"]:
            seen[row["identity"]] = row
    return list(seen.values())


class Sent(NamedTuple):
    """What a test's report transfers to the process that prints.

    Attributes:
        rows: measurements since the previous report.
        spent: questions of repeated attempts that no report has transferred yet.
        texts: texts of cases, by the digest that rows have; each is sent once per process.
    """

    rows: list[MeasuredRow]
    spent: list[AskedRow]
    texts: dict[str, TextsRow]


def to_text(sent: Sent) -> str:
    """As ASCII text without secrets; a lone surrogate would break an encoder on the way."""
    text = canonical_json(list(sent))
    return text if redact(text) == text else canonical_json(redacted(list(sent)))


def from_text(text: str) -> Sent:
    return Sent(*json.loads(text, object_pairs_hook=_with_few_names))


def asked_in(rows: Iterable[MeasuredRow]) -> list[AskedRow]:
    """The questions that the rows used."""
    return [asked for row in rows for asked in row["asked"]]


def _with_few_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # a run keeps all rows, and each would have its own copies of the fields' names
    return {sys.intern(name): value for name, value in pairs}


def _case_row(case: EvalCase | None) -> CaseRow:
    if case is None:
        return {
            "case": None,
            "question": None,
            "previous_turn": None,
            "metadata": {},
            "inputs": {},
            "truth": None,
            "answer": None,
            "tags": [],
        }
    return {
        "case": None if is_blank(case.id) else case.id,
        "question": case.question,
        "previous_turn": _previous_turn(case),
        "metadata": plain(case.metadata),
        "truth": case.label,
        # it is shown beside people's label
        "answer": None if case.label is None else case.answer,
        "inputs": _inputs(case),
        "tags": list(case.tags),
    }


def _inputs(case: EvalCase) -> dict[str, str]:
    claims, right = case.ground_truth_claims, case.ground_truth_context_ids
    inputs = {
        "question": _digest([case.history, case.question] if case.history else case.question),
        "answer": _digest(case.answer),
        "contexts": _digest(case.retrieved_contexts),
        "references": _digest([case.references, claims] if claims else case.references),
    }
    if right is not None:
        inputs["context ids"] = _digest([case.retrieved_context_ids, right])
    return inputs


def _previous_turn(case: EvalCase) -> str | None:
    said = (turn["content"] for turn in reversed(case.history) if turn["role"] == "user")
    return next((shortened(text, _LONGEST_TURN) for text in said), None)


def _digest(value: Any) -> str:
    """A digest that is equal for equal fields of two rows."""
    return digest(value)[:16]


def _checked_against(metric: str) -> dict[str, str]:
    """The text against which the metric checks claims, by the text that makes them."""
    return dict(SIDES.get(metric, (("answer", "contexts"), ("reference", "contexts"))))


def _passages(case: EvalCase | None, result: MetricResult) -> dict[str, list[Passage]]:
    """The passages that each source's claims were checked against, to find nearest sentences."""
    if case is None or result.passed:
        return {}
    if result.metric == CRITERIA:
        return {"criterion": [(0, case.answer or "")]}
    if not result.claims:
        return {}
    best = reference_texts(case)[result.details.get("reference", 0) :][:1]
    contexts = passages_of(case.retrieved_contexts)
    texts = {
        "contexts": contexts,
        "cited": contexts,
        "reference": [(0, text) for text in best],
        "answer": [(0, case.answer or "")],
    }
    return {source: texts[text] for source, text in _checked_against(result.metric).items()}


def beginnings(
    contexts: Sequence[str | None] | None, details: Mapping[str, Any], *, passed: bool
) -> list[str]:
    """The beginning of each context, if the failed metric judges each."""
    if passed or not isinstance(details.get("contexts"), list):
        return []
    return [visible((text or "")[:_LONGEST_BEGINNING]) for text in contexts or ()]


def _claim_row(
    claim: ClaimVerdict, result: MetricResult, passages: dict[str, list[Passage]]
) -> ClaimRow:
    row = plain_claim(claim, result.metric)
    held_against = passages.get(claim.source)
    if held_against is not None and row["against"] == "cited":
        # a claim without citations is not judged
        cited = claim.looked_at or []
        held_against = [passage for passage in held_against if passage[0] in cited] or None
    if held_against is not None:
        row["id"] = claim_id(claim.text, [text for _, text in held_against])
    if claim.verdict is not Verdict.FULLY_SUPPORTED and not claim.proven:
        row["nearest"] = _nearest(claim.text, passages.get(claim.source, []))
    return row


def plain_claim(claim: ClaimVerdict, metric: str) -> ClaimRow:
    """A claim as plain data."""
    added = {"id": None, "nearest": None, "came": None}
    # claims that are read from a results file already have some of it
    row = cast(ClaimRow, {**added, **claim.model_dump(mode="python")})
    row["verdict"], row["label_raw"] = claim.verdict.value, claim.label_raw.value
    row["judged"] = None if claim.judged is None else claim.judged.value
    against = _checked_against(metric).get(claim.source, "contexts")
    # for an answer, contexts are the default
    is_plain = claim.source == "answer" and against == "contexts"
    row["against"] = None if is_plain else cast(Text, against)
    return row


def _texts_of(passages: dict[str, list[Passage]]) -> tuple[dict[str, list[str]], bool]:
    """By the claims' source, the texts that they were checked against, each at its index in the
    user's list and cut to its share of what a row may contain; and whether any was cut."""
    share = _LONGEST_PASSAGES // max(1, max(map(len, passages.values()), default=1))
    texts, cut = {}, False
    for source, held_against in passages.items():
        known = dict(held_against)
        cut = cut or any(len(text) > share for text in known.values())
        places = range(max(known, default=-1) + 1)
        texts[source] = [known.get(place, "")[:share] for place in places]
    return texts, cut


def _nearest(claim: str, passages: list[Passage]) -> NearestSentence | None:
    from ...language.words.claim_match import nearest_sentence

    found = nearest_sentence(claim, passages)
    if found is None:
        return None
    index, start, end = found
    return {"passage": index, "quote": visible(dict(passages)[index][start:end])}
