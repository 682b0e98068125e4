"""Reads files and folders as a corpus."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import ConfigurationError
from ..language.number_format import plural
from ..language.suggestions import shown_value
from ..storage.files.encodings import decoded
from ..storage.files.plain_files import open_plain, reason_of
from .cut_documents import cut_document
from .files import SourceFile, source_files
from .outline import Outline
from .passages import Corpus, Document, Skipped
from .pdf_files import NEEDED, can_read_pdf, pdf_outline
from .plain_text import plain_outline
from .records import documents_of_records
from .sizes import FEWEST_WORDS
from .suspicion import check_harmless

MOST_BYTES, MOST_CHARACTERS = 10 * 2**20, 2_000_000
_SHOWN = 10  # files in an error


def read_corpus(paths: Sequence[Path], *, suspicious: bool = False) -> Corpus:
    """Read documents as passages. The result is the same on each machine.

    Args:
        paths: files, and folders, of which all documents are read.
        suspicious: read documents that contain instructions to a model, such as "ignore all
            instructions".

    Raises:
        ConfigurationError: a path does not exist or can't be read, or there is no document; the
            message says why, and what to do next.
    """
    files, skipped = source_files(paths)
    names = {file.name for file in files}
    documents: list[Document] = []
    owners: dict[str, str] = {}  # the file of each passage, by id
    for file in files:
        try:
            read = _documents(file, names, suspicious)
            _claim_ids(file.name, read, owners)
        except ConfigurationError:
            raise
        except OSError as error:
            skipped.append(Skipped(file.name, f"can't be read: {reason_of(error)}"))
        except ValueError as error:
            skipped.append(Skipped(file.name, str(error)))
        else:
            documents += read
    documents.sort(key=lambda one: one.name)
    skipped.sort(key=lambda one: (one.name, one.reason))
    if not documents:
        raise ConfigurationError(_nothing(paths, skipped))
    return Corpus(tuple(documents), tuple(skipped))


def _documents(file: SourceFile, names: Collection[str], suspicious: bool) -> list[Document]:
    """Read a file.

    Args:
        names: the names of all files.

    Raises:
        OSError: it can't be read.
        ValueError: it is skipped; the message says why.
        ConfigurationError: it was given itself, but a library is missing.
    """
    if file.format == "records":
        documents = [
            document
            if document.name == file.name or document.name not in names
            else _renamed(document, f"{file.name}/{document.name}")
            for document in documents_of_records(file.name, _text(file.path), suspicious=suspicious)
        ]
    else:
        outline = _outline(file)
        if not suspicious:
            check_harmless(outline.text)
            check_harmless(f"{file.name}\n{outline.title or ''}", line=1)
        documents = [cut_document(file.name, outline)]
    if not any(document.passages for document in documents):
        raise ValueError(f"no text of {FEWEST_WORDS} words or more")
    return documents


def _renamed(document: Document, name: str) -> Document:
    passages = tuple(replace(passage, document=name) for passage in document.passages)
    return replace(document, name=name, passages=passages)


def _claim_ids(name: str, documents: Sequence[Document], owners: dict[str, str]) -> None:
    """Raises: ValueError: a passage of another file has the same id."""
    ids = [passage.id for document in documents for passage in document.passages]
    for identifier in ids:
        if identifier in owners:
            raise ValueError(f"the id {shown_value(identifier)} is also in {owners[identifier]}")
    owners.update(dict.fromkeys(ids, name))


def _outline(file: SourceFile) -> Outline:
    if file.format == "pdf":
        return _outline_of_pdf(file)
    text = _text(file.path, html=file.format == "html")
    # each library is imported only if a document needs it
    if file.format == "markdown":
        from .markdown import markdown_outline

        return markdown_outline(text)
    if file.format == "html":
        from .html_pages import html_outline

        outline = html_outline(text)
        _check_size(outline.text)
        return outline
    return plain_outline(text)


def _outline_of_pdf(file: SourceFile) -> Outline:
    raw = _bytes(file.path)
    if not can_read_pdf():
        raise ConfigurationError(f"{file.path}: {NEEDED}") if file.given else ValueError(NEEDED)
    return pdf_outline(raw, MOST_CHARACTERS)


def _bytes(path: Path) -> bytes:
    with open_plain(path) as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise ValueError(f"larger than {MOST_BYTES // 2**20} MiB; split it into several files")
    if not raw.strip():
        raise ValueError("empty")
    return raw


def _text(path: Path, *, html: bool = False) -> str:
    """The text of a file, whose lines end with a line feed."""
    raw = _bytes(path)
    if html:
        from .html_tree import decoded_page

        text = decoded_page(raw)
    else:
        text = decoded(raw)
        _check_size(text)
    if "\0" in text:
        raise ValueError("not text: it contains NUL bytes")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _check_size(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"more than {MOST_CHARACTERS:,} characters; split it into several files")


def _nothing(paths: Sequence[Path], skipped: Sequence[Skipped]) -> str:
    where = ", ".join(map(str, paths))
    if not skipped:
        return f"{where}: no documents; give Markdown, text, HTML or PDF files, or a folder of them"
    shown = [f"\n  {one.name}: {one.reason}" for one in skipped[:_SHOWN]]
    if len(skipped) > _SHOWN:
        shown.append(f"\n  and {plural(len(skipped) - _SHOWN, 'more', 'more')}")
    return f"{where}: no document can be read; correct these files, or give others{''.join(shown)}"
