"""Bypasses fake file systems of tests (pyfakefs) for everything that this package asks and stores.

The package's own files are real: a file number in a fake system is another file's in the real one,
and the libraries that it imports while a test runs are in real folders.
"""

from __future__ import annotations

import contextlib
import functools
import pkgutil
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_FAKES = "pyfakefs.fake_filesystem_unittest"
# Packages that work while a test runs, partly on other threads. Not those that read a test's files.
_REAL = (
    "judging.scheduling",
    "storage",
    "storage.committed",
    "storage.disk",
    "storage.files",
    "storage.run_state",
)
_REAL_MODULES = ("engine.current_run", "runtime.forks", "judging.calls.event_loop")

_guard = threading.Lock()
_users = 0
_paused: Any = None


def stay_real() -> None:
    """Make fake file systems leave this package alone; call it before the first one is set up."""
    fakes = sys.modules.get(_FAKES)
    if fakes is None:
        return
    package = __name__.partition(".")[0]
    folder = Path(__file__).parents[1]
    names = [f"{package}.{name}" for name in _REAL_MODULES]
    for room in _REAL:
        modules = pkgutil.iter_modules([str(folder.joinpath(*room.split(".")))])
        names += [f"{package}.{room}.{module.name}" for module in modules]
    fakes.Patcher.SKIPNAMES.update([*names, "diskcache.core"])


@contextlib.contextmanager
def real_files() -> Iterator[None]:
    """Pause the fake file system of the running test, if there is one."""
    global _users, _paused
    fake = _faked()
    if fake is None and not _users:
        yield
        return
    with _guard:
        _users += 1
        if fake is not None:
            fake.pause()
            _paused = fake
    try:
        yield
    finally:
        with _guard:
            _users -= 1
            if not _users and _paused is not None:
                _paused.resume()
                _paused = None


def with_real_files(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Return the function wrapped so that it uses real files."""

    @functools.wraps(function)
    def called(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        __tracebackhide__ = True
        with real_files():
            return function(*args, **kwargs)

    return called


def faked() -> bool:
    """Whether the running test has a fake file system."""
    return _faked() is not None


def _faked() -> Any:
    """Return what fakes files now; None if nothing does, or if it is paused."""
    fakes = sys.modules.get(_FAKES)
    patcher = None if fakes is None else getattr(fakes.Patcher, "PATCHER", None)
    # a paused one fakes nothing, whoever paused it
    return None if patcher is None or getattr(patcher, "_paused", False) else patcher
