"""The history file: a line for each run, with its date, commit, judge and means."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ...errors import ConfigurationError
from ...runtime.clock import Clock
from ...storage.files.atomic import update_whole
from ...storage.files.committed_text import readable
from ...storage.files.json_lines import read_lines
from ...storage.files.plain_files import read_plain, unwritable
from .results_file import MetricFigures

# Variables in which CI services (GitHub, GitLab) name the tested commit.
_COMMITS = ("GITHUB_SHA", "CI_COMMIT_SHA")
_GIT_SECONDS = 10
_FIELDS = ("date", "commit", "judge", "metrics")


@dataclass(frozen=True)
class Entry:
    """A run in the history.

    Attributes:
        date: with a time zone.
        commit: None if it is unknown.
        means: for each metric, the number of measured results and their mean in [0, 1].
    """

    date: datetime
    commit: str | None
    judge: str
    means: Mapping[str, tuple[int, float]]


def entry_of(
    metrics: Mapping[str, MetricFigures], *, date: str | None, commit: str | None, judge: str
) -> Entry:
    """Make the history entry of a run.

    Args:
        date: in ISO 8601, in UTC unless it has a time zone; None: now.
    """
    now = datetime.fromtimestamp(Clock.since_1970(), timezone.utc)
    when = now if date is None else _read_date(date)
    means = {name: (own.n, own.mean) for name, own in metrics.items() if own.mean is not None}
    return Entry(when.replace(microsecond=0), commit, judge, means)


def append(path: Path, entry: Entry) -> None:
    """Add a line; if the file's last line is not terminated, terminate it first.

    If two runs end together, both lines are added.

    Raises:
        ConfigurationError: the file can't be written; it is unchanged then.
    """
    record = {
        "date": entry.date.isoformat(),
        "commit": entry.commit,
        "judge": entry.judge,
        "metrics": {
            name: {"n": n, "mean": mean} for name, (n, mean) in sorted(entry.means.items())
        },
    }
    line = f"{readable(record)}\n".encode()

    def with_line() -> bytes:
        earlier = read_plain(path) if path.exists() else b""
        return earlier + (b"\n" if earlier and not earlier.endswith(b"\n") else b"") + line

    try:
        update_whole(path, with_line)
    except OSError as error:
        raise unwritable(path, "--ragassert-history", error) from None


def read_history(path: Path) -> list[Entry]:
    """Read the runs, sorted by date.

    Raises:
        ConfigurationError: the file can't be read or a line is damaged; the message names file and
            line.
    """
    entries = [_entry(record, where) for where, record in read_lines(path)]
    return sorted(entries, key=lambda entry: entry.date)


def commit_here(folder: Path, environ: Mapping[str, str]) -> str | None:
    """The tested commit: as a CI service names it, or else git's HEAD; None if unknown."""
    for name in _COMMITS:
        if value := environ.get(name):
            return value
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def _read_date(text: str) -> datetime:
    date = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return date if date.tzinfo is not None else date.replace(tzinfo=timezone.utc)


def _entry(record: Mapping[str, Any], where: str) -> Entry:
    try:
        commit = record["commit"]
        if not isinstance(record["judge"], str) or not isinstance(commit, str | None):
            raise TypeError
        means = {name: (own["n"], own["mean"]) for name, own in record["metrics"].items()}
        for n, mean in means.values():
            fits = isinstance(n, int) and isinstance(mean, int | float)
            if not fits or isinstance(mean, bool) or not 0 <= mean <= 1:
                raise ValueError
        return Entry(_read_date(record["date"]), commit, record["judge"], means)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ConfigurationError(
            f"{where}: a run has {', '.join(_FIELDS)}, and for each metric n and a mean from 0 to 1"
        ) from None
