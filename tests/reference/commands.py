"""The commands of `python -m pytest_ragassert`, from their parsers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from pytest_ragassert.commands.command_line import command_parser

from .markdown import code, plain, table


class Command(NamedTuple):
    """A command that does something.

    Attributes:
        name: its words.
        help: what it does, in a few words.
    """

    name: str
    help: str
    parser: argparse.ArgumentParser


def parts() -> dict[str, str]:
    found = list(commands())
    overview = table(
        ("command", "what it does"),
        ((f"[`{one.name}`](#{one.name.replace(' ', '-')})", _sentence(one.help)) for one in found),
    )
    return {"commands": overview} | {f"command {one.name}": command_text(one) for one in found}


def commands(
    parser: argparse.ArgumentParser | None = None, name: str = "", help: str = ""
) -> Iterator[Command]:
    """Each command, in the order of the help."""
    parser = parser or command_parser()
    groups = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    for group in groups:
        for action in group._choices_actions:
            inner = f"{name} {action.dest}".strip()
            yield from commands(group.choices[action.dest], inner, action.help or "")
    if not groups:
        yield Command(name, help, parser)


def command_text(command: Command) -> str:
    parser = command.parser
    usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
    rows = [
        (_called(action), plain(_help(action)))
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction)
    ]
    text = plain(parser.description or "") or _sentence(command.help)
    return f"{text}\n\n{code(usage)}\n\n{table(('argument', 'what it does'), rows)}"


def _called(action: argparse.Action) -> str:
    """How an argument is written."""
    value = action.metavar if isinstance(action.metavar, str) else None
    if value is None and action.choices is not None:
        value = f"{{{','.join(map(str, action.choices))}}}"
    value = value or ("" if action.nargs == 0 else action.dest.upper())
    if not action.option_strings:
        return code(value)
    value = f"[{value}]" if action.nargs == "?" else value
    return ", ".join(code(f"{option} {value}".strip()) for option in action.option_strings)


def _help(action: argparse.Action) -> str:
    said = (action.help or "") % {**vars(action), "prog": ""} if action.help else ""
    return f"{said} (required)" if action.required and action.option_strings else said


def _sentence(text: str) -> str:
    return plain(f"{text[:1].upper()}{text[1:]}.")
