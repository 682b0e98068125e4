"""Open files as sources of cases: binary or text, on a disk or not."""

from __future__ import annotations

import io
from typing import Any, BinaryIO


def is_open_file(source: Any) -> bool:
    """Whether a source can be read as a file."""
    return callable(getattr(source, "read", None)) and hasattr(source, "readable")


def name_of(source: Any) -> str | None:
    """The name by which a file was opened; None if it has none."""
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else None


def binary_of(source: Any) -> BinaryIO:
    """The rest of a file, as a binary file.

    Raises:
        ValueError: it is closed or not readable, or its text can't be decoded.
    """
    if source.closed:
        raise ValueError("the file is closed")
    try:
        read = source.read()
    except UnicodeDecodeError as error:
        raise ValueError(f"its text is not {error.encoding} (at byte {error.start})") from None
    except io.UnsupportedOperation:
        raise ValueError("the file is not open for reading") from None
    if isinstance(read, str):
        # surrogates of a lenient encoding are reported for the row that has one
        read = read.encode("utf-8", "surrogatepass")
    return io.BytesIO(read)
