"""Finds a project's verdicts: its store, and its committed file or folder."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .option_names import add_own
from .project import in_project

if TYPE_CHECKING:
    from ..plugin.run import Run
    from ..storage.committed.committed_verdicts import CommittedVerdicts
    from ..storage.store_place import StorePlace

NO_VERDICTS = (
    "no committed verdicts are configured: set ragassert_verdicts = PATH in the project's ini "
    "file, or give --verdicts PATH"
)


@dataclass(frozen=True)
class Places:
    """The places and storage settings of a project's verdicts.

    Attributes:
        store: the store's folder, which need not exist, and the shared store if one is configured.
        verdicts: the committed verdicts; None if none are configured.
        gate: whether a contradiction counts only with a verified quote.
        keeps_reasons, names_passages: whether judges' reasons, and the hashes of passages, are
            stored and committed.
        token_budget: estimated tokens of a message; None: the default.
    """

    store: StorePlace
    verdicts: str | None
    gate: bool
    keeps_reasons: bool
    names_passages: bool
    token_budget: int | None

    @property
    def folder(self) -> Path:
        """The folder of the store, which need not exist."""
        return self.store.folder

    def committed(self) -> CommittedVerdicts | None:
        """
        Raises:
            ConfigurationError: the verdicts are damaged.
        """
        from ..storage.committed.committed_verdicts import open_verdicts

        return None if self.verdicts is None else open_verdicts(self.verdicts)

    def needed(self) -> str:
        """The path of the committed verdicts.

        Raises:
            ConfigurationError: none are configured.
        """
        if self.verdicts is None:
            raise ConfigurationError(NO_VERDICTS)
        return self.verdicts


Work = Callable[[argparse.Namespace, Places], int]


def add_action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    help: str,
    about: str,
    work: Work,
    *,
    shared: bool = True,
) -> argparse.ArgumentParser:
    """Add an action that works in a project, with the options that select the project.

    Args:
        shared: whether it uses the shared store.
    """
    parser = plain_action(actions, name, help, about)
    places = parser.add_argument_group("places")
    places.add_argument(
        "--cache-dir", metavar="DIR", help="folder of stored verdicts (default: that of the tests)"
    )
    if shared:
        places.add_argument(
            "--store",
            metavar="URL",
            help="URL of the shared store; disk: only the folder (default: as in the tests)",
        )
        places.add_argument(
            "--store-namespace",
            metavar="NAME",
            help="part of the shared store (default: the tests')",
        )
    else:
        parser.set_defaults(store="disk", store_namespace=None)
    places.add_argument(
        "--verdicts", metavar="PATH", help="committed verdicts (default: those of the tests)"
    )
    add_own(parser, "cache-dir", "verdicts")
    places.add_argument("--rootdir", metavar="DIR", help="as in pytest")
    places.add_argument("-c", "--config-file", metavar="FILE", help="as in pytest")
    parser.set_defaults(run=lambda args: _in_places(args, work))
    return parser


def plain_action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, help: str, about: str
) -> argparse.ArgumentParser:
    return actions.add_parser(
        name,
        help=help,
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _in_places(args: argparse.Namespace, work: Work) -> int:
    def in_run(run: Run) -> int:
        names = ("evidence_gate", "store_reasons", "store_passages")
        gate, reasons, passages = (run.value(name, "on") == "on" for name in names)
        budget = run.value("token_budget", None)
        committed = _committed(run)
        return work(args, Places(run.store_place, committed, gate, reasons, passages, budget))

    return in_project(in_run, _options(args))


def _committed(run: Run) -> str | None:
    """A path in the ini file is relative to rootdir, others to the current folder."""
    if "verdicts" not in run.chosen:
        return None
    value, source = run.chosen["verdicts"]
    base = run.config.rootpath if source == "ini" else run.config.invocation_params.dir
    path = os.path.expanduser(value)
    # not a Path, which would drop a final slash that marks a folder
    return os.path.join(base, path)


def _options(args: argparse.Namespace) -> list[str]:
    own = {
        "cache-dir": args.cache_dir,
        "store": args.store,
        "store-namespace": args.store_namespace,
        "verdicts": args.verdicts,
    }
    options = [f"--ragassert-{name}={value}" for name, value in own.items() if value is not None]
    if args.rootdir is not None:
        options.append(f"--rootdir={args.rootdir}")
    if args.config_file is not None:
        options += ["-c", args.config_file]
    return options
