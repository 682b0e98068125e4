"""Metrics of retrieval by ids, without a judge: which relevant contexts were found, at which ranks.

Scores equal those of trec_eval for the same ranking and grades.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..case import EvalCase
from ..ground_truth import grades_of
from ..language.escaping import is_blank
from ..language.number_format import plural
from ..results import MetricResult
from .findings import Beside, Finding, Printed
from .metric import Ask, Assertion, Metric
from .option_checks import is_count

_LISTS = ("missed", "instead", "found")
_MOST_LISTED = 20  # ids of a list that a result keeps
_MOST_RANKS = 5  # ranks that a reason names


@dataclass(frozen=True)
class Ranking:
    """A ranking of retrieved ids and the grades of the relevant ones.

    Attributes:
        ids: in rank order, without duplicates; None for a context whose id is unknown.
        grades: grades by id; ids with a grade above 0 are relevant.
        k: the number of ranks that count; None: all.
    """

    ids: Sequence[str | None]
    grades: dict[str, float]
    k: int | None

    @cached_property
    def gains(self) -> list[float]:
        """The grade at each rank that counts; 0 for ids that are not relevant."""
        return [max(0.0, self.grades.get(id or "", 0.0)) for id in self.ids[: self.k]]

    @cached_property
    def relevant(self) -> list[str]:
        """The relevant ids, the highest grade first."""
        ids = [id for id, grade in self.grades.items() if grade > 0]
        return sorted(ids, key=lambda id: -self.grades[id])

    @cached_property
    def hit_ranks(self) -> list[int]:
        """The ranks, among those that count, of relevant ids."""
        return [rank for rank, gain in enumerate(self.gains, start=1) if gain > 0]

    @property
    def hits(self) -> int:
        """The number of relevant ids at ranks that count."""
        return len(self.hit_ranks)


class _Retrieval(Metric):
    """A metric of a ranking of ids; each subclass has its formula."""

    requires = ("retrieved_context_ids", "ground_truth_context_ids")
    says_right = False
    asks_judge = False
    asks_only = True

    @abstractmethod
    def score(self, ranking: Ranking) -> float:
        """The score, in [0, 1]."""

    def ranks_words(self, ranks: Sequence[int]) -> str:
        """The reason's words on the ranks of relevant ids; empty if the score ignores ranks."""
        return ""

    def lacks(self, case: EvalCase, name: str) -> bool:
        empty = name == "ground_truth_context_ids" and case.ground_truth_context_ids in ([], {})
        return empty or super().lacks(case, name)

    async def measure(self, case: EvalCase, ask: Ask, *, k: int | None = None) -> MetricResult:
        if k is not None and not is_count(k):
            raise ValueError(
                f"k must be a whole number of ranks from 1, or None for all, not {k!r}"
            )
        ids = _each_once(case.retrieved_context_ids or ())
        ranking = Ranking(ids, grades_of(case.ground_truth_context_ids or ()), k)
        return MetricResult(
            metric=self.name,
            score=min(1.0, self.score(ranking)),
            reason="; ".join(filter(None, (_reason(ranking), self.ranks_words(ranking.hit_ranks)))),
            details=_details(ranking),
        )

    def findings(self, row: Printed) -> list[Finding]:
        """The missed ids, those at the ranks instead, and the found ones."""
        details = row["details"]
        found: list[Finding] = []
        for name in _LISTS:
            text = ", ".join(map(_words, details.get(name, ())))
            more = details.get("more", {}).get(name, 0)
            if text:
                found.append(Beside(f"{name:<7}", f"{text} and {more} more" if more else text))
        return found


class RetrievalRecall(_Retrieval):
    """The retriever finds the relevant contexts: retrieved relevant ids / relevant ids.

    No judge is asked. The score equals trec_eval's `recall_k`. An id that is retrieved twice counts
    at its first rank.

    Args:
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_retrieval_recall`,
            or else 0.8.
        k: how many ranks count, at least 1. Default: all.

    Raises:
        RagAssertionError: the score is below `min`.
        MissingFieldError: the case lacks `retrieved_context_ids` or `ground_truth_context_ids`, or
            the latter is empty.
        ValueError: `k` is not a whole number from 1.
    """

    name = "retrieval_recall"
    default_min = 0.8
    asserted_by = (Assertion("assert_retrieval_recall", "relevant contexts are found, by ids"),)

    def score(self, ranking: Ranking) -> float:
        return ranking.hits / len(ranking.relevant) if ranking.relevant else 0.0


class RetrievalPrecision(_Retrieval):
    """The retriever finds little else: relevant ids / retrieved ids, or relevant ids / `k`.

    The score equals trec_eval's `P_k`, which counts a rank without a retrieved id as a miss;
    without `k` it equals `set_P`. Default minimum 0.5. Arguments and errors as in
    `assert_retrieval_recall`.
    """

    name = "retrieval_precision"
    default_min = 0.5
    asserted_by = (
        Assertion("assert_retrieval_precision", "retrieved contexts are relevant, by ids"),
    )

    def score(self, ranking: Ranking) -> float:
        ranks = ranking.k or len(ranking.ids)
        return ranking.hits / ranks if ranks else 0.0


class HitRate(_Retrieval):
    """The retriever finds at least one relevant context: 1 if it does, else 0.

    The score equals trec_eval's `success_k`. Default minimum 1. Arguments and errors as in
    `assert_retrieval_recall`.
    """

    name = "hit_rate"
    default_min = 1.0
    asserted_by = (Assertion("assert_hit_rate", "at least one relevant context is found, by ids"),)

    def score(self, ranking: Ranking) -> float:
        return float(ranking.hits > 0)


class ReciprocalRank(_Retrieval):
    """A relevant context comes early: 1 / the rank of the first relevant id, 0 if there is none.

    The score equals trec_eval's `recip_rank`; its mean over the cases of a run is the mean
    reciprocal rank, MRR. Default minimum 0.5. Arguments and errors as in `assert_retrieval_recall`.
    """

    name = "mrr"
    default_min = 0.5
    asserted_by = (Assertion("assert_mrr", "the first relevant context comes early, by ids"),)

    def score(self, ranking: Ranking) -> float:
        return 1 / ranking.hit_ranks[0] if ranking.hits else 0.0

    def ranks_words(self, ranks: Sequence[int]) -> str:
        return f"first relevant at rank {ranks[0]}" if ranks else ""


class Ndcg(_Retrieval):
    """The best contexts come first: discounted cumulative gain / that of the ideal ranking.

    The score equals trec_eval's `ndcg_cut_k`, or its `ndcg` without `k`: the gain is the grade, the
    discount log2(rank + 1). Default minimum 0.7. Arguments and errors as in
    `assert_retrieval_recall`.
    """

    name = "ndcg"
    default_min = 0.7
    asserted_by = (Assertion("assert_ndcg", "the best contexts come first, by ids and grades"),)

    def score(self, ranking: Ranking) -> float:
        best = [ranking.grades[id] for id in ranking.relevant][: ranking.k]
        return _discounted(ranking.gains) / _discounted(best) if best else 0.0

    def ranks_words(self, ranks: Sequence[int]) -> str:
        return _all_ranks(ranks)


class MeanAveragePrecision(_Retrieval):
    """Relevant contexts come before others: the mean precision at the ranks of relevant ids.

    The score equals trec_eval's `map_cut_k`, or its `map` without `k`: the sum of precisions is
    divided by the number of relevant ids, found or not. Default minimum 0.5. Arguments and errors
    as in `assert_retrieval_recall`.
    """

    name = "map"
    default_min = 0.5
    asserted_by = (Assertion("assert_map", "relevant contexts come before others, by ids"),)

    def score(self, ranking: Ranking) -> float:
        total = sum(hits / rank for hits, rank in enumerate(ranking.hit_ranks, start=1))
        return total / len(ranking.relevant) if ranking.hits else 0.0

    def ranks_words(self, ranks: Sequence[int]) -> str:
        return _all_ranks(ranks)


def _each_once(ids: Iterable[str | None]) -> list[str | None]:
    """Each id at its first rank; contexts without an id all count as different."""
    seen: set[str] = set()
    kept: list[str | None] = []
    for id in ids:
        if id is None or is_blank(id):
            kept.append(None)
        elif id not in seen:
            seen.add(id)
            kept.append(id)
    return kept


def _discounted(gains: Iterable[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _all_ranks(ranks: Sequence[int]) -> str:
    """The reason's words on all ranks: `relevant at ranks 3, 5`"""
    if not ranks:
        return ""
    shown = ", ".join(map(str, ranks[:_MOST_RANKS]))
    more = len(ranks) - _MOST_RANKS
    said = f"relevant at {'rank' if len(ranks) == 1 else 'ranks'} {shown}"
    return f"{said} and {more} more" if more > 0 else said


def _reason(ranking: Ranking) -> str:
    """`2 of 3 relevant ids in the first 5 of 12`; `1 of 1 relevant id in 3, k=10`"""
    if not ranking.relevant:
        return "no id has a grade above 0"
    found = f"{ranking.hits} of {plural(len(ranking.relevant), 'relevant id')}"
    if not ranking.ids:
        return f"{found}: nothing was retrieved"
    k, retrieved = ranking.k, len(ranking.ids)
    if k is None:
        return f"{found} in {retrieved}"
    if k < retrieved:
        return f"{found} in the first {k} of {retrieved}"
    return f"{found} in {retrieved}, k={k}"


def _details(ranking: Ranking) -> dict[str, Any]:
    """The missed ids, those at the ranks instead, and the found ones, as JSON data."""
    graded = len({ranking.grades[id] for id in ranking.relevant}) > 1

    def listed(id: str | None, rank: int | None) -> dict[str, Any]:
        grade = {"grade": ranking.grades[id]} if graded and id in ranking.relevant else {}
        return {"id": id, "rank": rank, **grade}

    ranks = {id: rank for rank, id in enumerate(ranking.ids, start=1) if id is not None}
    counted = list(enumerate(ranking.ids[: ranking.k], start=1))
    missed = [id for id in ranking.relevant if ranks.get(id, math.inf) > len(counted)]
    lists = (
        [listed(id, ranks.get(id)) for id in missed],
        [listed(id, rank) for rank, id in counted if not ranking.gains[rank - 1]],
        [listed(id, rank) for rank, id in counted if ranking.gains[rank - 1]],
    )
    named = dict(zip(_LISTS, lists, strict=True))
    return {
        "k": ranking.k,
        "relevant": len(ranking.relevant),
        "retrieved": len(ranking.ids),
        **{name: ids[:_MOST_LISTED] for name, ids in named.items()},
        "more": {n: len(ids) - _MOST_LISTED for n, ids in named.items() if len(ids) > _MOST_LISTED},
    }


def _words(one: dict[str, Any]) -> str:
    """`7 at rank 2, grade 3`"""
    rank = "not retrieved" if one["rank"] is None else f"at rank {one['rank']}"
    id = "one without an id" if one["id"] is None else one["id"]
    grade = f" (grade {one['grade']:g})" if "grade" in one else ""
    return f"{id}{grade} {rank}"
