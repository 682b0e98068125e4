"""`--ragassert-sample`: deselects tests whose case is not in the sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from ..case import EvalCase
from ..datasets.sampling import sampled
from ..language.sanitize import is_blank
from .collected import collected_case

if TYPE_CHECKING:
    from .run import Run


def mistake(run: Run, cases: Sequence[EvalCase]) -> str | None:
    """Why no sample can be taken of a data set; None where one can, or none is wanted."""
    if "sample" not in run.chosen:
        return None
    for case in cases:
        if is_blank(case.id):
            return f"--ragassert-sample chooses cases by their ids; case {case.name} has none"
    key: str | None = run.value("sample_by", None)
    if key is not None and cases and not any(key in case.metadata for case in cases):
        return f"--ragassert-sample-by: no case has {key!r} in its metadata"
    return None


def deselect(run: Run, items: list[pytest.Item]) -> None:
    """Leave the sample's items, and those without a case."""
    by_item = {item: case for item in items if (case := collected_case(item)) is not None}
    key: str | None = run.value("sample_by", None)
    strata = {
        str(case.id): "" if key is None else str(case.metadata.get(key, ""))
        for case in by_item.values()
    }
    chosen = sampled(strata, run.value("sample", len(strata)))
    run.note_sample(len(chosen), len(strata))
    out = {item for item, case in by_item.items() if str(case.id) not in chosen}
    if out:
        items[:] = [item for item in items if item not in out]
        run.config.hook.pytest_deselected(items=[item for item in by_item if item in out])
