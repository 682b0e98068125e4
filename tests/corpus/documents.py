"""Writes documents for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from pytest_ragassert.corpus.passages import Document
from pytest_ragassert.corpus.reading import read_corpus

CHILDREN = "Children under six travel free, and older children pay four crowns. " * 6
SEASON = "A season ticket costs 120 crowns and is valid from May to September. " * 6


def read(folder: Path, text: str | bytes, name: str = "fares.md") -> Document:
    """The only document of a file with this content."""
    raw = text.encode() if isinstance(text, str) else text
    (folder / name).write_bytes(raw)
    (document,) = read_corpus([folder / name]).documents
    return document


def pdf_writer(pages: Sequence[Sequence[str]]) -> PdfWriter:
    """A PDF file with these lines of ASCII characters on its pages."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
    for lines in pages:
        page = writer.add_blank_page(width=612, height=792)
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        content = StreamObject()
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        content.set_data(f"BT /F1 12 Tf 14 TL 50 740 Td {shown} ET".encode())
        page[NameObject("/Contents")] = writer._add_object(content)
    return writer


def write_pdf(path: Path, pages: Sequence[Sequence[str]]) -> Path:
    pdf_writer(pages).write(path)
    return path
