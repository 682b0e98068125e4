"""Labels sentences by their claims, scores them, and finds the spans that are not supported."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...judgements import Verdict
from ...language.detection import language_of
from ...language.words.reader import read_words
from ...results import ClaimVerdict, EvidenceLabel
from .evidence_details import IssueSpan, SentenceVerdict
from .quotes import negates

if TYPE_CHECKING:
    from .evidence_details import Severity

LABELS: tuple[EvidenceLabel, ...] = ("incorrect", "uncertain", "correct")  # worst first
_SEVERITIES = ("high", "medium", "low")


def label_of(verdict: Verdict) -> EvidenceLabel:
    """Return a verdict in the terms of the evidence check."""
    if verdict is Verdict.FULLY_SUPPORTED:
        return "correct"
    return "incorrect" if verdict is Verdict.CONTRADICTORY else "uncertain"


def by_sentence(claims: Sequence[ClaimVerdict]) -> dict[int | None, list[int]]:
    """Group the indices of claims by sentence, in text order; those without a sentence come
    last.
    """
    places: dict[int | None, list[int]] = {}
    for place, claim in enumerate(claims):
        places.setdefault(claim.sentence, []).append(place)
    return dict(sorted(places.items(), key=lambda item: (item[0] is None, item[0] or 0)))


def label_of_all(claims: Sequence[ClaimVerdict], places: Sequence[int]) -> EvidenceLabel:
    """Return the worst label of these claims."""
    labels = {label_of(claims[place].verdict) for place in places}
    return next(label for label in LABELS if label in labels)


def score_of(claims: Sequence[ClaimVerdict], uncertain_weight: float) -> float:
    """Return the mean over sentences with claims: 1 (correct), `uncertain_weight` or 0
    (incorrect).
    """
    weights = {"correct": 1.0, "uncertain": uncertain_weight, "incorrect": 0.0}
    each = (label_of_all(claims, places) for places in by_sentence(claims).values())
    return statistics.fmean(weights[label] for label in each)


def sentences_of(claims: Sequence[ClaimVerdict], answer: str) -> list[SentenceVerdict]:
    """Return the answer's sentences that make claims."""
    sentences = []
    for sentence, places in by_sentence(claims).items():
        start, end = claims[places[0]].span or (0, len(answer))
        sentences.append(
            SentenceVerdict(
                sentence=sentence,
                start=start,
                end=end,
                text=answer[start:end],
                label=label_of_all(claims, places),
                claims=places,
            )
        )
    return sentences


def spans_of(
    claims: Sequence[ClaimVerdict], sentences: Sequence[SentenceVerdict]
) -> list[IssueSpan]:
    """Return one span for each sentence that is not correct, in text order."""
    spans = [_span(claims, sentence) for sentence in sentences if sentence.label != "correct"]
    return sorted(spans, key=lambda span: (span.start, span.end))


def _span(claims: Sequence[ClaimVerdict], sentence: SentenceVerdict) -> IssueSpan:
    worst = [p for p in sentence.claims if label_of(claims[p].verdict) == sentence.label]
    severities = {place: severity_of(claims[place].text) for place in worst}
    claim = min(worst, key=lambda place: (_SEVERITIES.index(severities[place]), place))
    return IssueSpan(
        start=sentence.start,
        end=sentence.end,
        text=sentence.text,
        label=sentence.label,
        severity=severities[claim],
        sentence=sentence.sentence,
        claim=claim,
    )


_HEDGED = re.compile(
    r"(?<!\w)(?:may|might|could|perhaps|possibly|probably|likely|seems?|appears?|apparently"
    r"|reportedly|allegedly|supposedly|suggests?"
    r"|vielleicht|möglicherweise|wahrscheinlich|vermutlich|wohl|könnten?|dürften?|scheint|scheinen"
    r"|scheinbar|anscheinend|angeblich|offenbar|eventuell"
    r"|возможно|вероятно|может быть|могут быть|наверное|кажется|похоже|видимо|якобы"
    r"|предположительно"
    r"|peut-être|probablement|semblent?|pourrai(?:t|ent)|quizás?|tal vez|probablemente|parecen?"
    r"|podrían?)(?!\w)"
    r"|可能|也许|或许|大概|似乎|据说|恐怕|好像|かもしれ|おそらく|たぶん"
)
_DIGIT = re.compile(r"\d")


def severity_of(claim: str) -> Severity:
    """Return high if the claim contains a number, date, amount, name or negation, low if it is
    hedged, and medium otherwise. Only certain names count: a capital at the start of a sentence
    is not enough.
    """
    words = read_words(claim, language_of(claim))
    exact = _DIGIT.search(claim) or any(number.demanded for number in words.numbers)
    if exact or words.names or words.negations or negates(claim):
        return "high"
    return "low" if _HEDGED.search(claim[:1].lower() + claim[1:]) else "medium"
