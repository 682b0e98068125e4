"""The header: who judges, and where verdicts come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .run import Run

OFFLINE = "compares words, not meaning: no measure for a release"


def header_lines(run: Run) -> list[str]:
    if run.judge == "offline":
        return [f"ragassert: judge {run.judge_label} (offline; {OFFLINE})"]
    mode = run.chosen.get("record_mode")
    why = "default" if mode is None else mode.source
    store = "none" if run.record_mode == "off" else run.folder
    return [
        f"ragassert: judge {run.judge_label}; record-mode {run.record_mode} ({why}); store {store}"
    ]
