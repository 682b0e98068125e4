"""Makes the record of a run at its end, from which its reports are written."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

from .. import __version__
from ..analysis.records.figures import usage_figures, vote_figures
from ..analysis.records.result_record import CaseTexts
from ..analysis.records.results_file import (
    HistoryEntry,
    RerunCommand,
    RunOutcome,
    ShardRecord,
)
from ..analysis.run_record import RunRecord
from ..errors import ConfigurationError
from ..runtime.clock import Clock
from ..runtime.urls import shown_url
from ..usage import Usage
from .run import Run

_MOST_RUNS = 100  # shown of a history

if TYPE_CHECKING:
    from ..analysis.records.failed_tests import FailedTest
    from ..analysis.regression.conclusion import Conclusion


def record_of_run(
    run: Run,
    exit_status: int,
    outcome: RunOutcome,
    conclusion: Conclusion | None,
    *,
    failed_tests: Sequence[FailedTest],
    partial: str | None,
    incomplete: str | None,
    asked_again: str | None,
    verdicts: Sequence[str],
    broken_off: Sequence[Usage],
    notices: Sequence[str],
) -> RunRecord:
    """Make the record of the run; the arguments are its attributes, and `incomplete` that of its
    shard.
    """
    rows = run.tally.rows()
    usage, votes, settings = None, None, {}
    with run.reporting("sum up the results"):
        usage, votes = usage_figures(rows), vote_figures(rows)
        settings = _open_settings(run) if rows else {}
    return RunRecord(
        id=run.id,
        started=datetime.fromtimestamp(run.started, timezone.utc),
        ended=datetime.fromtimestamp(Clock.since_1970(), timezone.utc),
        exit_status=exit_status,
        outcome=outcome,
        tool_version=__version__,
        pytest_version=pytest.__version__,
        judge=run.judge_label,
        offline=run.judge == "offline",
        settings=settings,
        results=rows,
        cases={name: CaseTexts(**texts) for name, texts in run.tally.texts.items()},
        usage=usage,
        votes=votes,
        conclusion=conclusion,
        failed_tests=failed_tests,
        partial=partial,
        shard=_shard(run, incomplete),
        notices=notices,
        spent=run.tally.spent,
        asked_ahead=run.asked_ahead(),
        broken_off=broken_off,
        asked_again=asked_again,
        verdicts=verdicts,
        prices=run.value("prices", ()),
        date=run.value("date", None),
        commit=_commit(run),
        history=_history(run),
        rerun=_rerun(run),
    )


def _shard(run: Run, incomplete: str | None) -> ShardRecord | None:
    if run.shard is None:
        return None
    return ShardRecord(number=run.shard.number, of=run.shard.of, incomplete=incomplete)


def _commit(run: Run) -> str | None:
    """The tested commit according to git, if an output names it."""
    if run.history is None:
        return None
    from ..analysis.records.history_file import commit_here

    return run.value("commit", None) or commit_here(run.config.rootpath, run.environ)


def _history(run: Run) -> list[HistoryEntry]:
    """The earlier runs, for outputs that show them."""
    if run.history is None or not run.keeps_all or not run.history.exists():
        return []
    from ..analysis.records.history_file import read_history

    try:
        earlier = read_history(run.history)[-_MOST_RUNS:]
    except ConfigurationError as error:
        run.run_folder().add_notice(f"the earlier runs cannot be read: {error}")
        return []
    return [
        HistoryEntry(date=one.date, commit=one.commit, judge=one.judge, means=dict(one.means))
        for one in earlier
    ]


def _rerun(run: Run) -> RerunCommand | None:
    """The same for how a test is run again."""
    if not (run.keeps_all or run.output("markdown") or run.reports_to_github):
        return None
    from .rerun_hints import rerun_start

    command, folder = rerun_start(run.config)
    return RerunCommand(command=command, folder=folder)


def _open_settings(run: Run) -> dict[str, Any]:
    """The settings without secrets: no key, and URLs without credentials or query."""
    settings: dict[str, Any] = run.settings().model_dump(mode="json")
    return {
        name: shown_url(value) if isinstance(value, str) and "://" in value else value
        for name, value in settings.items()
    }
