"""What is checked when the session starts, before anything is collected or asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..credentials import read_credentials
from ..options import KEY_VARIABLE, base_url_from

if TYPE_CHECKING:
    from .run import Run


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
