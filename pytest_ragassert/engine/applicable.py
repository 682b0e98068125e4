"""Finds the metrics for which a case has the fields."""

from __future__ import annotations

from ..case import EvalCase, not_a_case
from ..metrics.registry import Registry
from . import current_run as current


class Applicable(list[str]):
    """The names of the metrics that apply to a case, in the registry's order.

    Attributes:
        missing: for each other metric, the fields that the case lacks.
    """

    def __init__(self, missing: dict[str, tuple[str, ...]]) -> None:
        super().__init__(name for name, fields in missing.items() if not fields)
        self.missing = {name: fields for name, fields in missing.items() if fields}


def applicable_metrics(case: EvalCase) -> Applicable:
    """List the metrics that can be measured on a case, including those that plugins add.

    This does not check whether a judge or an embedder is configured.

    Returns:
        The names of the metrics; its `missing` has the missing fields of all others.

    Raises:
        TypeError: `case` is not an `EvalCase`.
    """
    if not isinstance(case, EvalCase):
        raise TypeError(not_a_case(case))
    session = current.session()
    registry = session.registry if session is not None else Registry()
    return Applicable({metric.name: metric.missing(case) for metric in registry})
