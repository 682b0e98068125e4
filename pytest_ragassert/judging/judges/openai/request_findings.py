"""How requests to a model have to be written, as found by trying if its endpoint did not say."""

from __future__ import annotations

import contextlib
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from ....runtime.canonical_json import Json
from ....storage.run_state.request_forms import Finding


class Findings(Protocol):
    """Keeps findings by judge and model."""

    def found(self, whose: str) -> Finding | None: ...

    def keep(
        self, whose: str, shape: Json | None, *, lasting: bool = False, settled: bool = True
    ) -> None:
        """Keep a finding.

        Args:
            shape: the accepted shape; None if no request was accepted.
            lasting: keep it for later runs too.
            settled: as in `Finding`.
        """
        ...

    def alone(self) -> AbstractAsyncContextManager[None]:
        """Enter to look for a finding while no other task or process of the run does."""
        ...


class FindingsOfProcess:
    """The findings of one process, which are not stored."""

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
