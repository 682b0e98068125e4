"""Imports libraries that only some formats need: extras of this package."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def needed(library: str, extra: str) -> Iterator[None]:
    """A context in which code that needs a library is imported.

    Raises:
        ValueError: the library is missing; the message says how to install it.
    """
    try:
        yield
    except ImportError as error:
        missing = (
            isinstance(error, ModuleNotFoundError)
            and (error.name or "").partition(".")[0] == library
        )
        why = "is not installed" if missing else f"can't be imported ({error})"
        raise ValueError(
            f'it is read with {library}, which {why}: pip install "pytest-ragassert[{extra}]"'
        ) from None
