"""Reads a PDF file with pypdf in a process whose memory is limited; `pdf_files` starts it.

Damaged and hostile files may need any amount of time and memory. The process reads the file from
its input, and writes one JSON object: the pages' texts, or why there are none.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PdfReader

MOST_MEMORY = 10**9  # bytes
_MOST_BOOKMARKS, _LONGEST_TITLE = 5_000, 300
_ENCRYPTED = "encrypted: save a copy without a password"


def limit_memory() -> None:
    """Limit the memory of this process, if the system can do that."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def main(most_characters: int) -> None:
    """Read a PDF file from the input, and write its contents as JSON."""
    limit_memory()
    try:
        read = _read(sys.stdin.buffer.read(), most_characters)
    except MemoryError:
        read = {"reason": f"it takes more than {MOST_MEMORY // 10**9} GB of memory"}
    # escaped, because texts of PDF files may have lone surrogates
    sys.stdout.write(json.dumps(read))


def _read(raw: bytes, most_characters: int) -> dict[str, Any]:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    try:
        reader = PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            return {"reason": _ENCRYPTED}
        pages: list[str] = []
        size = 0
        for page in reader.pages:
            pages.append(page.extract_text())
            size += len(pages[-1])
            if size > most_characters:
                reason = f"more than {most_characters:,} characters; split it into several files"
                return {"reason": reason}
        return {"pages": pages, "title": _title(reader), "bookmarks": _bookmarks(reader)}
    except (DependencyError, FileNotDecryptedError):
        return {"reason": _ENCRYPTED}
    except RecursionError:
        return {"reason": "damaged PDF: it is nested too deeply"}
    except MemoryError:
        raise
    except Exception as error:
        # pypdf raises errors of many classes for damaged files
        return {"reason": f"damaged PDF: {str(error)[:200] or type(error).__name__}"}


def _title(reader: PdfReader) -> str | None:
    try:
        title = reader.metadata and reader.metadata.title
    except Exception:
        return None
    return title[:_LONGEST_TITLE] if isinstance(title, str) else None


def _bookmarks(reader: PdfReader) -> list[tuple[int, int, str]]:
    """Return page, level and title of each bookmark; none if they are damaged."""
    found: list[tuple[int, int, str]] = []
    try:
        opened: list[Any] = [iter(reader.outline)]
        while opened and len(found) < _MOST_BOOKMARKS:
            one = next(opened[-1], None)
            if one is None:
                opened.pop()
            elif isinstance(one, list):
                opened.append(iter(one))
            else:
                page = reader.get_destination_page_number(one)
                if page is not None and isinstance(one.title, str):
                    # level 1 is that of a title
                    found.append((page, len(opened) + 1, one.title[:_LONGEST_TITLE]))
    except MemoryError:
        raise
    except Exception:
        return []
    return found
