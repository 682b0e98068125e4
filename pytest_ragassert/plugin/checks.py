"""What is checked before anything is asked: when the session starts, and after collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..credentials import read_credentials
from ..options import KEY_VARIABLE, base_url_from
from .given import usage_error

if TYPE_CHECKING:
    from .run import Run

_LATE = "late-hooks"
_OUTPUTS = frozenset({"update_verdicts", "update_baseline", "history", "artifacts"})


def check_start(run: Run) -> None:
    """Check what the session is to ask and to write.

    Raises:
        pytest.UsageError: the judge that is configured can't be asked, or what this run is to write
            can't be written.
    """
    if not run.is_worker and not _OUTPUTS.isdisjoint(run.chosen):
        from .outputs import check_outputs

        try:
            check_outputs(run)
        except ValueError as error:
            raise pytest.UsageError(str(error)) from None
    check_judge(run)


def check_judge(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: the judge that is configured can't be asked.
    """
    try:
        check_headers(run)
        run.check_choice()
        check_verdicts(run)
    except ValueError as error:
        raise usage_error(error) from None


def check_headers(run: Run) -> None:
    """
    Raises:
        ValueError: no HTTP header can hold what is to be sent; names its variable.
    """
    embedder = run.value("embedder", "openai" if "embedding_model" in run.chosen else "none")
    if "openai" in (run.judge, embedder) and run.record_mode != "none":
        _ = run.value("base_url", None) or base_url_from(run.environ)
        read_credentials(run.environ, run.environ.get(KEY_VARIABLE), KEY_VARIABLE)


def check_verdicts(run: Run) -> None:
    """
    Raises:
        ValueError: the committed verdicts can't be read, or not be written as is wanted.
    """
    path = run.verdicts
    if run.updates is not None and path is None:
        raise ValueError(
            "--ragassert-update-verdicts has nothing to write to: say where with "
            "--ragassert-verdicts=PATH, or ragassert_verdicts in the ini file"
        )
    if run.updates is not None and (run.record_mode == "off" or run.judge == "offline"):
        why = "record-mode off" if run.record_mode == "off" else "the offline judge"
        raise ValueError(
            f"--ragassert-update-verdicts writes nothing with {why}, whose answers are not "
            "stored; choose another, or leave the update out"
        )
    if path is None or run.record_mode == "off" or run.judge == "offline":
        return
    if run.record_mode == "none" and not path.exists():
        raise ValueError(
            f"there are no committed verdicts at {path} to replay; record them with: "
            "pytest --ragassert-update-verdicts"
        )
    from ..committed import open_verdicts

    committed = open_verdicts(path)
    if run.updates is not None and not run.is_worker:
        run.committed_at_start = frozenset(committed.keys())


def check_in_time(run: Run, items: list[pytest.Item]) -> None:
    """After collection: a worker of xdist then runs nothing, and its controller ends the run.

    Raises:
        pytest.UsageError: a conftest.py implements a hook too late.
    """
    late = run.hooks.late()
    if late is None:
        return
    if not run.is_worker:
        raise pytest.UsageError(late)
    items.clear()
    run.run_folder().mark(_LATE, late)


def check_workers_in_time(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: what `check_in_time` found in a worker.
    """
    late = run.run_folder().marked(_LATE) if run.path.exists() and not run.is_worker else None
    if late is not None:
        raise pytest.UsageError(late)
