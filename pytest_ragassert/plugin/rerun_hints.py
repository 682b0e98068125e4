"""Builds the commands below a failure: one shows what was asked and answered, one reruns the
test.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence

import pytest

from ..analysis.records.row_types import MeasuredRow
from ..config.options import OPTIONS
from ..judgements import Met
from ..report.claim_lines import shown
from ..report.criterion_lines import criteria_shown
from ..runtime.redaction import shown_argument
from ..steps.evidence.claim_ids import SHORT_ID
from .pytest_arguments import OptionPart, parts_of

SHOW = ("python", "-m", "pytest_ragassert", "verdicts", "show")
_WIDEST = 100  # maximum columns of a command with ids; further ids are left out
_OF_WHOLE_RUNS = frozenset(option.field for option in OPTIONS if option.of_whole_runs)
# Ini values that make a run write files.
_WRITTEN = ("artifacts", "html", "markdown", "update_baseline", "update_verdicts")
_RECORDING = frozenset({"record_mode", "update_verdicts"})
# Ini values of pytest that name output files.
_LOGS = ("log_file", "junit_")


def rerun_hints(
    config: pytest.Config, nodeid: str, failed: Sequence[MeasuredRow], *, verbose: bool
) -> list[str]:
    """The commands to show the claims of the failed rows, if they have ids, and to rerun the
    test.
    """
    ids = list(dict.fromkeys(_ids(failed, verbose=verbose)))
    show = _command(*SHOW, *_places(config.invocation_params.args))
    room = len(ids) if verbose else max(1, (_WIDEST - len(show)) // (SHORT_ID + 1))
    lines = [" ".join((show, *ids[:room]))] if ids else []
    return [*lines, rerun_command(config, nodeid)]


def rerun_command(config: pytest.Config, nodeid: str, *more: str) -> str:
    """The command that reruns the test with the same judge, for the folder in which the run was
    started.

    It leaves out options for whole runs, and resets ini options that write files.

    Args:
        more: options.
    """
    command, folder = rerun_start(config)
    path, colons, name = nodeid.partition("::")
    test = os.path.normpath(os.path.join(folder, path))
    here = os.curdir + os.sep if test.startswith("-") else ""
    return f"{command} {_command(*more, f'{here}{test}{colons}{name}')}"


def rerun_start(config: pytest.Config) -> tuple[str, str]:
    """The beginning of the command, and the folder that test ids are relative to, as seen from
    there.
    """
    parts = [part for part in parts_of(config.invocation_params.args) if _is_repeated(part, config)]
    inis = [name for name in _WRITTEN if config.getini(f"ragassert_{name}")]
    command = _command(
        "pytest",
        *(word for part in parts for word in part.shown),
        *(word for name in inis for word in ("-o", f"ragassert_{name}=")),
    )
    return command, os.path.relpath(config.rootpath, config.invocation_params.dir)


def recording_command(config: pytest.Config, record: str) -> str:
    """The command that runs the tests again with the options that record what is missing."""
    parts = parts_of(config.invocation_params.args)
    kept = [word for part in parts if part.name not in _RECORDING for word in part.shown]
    return f"{_command('pytest', *kept)} {record}"


def _command(*words: str) -> str:
    return shlex.join(map(shown_argument, words))


def _is_repeated(part: OptionPart, config: pytest.Config) -> bool:
    """Whether the option affects collection or the choice of the judge."""
    if part.name == "ini":
        return not part.value.startswith(_LOGS)
    if part.name == "plugin":
        plugin = config.pluginmanager.get_plugin(part.value)
        return any(name.startswith("pytest_ragassert_") for name in dir(plugin))
    return part.name != "" and part.name not in _OF_WHOLE_RUNS


def _ids(failed: Iterable[MeasuredRow], *, verbose: bool) -> Iterable[str]:
    for row in failed:
        for claim in shown(row["claims"], verbose=verbose):
            if claim["id"] is not None:
                yield claim["id"][:SHORT_ID]
        for said in criteria_shown(row):
            if verbose or said["met"] != Met.YES.value:
                yield said["id"][:SHORT_ID]


def _places(args: Sequence[object]) -> Iterable[str]:
    """The run's options for the places of verdicts, as command options."""
    found = {part.name: part.value for part in parts_of(args)}
    for name in ("verdicts", "cache_dir", "rootdir"):
        if found.get(name):
            yield f"--{name.replace('_', '-')}={found[name]}"
