"""Which worlds have to be looked through, so that none has a higher or lower score.

Where judgements of a step move a score *alike*, items that differ in nothing but their text are
decided alike in the best world, and in the worst: what decides is how many of their votes are known
and for what. So the missing judgements of such items form one *group*, and a world decides on
groups. That holds with votes and ensembles too: of the missing votes of one model on an item, all
are best spent on one decision, as most votes win and ties are broken in one way.
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
    """
    Attributes:
        of: by the key of each judgement that is missing its group.
        choices: what may be decided on a group.
    """

    of: Mapping[str, Group]
    choices: Mapping[Group, tuple[Any, ...]]

    @property
    def worlds(self) -> int:
        """How many there are."""
        return math.prod(map(len, self.choices.values()))

    def decisions(self) -> Iterator[Mapping[Group, Any]]:
        """Each world's decisions; first those in which all groups are decided alike, as these tell
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
    """What is known of an item: each model's votes, in whichever sample."""
    return tuple(sorted((vote.model, vote.said or "") for vote in votes))
