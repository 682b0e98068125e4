"""A judge known only from committed verdicts: they can be replayed, but it can't be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import JudgeError
from ...runtime.canonical_json import Json
from ...steps.step import Step
from .judge import Reply, Unconnected

if TYPE_CHECKING:
    from ...storage.committed.committed_verdicts import CommittedVerdicts


class RecordedJudge(Unconnected):
    """A judge of which there are only verdicts.

    Attributes:
        uses_model: its verdicts name a model.
    """

    def __init__(self, id: str, *, uses_model: bool) -> None:
        self.id = id
        self.uses_model = uses_model

    async def reply(self, step: Step, message: Json, model: str, sample: int) -> Reply:
        raise JudgeError(
            f"{self.id} is known from committed verdicts alone and can't be asked; choose a judge "
            "that can: --ragassert-judge, --ragassert-model",
            kind="model",
        )


def recorded_judge(name: str, committed: CommittedVerdicts) -> RecordedJudge | None:
    """Return the judge of that name in the verdicts, or None if there is none."""
    names = committed.judges()
    if name in names:
        return RecordedJudge(name, uses_model=False)
    if any(one.startswith(f"{name} ") for one in names):
        return RecordedJudge(name, uses_model=True)
    return None
