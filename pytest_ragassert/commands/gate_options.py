"""The option of commands that check gates, in place of the project's."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


def add_gates(parser: argparse.ArgumentParser) -> None:
    """Add the option for gates that replace the project's."""
    parser.add_argument(
        "--gate", action="append", default=[], help="instead of the project's; repeatable"
    )


def gate_options(args: argparse.Namespace) -> Sequence[str]:
    """The same in pytest's form."""
    return [f"--ragassert-gate={gate}" for gate in args.gate]
