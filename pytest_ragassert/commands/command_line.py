"""`python -m pytest_ragassert`: its commands, and how it prints their errors."""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Sequence

from ..errors import ConfigurationError
from ..runtime import ci_log
from ..runtime.ci_log import InertStream
from ..runtime.printable import printable
from ..runtime.redaction import hide_environment
from .output import FAILED, MISUSED, Failed

_VERDICTS = """\
Look at, correct and move verdicts: those in the store (a folder of this machine) and those that
are committed with the project (a JSON-lines file or a folder). Places are those of the tests here:
options are read from the project's ini file and the environment as pytest reads them."""


def main(arguments: Sequence[str]) -> int:
    """Run a command; its exit status: 0, 1 where it found or met something wrong, 2 misused."""
    undo = ci_log.decide(os.environ)
    hide_environment()
    # whatever prints: the command, argparse, and pytest where it reads the project's options
    # there is none where it was closed
    out = InertStream(sys.stdout or io.StringIO(), printable)
    err = InertStream(sys.stderr or io.StringIO(), printable)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            return _status(arguments)
    finally:
        out.end()
        err.end()
        undo()


def command_parser() -> argparse.ArgumentParser:
    """The parser of all commands; each sets `run`, which takes the parsed arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m pytest_ragassert", description="Verdicts of RAG regression tests."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add_to in _commands():
        add_to(commands)
    return parser


def _status(arguments: Sequence[str]) -> int:
    args = command_parser().parse_args(arguments)
    try:
        status = int(args.run(args))
        sys.stdout.flush()
        return status
    except ConfigurationError as error:
        _tell(error)
        return MISUSED
    except Failed as error:
        _tell(error)
        return FAILED
    except OSError as error:
        if error.errno not in (errno.EPIPE, *_FULL):
            raise
        # the interpreter would complain when it closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # who closes a pipe has read enough
        if error.errno in _FULL:
            _tell(error.strerror)
        return FAILED


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _tell(error: object) -> None:
    text = f"error: {error}".encode("utf-8", "backslashreplace").decode()
    print(text, file=sys.stderr)


# What a command's module gives: a function that adds its parser, whose default `run` takes the
# parsed arguments and gives the exit status.
AddTo = Callable[["argparse._SubParsersAction[argparse.ArgumentParser]"], None]


def _commands() -> Sequence[AddTo]:
    from . import calibrate, cases, granularity, history, rejudge, report, results

    return [
        _add_verdicts,
        cases.add_to,
        calibrate.add_to,
        granularity.add_to,
        results.add_to,
        report.add_to,
        rejudge.add_to,
        history.add_to,
    ]


def _add_verdicts(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from . import convert, info, merge_verdicts, override, prune, show, transfer, verify_verdicts

    parser = commands.add_parser(
        "verdicts",
        help="look at, correct and move verdicts",
        description=_VERDICTS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    looks = (show, override, info)
    for module in (*looks, transfer, merge_verdicts, convert, prune, verify_verdicts):
        module.add_to(actions)
