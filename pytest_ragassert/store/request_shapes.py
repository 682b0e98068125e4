"""How requests have to be written, as this run and earlier ones found it, by judge and model.

A run's processes share what they find in its folder. The store's folder remembers what helped for
later runs, for thirty days: an endpoint may have learned more since.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ..current import Clock
from ..judges.request_findings import Finding
from ..steps.canonical import canonical_json
from ..steps.step import Json
from .folder import make_store_folder, write_private
from .locks import leave_lock_file, lock_file
from .record import now, time_in_words
from .run_folder import LOCKS, RunFolder

_NAME = "requests.json"
_KEPT_SECONDS = 30 * 86_400
_MOST = 500
_LOCK = "how requests are written"
_POLL_SECONDS = 0.01


class RequestShapes:
    """`Findings` of a session.

    Args:
        folder: the store's; None: nothing is remembered.
        forgets: what earlier runs found is not used.
    """

    def __init__(self, run: RunFolder, folder: Path | None, *, forgets: bool) -> None:
        self._run = run
        self._folder = folder
        self._forgets = forgets

    def found(self, whose: str) -> Finding | None:
        text = self._run.marked(_mark(whose))
        if text is not None:
            return Finding(json.loads(text))
        if self._folder is None or self._forgets:
            return None
        one = _remembered(self._folder).get(whose)
        if one is None or one["when"] < time_in_words(Clock.since_1970() - _KEPT_SECONDS):
            return None
        return Finding(one["shape"], remembered=True)

    def keep(self, whose: str, shape: Json | None, *, lasting: bool) -> None:
        self._run.mark(_mark(whose), canonical_json(shape))
        if not lasting or self._folder is None:
            return
        known = _remembered(self._folder)
        # the newest stand last
        former = known.pop(whose, None)
        if shape is not None:
            known[whose] = {"shape": shape, "when": now()}
        elif former is None:
            return
        newest = dict(list(known.items())[-_MOST:])
        # where it can't be written the next run finds it again
        with contextlib.suppress(OSError):
            make_store_folder(self._folder)
            write_private(self._folder / _NAME, json.dumps(newest, indent=1))

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        try:
            locks = lock_file(self._run.make() / LOCKS)
        except OSError:
            yield
            return
        try:
            while not locks.acquire(_LOCK):
                await asyncio.sleep(_POLL_SECONDS)
            try:
                yield
            finally:
                locks.release(_LOCK)
        finally:
            leave_lock_file(locks)


def _mark(whose: str) -> str:
    return f"takes-{hashlib.sha256(whose.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _remembered(folder: Path) -> dict[str, Any]:
    """What is remembered; nothing of a damaged file."""
    try:
        found = json.loads((folder / _NAME).read_bytes())
        return {
            whose: one
            for whose, one in found.items()
            if isinstance(one["shape"], dict) and isinstance(one["when"], str)
        }
    except (OSError, ValueError, AttributeError, KeyError, TypeError, RecursionError):
        return {}
