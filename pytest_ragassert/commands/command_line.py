"""`python -m pytest_ragassert`: parses the command line, runs a command and prints its errors."""

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
from .option_names import in_own_words
from .output import FAILED, MISUSED, Failed

_VERDICTS = """\
Inspect, correct and transfer verdicts: those in the store (a folder on this machine) and those
committed with the project (a JSON-lines file or a folder). By default the commands use the same
places as the tests: they read options from the project's ini file and the environment, as pytest
does."""


def main(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status: 0; 1 if it found a problem or failed; 2 if it was
    misused.
    """
    undo = ci_log.decide(os.environ)
    hide_environment()
    # for everything that prints: the command, argparse, and pytest when it reads the project's
    # options it is None if it was closed
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
        _tell(in_own_words(args, str(error)))
        return MISUSED
    except Failed as error:
        _tell(in_own_words(args, str(error)))
        return FAILED
    except OSError as error:
        if error.errno not in (errno.EPIPE, *_FULL):
            raise
        # the interpreter would print an error when it closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # a closed pipe means that the reader has enough
        if error.errno in _FULL:
            _tell(error.strerror)
        return FAILED


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def _tell(error: object) -> None:
    text = f"error: {error}".encode("utf-8", "backslashreplace").decode()
    print(text, file=sys.stderr)


# What a command's module provides: a function that adds its parser, whose default `run` takes the
# parsed arguments and returns the exit status.
AddTo = Callable[["argparse._SubParsersAction[argparse.ArgumentParser]"], None]


def _commands() -> Sequence[AddTo]:
    from . import calibrate, cases, generate, granularity, history, join, rejudge, report, results

    return [
        _add_verdicts,
        cases.add_to,
        generate.add_to,
        calibrate.add_to,
        granularity.add_to,
        join.add_to,
        results.add_to,
        report.add_to,
        rejudge.add_to,
        history.add_to,
    ]


def _add_verdicts(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    from . import convert, info, merge_verdicts, override, prune, show, transfer, verify_verdicts

    parser = commands.add_parser(
        "verdicts",
        help="inspect, correct and transfer verdicts",
        description=_VERDICTS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    looks = (show, override, info)
    for module in (*looks, transfer, merge_verdicts, convert, prune, verify_verdicts):
        module.add_to(actions)
