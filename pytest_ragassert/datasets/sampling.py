"""Fewer cases on purpose: the same ones in every process, hardly others when cases are added."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping


def sampled(cases: Mapping[str, str], size: int) -> set[str]:
    """The ids of `size` cases, of each stratum its share; all where there are no more.

    In a stratum those come first whose id has the lowest SHA-256, so that one more case changes the
    sample by a case at most for each stratum. Shares are by the largest remainder (Hamilton's
    method), equal remainders by the strata's names.

    Args:
        cases: each case's id, and the stratum it is in.
    """
    strata: dict[str, list[str]] = {}
    for case, stratum in cases.items():
        strata.setdefault(stratum, []).append(case)
    chosen: set[str] = set()
    for stratum, many in shares({name: len(ids) for name, ids in strata.items()}, size).items():
        chosen.update(sorted(strata[stratum], key=_rank)[:many])
    return chosen


def shares(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """How many of `size` go to each stratum, in proportion to its size."""
    whole = sum(sizes.values())
    if size >= whole:
        return dict(sizes)
    # in whole numbers, which are the same on every machine
    dealt = {name: size * many // whole for name, many in sizes.items()}
    by_remainder = sorted(sizes, key=lambda name: (-(size * sizes[name] % whole), name))
    for name in by_remainder[: size - sum(dealt.values())]:
        dealt[name] += 1
    return dealt


def _rank(case: str) -> str:
    return hashlib.sha256(case.encode("utf-8", "surrogatepass")).hexdigest()
