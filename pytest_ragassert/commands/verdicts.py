"""`verdicts …`: what is stored, looked at and moved."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from .project import in_project


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("verdicts", help="look at, move and correct verdicts")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    info = actions.add_parser("info", help="what is stored, and where")
    info.add_argument("--cache-dir", metavar="DIR", help="folder of stored verdicts")
    info.set_defaults(run=_info)


def _info(given: argparse.Namespace) -> int:
    def work(run: object) -> int:
        print(f"store {run.folder}")  # type: ignore[attr-defined]
        return 0

    return in_project(work, _options(given))


def _options(given: argparse.Namespace) -> Sequence[str]:
    return [f"--ragassert-cache-dir={given.cache_dir}"] if given.cache_dir else []
