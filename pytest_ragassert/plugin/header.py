"""The header: who judges, and where verdicts come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..options import unknown_variables

if TYPE_CHECKING:
    from .run import Run

LIMITS = ("max_calls", "max_tokens_total", "requests_per_minute", "on_judge_error")
OFFLINE = "compares words, not meaning: no measure for a release"


def header_lines(run: Run) -> list[str]:
    unknown = unknown_variables()
    lines = [f"ragassert: no option has the variable {name}" for name in unknown]
    return [_judge_line(run), *lines]


def _judge_line(run: Run) -> str:
    if run.judge == "offline":
        return f"ragassert: judge {run.judge_label} (offline; {OFFLINE})"
    mode = run.chosen.get("record_mode")
    why = "default" if mode is None else mode.source
    store = "none" if run.record_mode == "off" else run.folder
    limits = "".join(
        f"; {name.replace('_', '-')} {value}"
        for name in LIMITS
        if (value := run.value(name, None)) is not None
    )
    return (
        f"ragassert: judge {run.judge_label}; record-mode {run.record_mode} ({why}); store {store}"
        f"{limits}"
    )
