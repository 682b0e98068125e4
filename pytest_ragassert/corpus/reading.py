"""Reads files and folders as a corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import ConfigurationError
from ..language.number_format import plural
from ..storage.files.encodings import decoded
from ..storage.files.plain_files import open_plain, reason_of
from .cut_documents import cut_document
from .files import SourceFile, source_files
from .markdown import markdown_outline
from .outline import Outline
from .passages import Corpus, Document, Skipped
from .plain_text import plain_outline
from .sizes import FEWEST_WORDS

MOST_BYTES, MOST_CHARACTERS = 10 * 2**20, 2_000_000
_SHOWN = 10  # files in an error

_OUTLINES: dict[str, Callable[[str], Outline]] = {
    "markdown": markdown_outline,
    "text": plain_outline,
}


def read_corpus(paths: Sequence[Path], *, suspicious: bool = False) -> Corpus:
    """Read documents as passages. The result is the same on each machine.

    Args:
        paths: files, and folders, of which all documents are read.
        suspicious: read documents that speak to a model, such as "ignore all instructions".

    Raises:
        ConfigurationError: a path does not exist or can't be read, or there is no document; the
            message says why, and what to do next.
    """
    files, skipped = source_files(paths)
    documents: list[Document] = []
    for file in files:
        read = _read(file, suspicious)
        if isinstance(read, Skipped):
            skipped.append(read)
        else:
            documents.append(read)
    skipped.sort(key=lambda one: (one.name, one.reason))
    if not documents:
        raise ConfigurationError(_nothing(paths, skipped))
    return Corpus(tuple(documents), tuple(skipped))


def _read(file: SourceFile, suspicious: bool) -> Document | Skipped:
    try:
        document = cut_document(file.name, _OUTLINES[file.format](_text(file.path)))
    except OSError as error:
        return Skipped(file.name, f"can't be read: {reason_of(error)}")
    except ValueError as error:
        return Skipped(file.name, str(error))
    if not document.passages:
        return Skipped(file.name, f"no text of {FEWEST_WORDS} words or more")
    return document


def _text(path: Path) -> str:
    """The text of a file, whose lines end with a line feed.

    Raises:
        OSError: it can't be read.
        ValueError: it is not text, or too large.
    """
    with open_plain(path) as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES // 2**20} MiB")
    text = decoded(raw)
    if "\0" in text:
        raise ValueError("not text: it contains NUL bytes")
    if not text.strip():
        raise ValueError("empty")
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"more than {MOST_CHARACTERS:,} characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _nothing(paths: Sequence[Path], skipped: Sequence[Skipped]) -> str:
    where = ", ".join(map(str, paths))
    if not skipped:
        return (
            f"{where}: no documents; give files or folders with Markdown, text, HTML or PDF files"
        )
    reasons = [f"\n  {one.name}: {one.reason}" for one in skipped[:_SHOWN]]
    more = len(skipped) - _SHOWN
    if more > 0:
        reasons.append(f"\n  and {plural(more, 'other')}")
    return (
        f"{where}: no document can be read; correct these files, or give others{''.join(reasons)}"
    )
