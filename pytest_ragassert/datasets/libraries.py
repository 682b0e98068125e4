"""Libraries that only some formats need: extras of this package."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def needed(library: str, extra: str) -> Iterator[None]:
    """Import what needs a library in this context.

    Raises:
        ValueError: it is missing; says how to install it.
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
