"""Names options in messages as the user of a command gives them.

Most messages about options are made for test runs, so they name pytest's options. A command has
some of these under a name of its own; the others are in the project's ini file or in the
environment.
"""

from __future__ import annotations

import argparse
import re

from ..config.judge_choice import OR_OFFLINE
from ..config.options import OPTIONS

# Options that have the same effect in commands as in test runs. A message that names another one
# is about a test run.
SHARED = frozenset(
    {
        *("judge", "judge-id", "model", "base-url", "extra-body", "header", "stream"),
        *("embedder", "embedding-model", "cache-dir", "record-mode", "verdicts"),
        *("temperature", "top-p", "seed", "max-tokens", "timeout", "concurrency"),
        *("max-calls", "max-tokens-total", "requests-per-minute"),
    }
)
_SHARED = {option.name: option for option in OPTIONS if option.name in SHARED}
# An option, but not in a command that runs pytest, and the beginning of its value.
_NAMED = re.compile(
    r"(?<!pytest )--ragassert-([a-z]+(?:-[a-z]+)*)"
    r"(=(?=\w)| (?=[A-Z]+\b|offline\b|openai\b|wordllama\b))?"
)
# Words that propose the offline judge.
_OFFLINE = re.compile(
    rf"{re.escape(OR_OFFLINE)}|did you mean offline\? |(?<=takes auto, openai), offline"
)


def add_own(parser: argparse.ArgumentParser, *names: str) -> None:
    """Declare that a command has some of pytest's options under their names without `ragassert-`.

    Args:
        names: such as `base-url`.
    """
    own = parser.get_default("own_options") or frozenset()
    parser.set_defaults(own_options=own | {*names})


def needs_a_model(parser: argparse.ArgumentParser) -> None:
    """Declare that the offline judge can't do the command's work."""
    parser.set_defaults(offline_can=False)


def in_own_words(args: argparse.Namespace, message: str) -> str:
    """Return a message with the names that options have for the user of a command.

    An option that the command lacks is named by its environment variable if a value follows, and
    by its key in the ini file otherwise. If the command needs a model, the message does not propose
    the offline judge.
    """
    own: frozenset[str] = getattr(args, "own_options", frozenset())

    def name(named: re.Match[str]) -> str:
        option, gap = _SHARED.get(named[1]), named[2] or ""
        if option is None:
            return named[0]
        if option.name in own:
            return f"--{option.name}{gap}"
        return f"{option.variable}=" if gap else f"ragassert_{option.field}"

    if not getattr(args, "offline_can", True):
        message = _OFFLINE.sub("", message)
    return _NAMED.sub(name, message)
