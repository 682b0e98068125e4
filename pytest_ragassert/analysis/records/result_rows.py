"""Results as rows of plain data, which travel between processes, and their one-line message."""

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

_LONGEST_PASSAGES = 8000  # characters of all passages that a failed row carries
_LONGEST_BEGINNING = 400  # characters of a context that a failed row carries
_LONGEST_TURN = 100  # characters of the turn before the question that a row carries


def headline(result: MetricResult, case: str) -> str:
    """The exception's one line: what did not hold, which lists of failed tests cut off last."""
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
    """A score, or the bounds of one, beside the minimum."""
    if interval is not None and minimum is not None:
        return between(*interval, minimum)
    return compared(score, minimum)


def score_words(row: MeasuredRow) -> str:
    """The same of a row that has a score, or bounds of one."""
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
    """A result as plain data; with its case, claims without evidence get the nearest sentence."""
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
    """The row of a metric before there is anything to say of it but its case."""
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
    """Whether a test fails for what was measured."""
    below = row["asserted"] and row["error"] is None and not row["passed"]
    return bool(below) and row["quarantine"] is None


def is_told_in(text: str, row: MeasuredRow) -> bool:
    """Whether an error's text reports this failure: some plugins collect all those of a test."""
    said, minimum = visible(row["metric"]), row["minimum"]
    if minimum is not None and not row["vacuous"]:
        said += f" {score_words(row)}"
    if said not in text or row["case"] is None:
        return said in text
    name = re.escape(shortened(visible(row["case"]), LONGEST_ID))
    # another case's id may begin like this one
    return re.search(rf"case {name}(?![\w-])", text) is not None


def counted(rows: Iterable[MeasuredRow]) -> list[MeasuredRow]:
    """Those of a test's rows that count: a measurement that it repeats counts once."""
    seen: dict[str, MeasuredRow] = {}
    for row in rows:
        known = seen.get(row["identity"])
        # what a test asserts it may measure once more
        if known is None or row["asserted"] or not known["asserted"]:
            seen[row["identity"]] = row
    return list(seen.values())


class Sent(NamedTuple):
    """What a test's report carries to the process that prints.

    Attributes:
        rows: measured since the report before.
        spent: questions of attempts that were repeated, which no report has carried.
        texts: of cases, by the digest that rows name them by; each once a process.
    """

    rows: list[MeasuredRow]
    spent: list[AskedRow]
    texts: dict[str, TextsRow]


def to_text(sent: Sent) -> str:
    """ASCII, so that no encoder on the way stumbles over a lone surrogate; without secrets."""
    text = canonical_json(list(sent))
    return text if redact(text) == text else canonical_json(redacted(list(sent)))


def from_text(text: str) -> Sent:
    return Sent(*json.loads(text, object_pairs_hook=_with_few_names))


def asked_in(rows: Iterable[MeasuredRow]) -> list[AskedRow]:
    """The questions that rows used."""
    return [asked for row in rows for asked in row["asked"]]


def _with_few_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # a run keeps the rows of all its tests, and each would have the fields' names for itself
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
        # what people say of it is to be read beside it
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
    """The same for the same field of two rows."""
    return digest(value)[:16]


def _held_against(metric: str) -> dict[str, str]:
    """The text that the metric holds claims against, by the text that makes them."""
    return dict(SIDES.get(metric, (("answer", "contexts"), ("reference", "contexts"))))


def _passages(case: EvalCase | None, result: MetricResult) -> dict[str, list[Passage]]:
    """What claims of each source were held against, for looking up the nearest sentence."""
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
    return {source: texts[text] for source, text in _held_against(result.metric).items()}


def beginnings(
    contexts: Sequence[str | None] | None, details: Mapping[str, Any], *, passed: bool
) -> list[str]:
    """Each context's beginning, where the failed metric says something of each."""
    if passed or not isinstance(details.get("contexts"), list):
        return []
    return [visible((text or "")[:_LONGEST_BEGINNING]) for text in contexts or ()]


def _claim_row(
    claim: ClaimVerdict, result: MetricResult, passages: dict[str, list[Passage]]
) -> ClaimRow:
    row = plain_claim(claim, result.metric)
    held_against = passages.get(claim.source)
    if held_against is not None and row["against"] == "cited":
        # nobody judges a claim that cites nothing
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
    # those that are read from a results file have some of it
    row = cast(ClaimRow, {**added, **claim.model_dump(mode="python")})
    row["verdict"], row["label_raw"] = claim.verdict.value, claim.label_raw.value
    row["judged"] = None if claim.judged is None else claim.judged.value
    against = _held_against(metric).get(claim.source, "contexts")
    # it is plain that the answer is held against the contexts
    is_plain = claim.source == "answer" and against == "contexts"
    row["against"] = None if is_plain else cast(Text, against)
    return row


def _texts_of(passages: dict[str, list[Passage]]) -> tuple[dict[str, list[str]], bool]:
    """By the claims' source what they were held against, each text at its place in the user's
    list and cut to its share of what a row may carry; and whether any was cut."""
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
