"""Checks a run before anything is asked: at the session's start, and after collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..config.credentials import read_credentials
from ..config.environment_options import base_url_from, unknown_variables
from ..config.options import KEY_VARIABLE
from .hookspecs import HOOK_PREFIX
from .pytest_options import usage_error

if TYPE_CHECKING:
    from .run import Run

_MISTAKE = "mistake-in-hooks"
_OUTPUTS = frozenset(
    {"update_verdicts", "update_baseline", "history", "artifacts", "answers", "markdown", "html"}
)


def check_start(run: Run) -> None:
    """Check that the session can ask and write what it is configured to.

    Raises:
        pytest.UsageError: the configured judge cannot be asked, an output cannot be written, or an
        option has no effect without another.
    """
    if not run.is_worker:
        check_names_of_hooks(run.config)
        warn_of_variables(run)
        check_sample(run)
        if not _OUTPUTS.isdisjoint(run.chosen):
            from .output_checks import check_outputs

            try:
                check_outputs(run)
            except ValueError as error:
                raise pytest.UsageError(str(error)) from None
        check_answers(run)
        check_refresh(run)
    check_store(run)
    check_judge(run)
    check_added_metrics(run)


def check_store(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: a shared store is configured, and its client is not installed.
    """
    if run.shared_store is None:
        return
    from ..storage.open_store import check_client

    try:
        check_client()
    except ValueError as error:
        raise usage_error(error) from None


def check_answers(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: the recorded answers cannot be read, or cannot be asked for again.
    """
    if run.refreshes_answers and run.answers is None:
        raise pytest.UsageError(
            "--ragassert-refresh=answers has no effect without --ragassert-answers=FILE, which "
            "records the answers"
        )
    if run.refreshes_answers and run.record_mode == "none":
        raise pytest.UsageError(
            "--ragassert-refresh=answers asks the application, which record-mode none forbids: "
            "remove the option, or use --ragassert-record-mode=new_episodes"
        )
    if run.recorded_answers is not None:
        try:
            _ = run.recorded_answers.at_start
        except ValueError as error:
            raise usage_error(error) from None


def check_refresh(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: carried-over verdicts are to be asked for again in a run that asks
        nothing.
    """
    if run.value("refresh", None) == "carried" and run.record_mode == "none":
        raise pytest.UsageError(
            "--ragassert-refresh=carried asks the judge, which record-mode none forbids: remove "
            "the option, or use --ragassert-record-mode=new_episodes"
        )


def warn_of_variables(run: Run) -> None:
    """Warn about environment variables that look like an option but are not one.

    Raises:
        pytest.UsageError: the project turns the warning into an error.
    """
    for line in unknown_variables(run.environ):
        from ..errors import RagAssertWarning

        try:
            run.config.issue_config_time_warning(RagAssertWarning(line), stacklevel=2)
        except RagAssertWarning as warning:
            raise usage_error(warning) from None


def check_names_of_hooks(config: pytest.Config) -> None:
    """
    Raises:
        pytest.UsageError: a plugin or conftest.py has a function that is named like a hook of this
            package, which has none of that name; pytest would end with an internal error.
    """
    for name, hook in vars(config.pluginmanager.hook).items():
        if not name.startswith(HOOK_PREFIX) or hook.has_spec():
            continue
        for one in hook.get_hookimpls():
            if not one.optionalhook:
                from .project_hooks import unknown_hook

                raise pytest.UsageError(unknown_hook(name, one))


def check_sample(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: the command line has `--ragassert-sample-by` without a number of cases.
        In an ini file it may be set for the runs that take a sample.
    """
    by, size = run.chosen.get("sample_by"), run.value("sample", 0)
    if by is None or by.source != "command line" or size >= 1:
        return
    without = "without --ragassert-sample=N, which sets the number of cases"
    if size:
        without = (
            f"with a share such as --ragassert-sample={size:g}, which already takes about that "
            "share of each value's cases; use a number of cases"
        )
    raise pytest.UsageError(f"--ragassert-sample-by has no effect {without}")


def check_judge(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: the configured judge cannot be asked.
    """
    try:
        check_headers(run)
        run.check_choice()
        check_verdicts(run)
    except ValueError as error:
        raise usage_error(error) from None


def check_added_metrics(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: a hook returns objects that are not metrics, or metrics with invalid
        steps.
    """
    places = run.hooks.adding_metrics
    if not places:
        return
    from ..errors import ConfigurationError
    from ..metrics.registry import Registry

    try:
        Registry(run.hooks.metrics())
    except ConfigurationError as error:
        raise usage_error(ValueError(f"{', '.join(places)}: {error}")) from None
    except Exception:
        return  # the hook's own error, which each test that measures shows with its lines


def check_headers(run: Run) -> None:
    """
    Raises:
        ValueError: a value cannot be sent as an HTTP header; the message names its variable.
    """
    embedder = run.value("embedder", "openai" if "embedding_model" in run.chosen else "none")
    if "openai" in (run.judge, embedder) and run.record_mode != "none":
        _ = run.value("base_url", None) or base_url_from(run.environ)
        read_credentials(run.environ, run.environ.get(KEY_VARIABLE), KEY_VARIABLE)


def check_verdicts(run: Run) -> None:
    """
    Raises:
        ValueError: the committed verdicts cannot be read, or cannot be updated as configured.
    """
    path = run.verdicts
    if run.updates is not None and path is None:
        raise ValueError(
            "--ragassert-update-verdicts needs a file or folder to write to: set it with "
            "--ragassert-verdicts=PATH, or ragassert_verdicts in the ini file"
        )
    if run.updates is not None and (run.record_mode == "off" or run.judge == "offline"):
        why = "record-mode off" if run.record_mode == "off" else "the offline judge"
        raise ValueError(
            f"--ragassert-update-verdicts writes nothing with {why}, whose answers are not stored; "
            "use another, or remove the option"
        )
    if path is None or run.record_mode == "off":
        return
    if run.judge != "offline" and run.record_mode == "none" and not path.exists():
        raise ValueError(
            f"there are no committed verdicts at {path} to replay; record them with: "
            "pytest --ragassert-update-verdicts"
        )
    from ..storage.committed.committed_verdicts import open_verdicts

    committed = open_verdicts(path)
    if run.updates is not None and not run.is_worker:
        run.committed_at_start = frozenset(committed.keys())


def check_hooks(run: Run, items: list[pytest.Item]) -> None:
    """Check the hooks after collection; if one fails on an xdist worker, it runs nothing and the
    controller ends the run.

    Raises:
        pytest.UsageError: a conftest.py implements a hook too late, or no hook provides the
        configured judge or embedder.
    """
    mistake = run.hooks.late() or _unmade(run)
    if mistake is None:
        return
    if not run.is_worker:
        raise pytest.UsageError(mistake)
    items.clear()
    run.run_folder().set_value(_MISTAKE, mistake)


def check_workers_hooks(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: `check_hooks` found a problem in a worker.
    """
    known = run.path.exists() and not run.is_worker
    mistake = run.run_folder().value(_MISTAKE) if known else None
    if mistake is not None:
        raise pytest.UsageError(mistake)


def _unmade(run: Run) -> str | None:
    """Why the configured judge or embedder does not exist; None if both do."""
    from ..errors import ConfigurationError
    from ..runtime.printable import printable

    if run.lists_only or not run.has_custom_names:
        return None
    try:
        run.session()
    except ConfigurationError as error:
        return printable(str(error))
    except Exception:
        return None  # the hook's own error, which each test that measures shows with its lines
    return None
