"""The commands of `python -m pytest_ragassert`, from their parsers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from pytest_ragassert.commands.command_line import command_parser

from .markdown import code, table


def parts() -> dict[str, str]:
    parsers = dict(parsers_by_name())
    overview = table(
        ("command", "what it does"),
        (
            (f"[`{name}`](#{name.replace(' ', '-')})", first_sentence(p))
            for name, p in parsers.items()
        ),
    )
    return {"commands": overview} | {
        f"command {name}": command_text(parser) for name, parser in parsers.items()
    }


def parsers_by_name(
    parser: argparse.ArgumentParser | None = None, name: str = ""
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Each command that does something, by its words."""
    parser = parser or command_parser()
    groups = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    for group in groups:
        for word, inner in group.choices.items():
            yield from parsers_by_name(inner, f"{name} {word}".strip())
    if not groups:
        yield name, parser


def first_sentence(parser: argparse.ArgumentParser) -> str:
    """The first sentence of what a command says of itself."""
    return re.split(r"(?<=\.)\s|:\s", _one_line(parser.description or ""), maxsplit=1)[0]


def command_text(parser: argparse.ArgumentParser) -> str:
    usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
    rows = [
        (_called(action), _one_line(_help(action)))
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction)
    ]
    text = _one_line(parser.description or "")
    return f"{text}\n\n{code(usage)}\n\n{table(('argument', 'what it does'), rows)}"


def _called(action: argparse.Action) -> str:
    """How an argument is written."""
    value = action.metavar if isinstance(action.metavar, str) else None
    if value is None and action.choices is not None:
        value = "|".join(map(str, action.choices))
    value = value or ("" if action.nargs == 0 else action.dest.upper())
    if not action.option_strings:
        return code(value)
    value = f"[{value}]" if action.nargs == "?" else value
    return ", ".join(code(f"{option} {value}".strip()) for option in action.option_strings)


def _help(action: argparse.Action) -> str:
    said = (action.help or "") % {**vars(action), "prog": ""} if action.help else ""
    return f"{said} (required)" if action.required and action.option_strings else said


def _one_line(text: str) -> str:
    return " ".join(text.split())
