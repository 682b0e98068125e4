"""Checks before anything is asked: at the session's start, and after collection."""

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
    """Check what the session is to ask and to write.

    Raises:
        pytest.UsageError: the judge that is configured can't be asked, what this run is to write
            can't be written, or an option has no effect without another.
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
    check_judge(run)
    check_added_metrics(run)


def check_answers(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: the recorded answers can't be read, or not be asked for again.
    """
    if run.refreshes_answers and run.answers is None:
        raise pytest.UsageError(
            "--ragassert-refresh=answers has no effect without --ragassert-answers=FILE, which "
            "records them"
        )
    if run.refreshes_answers and run.record_mode == "none":
        raise pytest.UsageError(
            "--ragassert-refresh=answers asks the application, and record-mode none does not: "
            "leave it out, or choose --ragassert-record-mode=new_episodes"
        )
    if run.recorded_answers is not None:
        try:
            _ = run.recorded_answers.at_start
        except ValueError as error:
            raise usage_error(error) from None


def check_refresh(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: what was carried over is to be asked for, in a run that asks nothing.
    """
    if run.value("refresh", None) == "carried" and run.record_mode == "none":
        raise pytest.UsageError(
            "--ragassert-refresh=carried asks the judge, and record-mode none does not: leave it "
            "out, or choose --ragassert-record-mode=new_episodes"
        )


def warn_of_variables(run: Run) -> None:
    """Warn of variables that are named like an option's and are none.

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
    for name, hook in vars(config.hook).items():
        if not name.startswith(HOOK_PREFIX) or hook.has_spec():
            continue
        for one in hook.get_hookimpls():
            if not one.optionalhook:
                from .project_hooks import unknown_hook

                raise pytest.UsageError(unknown_hook(name, one))


def check_sample(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: the command line says how to take a sample, and nothing says of how many
            cases. A project may say how in its ini file for the runs that take one.
    """
    by, size = run.chosen.get("sample_by"), run.value("sample", 0)
    if by is None or by.source != "command line" or size >= 1:
        return
    without = "without --ragassert-sample=N, which takes N cases"
    if size:
        without = (
            f"with a share as --ragassert-sample={size:g}, which takes about that share of each "
            "value's cases; give a number of cases"
        )
    raise pytest.UsageError(f"--ragassert-sample-by has no effect {without}")


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


def check_added_metrics(run: Run) -> None:
    """
    Raises:
        pytest.UsageError: what a hook adds are no metrics, or their steps are none.
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
    """After collection: a worker of xdist then runs nothing, and its controller ends the run.

    Raises:
        pytest.UsageError: a conftest.py implements a hook too late, or nobody makes the judge or
            the embedder of the name that is configured.
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
        pytest.UsageError: what `check_hooks` found in a worker.
    """
    known = run.path.exists() and not run.is_worker
    mistake = run.run_folder().value(_MISTAKE) if known else None
    if mistake is not None:
        raise pytest.UsageError(mistake)


def _unmade(run: Run) -> str | None:
    """Why there is no judge or embedder of a configured name; None where there is."""
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
