"""The rule for carrying a verdict on a claim over from one set of passages to another.

A verdict was given on the passages S, and is wanted for S'. It is first restricted to K, the
passages that both sets have. It is still valid there if it is NO_EVIDENCE, or if all of its quotes
are in K and together say what the claim says. Then N is added, the passages that only S' has. If N
is empty, the verdict is carried over. Otherwise the claim is asked against N alone, and the verdict
is carried over if N has no evidence on it.
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
# of the estimated tokens of all passages; above this share, the claim is asked against all
_MOST_ADDED = 0.5


class Candidate(NamedTuple):
    """A judgement of the same claim, asked in the same way, that existed before the run began.

    Attributes:
        key: the key of the judgement.
        passages: the names of the passages that the claim was judged against: their hashes.
    """

    key: str
    passages: Collection[str]


class Source(NamedTuple):
    """A judgement that may be carried over: its verdict remains valid on the passages that stayed.

    Attributes:
        reply: the judgement's reply.
        added: the names of the passages that it was not judged against, sorted.
    """

    key: str
    reply: Json
    added: tuple[str, ...]


def may_be_carried(claim: str, passages: Iterable[str]) -> bool:
    """Whether a verdict on the claim can be carried over at all: it has no unresolved reference."""
    # sorted, so that another order of the same passages changes nothing
    code = common_language(claim, sorted(passages))
    return knows_references(code) and open_reference(claim, code) is None


def holds_on(claim: str, reply: Json, kept: Mapping[str, str]) -> bool:
    """Whether a verdict remains valid on some of the passages that it was given on.

    Args:
        claim: a claim that `may_be_carried`.
        reply: the judgement's reply in its normal form; its evidence names passages by their
            hashes.
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
    """Return the candidates that share a passage with the wanted ones, in groups of equal rank.
    Those with the most passages in common come first, so that the fewest are added.
    """
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
    """Return the judgement of a group that is carried over: the worst verdict, then the smallest
    key.

    Args:
        claim: a claim that `may_be_carried`.
        group: candidates of equal rank with their replies.
        wanted: the texts of the wanted passages, by name.
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
    """Whether asking against the added passages first is worth a separate request."""
    return _tokens(added) <= _MOST_ADDED * _tokens(wanted)


def _tokens(texts: Iterable[str]) -> int:
    return sum(map(estimated_tokens, texts))


def carried_reply(reply: Json, passages: Collection[str]) -> Json:
    """Return the reply for another set of passages, without evidence from passages not in it.

    Only a NO_EVIDENCE verdict has such evidence.
    """
    evidence = [one for one in reply["evidence"] if one["passage"] in passages]
    return {**reply, "evidence": evidence}


# -- on plain data ---------------------------------------------------------------------------------


class Carried(NamedTuple):
    """The rule's decision on a verdict for other passages.

    Attributes:
        holds: it is valid on the passages that stayed; otherwise the claim is asked against all.
        added: the texts of the passages that were not there before; none: it is carried over.
        asks_added: the claim is to be asked against these alone, and the verdict is carried over if
            they have no evidence; otherwise it is asked against all.
    """

    holds: bool
    added: tuple[str, ...]
    asks_added: bool


def carries(
    claim: str, verdict: Mapping[str, Any], before: Sequence[str], after: Sequence[str]
) -> Carried:
    """Decide what becomes of a verdict when other passages are wanted.

    Args:
        verdict: as `verify_claims` read it; passages count from 1.
        before: the passages that it was given on.
        after: the wanted passages.
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
