"""Which models endpoints named as the ones that answered, as the last run saw it.

Only the standard library: the header reads it in every run with a judge.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from .store_folder import plain_in_store, read_in_store, write_private

_NAME = "served.json"


def keep_served(folder: Path, served: Mapping[str, Sequence[str]]) -> None:
    """Write the names by model, in the store's folder, which is there.

    Raises:
        OSError: the file can't be written.
    """
    text = json.dumps({model: sorted(names) for model, names in served.items()})
    write_private(plain_in_store(folder, _NAME), text)


def read_served(folder: Path) -> dict[str, list[str]]:
    """The names by model; none where the last run did not tell."""
    try:
        served = json.loads(read_in_store(folder, _NAME))
        return {
            str(model): [str(name) for name in names]
            for model, names in served.items()
            if isinstance(names, list)
        }
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}
