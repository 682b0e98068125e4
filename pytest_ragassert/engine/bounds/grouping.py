"""Chooses which worlds must be measured to find the lowest and the highest score.

If judgements of a step move a score *alike*, items that differ only in their text are decided in
the same way in the best world, and in the worst: what matters is how many of their votes are known,
and for which decision. So the missing judgements of such items form one *group*, and a world
decides on groups. This is also true with votes and ensembles: the missing votes of one model on an
item have the greatest effect if they all go to one decision, because the majority wins and ties are
always broken in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from ...metrics.metric import Movement
from .worlds import CHOICES, Item, Vote

Group = tuple[object, ...]


@dataclass(frozen=True)
class Groups:
    """The groups of missing judgements.

    Attributes:
        of: the group of each missing judgement, by key.
        choices: the possible decisions on a group.
    """

    of: Mapping[str, Group]
    choices: Mapping[Group, tuple[Any, ...]]

    @property
    def worlds(self) -> int:
        """The number of worlds."""
        return math.prod(map(len, self.choices.values()))

    def decisions(self) -> Iterator[Mapping[Group, Any]]:
        """Each world's decisions; the first worlds decide all groups alike, because they show
        most."""
        every = list(self.choices.values())
        alike = [
            tuple(each[min(number, len(each) - 1)] for each in every)
            for number in range(max(map(len, every), default=0))
        ]
        for chosen in dict.fromkeys((*alike, *product(*every))):
            yield dict(zip(self.choices, chosen, strict=True))


def groups_of(
    votes: Mapping[Item, Mapping[str, Vote]], movements: Mapping[str, Movement]
) -> Groups:
    of: dict[str, Group] = {}
    choices: dict[Group, tuple[Any, ...]] = {}
    for item, by_key in votes.items():
        profile = _profile(by_key.values())
        for key, vote in by_key.items():
            if vote.said is not None:
                continue
            group: Group = (key,)
            if movements[item.step] == "alike":
                group = (item.step, profile, vote.model)
            of[key] = group
            choices[group] = CHOICES[item.step]
    return Groups(of, choices)


def _profile(votes: Any) -> tuple[tuple[str, str], ...]:
    """What is known of an item: each model's votes, regardless of their sample."""
    return tuple(sorted((vote.model, vote.said or "") for vote in votes))
