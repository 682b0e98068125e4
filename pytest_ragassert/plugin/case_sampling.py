"""`--ragassert-sample` in a run: selects the cases to keep while reading, and the tests to run."""

from __future__ import annotations

import sys

import pytest

from ..datasets.sampling import Sampling
from .case_sources import CaseSources
from .collected_tests import collected_case, function_of
from .run import RUN, Run

_SOURCES = pytest.StashKey[CaseSources]()


def sources_of(config: pytest.Config) -> CaseSources:
    """The sources of the run's cases."""
    if _SOURCES not in config.stash:
        sampling = _sampling(config.stash[RUN])
        if sampling is not None and not _is_early(config):
            # first find out which cases are collected
            sampling = sampling._replace(size=sys.maxsize)
        config.stash[_SOURCES] = CaseSources(sampling)
    return config.stash[_SOURCES]


def deselect(run: Run, items: list[pytest.Item]) -> None:
    """Keep the items of the sample, and those without a case."""
    sampling = _sampling(run)
    if sampling is None:
        return
    by_item = {item: case for item in items if (case := collected_case(item)) is not None}
    by_function = sources_of(run.config).by_function if _is_early(run.config) else {}
    strata: dict[str, str] = {}
    counted: set[int] = set()
    for item, case in by_item.items():
        source = by_function.get(function_of(item))
        if source is None or source.candidates is None:
            strata[str(case.id)] = sampling.stratum(case)
        elif id(source.candidates) not in counted:
            # the sample is drawn from all its cases, most of which have no item
            counted.add(id(source.candidates))
            strata.update(source.candidates.strata)
    chosen = sampling.chosen(strata)
    run.note_sample(len(chosen), len(strata))
    out = {item for item, case in by_item.items() if str(case.id) not in chosen}
    if out:
        items[:] = [item for item in items if item not in out]
        run.config.hook.pytest_deselected(items=[item for item in by_item if item in out])


def _sampling(run: Run) -> Sampling | None:
    """How the run samples its cases; None: it takes all cases."""
    size = run.value("sample", None)
    if size is None:
        return None
    return Sampling(size, run.value("sample_by", None) if size >= 1 else None)


def _is_early(config: pytest.Config) -> bool:
    """Whether a test function has all of its cases collected, or none: only collected cases are
    sampled.
    """
    by_id = any("[" in str(argument) for argument in config.args)
    return not by_id and not config.getoption("lf", False)
