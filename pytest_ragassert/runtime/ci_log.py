"""Makes lines safe for a CI log, in which the CI service looks for commands.

GitHub Actions reads `::name …::value` at a line's start and `##[name …]value` anywhere in a line,
Azure Pipelines `##vso[name …]value` anywhere, TeamCity `##teamcity[…]`. A backslash before the last
character of such a mark leaves the line readable, and it is no command any more.

The rules are those of `ActionCommand` in actions/runner and of `Command` in
microsoft/azure-pipelines-agent. Both compare by culture, which skips characters that show nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from .environment import current_environment

_SERVICES = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
# Sequences that only colour, and characters that show nothing and are no white space.
_UNSEEN = (
    r"(?:\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160"
    r"\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    r"\uffa0\ufff0-\ufffb])"
)
# Compiled at first use: pytest loads this module at each start.
_ANYWHERE = rf"#{_UNSEEN}*#(?:[A-Za-z]|{_UNSEEN})*(?<!\x1b)(?=\[)"
_AT_THE_START = rf"(?:\s|{_UNSEEN})*:{_UNSEEN}*(?=:)"


def reads_commands(environ: Mapping[str, str]) -> bool:
    """Whether what is printed goes into the log of a service that looks for commands in it."""
    return any(environ.get(name) for name in _SERVICES)


# Outside of pytest sessions and commands, which decide anew.
_is_read = reads_commands(current_environment())


def decide(environ: Mapping[str, str]) -> Callable[[], None]:
    """Settle by the environment whether `inert` changes anything; returns what undoes that."""
    global _is_read
    before, _is_read = _is_read, reads_commands(environ)

    def undo() -> None:
        global _is_read
        _is_read = before

    return undo


def is_read() -> bool:
    """Whether a CI service looks for commands in what is printed."""
    return _is_read


def inert(text: str) -> str:
    """Whole lines as they are to be printed: no service that reads them finds a command.

    Unchanged where none reads them.
    """
    return without_commands(text) if _is_read else text


def inert_wrapped(text: str) -> str:
    """A text of which any part may begin a line, as where pytest wraps it."""
    if not _is_read:
        return text
    return re.sub(rf":{_UNSEEN}*(?=:)", r"\g<0>\\", without_prefixes(text))


def inert_json(line: str) -> str:
    """A line of JSON with the same values, in which no CI service that reads it finds a command."""
    return re.sub(rf"({_ANYWHERE})\[", r"\1\\u005b", line) if _is_read else line


def without_commands(text: str) -> str:
    """Whole lines in which no CI service finds a command."""
    text = without_prefixes(text)
    if text.count(":") > 1:
        text = "".join(map(_begun_otherwise, text.splitlines(keepends=True)))
    return text


def without_prefixes(text: str) -> str:
    """Part of a line, in which no CI service finds a command that may stand within a line."""
    return re.sub(_ANYWHERE, r"\g<0>\\", text) if "#" in text else text


def _begun_otherwise(line: str) -> str:
    mark = re.match(_AT_THE_START, line)
    return line if mark is None else f"{line[: mark.end()]}\\{line[mark.end() :]}"


class InertStream:
    """A stream for `print`, in whose lines no CI service that reads them finds a command.

    A line is written when it ends, or as far as it goes when the stream is flushed.

    Args:
        printable: what makes whole lines harmless.
    """

    def __init__(self, stream: TextIO, printable: Callable[[str], str] = inert) -> None:
        self._stream = stream
        self._printable = printable
        self._line = ""
        self._written = 0  # characters of the line, as it is written

    def write(self, text: str) -> int:
        *lines, begun = (self._line + text).split("\n")
        for line in lines:
            self._stream.write(f"{self._printable(line)[self._written :]}\n")
            self._written = 0
        self._line = begun
        return len(text)

    def flush(self) -> None:
        self.end()
        self._stream.flush()

    def end(self) -> None:
        """Write what is begun of a line."""
        line = self._printable(self._line)
        if len(line) > self._written:
            self._stream.write(line[self._written :])
            self._written = len(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
