"""Verdicts that a person gave in a judge's place, by claim and passages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .errors import ConfigurationError
from .evidence.claim_ids import SHORT_ID, claim_id
from .evidence.gate import Passage
from .text.visible import visible
from .verdict import Verdict

if TYPE_CHECKING:
    from .committed import VerdictLine


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


class Overrides:
    """The overrides among committed verdicts.

    Args:
        tell: takes a line for people where one no longer applies.

    Raises:
        ConfigurationError: one is damaged.
    """

    def __init__(self, lines: Iterable[VerdictLine], tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._by_id: dict[str, Override] = {}
        self._by_claim: dict[str, list[Override]] = {}
        for line in lines:
            try:
                verdict, reason = Verdict(line.reply["verdict"]), str(line.reply["reason"])
            except (KeyError, ValueError):
                raise ConfigurationError(
                    f"the committed verdict by hand {line.key[:SHORT_ID]} is damaged: its reply "
                    "has a verdict and a reason (python -m pytest_ragassert verdicts verify)"
                ) from None
            override = Override(line.key, line.about, verdict, reason)
            self._by_id[override.id] = override
            self._by_claim.setdefault(override.claim, []).append(override)

    def of(self, claim: str, passages: Sequence[Passage]) -> Override | None:
        """The person's verdict on a claim; told where there is one for other passages alone."""
        known = self._by_claim.get(claim)
        if known is None:
            return None
        id = claim_id(claim, [text for _, text in passages])
        if id not in self._by_id:
            self._tell(
                f'by hand: "{visible(claim)[:60]}" was {known[0].verdict.words} for other '
                "passages, and is the judge's again: python -m pytest_ragassert verdicts override "
                f'{id[:SHORT_ID]} {known[0].verdict.value} --reason "…" renews it'
            )
        return self._by_id.get(id)
