"""Verdicts that a person gave in a judge's place, by claim and passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigurationError
from ..judgements import Verdict
from ..steps.evidence.claim_ids import SHORT_ID, claim_id, former_claim_id
from ..steps.evidence.evidence_check import Passage

if TYPE_CHECKING:
    from .committed.verdict_line import VerdictLine


class Override(NamedTuple):
    """A person's verdict.

    Attributes:
        id: of the claim with its passages.
        reason: the person's words.
    """

    id: str
    claim: str
    verdict: Verdict
    reason: str


class Use(NamedTuple):
    """A claim that a person decided on, for these passages or for others.

    Attributes:
        id: of the claim with these passages.
        applied: the person's verdict is on these passages, and counts.
        verdicts: the names of what people decided on the claim, whatever it was held against.
    """

    id: str
    claim: str
    applied: bool
    verdicts: list[str]


class Overrides:
    """The overrides among committed verdicts.

    Raises:
        ConfigurationError: one is damaged.
    """

    def __init__(self, lines: Iterable[VerdictLine] = ()) -> None:
        self._by_claim: dict[str, dict[str, Override]] = {}
        for line in lines:
            try:
                verdict, reason = Verdict(line.reply["verdict"]), str(line.reply["reason"])
            except (KeyError, ValueError):
                raise ConfigurationError(
                    f"the committed verdict by hand {line.key[:SHORT_ID]} is damaged: its reply "
                    "has a verdict and a reason (python -m pytest_ragassert verdicts verify)"
                ) from None
            override = Override(line.key, line.about, verdict, reason)
            self._by_claim.setdefault(line.about, {})[line.key] = override

    def decided_on(self, claim: str) -> bool:
        """Whether a person gave a verdict on the claim, whatever it was held against."""
        return claim in self._by_claim

    def of(self, claim: str, passages: Sequence[Passage]) -> tuple[Override | None, Use | None]:
        """The person's verdict on a claim, and how it is used; None for both where nobody gave one
        on the claim."""
        known = self._by_claim.get(claim)
        if known is None:
            return None, None
        texts = [text for _, text in passages]
        id = claim_id(claim, texts)
        found = known.get(id) or known.get(former_claim_id(claim, texts))
        verdicts = sorted({override.verdict.value for override in known.values()})
        return found, Use(id, claim, found is not None, verdicts)
