"""How far a judge is, for who waits at a terminal."""

from __future__ import annotations

from typing import TextIO

from ..analysis.calibration.collected_verdicts import Judged
from ..language.number_format import plural
from ..language.sanitize import visible
from ..report.terminal import Screen

_STEPS = 200  # a terminal is slow, and half a percent is not seen


class CalibrationProgress:
    """One line, written over; nothing where the stream is no terminal."""

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream, self._total = stream, total
        self._shows = stream.isatty()
        self._shown = -1

    def __call__(self, judged: Judged) -> None:
        step = judged.done * _STEPS // self._total
        if not self._shows or step == self._shown:
            return
        self._shown = step
        errors = f", {len(judged.errors)} not measured" if judged.errors else ""
        text = f"\r{visible(judged.judge)}: {judged.done} of {plural(self._total, 'claim')}{errors}"
        self._stream.write(Screen(encoding=self._stream.encoding or "ascii").safe(text))
        self._stream.flush()

    def end(self) -> None:
        if self._shown >= 0:
            self._stream.write("\n")
            self._stream.flush()
