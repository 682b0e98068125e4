"""Estimates what a test would ask by what it asked for in its last run, if its case is unknown."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..judging.scheduling.asker import Asker
from ..steps.catalogue import STEPS
from ..storage.committed.verdict_line import judge_name
from ..storage.last_run import AskedOfModel, PastTest
from .request_estimate import Plan, Planned

if TYPE_CHECKING:
    from ..storage.committed.verdict_line import VerdictLine

_MOST_SAMPLES = 9  # sample numbers that are tried, because a committed line does not have its own


def plan_past(record: PastTest, asker: Asker, plan: Plan, *, same_case: bool) -> None:
    """Add to the plan what the test asked for when it last ran.

    Args:
        same_case: whether its case has not changed since, so that stored answers can be used.
    """
    wanted = [*asker.settings.model]
    for part in record.asked:
        # what a model that is no longer configured was asked, other models are asked instead
        dropped = part.model in record.models and part.model not in wanted
        same = same_case and not dropped
        known = _known(part, asker) if same else {}
        plan.stored.update(key for key, state in known.items() if not state.carried)
        plan.carried.update(key for key, state in known.items() if state.carried)
        # for another case or model, the same number of questions is new
        keys = part.keys if same else [f"{key} again" for key in part.keys]
        new = [key for key in keys if key not in known and key not in plan.to_ask]
        plan.to_ask.update(dict.fromkeys(new, False))
        if new:
            share = len(new) / len(part.keys)
            model = wanted[0] if dropped else part.model
            plan.asked[f"{record.nodeid} {part.model}"] = _share_of(part, share, model)


def _share_of(part: AskedOfModel, share: float, model: str) -> Planned:
    return Planned(
        model,
        max(1, math.ceil(part.requests * share)),
        round(part.prompt * share),
        round(part.completion * share),
        follows=False,
    )


class _Known(NamedTuple):
    """A judgement that is stored or committed.

    Attributes:
        fits: whether it was asked with the present settings.
    """

    fits: bool
    carried: bool


def _known(part: AskedOfModel, asker: Asker) -> dict[str, _Known]:
    """The judgements that are stored and were asked with the present settings."""

    def of_text(_key: str, text: str, _stored: bool) -> _Known | None:
        try:
            record = json.loads(text)
            step, judge, asked = record["step"], record["judge"], record.get("asked", "")
            fits = _is_asked_so(asker, step, judge, part.model, [record["sample"]], asked)
            return _Known(fits, "from" in record)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def of_line(_key: str, line: VerdictLine) -> _Known:
        samples = range(max(_MOST_SAMPLES, asker.settings.votes))
        fits = _is_asked_so(asker, line.step, line.judge, part.model, samples, line.asked)
        return _Known(fits, line.source is not None)

    found = asker.look_up(part.keys, of_text, of_line)
    return {key: one for key, one in found.items() if one.fits}


def _is_asked_so(
    asker: Asker, step: str, judge: str, model: str, samples: Sequence[int], asked: str
) -> bool:
    if judge not in (asker.judge.id, judge_name(asker.judge.id, model)):
        return False
    if step not in STEPS or not asked:
        # the step belongs to a metric of the project; earlier versions did not record it
        return True
    return any(asker.question(STEPS[step], {}, model, n).asked == asked for n in samples)
