"""How requests to a model have to be written, as found where its endpoint did not say."""

from __future__ import annotations

import contextlib
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from ....runtime.canonical_json import Json
from ....storage.run_state.request_forms import Finding


class Findings(Protocol):
    """Keeps them by judge and model."""

    def found(self, whose: str) -> Finding | None: ...

    def keep(
        self, whose: str, shape: Json | None, *, lasting: bool = False, settled: bool = True
    ) -> None:
        """
        Args:
            shape: None: no request was taken.
            lasting: for later runs too.
            settled: as of `Finding`.
        """
        ...

    def alone(self) -> AbstractAsyncContextManager[None]:
        """While it lasts, no other task or process of the run looks for one."""
        ...


class FindingsOfProcess:
    """Those of one process, kept nowhere."""

    def __init__(self) -> None:
        self._found: dict[str, Finding] = {}

    def found(self, whose: str) -> Finding | None:
        return self._found.get(whose)

    def keep(
        self, whose: str, shape: Json | None, *, lasting: bool = False, settled: bool = True
    ) -> None:
        self._found[whose] = Finding(shape, settled=settled)

    def alone(self) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext()
