"""PDF files as passages."""

from __future__ import annotations

import re
import time
import zlib
from pathlib import Path

import pytest
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, PdfObject, StreamObject

from pytest_ragassert.corpus import pdf_files, reading
from pytest_ragassert.corpus.passages import Skipped
from pytest_ragassert.corpus.reading import read_corpus
from pytest_ragassert.errors import ConfigurationError

from .documents import pdf_writer, write_pdf


def lines(page: int, count: int = 6) -> list[str]:
    return [
        f"On route {page * 17 + line} the ferry runs every forty minutes from May to {line} June,"
        for line in range(count)
    ]


def reason_of(path: Path) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read_corpus([path])
    return str(caught.value).partition(f"{path.name}: ")[2].partition(f"{path.name}: ")[2]


def test_each_page_is_a_passage(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "routes.pdf", [lines(0), lines(1)])
    (document,) = read_corpus([path]).documents
    assert [passage.id for passage in document.passages] == [
        "routes.pdf#page-1",
        "routes.pdf#page-2",
    ]
    assert document.passages[1].text == "\n".join(lines(1))


def test_a_sentence_over_two_pages_is_not_cut(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "routes.pdf", [lines(0), ["and daily in winter.", *lines(1)]])
    (document,) = read_corpus([path]).documents
    assert document.passages[0].text.endswith("June,\nand daily in winter.")
    assert document.passages[1].text == "\n".join(lines(1))


def test_running_heads_and_page_numbers_are_left_out(tmp_path: Path) -> None:
    pages = [["Ferry handbook", *lines(page), f"Page {page + 1} of 5"] for page in range(5)]
    (document,) = read_corpus([write_pdf(tmp_path / "routes.pdf", pages)]).documents
    assert [passage.text for passage in document.passages] == [
        "\n".join(lines(page)) for page in range(5)
    ]


def test_bookmarks_are_headings(tmp_path: Path) -> None:
    writer = pdf_writer([["Summer", *lines(0)], lines(1), ["Winter", *lines(2)]])
    parent = writer.add_outline_item(title="Summer", page_number=0)
    writer.add_outline_item(title="Winter", page_number=2, parent=parent)
    writer.add_metadata({"/Title": "Routes"})
    writer.write(tmp_path / "routes.pdf")
    (document,) = read_corpus([tmp_path / "routes.pdf"]).documents
    assert document.title == "Routes"
    summer, winter = document.passages
    assert summer.id == "routes.pdf#summer"
    assert summer.text.startswith("Summer\n\nOn route 0")
    assert winter.headings == ("Routes", "Summer")
    assert winter.text == "\n".join(["Winter\n", *lines(2)])


def test_scanned_pages_have_no_text(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "scan.pdf", [[], []])
    assert reason_of(path) == "no text: scanned pages need OCR first"


def test_an_encrypted_file(tmp_path: Path) -> None:
    writer = pdf_writer([lines(0)])
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(tmp_path / "secret.pdf")
    assert reason_of(tmp_path / "secret.pdf") == "encrypted: save a copy without a password"


def test_a_file_that_is_encrypted_without_a_password(tmp_path: Path) -> None:
    writer = pdf_writer([lines(0)])
    writer.encrypt("", "owner", algorithm="RC4-128")
    writer.write(tmp_path / "open.pdf")
    assert read_corpus([tmp_path / "open.pdf"]).documents[0].passages[0].id == "open.pdf"


@pytest.mark.parametrize("raw", [b"%PDF-1.4\nrubbish", b"text", b"%PDF-1.7\n" + bytes(5_000)])
def test_damaged_files(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "broken.pdf").write_bytes(raw)
    assert reason_of(tmp_path / "broken.pdf").startswith("damaged PDF: ")


def test_a_file_cut_anywhere_is_skipped(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "routes.pdf", [lines(0)])
    whole = path.read_bytes()
    for share in (0.1, 0.5, 0.9):
        path.write_bytes(whole[: int(len(whole) * share)])
        assert reason_of(path).startswith(("damaged PDF: ", "no text: "))


def test_a_reader_that_takes_too_long_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_pdf(tmp_path / "routes.pdf", [lines(0)])
    monkeypatch.setattr(pdf_files, "MOST_SECONDS", 0.5)
    monkeypatch.setattr(pdf_files, "_START", "import time; time.sleep(60)")
    begun = time.monotonic()
    assert reason_of(path) == "reading it takes longer than 0.5 seconds"
    assert time.monotonic() - begun < 20


def test_memory_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("resource")
    path = write_pdf(tmp_path / "routes.pdf", [lines(0)])
    start = pdf_files._START.replace(
        "main(",
        "from pypdf import PdfReader; PdfReader.pages = property(lambda _: bytes(10**10)); main(",
    )
    monkeypatch.setattr(pdf_files, "_START", start)
    assert reason_of(path) == "it takes more than 1 GB of memory"


def test_without_pypdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_pdf(tmp_path / "routes.pdf", [lines(0)])
    (tmp_path / "routes.txt").write_text("\n".join(lines(0)))
    monkeypatch.setattr(reading, "can_read_pdf", lambda: False)
    with pytest.raises(ConfigurationError, match=r'pip install "pytest-ragassert\[pdf\]"'):
        read_corpus([path])
    corpus = read_corpus([tmp_path])
    assert [one.name for one in corpus.documents] == ["routes.txt"]
    assert corpus.skipped == (Skipped("routes.pdf", pdf_files.NEEDED),)


def with_content(path: Path, data: bytes, **entries: PdfObject) -> Path:
    """A file whose page has this compressed content."""
    writer = pdf_writer([lines(0)])
    content = StreamObject()
    content.update({NameObject(f"/{name}"): value for name, value in entries.items()})
    content._data = data
    writer.pages[0][NameObject("/Contents")] = writer._add_object(content)
    writer.write(path)
    return path


def test_a_bomb_is_skipped_within_the_limits(tmp_path: Path) -> None:
    bomb = zlib.compress(bytes(300 * 2**20), 9)
    twice = zlib.compress(bomb, 9)
    for data, filters in ((bomb, ["/FlateDecode"]), (twice, ["/FlateDecode"] * 2)):
        names = ArrayObject([NameObject(name) for name in filters])
        path = with_content(tmp_path / "bomb.pdf", data, Filter=names)
        begun = time.monotonic()
        assert reason_of(path)
        assert time.monotonic() - begun < 60


def test_text_that_is_repeated_without_end_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page may show a form that shows itself; not all releases of pypdf notice it."""
    monkeypatch.setattr(pdf_files, "MOST_SECONDS", 10)
    writer = pdf_writer([lines(0)])
    form = StreamObject()
    form.update({NameObject("/Type"): NameObject("/XObject")})
    form.update({NameObject("/Subtype"): NameObject("/Form")})
    form._data = b"/Me Do /Me Do"
    reference = writer._add_object(form)
    resources = DictionaryObject(
        {NameObject("/XObject"): DictionaryObject({NameObject("/Me"): reference})}
    )
    form[NameObject("/Resources")] = resources
    page = writer.pages[0]
    page[NameObject("/Resources")] = resources
    content = StreamObject()
    content._data = b"/Me Do"
    page[NameObject("/Contents")] = writer._add_object(content)
    writer.write(tmp_path / "loop.pdf")
    assert reason_of(tmp_path / "loop.pdf")


def test_pages_that_are_their_own_parents_are_skipped(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "loop.pdf", [lines(0)])
    kids = re.sub(rb"/Kids \[ \d+ 0 R", b"/Kids [ 1 0 R", path.read_bytes())
    assert kids != path.read_bytes()
    path.write_bytes(kids)
    assert reason_of(path)
