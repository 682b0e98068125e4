"""What the system refuses to do with committed verdicts, as errors that name the place."""

from __future__ import annotations

import os

from ..errors import ConfigurationError


def unreadable(path: str | os.PathLike[str], error: OSError) -> ConfigurationError:
    place = error.filename if isinstance(error.filename, str) else os.fspath(path)
    return ConfigurationError(
        f"verdicts can't be read: {place}: {error.strerror or error}; --ragassert-verdicts names a "
        "file or a folder"
    )
