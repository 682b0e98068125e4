"""What each run of pytest looks up as it starts, and would find again in the same process.

A third of what a short run takes, or more, is this: to read what every installed distribution
declares, and to look at every name in the modules of pytest for hooks, for fixtures, and for a
fixture below another decorator.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable
from importlib import metadata
from types import FunctionType, ModuleType
from typing import Any

import _pytest.fixtures
import pluggy
import pluggy._manager
from _pytest.fixtures import FixtureFunctionDefinition, FixtureManager

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
    # only where hooks and fixtures are looked for: freezegun goes through `dir` too
    for module in (pluggy._manager, _pytest.fixtures):
        vars(module)["dir"] = _names
    for name, module in list(sys.modules.items()):
        if name.startswith("pluggy."):
            _remember(module, "_static_hook_attr", _is_of_module)
            _remember(module, "varnames", _is_function)
    # looked up among the distributions whenever it is asked for; each run's header does
    vars(pluggy)["__version__"] = pluggy.__version__


def _names(holder: object) -> list[str]:
    """The names that `dir` gives, and of a module of pytest those of its hooks and fixtures."""
    return _plugin_names(holder) if _is_pytests(holder) else dir(holder)


@functools.cache
def _plugin_names(module: object) -> list[str]:
    return [
        name
        for name in dir(module)
        if name.startswith("pytest_") or isinstance(vars(module)[name], FixtureFunctionDefinition)
    ]


def _remember(module: ModuleType, name: str, lasts: Callable[..., bool]) -> None:
    """Remember what a function of a module returns for arguments that last."""
    function = vars(module).get(name)
    # what one version of pluggy has, another may lack
    if function is None or hasattr(function, "remembers"):
        return
    remembered = functools.cache(function)

    @functools.wraps(function)
    def lookup(*args: Any, **options: Any) -> Any:
        return (remembered if lasts(*args) else function)(*args, **options)

    vars(lookup)["remembers"] = True
    vars(module)[name] = lookup


def _is_pytests(holder: object) -> bool:
    return isinstance(holder, ModuleType) and holder.__name__.startswith("_pytest.")


def _is_of_module(holder: object, name: str) -> bool:
    return _is_pytests(holder)


def _is_function(function: object) -> bool:
    return isinstance(function, FunctionType) and function.__module__.startswith("_pytest.")


def _in_folder(folder: str) -> Iterable[Any]:
    return _distributions(path=[folder])
