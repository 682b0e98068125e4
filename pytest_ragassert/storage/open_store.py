"""The only place that opens stores of verdicts.

`open_store(place)` returns a `Store`. All code that reads or writes stored verdicts uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import unquote

from ..errors import ConfigurationError
from ..runtime.redaction import hide_url
from .disk.disk_store import DiskStore
from .disk.repair import Repaired, repair
from .store import Store
from .store_place import StorePlace, shared_place
from .store_url import DEFAULT_NAMESPACE, SCHEMES, read_store_url

if TYPE_CHECKING:
    from .redis.redis_store import RedisStore

OPTION = "--ragassert-store"
OnNotice = Callable[[str], None]
Scratch = Callable[[], Path]


class Opener(Protocol):
    """Creates a store without opening anything yet."""

    def __call__(
        self,
        rest: str,
        /,
        *,
        on_notice: OnNotice,
        scratch: Scratch | None,
        patience: float,
        namespace: str,
    ) -> Store:
        """Create the store.

        Args:
            rest: the part of the URL after `scheme://`.
            on_notice: as for `open_store`.
            scratch: as for `open_store`.
            patience: as for `open_store`.
            namespace: as for `open_store`.
        """


def _open_disk(
    rest: str, /, *, on_notice: OnNotice, scratch: Scratch | None, patience: float, namespace: str
) -> Store:
    return DiskStore(Path(unquote(rest)), on_notice, scratch, patience)


def _opener(scheme: str) -> Opener:
    def open_shared(rest: str, /, *, on_notice: OnNotice, namespace: str, **_: Any) -> Store:
        return _open_shared(f"{scheme}://{rest}", namespace, on_notice)

    return open_shared


def _open_shared(
    url: str,
    namespace: str,
    on_notice: OnNotice,
    on_state: OnNotice | None = None,
    *,
    adds: bool = True,
) -> RedisStore:
    """
    Raises:
        ConfigurationError: it is not a URL of such a store, or the client is not installed.
    """
    try:
        parts = read_store_url(url)
    except ValueError as error:
        raise ConfigurationError(f"{OPTION}: it is not {error}") from None
    check_client()
    from .redis.redis_store import RedisStore

    hide_url(url)
    return RedisStore(
        parts, namespace, shared_place(url, namespace), on_notice, on_state, adds=adds
    )


def check_client() -> None:
    """
    Raises:
        ConfigurationError: the client of shared stores is not installed.
    """
    if find_spec("redis") is None:
        raise ConfigurationError(
            f'{OPTION}: a shared store needs redis-py; install it: pip install "'
            'pytest-ragassert[redis]"'
        )


# By the scheme of their URLs.
STORES: dict[str, Opener] = {"disk": _open_disk, **{name: _opener(name) for name in SCHEMES}}


def open_store(
    place: StorePlace | Path | str,
    on_notice: OnNotice = lambda line: None,
    scratch: Scratch | None = None,
    patience: float = 10.0,
    namespace: str = DEFAULT_NAMESPACE,
    on_state: OnNotice | None = None,
) -> Store:
    """Return the store at a path, at a URL (such as `disk:///PATH`), or at both of a `StorePlace`.
    Nothing is opened or created before it is used.

    Args:
        on_notice: called with a line for people if the store can't be used normally.
        scratch: returns a private folder, for a copy if a store can't be read in its place.
        patience: seconds to wait for another process that uses the store.
        namespace: the part of a shared store that a URL means.
        on_state: called with a line on whether the shared store of a `StorePlace` is used, which
            replaces the last one; default: `on_notice`.

    Raises:
        ConfigurationError: there is no store for that scheme, or its client is not installed.
    """
    if isinstance(place, StorePlace):
        disk = DiskStore(place.folder, on_notice, scratch, patience)
        if place.shared is None:
            return disk
        shared = _open_shared(place.shared, place.namespace, on_notice, on_state, adds=place.fills)
        from .tiers import TieredStore  # imports the client

        return TieredStore(disk, shared, fills=place.fills)
    scheme, between, rest = str(place).partition("://")
    if isinstance(place, Path) or not between:
        return DiskStore(Path(place), on_notice, scratch, patience)
    if scheme not in STORES:
        known = ", ".join(f"{name}://" for name in sorted(STORES))
        raise ConfigurationError(
            f"--ragassert-cache-dir: there is no store for {scheme}://; give the path of a folder, "
            f"or a URL that begins with {known}"
        )
    return STORES[scheme](
        rest, on_notice=on_notice, scratch=scratch, patience=patience, namespace=namespace
    )


def repair_store(folder: Path) -> Repaired:
    """Copy what can be read of a damaged store on disk into a new one; see `disk.repair`."""
    return repair(folder)
