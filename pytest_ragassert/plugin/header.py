"""The header lines: the judge, and where verdicts come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..config.option_types import AUTO
from ..config.options import KEY_VARIABLE
from ..language.escaping import visible

if TYPE_CHECKING:
    from .run import Run

LIMITS = (
    "max_calls",
    "max_tokens_total",
    "requests_per_minute",
    "on_judge_error",
    "on_missing",
    "reuse",
    "refresh",
)
OFFLINE = "compares words, not meaning: do not use it as a release gate"


def header_lines(run: Run) -> list[str]:
    lines = [f"ragassert: {line}" for line in run.unused_keys]
    return [_judge_line(run), *_shard(run), *_kind_of_run(run), *lines, *_mixed(run)]


def _shard(run: Run) -> list[str]:
    """A line on what a shard leaves to the join, or on why a run is not a shard."""
    if run.shard is None:
        if run.value("shard", None) != AUTO:
            return []
        return [
            "ragassert runs without shards: --ragassert-shard=auto reads CI_NODE_INDEX and "
            "CI_NODE_TOTAL, and CI_NODE_INDEX is not set"
        ]
    line = (
        f"ragassert runs {run.shard}: python -m pytest_ragassert join checks the gates and writes "
        "the baseline"
    )
    if run.artifacts is None:
        line += "; without --ragassert-artifacts=DIR there are no results to join"
    return [line]


def _kind_of_run(run: Run) -> list[str]:
    """A line on whether this is a replay or a live run, and why, if it could be either."""
    mode, why = run.mode
    if run.judge == "offline" or (run.verdicts is None and mode != "none"):
        return []
    if mode == "none":
        return [
            f"ragassert replays, {_because(why, mode)}: no questions are sent, no key is needed"
        ]
    if run.replays_alone:
        known = f"because {visible(run.judge)} is known only from committed verdicts"
        return [f"ragassert replays, {known}: no questions are sent, no key is needed"]
    asked = "everything is asked again" if mode in ("all", "off") else "what changed is asked"
    if run.lacks_key:
        asked = f"new questions cannot be asked because {KEY_VARIABLE} is not set"
    return [f"ragassert runs live, {_because(why, mode)}: {asked}"]


def _because(why: str, mode: str) -> str:
    match why:
        case "default":
            return "because CI is not set"
        case "update-verdicts":
            return "because --ragassert-update-verdicts is given"
        case "CI is set":
            return "because CI is set"
    return f"because record-mode {mode} is given ({why})"


def _mixed(run: Run) -> list[str]:
    """A warning if one model name was served by several models in the last run."""
    if run.judge == "offline" or run.record_mode == "off" or not run.folder.is_dir():
        return []
    from ..language.escaping import visible
    from ..storage.store_folder import read_served

    return [
        f"ragassert: verdicts of {visible(model)} come from {len(names)} served models: "
        f"{', '.join(map(visible, names))} (--ragassert-record-mode=all asks the current one)"
        for model, names in read_served(run.folder).items()
        if len(names) > 1
    ]


def _judge_line(run: Run) -> str:
    if run.judge == "offline":
        return f"ragassert: judge {visible(run.judge_label)} (offline; {OFFLINE})"
    judge = visible(run.judge_label)
    mode, why = run.mode
    alone = mode == "none" and run.verdicts is not None
    store = "none" if mode == "off" or alone else run.store_place.shown
    if run.verdicts is not None:
        store = f"{store}; verdicts {run.verdicts}"
    limits = "".join(
        f"; {name.replace('_', '-')} {value}"
        for name in LIMITS
        if (value := run.value(name, None)) is not None
    )
    if mode != "none" and run.lacks_key:
        limits += f"; {KEY_VARIABLE} is not set: only stored answers are available"
    return f"ragassert: judge {judge}; record-mode {mode} ({why}); store {store}{limits}"
