"""What the system refuses to do with committed verdicts, as errors that name the place."""

from __future__ import annotations

import os

from ..errors import ConfigurationError


def unreadable(path: str | os.PathLike[str], error: OSError) -> ConfigurationError:
    return _told(path, error, "read", "--ragassert-verdicts names a file or a folder")


def unwritable(path: str | os.PathLike[str], error: OSError) -> ConfigurationError:
    hint = "make room or allow it, then run again with --ragassert-update-verdicts"
    return _told(path, error, "written", hint)


def _told(path: str | os.PathLike[str], error: OSError, done: str, hint: str) -> ConfigurationError:
    place = error.filename if isinstance(error.filename, str) else os.fspath(path)
    reason = error.strerror or str(error)
    return ConfigurationError(f"verdicts can't be {done}: {place}: {reason}; {hint}")
