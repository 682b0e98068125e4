"""What an id may refer to: a claim or criterion, a judgement, or a passage, with everything known
about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..runtime.canonical_json import Json
from ..steps.catalogue import STEPS
from ..steps.evidence.passage_hashes import is_hash
from ..steps.verify_claims import VERIFY_CLAIMS
from ..storage.committed.verdict_line import VerdictLine, judge_name
from ..storage.contents import Content
from ..storage.failed_claims import ReportedClaim
from ..storage.judged_claims import claims_in


@dataclass(frozen=True)
class FoundClaim:
    """A claim with the passages it was checked against, or a criterion with the answer.

    Attributes:
        is_criterion: whether it is a criterion, which has its own labels; `claim` is its text.
        passages: the passages with their 1-based numbers; shortened if `cut`.
        reports: the reports, newest first; empty if it was found among stored questions.
        override: a person's verdict, if one is committed.
        judgements: keys of the judgements known to be on it.
    """

    id: str
    claim: str
    passages: list[tuple[int, str]] = field(default_factory=list)
    cut: bool = False
    reports: list[ReportedClaim] = field(default_factory=list)
    override: VerdictLine | None = None
    judgements: list[str] = field(default_factory=list)
    is_criterion: bool = False


@dataclass(frozen=True)
class FoundJudgement:
    """A judgement with its question, from all sources; or a whole question, whose answer earlier
    versions kept.

    Attributes:
        line: its line in the committed verdicts.
        answer: its answer in the store.
        asked: its question in the store.
        texts: the stored texts of the passages that it names by hash.
    """

    key: str
    line: VerdictLine | None
    answer: Content | None
    asked: Json | None
    texts: Mapping[str, str]

    @property
    def step(self) -> str:
        return self.line.step if self.line else self.answer.step if self.answer else "?"

    @property
    def about(self) -> str:
        if self.line is not None:
            return self.line.about
        return str(self.answer.record.get("about", "")) if self.answer else ""

    @property
    def judge(self) -> str:
        if self.line is not None:
            return self.line.judge
        record = self.answer.record if self.answer else {}
        return judge_name(str(record.get("judge")), record.get("model"))

    @property
    def hashes(self) -> list[str]:
        """Hashes of the passages that the claim is checked against, as far as they are known."""
        named: Any = ()
        if self.claim is None:
            pass
        elif self.asked is not None:
            named = self.asked["input"].get("passages")
        elif self.line is not None:
            named = list(self.line.passages)
        elif self.answer is not None:
            named = self.answer.record.get("passages")
        return list(filter(is_hash, named)) if isinstance(named, list) else []

    @property
    def claim(self) -> str | None:
        """The judged claim; None if it is another judgement, or a whole question."""
        if self.step not in (VERIFY_CLAIMS.name, "?"):
            return None
        if self.asked is not None:
            claim = self.asked["input"].get("claim")
            return claim if isinstance(claim, str) else None
        return self.about if self.step == VERIFY_CLAIMS.name and not self.is_whole else None

    @property
    def ids(self) -> list[str]:
        """Ids of the claim with its passages, if they are known."""
        id = self.asked.get("id") if self.asked is not None else None
        return [id] if isinstance(id, str) else []

    @property
    def replies(self) -> list[Any]:
        """The replies without duplicates, the committed one first."""
        replies: list[Any] = [self.line.reply] if self.line is not None else []
        own = self.answer.record.get("reply") if self.answer is not None else None
        return replies if self.answer is None or own in replies else [*replies, own]

    @property
    def source(self) -> str | None:
        """The key of the judgement that it was carried over from; empty if it was not."""
        if self.line is not None:
            return self.line.source
        source = self.answer.record.get("from") if self.answer is not None else None
        return source if isinstance(source, str) else None

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole question."""
        step = STEPS.get(self.step)
        return step is not None and any(map(step.is_kept_whole, self.replies))

    def is_on(self, id: str, claim: str) -> bool:
        """Whether it is, or may be, a judgement on this claim with these passages."""
        if self.asked is None:
            return self.is_whole or self.about == claim
        if self.claim is not None:
            return id in self.ids
        return any(own == id for own, _ in claims_in(self.asked["input"]))


@dataclass(frozen=True)
class FoundPassage:
    """A stored passage; judgements name it by `hash`."""

    hash: str
    text: str
