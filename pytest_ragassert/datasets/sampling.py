"""Takes samples of cases: the same in every process, and nearly the same when cases are added."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from ..case import EvalCase
from ..language.escaping import is_blank


class Sampling(NamedTuple):
    """How a sample is taken.

    Attributes:
        size: the number of cases; below 1, approximately the share of cases.
        key: the metadata key whose values are the strata; None: all cases are one stratum.
    """

    size: float
    key: str | None = None

    def stratum(self, case: EvalCase) -> str:
        return "" if self.key is None else str(case.metadata.get(self.key, ""))

    def chosen(self, cases: Mapping[str, str]) -> set[str]:
        """Choose a sample from the ids of all cases, given with their strata."""
        if self.size < 1:
            return shared(cases, self.size)
        return sampled(cases, int(self.size))


class Candidates:
    """Collects the cases of a data set that a sample may take, whatever other data sets have.

    Attributes:
        strata: the stratum of every case, by its id.
        mistake: why no sample can be taken; None if one can.
    """

    def __init__(self, sampling: Sampling) -> None:
        self._sampling = sampling
        self.strata: dict[str, str] = {}
        self.mistake: str | None = None

    def of(self, cases: Iterable[EvalCase]) -> list[EvalCase]:
        """The candidates, in the order of cases; no other cases are kept in memory."""
        size, key = self._sampling
        limit, most = (_limit(size), 1) if size < 1 else (0, int(size))
        taken: list[tuple[int, EvalCase]] = []
        # the lowest ranks of each stratum: a heap with the highest of them on top
        first: dict[str, list[tuple[int, int, EvalCase]]] = {}
        has_key = key is None
        for place, case in enumerate(cases):
            if is_blank(case.id):
                self._note(
                    f"--ragassert-sample chooses cases by their ids, but case {case.name} has "
                    "none; give each an id, or pass the result of load_cases, which adds ids"
                )
                continue
            id, stratum = str(case.id), self._sampling.stratum(case)
            has_key = has_key or key in case.metadata
            heap = first.setdefault(stratum, [])
            rank = _rank(id)
            if rank < limit:
                taken.append((place, case))
            elif len(heap) < most:
                heapq.heappush(heap, (-rank, place, case))
            else:
                heapq.heappushpop(heap, (-rank, place, case))
            self.strata[id] = stratum
        if self.strata and not has_key:
            self._note(f"--ragassert-sample-by: no case has {key!r} in its metadata")
        taken += [(place, case) for heap in first.values() for _, place, case in heap]
        return [case for _, case in sorted(taken, key=lambda one: one[0])]

    def _note(self, mistake: str) -> None:
        self.mistake = self.mistake or mistake


def shared(cases: Collection[str], share: float) -> set[str]:
    """The ids whose SHA-256 is in the lowest `share` of all possible values: about that share of
    the cases, and at least the one with the lowest. Whether an id is chosen does not depend on
    other cases.
    """
    limit = _limit(share)
    chosen = {case for case in cases if _rank(case) < limit}
    return chosen or set(heapq.nsmallest(1, cases, key=_rank))


def sampled(cases: Mapping[str, str], size: int) -> set[str]:
    """The ids of `size` cases, in proportion from each stratum; all ids if there are no more.

    In a stratum, ids with the lowest SHA-256 are chosen first, so that an additional case changes
    the sample by at most one case in each stratum. Proportions are rounded by the largest
    remainder (Hamilton's method); equal remainders are ordered by the strata's names.

    Args:
        cases: each case's id and stratum.
    """
    strata: dict[str, list[str]] = {}
    for case, stratum in cases.items():
        strata.setdefault(stratum, []).append(case)
    chosen: set[str] = set()
    for stratum, many in shares({name: len(ids) for name, ids in strata.items()}, size).items():
        chosen.update(heapq.nsmallest(many, strata[stratum], key=_rank))
    return chosen


def shares(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """How many of `size` cases come from each stratum, in proportion to its size."""
    whole = sum(sizes.values())
    if size >= whole:
        return dict(sizes)
    # in integers, for equal results on every machine
    dealt = {name: size * many // whole for name, many in sizes.items()}
    by_remainder = sorted(sizes, key=lambda name: (-(size * sizes[name] % whole), name))
    for name in by_remainder[: size - sum(dealt.values())]:
        dealt[name] += 1
    return dealt


def _rank(case: str) -> int:
    return int.from_bytes(hashlib.sha256(case.encode("utf-8", "surrogatepass")).digest(), "big")


def _limit(share: float) -> int:
    """The rank below which this share of all possible ranks is."""
    return int(share * 2**256)
