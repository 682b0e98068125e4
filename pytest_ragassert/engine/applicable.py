"""Which metrics a case has the fields for."""

from __future__ import annotations

from ..case import EvalCase, no_case
from ..metrics.registry import Registry
from . import current_run as current


class Applicable(list[str]):
    """The metrics' names, in the registry's order.

    Attributes:
        missing: for each other metric the fields that the case lacks.
    """

    def __init__(self, missing: dict[str, tuple[str, ...]]) -> None:
        super().__init__(name for name, fields in missing.items() if not fields)
        self.missing = {name: fields for name, fields in missing.items() if fields}


def applicable_metrics(case: EvalCase) -> Applicable:
    """The metrics, a running session's own ones too, that can be measured on the case.

    Whether a judge or an embedder is configured is not asked here.

    Raises:
        TypeError: not a case.
    """
    if not isinstance(case, EvalCase):
        raise TypeError(no_case(case))
    session = current.session()
    registry = session.registry if session is not None else Registry()
    return Applicable({metric.name: metric.missing(case) for metric in registry})
