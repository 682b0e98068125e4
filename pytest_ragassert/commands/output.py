"""Output of commands, their errors and exit statuses; control characters in untrusted texts are
escaped.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..language.escaping import shortened, visible
from ..steps.evidence.claim_ids import SHORT_ID

if TYPE_CHECKING:
    from ..report.terminal import Screen

# Exit statuses of commands.
PASSED, FAILED, MISUSED = 0, 1, 2
CONVERT = "python -m pytest_ragassert verdicts convert"


class Failed(Exception):
    """A command failed; the message says what to do."""


_LONGEST_ABOUT = 70  # maximum number of characters of a text that only identifies something


def say(line: str = "") -> None:
    encoding = sys.stdout.encoding or "utf-8"
    print(line.encode(encoding, "backslashreplace").decode(encoding))


def say_text(text: str, indent: str, first: str = "") -> None:
    """Print a text with its line breaks, indented; `first` precedes the first line."""
    space = " " * len(first)
    for number, line in enumerate(text.splitlines() or [""]):
        say(f"{indent}{space if number else first}{visible(line)}".rstrip())


def say_value(name: str, value: Any, indent: str = "  ") -> None:
    """Print a JSON value under its name, one line per item."""
    if isinstance(value, str) and "\n" not in value:
        say(f"{indent}{name}: {visible(value)}")
    elif isinstance(value, str):
        say(f"{indent}{name}:")
        say_text(value, f"{indent}  ")
    elif isinstance(value, list) and value:
        say(f"{indent}{name}:")
        for item in value:
            if isinstance(item, dict) and item.keys() == {"id", "text"}:
                say_text(str(item["text"]), f"{indent}  ", f"[{visible(str(item['id']))}] ")
            elif isinstance(item, dict) and item.keys() == {"role", "content"}:
                say_text(str(item["content"]), f"{indent}  ", f"{visible(str(item['role']))}: ")
            else:
                say(f"{indent}  {_in_a_line(item)}")
    elif isinstance(value, dict) and value:
        say(f"{indent}{name}:")
        for inner, held in value.items():
            say_value(visible(inner), held, f"{indent}  ")
    else:
        say(f"{indent}{name}: {_in_a_line(value)}")


def _in_a_line(value: Any) -> str:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return ", ".join(f"{visible(name)} {_in_a_line(held)}" for name, held in value.items())
    return "none" if value is None else visible(json.dumps(value, ensure_ascii=False))


def short(key: str) -> str:
    """An id as displayed and typed."""
    return key[:SHORT_ID]


def named(text: str) -> str:
    """Shorten a text to what identifies it."""
    return shortened(visible(text), _LONGEST_ABOUT)


def counted(counts: Mapping[str, int]) -> Iterator[str]:
    """Texts `name count`, the highest count first."""
    for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"{visible(name)} {count}"


def screen_here() -> Screen:
    """The properties of the terminal that a command prints to."""
    from ..report.terminal import Screen

    width = shutil.get_terminal_size().columns
    return Screen(width, getattr(sys.stdout, "encoding", None) or "utf-8")
