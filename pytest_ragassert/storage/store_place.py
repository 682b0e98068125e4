"""Where a project's verdicts are stored: in a folder, and in a store that machines share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .store_url import DEFAULT_NAMESPACE, read_store_url


@dataclass(frozen=True)
class StorePlace:
    """The folder of the store on disk, and the shared store that it is a cache of.

    Attributes:
        shared: the URL of the shared store, with credentials; None: there is none.
        namespace: the part of the shared store that belongs to the project.
        fills: whether what only the folder has is added to the shared store when it is used.
    """

    folder: Path
    shared: str | None = field(default=None, repr=False)
    namespace: str = DEFAULT_NAMESPACE
    fills: bool = False

    @property
    def disk(self) -> StorePlace:
        """The folder alone."""
        return StorePlace(self.folder)

    @property
    def shown(self) -> str:
        """Both, for people; without credentials."""
        if self.shared is None:
            return str(self.folder)
        return f"{shared_place(self.shared, self.namespace)}, cached in {self.folder}"


def shared_place(url: str, namespace: str) -> str:
    """Return the name of a shared store, for people; without credentials."""
    shown = read_store_url(url).shown
    return shown if namespace == DEFAULT_NAMESPACE else f"{shown} (namespace {namespace})"
