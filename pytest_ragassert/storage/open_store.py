"""The only place that opens stores of verdicts.

`open_store(url)` returns a `Store`. All code that reads or writes stored verdicts uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from ..errors import ConfigurationError
from .disk.disk_store import DiskStore
from .disk.repair import Repaired, repair
from .store import Store

OnNotice = Callable[[str], None]
Scratch = Callable[[], Path]


class Opener(Protocol):
    """Creates a store without opening anything yet."""

    def __call__(
        self, rest: str, /, *, on_notice: OnNotice, scratch: Scratch | None, patience: float
    ) -> Store:
        """Create the store.

        Args:
            rest: the part of the URL after `scheme://`.
            on_notice: as for `open_store`.
            scratch: as for `open_store`.
            patience: as for `open_store`.
        """


def _open_disk(
    rest: str, /, *, on_notice: OnNotice, scratch: Scratch | None, patience: float
) -> Store:
    return DiskStore(Path(unquote(rest)), on_notice, scratch, patience)


# By the scheme of their URLs.
STORES: dict[str, Opener] = {"disk": _open_disk}


def open_store(
    url: str | Path,
    on_notice: OnNotice = lambda line: None,
    scratch: Scratch | None = None,
    patience: float = 10.0,
) -> Store:
    """Return the store at a URL (`disk:///PATH`) or path. Nothing is opened or created before it is
    used.

    Args:
        on_notice: called with a line for people if the store can't be used normally.
        scratch: returns a private folder, for a copy if a store can't be read in its place.
        patience: seconds to wait for another process that uses the store.

    Raises:
        ConfigurationError: there is no store for that scheme.
    """
    scheme, between, rest = str(url).partition("://")
    if isinstance(url, Path) or not between:
        return DiskStore(Path(url), on_notice, scratch, patience)
    if scheme not in STORES:
        known = ", ".join(f"{name}://" for name in sorted(STORES))
        raise ConfigurationError(
            f"--ragassert-cache-dir: there is no store for {scheme}://; give the path of a folder, "
            f"or a URL that begins with {known}"
        )
    return STORES[scheme](rest, on_notice=on_notice, scratch=scratch, patience=patience)


def repair_store(folder: Path) -> Repaired:
    """Copy what can be read of a damaged store on disk into a new one; see `disk.repair`."""
    return repair(folder)
