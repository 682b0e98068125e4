"""`verdicts …`: shows, corrects and moves what is stored and committed."""

from __future__ import annotations

import argparse

from . import info, override, show
from . import merge_verdicts as merging
from . import prune as pruning
from . import transfer as moving
from . import verify_verdicts as verifying

_ABOUT = """\
Look at, correct and move verdicts: those in the store (a folder of this machine) and those that
are committed with the project (a JSON-lines file or a folder). Places are those of the tests here:
options are read from the project's ini file and the environment as pytest reads them."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verdicts",
        help="look at, correct and move verdicts",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    for module in (show, override, info, moving, merging, pruning, verifying):
        module.add_to(actions)
