"""Carries verdicts over from the passages that a claim was judged against to other passages.

The rule is `steps.evidence.carry_over`. It uses what was there before the run began, or what is
asked in any case. So a claim's verdict comes about in the same way in any order of tests and in any
process. A verdict that was carried over is stored under the key of its own judgement, together with
the key of its source.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ...config.settings import Settings
from ...judgements import Verdict
from ...steps.evidence.carry_over import (
    Candidate,
    Source,
    asks_added_alone,
    carried_reply,
    in_order,
    may_be_carried,
    source_of,
)
from ...steps.verify_claims import VERIFY_CLAIMS
from ...storage.answers import Answer, Answers
from ...storage.keys import Question
from ...storage.overrides import Overrides
from ...storage.sources import Sources
from ...usage import Usage
from .answer_cache import AnswerCache

if TYPE_CHECKING:
    from ...storage.committed.verdict_line import VerdictLine


class _Plan(NamedTuple):
    """How a judgement is carried over: what remains valid on some of its passages, and the source
    answer. If there are added passages, the claim is first asked against these alone.
    """

    source: Source
    answer: Answer


class Carrying:
    """Carries over the verdicts of a session. May be used from any thread.

    Args:
        exact: returns what is stored under the keys of judgements.
        local: the judge answers at once, in this process, and nothing is stored.
    """

    def __init__(
        self,
        settings: Settings,
        cache: AnswerCache,
        sources: Sources,
        overrides: Overrides,
        exact: Callable[[Mapping[str, Question]], Answers],
        *,
        local: bool,
    ) -> None:
        self._reuses = settings.reuse == "carry"
        self._refreshes = settings.refresh == "carried"
        self._carries = (
            self._reuses
            and not local
            and settings.store_passages == "on"
            and settings.record_mode in ("new_episodes", "none")
        )
        self._cache = cache
        self._sources = sources
        self._overrides = overrides
        self._exact = exact
        self._plans: dict[str, _Plan | None] = {}
        self._refreshed: set[str] = set()

    # -- what was carried over before ------------------------------------------------------------

    def void(self, judgements: Mapping[str, Question], answers: Mapping[str, Answer]) -> set[str]:
        """Return the keys of answers that were carried over and are no longer valid.

        Args:
            judgements: the judgements that were answered, by key.
        """
        carried = {key: one for key, one in answers.items() if one.carried is not None}
        if not carried or not self._reuses:
            return set(carried)
        gone = set()
        if self._refreshes:
            gone = {key for key, one in carried.items() if one.stored}
            self._refreshed |= gone
        sources = {one.carried for key, one in carried.items() if key not in gone}
        said = self._said({key for key in sources if key is not None})
        for key, one in carried.items():
            other = said.get(one.carried or "", one.reply["verdict"]) != one.reply["verdict"]
            if other or self._overrides.decided_on(judgements[key].about):
                gone.add(key)
        return gone

    def _said(self, keys: Collection[str]) -> dict[str, str]:
        """Return the verdicts of those of these judgements that are known."""

        def in_text(key: str, text: str, _: bool) -> str | None:
            try:
                record: Any = json.loads(text)
                return str(record["reply"]["verdict"]) if record["key"] == key else None
            except (ValueError, KeyError, TypeError, RecursionError):
                return None

        def in_line(_: str, line: VerdictLine) -> str:
            return str(line.reply.get("verdict"))

        return self._cache.get_many(keys, in_text, in_line) if keys else {}

    # -- what is carried over now ----------------------------------------------------------------

    def carried(
        self,
        question: Question,
        keys: Collection[str],
        known: Callable[[Question], Answers],
    ) -> Answers:
        """Return what can be carried over without asking, for the judgements with these keys.

        Args:
            keys: those under which nothing is stored.
            known: returns what is known of a question's judgements.
        """
        plans = self._planned(question, keys)
        if not plans:
            return {}
        judgements = {one.key: one for one in question.judgements}
        none_in_added = {
            about
            for asked in _asked_first(question, plans)
            for about, answer in _by_claim(asked, known(asked)).items()
            if answer.reply["verdict"] == Verdict.NO_EVIDENCE
        }
        return {
            key: replace(
                plan.answer,
                reply=carried_reply(plan.source.reply, judgements[key].passages),
                usage=Usage(),
                stored=False,
                committed=False,
                carried=plan.source.key,
            )
            for key, plan in plans.items()
            if not plan.source.added or (judgements[key].about, plan.source.added) in none_in_added
        }

    def asked_first(self, question: Question, keys: Collection[str]) -> list[Question]:
        """Return the questions that decide whether judgements with these keys are carried over.

        They ask about the claims against the passages that are new to them. Each has fewer passages
        than the question.
        """
        return _asked_first(question, self._planned(question, keys))

    def _planned(self, question: Question, keys: Collection[str]) -> dict[str, _Plan]:
        """Return how judgements are carried over, by key, for those that can be."""
        if not self._carries or question.step.name != VERIFY_CLAIMS.name or question.of_part:
            return {}
        wanted = {
            one.key: one
            for one in question.judgements
            if one.key in keys and one.key not in self._refreshed
        }
        new = [one for key, one in wanted.items() if key not in self._plans]
        if new:
            self._plans |= self._made(question, new)
        found = {key: self._plans[key] for key in wanted}
        return {key: plan for key, plan in found.items() if plan is not None}

    def _made(self, question: Question, judgements: list[Question]) -> dict[str, _Plan | None]:
        texts = question.step.passages(question.input)
        plans: dict[str, _Plan | None] = {one.key: None for one in judgements}
        claims = {one.about: one for one in judgements if not self._overrides.decided_on(one.about)}
        known = self._sources.passages_of(claims, question.asked) if claims else {}
        for claim, sets in known.items():
            judgement = claims[claim]
            wanted = {name: texts[name] for name in texts if name in judgement.passages}
            if may_be_carried(claim, wanted.values()):
                plans[judgement.key] = self._plan(judgement, wanted, sets)
        return plans

    def _plan(
        self, judgement: Question, wanted: Mapping[str, str], sets: Iterable[Collection[str]]
    ) -> _Plan | None:
        claim = judgement.about
        others = (
            judgement.with_input({"claim": claim, "passages": list(passages)}) for passages in sets
        )
        asked = {one.key: one for one in others if one.key != judgement.key}
        candidates = (Candidate(key, one.passages) for key, one in asked.items())
        for group in in_order(candidates, wanted):
            answers = {
                key: answer
                for key, answer in self._exact({one.key: asked[one.key] for one in group}).items()
                if answer.stored and answer.carried is None and not self._cache.is_converted(key)
            }
            replies = [(one, answers[one.key].reply) for one in group if one.key in answers]
            source = source_of(claim, replies, wanted)
            if source is None:
                continue
            added = (wanted[name] for name in source.added)
            if source.added and not asks_added_alone(added, wanted.values()):
                return None
            return _Plan(source, answers[source.key])
        return None


def _asked_first(question: Question, plans: Mapping[str, _Plan]) -> list[Question]:
    """Return a question for each set of added passages, with its claims and passages in their
    order.
    """
    claims: dict[tuple[str, ...], set[str]] = {}
    for judgement in question.judgements:
        plan = plans.get(judgement.key)
        if plan is not None and plan.source.added:
            claims.setdefault(plan.source.added, set()).add(judgement.about)
    return [
        question.with_input(VERIFY_CLAIMS.restricted(question.input, about, added))
        for added, about in claims.items()
    ]


def _by_claim(
    asked: Question, answers: Mapping[str, Answer]
) -> dict[tuple[str, tuple[str, ...]], Answer]:
    """Return answers by claim and the names of the passages, as in `Source.added`."""
    names = tuple(sorted(VERIFY_CLAIMS.passages(asked.input)))
    return {(one.about, names): answers[one.key] for one in asked.judgements if one.key in answers}
