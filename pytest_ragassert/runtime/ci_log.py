"""Makes lines safe for a CI log, in which the CI service looks for commands.

GitHub Actions reads `::name …::value` at the start of a line and `##[name …]value` anywhere in a
line, Azure Pipelines `##vso[name …]value` anywhere, TeamCity `##teamcity[…]`. A backslash before
the last character of such a mark leaves the line readable, but it is no longer a command.

The rules are those of `ActionCommand` in actions/runner and of `Command` in
microsoft/azure-pipelines-agent. Both compare by culture, which ignores invisible characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TextIO

from .environment import current_environment

_SERVICES = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
# Sequences that only set colours, and invisible characters other than white space.
_UNSEEN = (
    r"(?:\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160"
    r"\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    r"\uffa0\ufff0-\ufffb])"
)
# Compiled when first used, because pytest imports this module at each start.
_ANYWHERE = rf"#{_UNSEEN}*#(?:[A-Za-z]|{_UNSEEN})*(?<!\x1b)(?=\[)"
_AT_THE_START = rf"(?:\s|{_UNSEEN})*:{_UNSEEN}*(?=:)"


def reads_commands(environ: Mapping[str, str]) -> bool:
    """Whether output goes to the log of a service that looks for commands in it."""
    return any(environ.get(name) for name in _SERVICES)


# Outside pytest sessions and commands, each of which decides again.
_is_read = reads_commands(current_environment())


def decide(environ: Mapping[str, str]) -> Callable[[], None]:
    """Decide by the environment whether `inert` changes anything. Return a function that undoes
    this.
    """
    global _is_read
    before, _is_read = _is_read, reads_commands(environ)

    def undo() -> None:
        global _is_read
        _is_read = before

    return undo


def is_read() -> bool:
    """Whether a CI service looks for commands in the output."""
    return _is_read


def inert(text: str) -> str:
    """Return whole lines in a form in which the CI service that reads them finds no command.

    They are unchanged if no service reads them.
    """
    return without_commands(text) if _is_read else text


def inert_wrapped(text: str) -> str:
    """Do the same for a text of which any part may begin a line, for example because pytest wraps
    it.
    """
    if not _is_read:
        return text
    return re.sub(rf":{_UNSEEN}*(?=:)", r"\g<0>\\", without_prefixes(text))


def inert_json(line: str) -> str:
    """Return a line of JSON with the same values in which a CI service that reads it finds no
    command.
    """
    return re.sub(rf"({_ANYWHERE})\[", r"\1\\u005b", line) if _is_read else line


def without_commands(text: str) -> str:
    """Return whole lines in which CI services find no command."""
    text = without_prefixes(text)
    if text.count(":") > 1:
        text = "".join(map(_begun_otherwise, text.splitlines(keepends=True)))
    return text


def without_prefixes(text: str) -> str:
    """Return part of a line in which CI services find no command that may be within a line."""
    return re.sub(_ANYWHERE, r"\g<0>\\", text) if "#" in text else text


def _begun_otherwise(line: str) -> str:
    mark = re.match(_AT_THE_START, line)
    return line if mark is None else f"{line[: mark.end()]}\\{line[mark.end() :]}"


class InertStream:
    """A stream for `print` in whose lines the CI service that reads them finds no command.

    A line is written when it ends. When the stream is flushed, an incomplete line is written too.

    Args:
        printable: makes whole lines harmless.
    """

    def __init__(self, stream: TextIO, printable: Callable[[str], str] = inert) -> None:
        self._stream = stream
        self._printable = printable
        self._line = ""
        self._written = 0  # characters of the line in the form in which it is written

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
        """Write the incomplete line."""
        line = self._printable(self._line)
        if len(line) > self._written:
            self._stream.write(line[self._written :])
            self._written = len(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
