"""Commands to print below a failure: one shows what was asked and said, one reruns the test."""

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
_WIDEST = 100  # columns of a command with ids, beyond which the other ids are left out
_OF_WHOLE_RUNS = frozenset(option.field for option in OPTIONS if option.of_whole_runs)
# Ini values by which a run of one test would write files.
_WRITTEN = ("artifacts", "html", "markdown", "update_baseline", "update_verdicts")
_RECORDING = frozenset({"record_mode", "update_verdicts"})
# Ini values of pytest that name files to write.
_LOGS = ("log_file", "junit_")


def rerun_hints(
    config: pytest.Config, nodeid: str, failed: Sequence[MeasuredRow], *, verbose: bool
) -> list[str]:
    """A command that shows the claims of the failed rows, where they have ids, and a rerun's."""
    ids = list(dict.fromkeys(_ids(failed, verbose=verbose)))
    show = _command(*SHOW, *_places(config.invocation_params.args))
    room = len(ids) if verbose else max(1, (_WIDEST - len(show)) // (SHORT_ID + 1))
    lines = [" ".join((show, *ids[:room]))] if ids else []
    return [*lines, rerun_command(config, nodeid)]


def rerun_command(config: pytest.Config, nodeid: str, *more: str) -> str:
    """A command for the folder that the run was started in: the test, with the judge it had.

    Options of a whole run are left out, and those of the ini file that write files are emptied.

    Args:
        more: options.
    """
    command, folder = rerun_start(config)
    path, colons, name = nodeid.partition("::")
    test = os.path.normpath(os.path.join(folder, path))
    here = os.curdir + os.sep if test.startswith("-") else ""
    return f"{command} {_command(*more, f'{here}{test}{colons}{name}')}"


def rerun_start(config: pytest.Config) -> tuple[str, str]:
    """How the command begins, and from where it runs the folder that tests' ids start at."""
    parts = [part for part in parts_of(config.invocation_params.args) if _is_repeated(part, config)]
    inis = [name for name in _WRITTEN if config.getini(f"ragassert_{name}")]
    command = _command(
        "pytest",
        *(word for part in parts for word in part.shown),
        *(word for name in inis for word in ("-o", f"ragassert_{name}=")),
    )
    return command, os.path.relpath(config.rootpath, config.invocation_params.dir)


def recording_command(config: pytest.Config, record: str) -> str:
    """The run once more, with the options that record what it lacks."""
    parts = parts_of(config.invocation_params.args)
    kept = [word for part in parts if part.name not in _RECORDING for word in part.shown]
    return f"{_command('pytest', *kept)} {record}"


def _command(*words: str) -> str:
    return shlex.join(map(shown_argument, words))


def _is_repeated(part: OptionPart, config: pytest.Config) -> bool:
    """Whether it decides what is collected, or who judges."""
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
    """Where the run's options say that verdicts are, as options of the command."""
    found = {part.name: part.value for part in parts_of(args)}
    for name in ("verdicts", "cache_dir", "rootdir"):
        if found.get(name):
            yield f"--{name.replace('_', '-')}={found[name]}"
