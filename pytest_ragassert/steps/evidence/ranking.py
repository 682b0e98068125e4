"""Ranks passages: the most relevant stretches are sent first, and the rest only if these do not
suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...language.pieces import headed
from ...language.token_estimate import estimated_tokens
from .evidence_check import Passage
from .excerpts import Retriever, Stretch

# Estimated tokens of what is sent first. This is a constant and not the judge's own budget, so
# that a question depends only on the case. What exceeds a smaller budget is sent in several
# requests.
FIRST_TOKENS = 6_000


@dataclass(frozen=True)
class VerificationBatch:
    """Claims that are verified together.

    Attributes:
        claims: their texts by id, from 1.
        first: passages or stretches of passages.
        rest: the passages that are not in `first` as a whole.
        reasons: why these stretches were chosen, for each claim.
    """

    claims: dict[int, str]
    first: list[Passage]
    rest: list[Passage]
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def first_indices(self) -> list[int]:
        """The indices of the passages that are sent first."""
        return sorted({index for index, _ in self.first})


def batches_for(claims: Sequence[str], passages: Sequence[Passage]) -> list[VerificationBatch]:
    """Return batches of distinct claims; one batch with every passage if that fits."""
    retriever = Retriever(passages)
    best = {claim: retriever.best(claim) for claim in claims}
    reasons = {claim: _reason(best[claim], len(passages)) for claim in claims}
    if sum(estimated_tokens(text) for _, text in passages) <= FIRST_TOKENS:
        all_of_them = "all of them looked at"
        reasons = {claim: f"{reason}; {all_of_them}" for claim, reason in reasons.items()}
        return [VerificationBatch(_numbered(claims), list(passages), [], reasons)]
    texts = dict(passages)
    return [
        _batch(group, best, texts, {claim: reasons[claim] for claim in group})
        for group in _groups(claims, best, texts)
    ]


def _groups(
    claims: Sequence[str], best: dict[str, list[Stretch]], texts: dict[int, str]
) -> list[list[str]]:
    """Yield neighbouring claims whose stretches fit together."""
    groups: list[list[str]] = []
    for claim in claims:
        if groups:
            together = _joined([s for c in (*groups[-1], claim) for s in best[c]], texts)
            if sum(estimated_tokens(text) for _, text in together) <= FIRST_TOKENS:
                groups[-1].append(claim)
                continue
        groups.append([claim])
    return groups


def _batch(
    claims: list[str],
    best: dict[str, list[Stretch]],
    texts: dict[int, str],
    reasons: dict[str, str],
) -> VerificationBatch:
    first = _joined([stretch for claim in claims for stretch in best[claim]], texts)
    whole = {index for index, text in first if text == texts[index]}
    rest = [(index, text) for index, text in texts.items() if index not in whole]
    if not first:
        return VerificationBatch(_numbered(claims), rest, [], reasons)
    return VerificationBatch(_numbered(claims), first, rest, reasons)


def _numbered(claims: Sequence[str]) -> dict[int, str]:
    return dict(enumerate(claims, start=1))


def _joined(stretches: Sequence[Stretch], texts: dict[int, str]) -> list[Passage]:
    """Return the stretches' texts in the order of the passages, overlapping ones merged, each after
    its headings.
    """
    joined: list[list[int]] = []
    for index, start, end in sorted((s.passage, s.start, s.end) for s in stretches):
        if joined and joined[-1][0] == index and start <= joined[-1][2]:
            joined[-1][2] = max(joined[-1][2], end)
        else:
            joined.append([index, start, end])
    return [(index, headed(texts[index], start, end)) for index, start, end in joined]


def _reason(stretches: Sequence[Stretch], count: int) -> str:
    """Return a reason such as `[272] 0.71 (40, bramble), [3] 0.12 of 300 passages`."""
    of = f"of {count} passage{'s' * (count != 1)}"
    if not stretches:
        return f"no sentence {of} shares a word"
    reasons = []
    for stretch in stretches:
        shared = f" ({', '.join(stretch.shared)})" if stretch.shared else ""
        reasons.append(f"[{stretch.passage + 1}] {stretch.score:.2f}{shared}")
    return f"{', '.join(reasons)} {of}"
