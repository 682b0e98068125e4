"""Finds the claim or question of an id that someone read in a report."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import ConfigurationError
from ..runtime.canonical_json import Json
from ..storage.committed.committed_verdicts import CommittedVerdicts
from ..storage.committed.verdict_line import OVERRIDE, VerdictLine, judge_name
from ..storage.contents import REPAIR, Content, UnreadableStore, content_of
from ..storage.failed_claims import ReportedClaim, read_reported
from ..storage.judged_claims import claims_in
from ..storage.keys import QUESTION_SUFFIX, question_key
from ..storage.open_store import open_store
from ..storage.store import Store
from .locations import Places
from .output import Failed, named, short

SHORTEST = 6  # characters of an id that may stand for the whole
_ID = re.compile(f"[0-9a-f]{{{SHORTEST},64}}")


@dataclass(frozen=True)
class FoundClaim:
    """A claim with the passages it was checked against.

    Attributes:
        passages: with their 1-based numbers; cut where `cut`.
        reports: the newest first; none where it was found among stored questions.
        override: a person's verdict, where one is committed.
        questions: keys of the questions that are known to ask for it.
    """

    id: str
    claim: str
    passages: list[tuple[int, str]] = field(default_factory=list)
    cut: bool = False
    reports: list[ReportedClaim] = field(default_factory=list)
    override: VerdictLine | None = None
    questions: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class FoundQuestion:
    """A question and its answer, from wherever there is something of it.

    Attributes:
        line: of the committed verdicts.
        answer: of the store.
        asked: the whole question, of the store.
    """

    key: str
    line: VerdictLine | None
    answer: Content | None
    asked: Json | None

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


class Finder:
    """Searches reported claims, committed verdicts and the store."""

    def __init__(
        self,
        reported: Sequence[ReportedClaim],
        committed: CommittedVerdicts | None,
        store: Store,
    ) -> None:
        self._reported = reported
        self._committed = committed
        self._store = store

    def claim_or_question(self, text: str) -> FoundClaim | FoundQuestion:
        """
        Raises:
            ConfigurationError: it is no id.
            Failed: nothing has that id, or several have.
        """
        prefix = checked(text)
        claims, questions = self._claims(prefix), self._questions(prefix)
        if not claims and not questions:
            claims = self._asked_claims(prefix)
        if len(claims) + len(questions) != 1:
            raise _not_one(text, self._named(claims, questions))
        return claims[0] if claims else self.question(questions[0])

    def claim(self, text: str) -> FoundClaim:
        """
        Raises:
            ConfigurationError, Failed: as `claim_or_question`.
        """
        prefix = checked(text)
        claims = self._claims(prefix) or self._asked_claims(prefix)
        if not claims and (questions := self._questions(prefix)):
            raise Failed(
                f"{text} is a question, {short(questions[0])}, not a claim; the ids of its claims "
                f"are in: python -m pytest_ragassert verdicts show {short(questions[0])}"
            )
        if len(claims) != 1:
            raise _not_one(text, self._named(claims, []))
        return claims[0]

    def question(self, key: str) -> FoundQuestion:
        line = self._committed.line(key) if self._committed is not None else None
        row, asked = self._store.row(key), self._store.row(question_key(key))
        question = content_of(asked) if asked is not None else None
        return FoundQuestion(
            key,
            line,
            content_of(row) if row is not None else None,
            question.record if question is not None and question.kind == "question" else None,
        )

    def override(self, key: str) -> VerdictLine | None:
        line = self._committed.line(key) if self._committed is not None else None
        return line if line is not None and line.step == OVERRIDE else None

    def _claims(self, prefix: str) -> list[FoundClaim]:
        """Those that were reported or overridden."""
        found: dict[str, FoundClaim] = {}
        for report in self._reported:
            if report.id.startswith(prefix):
                known = found.setdefault(report.id, self._reported_claim(report))
                known.reports.append(report)
                known.questions.extend(k for k in report.questions if k not in known.questions)
        for line in self._committed.overrides() if self._committed is not None else ():
            if line.key.startswith(prefix) and line.key not in found:
                asked = self._asked_claims(line.key)
                alone = FoundClaim(line.key, line.about, override=line)
                found[line.key] = asked[0] if asked else alone
        return [found[id] for id in sorted(found)]

    def _reported_claim(self, report: ReportedClaim) -> FoundClaim:
        numbered = [(n, text) for n, text in enumerate(report.passages, start=1) if text.strip()]
        override = self.override(report.id)
        return FoundClaim(report.id, report.claim, numbered, report.passages_cut, override=override)

    def _questions(self, prefix: str) -> list[str]:
        keys = {key for key in self._store.keys(prefix) if not key.endswith(QUESTION_SUFFIX)}
        if self._committed is not None:
            known = filter(lambda key: key.startswith(prefix), self._committed.keys())
            keys.update(key for key in known if self.override(key) is None)
        return sorted(keys)

    def _asked_claims(self, prefix: str) -> list[FoundClaim]:
        """Those that stored questions ask for."""
        found: dict[str, FoundClaim] = {}
        for judged in self._store.judged_claims(id=prefix):
            if judged.id not in found:
                asked = self.question(judged.key).asked
                claim = dict(claims_in(asked["input"])).get(judged.id) if asked else None
                if asked is None or claim is None:
                    continue  # it was deleted or replaced meanwhile
                numbered = [(p["id"], p["text"]) for p in asked["input"]["passages"]]
                override = self.override(judged.id)
                found[judged.id] = FoundClaim(judged.id, claim, numbered, override=override)
            found[judged.id].questions.append(judged.key)
        return [found[id] for id in sorted(found)]

    def _named(self, claims: Sequence[FoundClaim], questions: Sequence[str]) -> list[str]:
        named_claims = [f"{short(c.id)}  claim: {named(c.claim)}" for c in claims]
        asked = [(key, self.question(key)) for key in questions]
        return named_claims + [
            f"{short(key)}  {q.step} by {named(q.judge)}: {named(q.about)}" for key, q in asked
        ]


@contextlib.contextmanager
def finder_in(places: Places) -> Iterator[Finder]:
    """
    Raises:
        ConfigurationError: the committed verdicts are damaged.
        Failed: the store can't be read.
    """
    with store_in(places) as store:
        yield Finder(read_reported(places.folder), places.committed(), store)


@contextlib.contextmanager
def store_in(places: Places) -> Iterator[Store]:
    """The store, which need not be there.

    Raises:
        Failed: it can't be read.
    """
    try:
        with open_store(places.folder) as store:
            yield store
    except UnreadableStore as error:
        advice = f"; what can be saved of it is saved by: {REPAIR}" if error.damaged else ""
        raise Failed(f"{error}{advice}") from None


def checked(text: str) -> str:
    """An id, or its beginning, as it stands in keys.

    Raises:
        ConfigurationError: it is none.
    """
    id = text.strip().rstrip("…").lower()
    if not _ID.fullmatch(id):
        raise ConfigurationError(
            f"{text!r} is no id: ids are hexadecimal digits, {SHORTEST} of them at least, as they "
            "stand in reports of failures"
        )
    return id


def _not_one(text: str, found: Sequence[str]) -> Failed:
    if found:
        several = "\n  ".join(found)
        return Failed(f"{text} begins several ids; give more of it:\n  {several}")
    return Failed(
        f"{text}: no reported claim, committed verdict or stored question has this id. Ids stand "
        "in reports of failures, and are kept in the store of the run that failed: name it with "
        "--cache-dir, committed verdicts with --verdicts, or run the tests again here"
    )
