"""The rule by which a verdict on a claim is carried over from one set of passages to another.

A verdict was given on the passages S, and is wanted on S'. It is first restricted to K, the
passages that both have: it still holds there where it is NO_EVIDENCE, or where all its quotes stand
in K and together say what the claim says. Then N is added, the passages that only S' has. Where
there are none the verdict is carried over; else the claim is asked against N alone, and carried
over where N has no evidence on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ...judgements import BY_MERIT, Verdict
from ...language.token_estimate import estimated_tokens
from ...language.words.claim_match import common_language
from ...language.words.references import knows_references, open_reference
from ...runtime.canonical_json import Json
from .coverage import coverage_of
from .evidence_check import find_evidence
from .quotes import repeats_claim

MOST_QUOTES = 2  # of a verdict that is carried over
_MOST_ADDED = 0.5  # of the estimated tokens of all passages: above, the claim is asked against all


class Candidate(NamedTuple):
    """A judgement of the same claim, asked in the same way, that was there before the run began.

    Attributes:
        key: of the judgement.
        passages: the names of those that the claim was held against: their hashes.
    """

    key: str
    passages: Collection[str]


class Source(NamedTuple):
    """A judgement that may be carried over: what it said holds on the passages that stayed.

    Attributes:
        reply: the judgement's.
        added: the names of the passages that it was not held against, sorted.
    """

    key: str
    reply: Json
    added: tuple[str, ...]


def may_be_carried(claim: str, passages: Iterable[str]) -> bool:
    """Whether a verdict on the claim can be carried over at all: it leaves no reference open."""
    # sorted, so that another order of the same passages changes nothing
    code = common_language(claim, sorted(passages))
    return knows_references(code) and open_reference(claim, code) is None


def holds_on(claim: str, reply: Json, kept: Mapping[str, str]) -> bool:
    """Whether a verdict still holds on passages that it was given on, without the others.

    Args:
        claim: one that `may_be_carried`.
        reply: the judgement's, in its normal form; its evidence names passages by their hashes.
        kept: the texts of these passages by name.
    """
    if reply.get("packed") or reply.get("conflict"):
        return False
    verdict = Verdict(reply["verdict"])
    return verdict is Verdict.NO_EVIDENCE or _is_covered(claim, reply, verdict, kept)


def _is_covered(claim: str, reply: Json, verdict: Verdict, kept: Mapping[str, str]) -> bool:
    evidence = reply["evidence"]
    if not 0 < len(evidence) <= MOST_QUOTES or any(one["passage"] not in kept for one in evidence):
        return False
    contradicts = verdict is Verdict.CONTRADICTORY
    quotes = []
    for one in evidence:
        # in the passage that the judge named: another may have the words and mean something else
        found = find_evidence(one["quote"], 0, [(0, kept[one["passage"]])], claim)
        if found is None or (contradicts and repeats_claim(found.quote, claim)):
            return False
        quotes.append(found.quote)
    texts = [kept[name] for name in sorted(kept)]
    return coverage_of(claim, quotes, texts, contradicts=contradicts).ok


def in_order(
    candidates: Iterable[Candidate], wanted: Collection[str]
) -> Iterator[Sequence[Candidate]]:
    """The candidates that share a passage with those wanted, in groups of equal worth: the most
    passages in common come first, so that the fewest are added."""
    names = frozenset(wanted)

    def added(candidate: Candidate) -> int:
        return len(names.difference(candidate.passages))

    sharing = [one for one in candidates if added(one) < len(names)]
    for _, group in groupby(sorted(sharing, key=added), added):
        yield list(group)


def source_of(
    claim: str,
    group: Iterable[tuple[Candidate, Json]],
    wanted: Mapping[str, str],
) -> Source | None:
    """The judgement of a group that is carried over: the worst verdict, then the smallest key.

    Args:
        claim: one that `may_be_carried`.
        group: candidates of equal worth with their replies.
        wanted: the texts of the passages wanted, by name.
    """

    def rank(source: Source) -> tuple[int, str]:
        return -BY_MERIT.index(Verdict(source.reply["verdict"])), source.key

    sources = []
    for candidate, reply in group:
        names = frozenset(candidate.passages)
        kept = {name: text for name, text in wanted.items() if name in names}
        if holds_on(claim, reply, kept):
            added = tuple(sorted(wanted.keys() - names))
            sources.append(Source(candidate.key, reply, added))
    return min(sources, key=rank, default=None)


def asks_added_alone(added: Iterable[str], wanted: Iterable[str]) -> bool:
    """Whether asking against the added passages first is worth a request of its own."""
    return _tokens(added) <= _MOST_ADDED * _tokens(wanted)


def _tokens(texts: Iterable[str]) -> int:
    return sum(map(estimated_tokens, texts))


def carried_reply(reply: Json, passages: Collection[str]) -> Json:
    """The reply as it stands for another set of passages: without evidence that is in none.

    Only a verdict of NO_EVIDENCE has such.
    """
    evidence = [one for one in reply["evidence"] if one["passage"] in passages]
    return {**reply, "evidence": evidence}


# -- on plain data ---------------------------------------------------------------------------------


class Carried(NamedTuple):
    """What the rule says of a verdict on other passages.

    Attributes:
        holds: it holds on the passages that stayed; else the claim is asked against all.
        added: the texts of the passages that were not there before; none: it is carried over.
        asks_added: the claim is to be asked against these alone, and the verdict is carried over
            where they have no evidence; else it is asked against all.
    """

    holds: bool
    added: tuple[str, ...]
    asks_added: bool


def carries(
    claim: str, verdict: Mapping[str, Any], before: Sequence[str], after: Sequence[str]
) -> Carried:
    """What becomes of a verdict on passages, where others are wanted.

    Args:
        verdict: as `verify_claims` read it; passages count from 1.
        before: the passages that it was given on.
        after: those wanted.
    """
    wanted = {text: text for text in after}
    names = dict(enumerate(before, start=1))
    evidence = [
        {"passage": names.get(one["passage"]), "quote": one["quote"]} for one in verdict["evidence"]
    ]
    found = None
    if may_be_carried(claim, after):
        group = [(Candidate("", before), {**verdict, "evidence": evidence})]
        shares = not wanted.keys().isdisjoint(before)
        found = source_of(claim, group, wanted) if shares else None
    if found is None:
        return Carried(False, tuple(text for text in wanted if text not in before), False)
    added = tuple(text for text in wanted if text in found.added)
    return Carried(True, added, bool(added) and asks_added_alone(added, wanted))
