"""Runs a command's work with the same options as the project's tests."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import pytest

from ..config.environment_options import unknown_variables
from ..errors import ConfigurationError
from ..runtime.printable import printable
from .option_names import add_own

if TYPE_CHECKING:
    from ..judging.judges.judge import Judge
    from ..plugin.run import Run


class _Caught:
    """A pytest plugin that does the work with a run's options and collects nothing."""

    def __init__(self, work: Callable[[Run], int]) -> None:
        self._work = work
        self._out = sys.stdout
        self.status: int | None = None
        self.error: Exception | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> int:
        from ..plugin.run import Run

        try:
            run = Run(config)
        except pytest.UsageError as error:
            self.error = ConfigurationError(str(error))
            return 0
        for line in unknown_variables(run.environ):
            print(f"warning: {printable(line)}", file=sys.stderr)
        try:
            with contextlib.redirect_stdout(self._out):
                self.status = self._work(run)
        except Exception as error:
            # pytest would print the error with its own frames
            self.error = error
        finally:
            run.close()
        return 0


def add_request_options(parser: argparse.ArgumentParser) -> None:
    """Add options for additions to requests, like those of a test run."""
    parser.add_argument(
        "--extra-body", metavar="JSON", help="members to add to the body of each request"
    )
    parser.add_argument(
        "--header", metavar="HEADER", action="append", help="a header to send, as 'Name: value'"
    )
    add_own(parser, "extra-body", "header")


def request_options(args: argparse.Namespace) -> list[str]:
    """The same options in pytest's form."""
    headers = [f"--ragassert-header={header}" for header in args.header or ()]
    body = args.extra_body
    return headers if body is None else [f"--ragassert-extra-body={body}", *headers]


def check_requests(args: argparse.Namespace, judges: Iterable[Judge]) -> None:
    """Check that additions to requests affect at least one judge.

    Raises:
        ConfigurationError: no judge is asked through this package's requests.
    """
    listed = list(judges)
    names = [judge.id for judge in listed]
    options = {"--extra-body": args.extra_body, "--header": args.header}
    added = [option for option, value in options.items() if value is not None]
    if added and not any(judge.uses_model for judge in listed):
        them = "it" if len(added) == 1 else "them"
        raise ConfigurationError(
            f"{' and '.join(added)}: no effect on judge {' and '.join(names)}, which does not use "
            f"this package's requests; remove {them}, or choose an OpenAI-compatible judge"
        )


def in_project(work: Callable[[Run], int], options: Sequence[str] = ()) -> int:
    """Call `work` with a run that has the options of a test run here, and return its value.

    Args:
        options: pytest command line options, which take precedence over environment and ini file.

    Raises:
        ConfigurationError: an option is invalid; or `work` raises it.
    """
    caught = _Caught(work)
    # Output of a conftest must not mix with the command's own, which may go to a file; without -s
    # pytest would capture it, and write it there at the end.
    with contextlib.redirect_stdout(sys.stderr):
        ended = pytest.main(["-p", "ragassert", "-s", *options], plugins=[caught])
    if caught.error is not None:
        raise caught.error
    if caught.status is None:
        raise ConfigurationError(
            f"the project's pytest options cannot be read (pytest exited with {int(ended)}); see "
            "the messages above, or run pytest itself"
        )
    return caught.status
