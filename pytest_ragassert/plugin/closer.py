"""The commands that look closer at a failure: what was asked and said, and the test once more."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence

import pytest

from ..evidence.claim_ids import SHORT_ID
from ..redaction import shown_argument
from ..report.claim_lines import shown
from ..report.rows import Row

SHOW = ("python", "-m", "pytest_ragassert", "verdicts", "show")
_WIDEST = 100  # columns of a command with ids, beyond which the other ids are left out
# Written at the end of the failed run already, or not to be repeated with a single test.
_RECORDING = ("--ragassert-record-mode=", "--ragassert-update-verdicts")
_LEFT_OUT = ("--ragassert-update", "--ragassert-artifacts")


def closer_lines(
    config: pytest.Config, nodeid: str, failed: Sequence[Row], *, verbose: bool
) -> list[str]:
    """A command that shows the claims of the failed rows, where they have ids, and a rerun's."""
    ids = list(dict.fromkeys(_ids(failed, verbose=verbose)))
    options = map(shown_argument, _options(config.invocation_params.args))
    show = shlex.join((*SHOW, *_places(list(options))))
    room = len(ids) if verbose else max(1, (_WIDEST - len(show)) // (SHORT_ID + 1))
    lines = [" ".join((show, *ids[:room]))] if ids else []
    return [*lines, rerun_command(config, nodeid)]


def rerun_command(config: pytest.Config, nodeid: str) -> str:
    """A command for the folder that the run was started in."""
    given = config.invocation_params.args
    options = [shown_argument(a) for a in _options(given) if not a.startswith(_LEFT_OUT)]
    path, colons, name = nodeid.partition("::")
    here = os.path.relpath(config.rootpath / path, config.invocation_params.dir)
    return shlex.join(("pytest", *options, f"{here}{colons}{name}"))


def recording_command(config: pytest.Config, record: str) -> str:
    """The run once more, with the options that record what it lacks."""
    given = map(str, config.invocation_params.args)
    kept = [shown_argument(arg) for arg in given if not arg.startswith(_RECORDING)]
    return f"pytest {shlex.join(kept)} {record}".replace("  ", " ")


def _ids(failed: Iterable[Row], *, verbose: bool) -> Iterable[str]:
    for row in failed:
        for claim in shown(row["claims"], verbose=verbose):
            if claim["id"] is not None:
                yield claim["id"][:SHORT_ID]


def _places(options: Sequence[str]) -> Iterable[str]:
    """Where the run's options say that verdicts are, as options of the command."""
    for number, option in enumerate(options):
        name, _, value = option.removeprefix("--ragassert-").partition("=")
        name = name.removeprefix("ragassert_").replace("_", "-")
        if name in ("verdicts", "cache-dir", "--rootdir"):
            yield f"--{name.removeprefix('--')}={value or options[number + 1]}"


def _options(given: Sequence[str | object]) -> Iterable[str]:
    """Those that decide who judges, and what of ini files is read."""
    args = list(map(str, given))
    for number, arg in enumerate(args):
        if arg.startswith("--ragassert-"):
            yield arg
            behind = args[number + 1] if number + 1 < len(args) else "-"
            if "=" not in arg and not arg.startswith("--ragassert-update") and behind[:1] != "-":
                yield behind
        elif arg in ("-o", "-c", "--rootdir", "--override-ini") and number + 1 < len(args):
            yield from args[number : number + 2]
        elif arg.startswith(("--rootdir=", "--override-ini=", "--config-file=")):
            yield arg
