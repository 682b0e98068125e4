"""Figures of the evidence in a run: labels before and after the check, quotes, passages, spans."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from ...config.metric_table import COUNTS
from .results_file import EvidenceFigures, Lengths, SpanFigures
from .row_types import ClaimRow, MeasuredRow, QuoteRow, SpanRow, is_proven

LABELS = ("correct", "uncertain", "incorrect")
_LABEL_OF = {"FULLY_SUPPORTED": "correct", "CONTRADICTORY": "incorrect"}
_SEVERITIES = ("high", "medium", "low")


def label_of(claim: ClaimRow) -> str:
    """A claim's label: correct, uncertain or incorrect."""
    label: str = claim["label_final"] or _LABEL_OF.get(claim["verdict"], "uncertain")
    return label


def label_counts(claims: Iterable[ClaimRow]) -> dict[str, int]:
    counts = Counter(map(label_of, claims))
    return {label: counts[label] for label in LABELS}


def spans_of(row: MeasuredRow) -> list[SpanRow]:
    """The issue spans of a result, if its metric finds them; otherwise none."""
    spans = row["details"].get("spans") if COUNTS.get(row["metric"]) == "spans" else None
    return spans if isinstance(spans, list) else []


def evidence_figures(rows: Sequence[MeasuredRow]) -> dict[str, EvidenceFigures]:
    """The figures of each metric that judged claims; repeated measurements count once."""
    counted = (row for row in rows if row["claims"] and row["score"] is not None)
    once = list({row["identity"]: row for row in counted}.values())
    names = sorted({row["metric"] for row in once})
    return {name: _figures([row for row in once if row["metric"] == name]) for name in names}


def _figures(rows: Sequence[MeasuredRow]) -> EvidenceFigures:
    claims = [claim for row in rows for claim in row["claims"]]
    labels = label_counts(claims)
    verified = [claim for claim in claims if is_proven(claim)]
    covering = Counter(claim["coverage_ok"] for claim in verified)
    passages = [len({one["passage"] for one in _verified(row["claims"])}) for row in rows]
    return EvidenceFigures(
        claims=len(claims),
        labels=labels,
        labels_raw=dict(sorted(Counter(claim["label_raw"] for claim in claims).items())),
        coverage=1 - labels["uncertain"] / len(claims),
        abstention=labels["uncertain"] / len(claims),
        withheld=sum(claim["label_raw"] == "CONTRADICTORY" != claim["verdict"] for claim in claims),
        quotes=sum(bool(claim["evidence"]) for claim in claims),
        verified=len(verified),
        covering={
            name: covering[ok]
            for name, ok in (("yes", True), ("no", False))
            if True in covering or False in covering
        },
        quote_chars=_lengths(len(one["quote"]) for one in _verified(claims)),
        passages=_lengths(count for count in passages if count),
        spans=_span_figures(rows),
    )


def _verified(claims: Iterable[ClaimRow]) -> list[QuoteRow]:
    """The quotes that were found in their passages."""
    return [one for claim in claims for one in claim["evidence"] if one["verified"]]


def _span_figures(rows: Sequence[MeasuredRow]) -> SpanFigures | None:
    if COUNTS.get(rows[0]["metric"]) != "spans":
        return None
    found = [(span, row["claims"][span["claim"]]) for row in rows for span in spans_of(row)]
    labels = Counter[str](span["label"] for span, _ in found)
    severities = Counter[str](span["severity"] for span, _ in found)
    proven = [claim for _, claim in found if is_proven(claim)]
    return SpanFigures(
        n=len(found),
        labels={label: labels[label] for label in LABELS if label in labels},
        severities={one: severities[one] for one in _SEVERITIES if one in severities},
        with_evidence=len(proven),
        chars=_lengths(span["end"] - span["start"] for span, _ in found),
        quote_chars=_lengths(len(one["quote"]) for one in _verified(proven)),
    )


def _lengths(counts: Iterable[int]) -> Lengths | None:
    listed = list(counts)
    if not listed:
        return None
    return Lengths(n=len(listed), mean=statistics.fmean(listed), min=min(listed), max=max(listed))
