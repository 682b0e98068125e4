"""Human overrides of a judge's verdicts, on claims and on criteria."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigurationError
from ..judgements import Met, Verdict, label_named
from ..steps.evidence.claim_ids import SHORT_ID, claim_id, criterion_id, former_claim_id
from ..steps.evidence.evidence_check import Passage

if TYPE_CHECKING:
    from ..runtime.canonical_json import Json
    from .committed.verdict_line import VerdictLine


class Override(NamedTuple):
    """A human override.

    Attributes:
        id: the id of the claim with its passages, or of the criterion with the answer.
        claim: the claim or the criterion.
        reason: the person's explanation.
    """

    id: str
    claim: str
    verdict: Verdict | Met
    reason: str


class Use(NamedTuple):
    """A claim or a criterion with human overrides, for these passages or this answer or for others.

    Attributes:
        id: the id of the claim with these passages, or of the criterion with this answer.
        applied: an override applies to these, and counts.
        verdicts: the names of all overriding verdicts, whatever they apply to.
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
        self._claims: _ByText = {}
        self._criteria: _ByText = {}
        for line in lines:
            try:
                verdict, reason = label_named(line.reply["verdict"]), str(line.reply["reason"])
            except (KeyError, ValueError):
                raise ConfigurationError(
                    f"the committed override {line.key[:SHORT_ID]} is damaged: its reply "
                    "must have a verdict and a reason (python -m pytest_ragassert verdicts verify)"
                ) from None
            override = Override(line.key, line.about, verdict, reason)
            of_kind = self._criteria if isinstance(verdict, Met) else self._claims
            of_kind.setdefault(line.about, {})[line.key] = override

    def __iter__(self) -> Iterator[Override]:
        for known in (*self._claims.values(), *self._criteria.values()):
            yield from known.values()

    def decided_on(self, claim: str) -> bool:
        """Whether there is an override for the claim, whatever passages it applies to."""
        return claim in self._claims

    def of(self, claim: str, passages: Sequence[Passage]) -> tuple[Override | None, Use | None]:
        """Return the override of a claim and how it is used; None for both if there is no override
        for it.
        """
        known = self._claims.get(claim)
        if known is None:
            return None, None
        texts = [text for _, text in passages]
        ids = claim_id(claim, texts), former_claim_id(claim, texts)
        return _used(claim, ids, known)

    def of_criterion(self, judgement: Json) -> tuple[Override | None, Use | None]:
        """Return the same for a criterion.

        Args:
            judgement: the input of the judgement on it.
        """
        known = self._criteria.get(judgement["criterion"])
        if known is None:
            return None, None
        return _used(judgement["criterion"], [criterion_id(judgement)], known)


_ByText = dict[str, dict[str, Override]]  # by the claim or criterion, then by id


def _used(
    text: str, ids: Sequence[str], known: Mapping[str, Override]
) -> tuple[Override | None, Use]:
    """Return the override under the first of these ids that has one, and how it is used."""
    found = next((known[id] for id in ids if id in known), None)
    verdicts = sorted({override.verdict.value for override in known.values()})
    return found, Use(ids[0], text, found is not None, verdicts)
