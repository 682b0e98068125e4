"""How requests have to be written, as this run and earlier ones found out, by judge and model.

A run's processes share their findings in its folder. The store's folder remembers them for later
runs, for thirty days, because the endpoint may have changed by then.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

from ...runtime.canonical_json import Json, canonical_json, digest
from ...runtime.clock import Clock
from ..files.atomic import update_whole
from ..files.locks import leave_lock_file
from ..keys import now, time_in_words
from ..store_folder import make_store_folder, plain_in_store, read_in_store
from .run_folder import RunFolder

_NAME = "requests.json"
_KEPT_SECONDS = 30 * 86_400
_MOST = 500
_LOCK = "how requests are written"
_POLL_SECONDS = 0.01


class Finding(NamedTuple):
    """A finding about requests to a model.

    Attributes:
        shape: as in `RequestShape.record`; None: no request was accepted.
        remembered: an earlier run found it.
        settled: this run knows which form is accepted. Until then, it is what rejections named so
            far.
    """

    shape: Json | None
    remembered: bool = False
    settled: bool = True


class KeptFindings:
    """The `Findings` of a session.

    Args:
        folder: the store's folder; None: nothing is remembered.
        forgets: findings of earlier runs are not used.
    """

    def __init__(self, run: RunFolder, folder: Path | None, *, forgets: bool) -> None:
        self._run = run
        self._folder = folder
        self._forgets = forgets

    def found(self, whose: str) -> Finding | None:
        text = self._run.value(_value_name(whose))
        if text is not None:
            return Finding(**json.loads(text))
        if self._folder is None or self._forgets:
            return None
        one = _remembered(self._folder).get(whose)
        if one is None or one["when"] < time_in_words(Clock.since_1970() - _KEPT_SECONDS):
            return None
        return Finding(one["shape"], remembered=True, settled=False)

    def keep(
        self, whose: str, shape: Json | None, *, lasting: bool = False, settled: bool = True
    ) -> None:
        found = Finding(shape, settled=settled)
        self._run.set_value(_value_name(whose), canonical_json(found._asdict()))
        if not lasting or self._folder is None:
            return
        # if it can't be written, the next run finds it again
        with contextlib.suppress(OSError):
            _remember(self._folder, whose, shape)

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        locks = self._run.locks()
        if locks is None:
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


def _value_name(whose: str) -> str:
    return f"takes-{digest(whose)}"


def _remember(folder: Path, whose: str, shape: Json | None) -> None:
    """Remember a finding for later runs.

    Raises:
        OSError: it can't be written.
    """

    if shape is None and whose not in _remembered(folder):
        return

    def text() -> bytes:
        known = _remembered(folder)
        # the newest come last
        known.pop(whose, None)
        if shape is not None:
            known[whose] = {"shape": shape, "when": now()}
        return json.dumps(dict(list(known.items())[-_MOST:]), indent=1).encode()

    make_store_folder(folder)
    update_whole(plain_in_store(folder, _NAME), text, mode=0o600)


def _remembered(folder: Path) -> dict[str, Any]:
    """Return what is remembered; nothing if the file is damaged."""
    try:
        found = json.loads(read_in_store(folder, _NAME))
        return {
            whose: one
            for whose, one in found.items()
            if isinstance(one["shape"], dict) and isinstance(one["when"], str)
        }
    except (OSError, ValueError, AttributeError, KeyError, TypeError, RecursionError):
        return {}
