"""Shared parts of the commands that measure a judge or read cases: options, errors of case files,
progress, and the output file.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from ..errors import ConfigurationError
from ..storage.files.plain_files import check_output, unreadable, unwritable
from .option_names import add_own
from .project import add_request_options, request_options

INTERRUPTED = 130  # the exit status that shells use for SIGINT
_NAMES = ("judge", "model", "base-url", "cache-dir")
_STEPS = 200  # a terminal is slow, and half a percent is not visible


def add_judge_options(parser: argparse.ArgumentParser) -> None:
    """Add options to choose a judge other than the project's."""
    parser.add_argument("--judge", metavar="NAME", help="default: the project's")
    parser.add_argument("--model", metavar="M", help="default: the project's")
    parser.add_argument("--base-url", metavar="URL", help="default: the project's")
    parser.add_argument("--cache-dir", metavar="DIR", help="folder of stored verdicts")
    add_own(parser, *_NAMES)
    add_request_options(parser)


def judge_options(args: argparse.Namespace) -> Sequence[str]:
    """The same options in pytest's form."""
    given = ((name, getattr(args, name.replace("-", "_"))) for name in _NAMES)
    chosen = [f"--ragassert-{name}={value}" for name, value in given if value is not None]
    return [*chosen, *request_options(args)]


def whole_number(text: str) -> int:
    """
    Raises:
        argparse.ArgumentTypeError: the text is not a whole number from 1.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


@contextlib.contextmanager
def reading_cases(path: Path) -> Iterator[None]:
    """
    Raises:
        ConfigurationError: the cases of the file or folder cannot be read.
    """
    try:
        yield
    except OSError as error:
        # for an empty folder, the message is already complete
        told = unreadable(path, error) if error.strerror else ConfigurationError(str(error))
        raise told from None
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def check_measured(path: Path | None, *inputs: Path, option: str = "--output") -> None:
    """Check that an output can be written, in a folder that exists.

    Args:
        inputs: files that must not be replaced.
        option: how the user named the output, for the error.

    Raises:
        ConfigurationError: the output cannot be written there.
    """
    if path is not None:
        check_output(path, option, *inputs)
        if not path.parent.is_dir():
            raise ConfigurationError(f"{option}: there is no folder {path.parent}")


def write_measured(path: Path, text: str, what: str, option: str = "--output") -> None:
    """Write a file, and print where it is.

    Raises:
        ConfigurationError: it can't be written.
    """
    from ..storage.files.atomic import write_whole

    try:
        write_whole(path, [text])
    except OSError as error:
        raise unwritable(path, option, error) from None
    print(f"{what} in {path}")


class Progress:
    """Shows progress in one line of a terminal; shows nothing if the output is not a terminal."""

    def __init__(self, stream: TextIO, total: int, thing: str) -> None:
        self._stream, self._total, self._thing = stream, total, thing
        self._shows = stream.isatty()
        self._shown = -1

    def show(self, judge: str, done: int, errors: int = 0) -> None:
        """
        Args:
            judge: the judge's name for display.
        """
        step = done * _STEPS // self._total
        if not self._shows or step == self._shown:
            return
        self._shown = step
        from ..language.escaping import visible
        from ..language.number_format import plural
        from ..report.terminal import Screen

        failed = f", {errors} not measured" if errors else ""
        text = f"\r{visible(judge)}: {done} of {plural(self._total, self._thing)}{failed}"
        self._stream.write(Screen(encoding=self._stream.encoding or "ascii").safe(text))
        self._stream.flush()

    def end(self) -> None:
        if self._shown >= 0:
            self._stream.write("\n")
            self._stream.flush()
