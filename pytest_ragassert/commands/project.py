"""The project that a command works in: its options as its tests have them."""

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

if TYPE_CHECKING:
    from ..judging.judges.judge import Judge
    from ..plugin.run import Run


class _Caught:
    """A pytest plugin that works with a run's options and collects nothing."""

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
            # pytest would print it with its own frames
            self.error = error
        finally:
            run.close()
        return 0


def add_request_options(parser: argparse.ArgumentParser) -> None:
    """Options of a command that add to requests, as those of a test run do."""
    parser.add_argument(
        "--extra-body", metavar="JSON", help="members to add to the body of each request"
    )
    parser.add_argument(
        "--header", metavar="HEADER", action="append", help="a header to send, as 'Name: value'"
    )


def request_options(args: argparse.Namespace) -> list[str]:
    """The same as options of pytest."""
    headers = [f"--ragassert-header={header}" for header in args.header or ()]
    body = args.extra_body
    return headers if body is None else [f"--ragassert-extra-body={body}", *headers]


def check_requests(args: argparse.Namespace, judges: Iterable[Judge]) -> None:
    """Check that what is to be added to requests is added to some.

    Raises:
        ConfigurationError: no judge is asked by requests that we write.
    """
    listed = list(judges)
    names = [judge.id for judge in listed]
    options = {"--extra-body": args.extra_body, "--header": args.header}
    added = [option for option, value in options.items() if value is not None]
    if added and not any(judge.uses_model for judge in listed):
        them = "it" if len(added) == 1 else "them"
        raise ConfigurationError(
            f"{' and '.join(added)}: judge {' and '.join(names)} sends no requests of ours to add "
            f"to; leave {them} out, or name an OpenAI-compatible judge"
        )


def in_project(work: Callable[[Run], int], options: Sequence[str] = ()) -> int:
    """What `work` gives, called with the options that a test run here would have.

    Args:
        options: of pytest, as on its command line, before environment and ini file.

    Raises:
        ConfigurationError: an option is not valid; what `work` raises.
    """
    caught = _Caught(work)
    # What a conftest prints is no part of what the command says, which may go into a file;
    # without -s pytest would keep it, and write it there at the end.
    with contextlib.redirect_stdout(sys.stderr):
        ended = pytest.main(["-p", "ragassert", "-s", *options], plugins=[caught])
    if caught.error is not None:
        raise caught.error
    if caught.status is None:
        raise ConfigurationError(
            f"the project's pytest options can't be read (pytest ended with {int(ended)}); "
            "see above, and run pytest itself"
        )
    return caught.status
