"""Writes and checks candidates in rounds, until enough cases are kept or no candidate is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from ..corpus.passages import Corpus, Passage
from ..engine.jobs import Asked
from ..engine.work import Begin, Done
from ..errors import JudgeError, VerdictMissing
from ..metrics.metric import Ask
from .candidates import KINDS, Candidate, CandidateStream, Kind, with_headings
from .draft import Dropped
from .near_copies import NearCopies
from .passage_index import PassageIndex
from .proof import Proven, Prover, written

Value = TypeVar("Value")
Outcome = Proven | Dropped
OnDone = Callable[[Done[Any]], None]
DoAll = Callable[[Sequence[Begin[Any]], OnDone], list[Done[Any] | None]]

# How many candidates of a kind are tried at most: for each case that is wanted, and in addition.
_TRIES, _MORE_TRIES = 3, 6
# The number of passages, by words and by vectors each, that are checked for an answer to a question
# that the documents must not answer.
NEAREST = 8
_ENOUGH_ERRORS = 5  # candidates without an answer, before the first with one
NO_ANSWER = "the judge gave no usable answer"
NEAR_COPY = "a near-copy of another question"


@dataclass(frozen=True)
class Wanted:
    """What is to be generated.

    Attributes:
        number: how many cases, including the generated ones of `earlier`.
        shares: the share of each kind, in relation to those of the other kinds.
        seed: decides which passages are chosen.
        rejected: ids of cases, and keys of candidates, that are not written again.
    """

    number: int
    shares: Mapping[Kind, float]
    personas: tuple[str, ...] = ()
    language: str | None = None
    seed: int = 0
    rejected: frozenset[str] = frozenset()


@dataclass(frozen=True)
class EarlierCase:
    """A case that already exists.

    Attributes:
        kind, key: those of its candidate; None if a person wrote the case.
        quotes: the quotes that prove it, as passage id and half-open offsets.
    """

    question: str
    kind: Kind | None = None
    key: str | None = None
    quotes: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True)
class Rejection:
    """A candidate that was not kept.

    Attributes:
        reason: the kind of reason.
        details: what is wrong with this case; None if the reason says everything.
        question: None if no question was written.
    """

    candidate: Candidate
    reason: str
    details: str | None
    question: str | None


@dataclass
class Generated:
    """The new cases, and what happened to the other candidates.

    Attributes:
        kept: in the order in which they were tried.
        exhausted: kinds of which no candidate is left that could be tried.
        gave_up: kinds of which enough candidates were tried.
        ended: the error after which nothing more was asked; None if there was none.
    """

    kept: list[Proven] = field(default_factory=list)
    dropped: list[Rejection] = field(default_factory=list)
    exhausted: set[Kind] = field(default_factory=set)
    gave_up: set[Kind] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    short: dict[Kind, tuple[int, int]] = field(default_factory=dict)
    ended: JudgeError | VerdictMissing | None = None
    asked: list[Asked] = field(default_factory=list)


def quotas(number: int, shares: Mapping[Kind, float]) -> dict[Kind, int]:
    """Return how many of `number` cases each kind gets, by the largest remainder."""
    total = sum(shares.values())
    exact = {kind: number * shares[kind] / total for kind in KINDS if shares.get(kind)}
    whole = {kind: int(value) for kind, value in exact.items()}
    by_remainder = sorted(exact, key=lambda kind: whole[kind] - exact[kind])
    for kind in by_remainder[: number - sum(whole.values())]:
        whole[kind] += 1
    return whole


class Generator:
    """Generates cases.

    Args:
        do_all: does pieces of work, as `work_through` and `plan_through` with a session.
        earlier: cases that already exist; no new one asks the same.
        on_progress: called after each candidate with how many cases there are so far.
    """

    def __init__(
        self,
        do_all: DoAll,
        corpus: Corpus,
        wanted: Wanted,
        earlier: Sequence[EarlierCase] = (),
        on_progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._do_all = do_all
        self._wanted = wanted
        self._earlier = earlier
        self._on_progress = on_progress
        self._passages = corpus.passages
        self._index = PassageIndex({id: with_headings(one) for id, one in corpus.passages.items()})
        self._known = {one.key for one in earlier}
        self._copies = NearCopies()
        self._prover = Prover(self._nearest)
        self._targets = Counter(quotas(wanted.number, wanted.shares))
        self._have = Counter(one.kind for one in earlier if one.kind is not None)
        self._tried: Counter[Kind] = Counter()
        self._streams = {
            kind: CandidateStream(
                corpus,
                self._index,
                kind,
                seed=wanted.seed,
                personas=wanted.personas,
                language=wanted.language,
            )
            for kind in self._targets
        }
        self._made = Generated()
        self._last_error: JudgeError | VerdictMissing | None = None

    def run(self) -> Generated:
        """Generate until there are enough cases, no candidate is left, or judging ends.

        Raises:
            ConfigurationError: the judge or the embedder can't be asked.
        """
        for one in self._earlier:
            self._copies.add(one.question, one.quotes)
        while self._made.ended is None and (needed := self._needed()):
            chosen = self._do_alone(partial(self._choose, needed))
            if chosen is None:
                break
            self._try(chosen)
            if self._never_answers():
                self._made.ended = self._last_error
        for kind, number in quotas(self._wanted.number, self._wanted.shares).items():
            if self._have[kind] < number:
                self._made.short[kind] = (self._have[kind], number)
        return self._made

    # -- how many of which kind --------------------------------------------------------------------

    def _move_targets(self, closed: Set[Kind]) -> None:
        """Let other kinds give what the closed ones can't; more questions without an answer would
        make another data set.
        """
        rest = [one for one in self._targets if one not in closed and one != "unanswerable"]
        for kind in self._targets:
            if kind in closed and (short := self._targets[kind] - self._have[kind]) > 0:
                self._targets[kind] -= short
                if rest:
                    self._targets[rest[0]] += short

    def _needed(self) -> Counter[Kind]:
        """Return how many candidates of each kind are tried next."""
        closed = self._made.exhausted | self._made.gave_up
        self._move_targets(closed)
        left = self._wanted.number - self._have.total()
        needed: Counter[Kind] = Counter()
        for kind in self._targets:
            if kind not in closed:
                needed[kind] = min(left, max(0, self._targets[kind] - self._have[kind]))
                left -= needed[kind]
        return +needed

    def _most_tries(self, kind: Kind) -> int:
        return _TRIES * self._targets[kind] + _MORE_TRIES

    async def _choose(self, needed: Mapping[Kind, int], ask: Ask) -> list[Candidate]:
        """Return the candidates that are tried next."""
        chosen = []
        for kind, number in needed.items():
            most = min(number, self._most_tries(kind) - self._tried[kind])
            if most <= 0:
                self._made.gave_up.add(kind)
                continue
            new = await self._new_candidates(ask, kind, most)
            if len(new) < most:
                self._made.exhausted.add(kind)
            self._tried[kind] += len(new)
            chosen += new
        return chosen

    async def _new_candidates(self, ask: Ask, kind: Kind, most: int) -> list[Candidate]:
        new: list[Candidate] = []
        while len(new) < most:
            taken = await self._streams[kind].take(ask, most - len(new))
            if not taken:
                break
            for one in taken:
                if not self._wanted.rejected.isdisjoint((one.case_id, one.key)):
                    self._made.rejected.add(one.key)
                elif one.key not in self._known:
                    new.append(one)
        return new

    # -- trying them -------------------------------------------------------------------------------

    def _do(
        self, pieces: Sequence[Begin[Value]], on_done: OnDone = lambda _: None
    ) -> list[Done[Value] | None]:
        """Do the work; note what it asked, and whether judging ended."""
        outcomes = self._do_all(pieces, on_done)
        for done in outcomes:
            if done is not None:
                self._made.asked += done.asked
                if self._made.ended is None and done.ends_judging:
                    self._made.ended = done.error
        return outcomes

    def _do_alone(self, piece: Begin[Value]) -> Value | None:
        """Do work without which there can be no further cases, so that any error is the end."""
        (done,) = self._do([piece])
        if done is None:
            return None
        self._made.ended = self._made.ended or done.error
        return done.value

    def _try(self, chosen: Sequence[Candidate]) -> None:
        """Have the candidates written and checked; keep those that pass."""
        have = self._have.total()

        def count(done: Done[Outcome]) -> None:
            nonlocal have
            have += isinstance(done.value, Proven)
            self._on_progress(have)

        outcomes = self._do([partial(self._case, one) for one in chosen], count)
        for candidate, done in zip(chosen, outcomes, strict=True):
            if done is None or done.ends_judging:
                continue
            if done.error is not None:
                self._last_error = done.error
                self._drop(candidate, Dropped(NO_ANSWER, str(done.error)))
            elif isinstance(done.value, Dropped):
                self._drop(candidate, done.value)
        passed = [done.value for done in outcomes if done and isinstance(done.value, Proven)]
        self._do_alone(partial(self._keep_different, passed))

    def _never_answers(self) -> bool:
        """Whether the judge gave no answer to any of the first questions, so it is useless."""
        dropped = self._made.dropped
        return (
            not self._made.kept
            and len(dropped) >= _ENOUGH_ERRORS
            and all(one.reason == NO_ANSWER for one in dropped)
        )

    async def _case(self, candidate: Candidate, ask: Ask) -> Outcome:
        try:
            draft = await written(ask, candidate)
            return await self._prover.proven(ask, draft)
        except Dropped as dropped:
            return dropped

    async def _nearest(self, ask: Ask, question: str) -> list[Passage]:
        ids = await self._index.answering(ask, question, most=NEAREST)
        return [self._passages[id] for id in ids]

    async def _keep_different(self, passed: Sequence[Proven], ask: Ask) -> None:
        """Keep those that ask what no case asks that was kept before, in order."""
        for one in passed:
            draft, places = one.draft, one.draft.places
            copied = await self._copies.copied_from(ask, draft.question, places)
            if copied is not None:
                dropped = Dropped(NEAR_COPY, f'of "{copied}"', draft.question)
                self._drop(draft.candidate, dropped)
                continue
            self._copies.add(draft.question, places)
            self._made.kept.append(one)
            self._have[draft.candidate.kind] += 1

    def _drop(self, candidate: Candidate, dropped: Dropped) -> None:
        self._made.dropped.append(
            Rejection(candidate, dropped.reason, dropped.details, dropped.question)
        )
