"""Finds the claim, judgement or passage for an id from a report."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ..errors import ConfigurationError
from ..judgements import Met
from ..steps.check_criteria import CHECK_CRITERIA
from ..steps.evidence.claim_ids import claim_id, criterion_id, former_claim_id
from ..steps.evidence.passage_hashes import text_hash
from ..steps.verify_claims import VERIFY_CLAIMS
from ..storage.committed.committed_verdicts import CommittedVerdicts
from ..storage.committed.verdict_line import OVERRIDE, VerdictLine
from ..storage.contents import REPAIR, UnreadableStore, content_of
from ..storage.failed_claims import ReportedClaim, read_reported
from ..storage.judged_claims import JudgedClaim, claims_in
from ..storage.keys import PASSAGE_SUFFIX, question_key
from ..storage.open_store import open_store
from ..storage.store import Store
from .found import FoundClaim, FoundJudgement, FoundPassage
from .locations import Places
from .output import Failed, named, short

SHORTEST = 6  # minimum number of characters that may abbreviate an id
_ID = re.compile(f"[0-9a-f]{{{SHORTEST},64}}")


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

    def found(self, text: str) -> FoundClaim | FoundJudgement | FoundPassage:
        """
        Raises:
            ConfigurationError: the text is not an id.
            Failed: nothing has the id, or several things have it.
        """
        prefix = checked(text)
        claims, keys = self._claims(prefix), self._keys(prefix)
        passages = self._passages(prefix)
        if not claims and not keys and not passages:
            claims = self._asked_claims(prefix)
        if len(claims) + len(keys) + len(passages) != 1:
            raise _not_one(text, self._named(claims, keys, passages))
        if keys:
            return self.judgement(keys[0])
        return claims[0] if claims else passages[0]

    def claim(self, text: str) -> FoundClaim:
        """
        Raises:
            ConfigurationError, Failed: as for `found`.
        """
        prefix = checked(text)
        claims = self._claims(prefix) or self._asked_claims(prefix)
        if not claims and (keys := self._keys(prefix)):
            found = [one for one in map(self._asked_criterion, keys) if one is not None]
            if len(found) == len(keys) == 1:
                return found[0]
            raise Failed(
                f"{text} is the judgement {short(keys[0])}, not a claim; to see the id of its "
                f"claim, run: python -m pytest_ragassert verdicts show {short(keys[0])}"
            )
        if len(claims) != 1:
            raise _not_one(text, self._named(claims, [], []))
        return claims[0]

    def judgement(self, key: str) -> FoundJudgement:
        line = self._committed.line(key) if self._committed is not None else None
        row, asked = self._store.row(key), self._store.row(question_key(key))
        answer = content_of(row) if row is not None else None
        question = content_of(asked) if asked is not None else None
        sound = question is not None and question.kind == "question"
        found = FoundJudgement(
            key, line, answer, question.record if sound and question else None, {}
        )
        return replace(found, texts=passage_texts(self._store, found.hashes))

    def _asked_criterion(self, key: str) -> FoundClaim | None:
        """The criterion of a stored judgement; None if it is not on a criterion."""
        judgement = self.judgement(key)
        if judgement.step != CHECK_CRITERIA.name or judgement.asked is None:
            return None
        input = judgement.asked["input"]
        if not CHECK_CRITERIA.is_judgement(input):
            return None
        id = criterion_id(input)
        return FoundClaim(
            id,
            input["criterion"],
            [(1, input["answer"])],
            override=self.override(id),
            judgements=[key],
            is_criterion=True,
        )

    def override(self, *ids: str) -> VerdictLine | None:
        """The override of a claim, under the first of its ids that has one; None if none has."""
        for id in ids if self._committed is not None else ():
            line = self._committed.line(id) if self._committed is not None else None
            if line is not None and line.step == OVERRIDE:
                return line
        return None

    def overrides_of(self, prefix: str) -> list[VerdictLine]:
        """Reported claims, and claims of stored questions, whose ids have the prefix."""
        claims = self._claims(prefix) or self._asked_claims(prefix)
        return [one.override for one in claims if one.override is not None]

    def other_overrides(self, found: FoundClaim) -> list[VerdictLine]:
        """Reports of the same claim under other ids."""
        known = {found.id, *([] if found.override is None else [found.override.key])}
        overrides = self._committed.overrides() if self._committed is not None else []
        return [line for line in overrides if line.about == found.claim and line.key not in known]

    def _claims(self, prefix: str) -> list[FoundClaim]:
        """Claims that were reported or overridden."""
        found: dict[str, FoundClaim] = {}
        for report in self._reported:
            ids = _ids_of(report)
            if any(id.startswith(prefix) for id in ids):
                known = found.setdefault(ids[0], self._reported_claim(report, ids))
                known.reports.append(report)
                known.judgements.extend(k for k in report.questions if k not in known.judgements)
        overridden = {one.override.key for one in found.values() if one.override is not None}
        for line in self._committed.overrides() if self._committed is not None else ():
            if line.key.startswith(prefix) and line.key not in {*found, *overridden}:
                asked = self._asked_claims(line.key)
                of_criterion = line.reply.get("verdict") in Met.__members__
                alone = FoundClaim(line.key, line.about, override=line, is_criterion=of_criterion)
                found[line.key] = asked[0] if asked else alone
        for id, claim in found.items():
            if claim.reports and not any(map(self._is_known, claim.judgements)):
                # they had other keys when the claim was reported
                for same in self._asked_claims(id):
                    claim.judgements.extend(same.judgements)
        return [found[id] for id in sorted(found)]

    def _reported_claim(self, report: ReportedClaim, ids: Sequence[str]) -> FoundClaim:
        numbered = [(n, text) for n, text in enumerate(report.passages, start=1) if text.strip()]
        override = self.override(*ids)
        return FoundClaim(
            ids[0],
            report.claim,
            numbered,
            report.passages_cut,
            override=override,
            is_criterion=report.label_raw in Met.__members__,
        )

    def _is_known(self, key: str) -> bool:
        """Whether anything is known about a key that asks about claims."""
        committed = self._committed is not None and key in self._committed
        found = self.judgement(key) if committed or self._store.row(key) is not None else None
        return found is not None and found.step == VERIFY_CLAIMS.name

    def _keys(self, prefix: str) -> list[str]:
        """Judgements whose keys have the prefix."""
        keys = {key for key in self._store.keys(prefix) if "." not in key}
        if self._committed is not None:
            known = filter(lambda key: key.startswith(prefix), self._committed.keys())
            keys.update(key for key in known if self.override(key) is None)
        return sorted(keys)

    def _passages(self, prefix: str) -> list[FoundPassage]:
        keys = (key for key in self._store.keys(prefix) if key.endswith(PASSAGE_SUFFIX))
        texts = passage_texts(self._store, (key.removesuffix(PASSAGE_SUFFIX) for key in keys))
        return [FoundPassage(text_hash(text), text) for text in texts.values()]

    def _asked_claims(self, prefix: str) -> list[FoundClaim]:
        """Judgements that stored questions ask for."""
        found: dict[str, FoundClaim] = {}
        for judged in self._store.judged_claims(id=prefix):
            if judged.id not in found:
                claim = self._asked_claim(judged)
                if claim is None:
                    continue  # it was meanwhile deleted or replaced
                found[judged.id] = claim
            found[judged.id].judgements.append(judged.key)
        return [found[id] for id in sorted(found)]

    def _asked_claim(self, judged: JudgedClaim) -> FoundClaim | None:
        judgement = self.judgement(judged.key)
        if judgement.asked is None:
            return None
        if judgement.claim is not None:
            numbered = [
                (number, text)
                for number, one in enumerate(judgement.hashes, start=1)
                if (text := judgement.texts.get(one)) is not None
            ]
            override = self.override(judged.id)
            return FoundClaim(judged.id, judgement.claim, numbered, override=override)
        input = judgement.asked["input"]
        claim = dict(claims_in(input)).get(judged.id)
        if claim is None:
            return None
        numbered = [(p["id"], p["text"]) for p in input["passages"] if type(p.get("id")) is int]
        former = former_claim_id(claim, [text for _, text in numbered])
        return FoundClaim(judged.id, claim, numbered, override=self.override(judged.id, former))

    def _named(
        self, claims: Sequence[FoundClaim], keys: Sequence[str], passages: Sequence[FoundPassage]
    ) -> list[str]:
        found = [(key, self.judgement(key)) for key in keys]
        return [
            *(f"{short(c.id)}  claim: {named(c.claim)}" for c in claims),
            *(
                f"{short(key)}  {one.step} by {named(one.judge)}: {named(one.about)}"
                for key, one in found
            ),
            *(f"{short(one.hash)}  passage: {named(one.text)}" for one in passages),
        ]


def _ids_of(report: ReportedClaim) -> list[str]:
    """The id of a reported claim, and its ids in earlier versions."""
    if report.passages_cut:
        return [report.id]
    known = (claim_id, former_claim_id)
    ids = [made(report.claim, report.passages) for made in known]
    return list(dict.fromkeys([*ids, report.id] if report.id in ids else [report.id]))


def passage_texts(store: Store, hashes: Iterable[str]) -> dict[str, str]:
    """The stored texts of passages, by hashes or their beginnings."""
    found: dict[str, str] = {}
    for one in hashes:
        for key in store.keys(one):
            row = store.row(key) if key.endswith(PASSAGE_SUFFIX) else None
            content = content_of(row) if row is not None else None
            if content is not None and content.kind == "passage":
                found[one] = content.record["text"]
    return found


@contextlib.contextmanager
def finder_in(places: Places) -> Iterator[Finder]:
    """
    Raises:
        ConfigurationError: the committed verdicts are damaged.
        Failed: the store cannot be read.
    """
    with store_in(places) as store:
        yield Finder(read_reported(places.folder), places.committed(), store)


@contextlib.contextmanager
def store_in(
    places: Places, on_notice: Callable[[str], None] = lambda line: None
) -> Iterator[Store]:
    """Open the store, if it exists.

    Args:
        on_notice: called with a line for people if the store on disk can't be written.

    Raises:
        Failed: it cannot be read.
    """
    try:
        with open_store(places.store, on_notice) as store:
            yield store
    except UnreadableStore as error:
        advice = f"; to save what is readable, run: {REPAIR}" if error.damaged else ""
        raise Failed(f"{error}{advice}") from None


def checked(text: str) -> str:
    """Normalize an id, or its beginning, to the form used in keys.

    Raises:
        ConfigurationError: it is not an id.
    """
    id = text.strip().rstrip("…").lower()
    if not _ID.fullmatch(id):
        raise ConfigurationError(
            f"{text!r} is not an id: an id has at least {SHORTEST} hexadecimal digits, as shown in "
            "failure reports"
        )
    return id


def _not_one(text: str, found: Sequence[str]) -> Failed:
    if found:
        several = "\n  ".join(found)
        return Failed(f"{text} matches several ids; give more digits:\n  {several}")
    return Failed(
        f"{text}: no reported claim, committed verdict or stored judgement has this id. Failure "
        "reports show ids, and the store of the failed run keeps them: name that store with "
        "--cache-dir or --store, committed verdicts with --verdicts, or run the tests again here"
    )
