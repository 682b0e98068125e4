"""Which files of a folder are read, and how their documents are named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_ragassert.corpus.reading import read_corpus
from pytest_ragassert.errors import ConfigurationError

from .documents import CHILDREN


def write(path: Path, content: str | bytes = CHILDREN) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def names(*paths: Path) -> list[str]:
    return [document.name for document in read_corpus(paths).documents]


def reasons(*paths: Path) -> dict[str, str]:
    return {one.name: one.reason for one in read_corpus(paths).skipped}


def test_documents_are_named_by_their_path_below_the_folder(tmp_path: Path) -> None:
    for name in ("b.md", "a/z.txt", "a/b/c.HTML", "a.rst"):
        write(tmp_path / name)
    assert names(tmp_path) == ["a.rst", "a/b/c.HTML", "a/z.txt", "b.md"]
    assert names(tmp_path / "a" / "z.txt") == ["z.txt"]


def test_equal_names_have_the_folders_name(tmp_path: Path) -> None:
    for name in ("one/docs/a.md", "two/docs/a.md", "two/docs/b.md"):
        write(tmp_path / name)
    assert names(tmp_path / "one" / "docs", tmp_path / "two" / "docs") == [
        "b.md",
        "one/docs/a.md",
        "two/docs/a.md",
    ]
    assert names(tmp_path / "one/docs/a.md", tmp_path / "two") == [
        "a.md",
        "docs/a.md",
        "docs/b.md",
    ]


def test_a_file_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md")
    assert names(path, tmp_path, path) == ["a.md"]


def test_other_files_are_counted_by_suffix(tmp_path: Path) -> None:
    for name in ("a.md", "b.png", "c/d.PNG", "e.py", "Makefile"):
        write(tmp_path / name)
    assert list(reasons(tmp_path).values()) == [
        "1 file without a suffix: not a kind of document that is read",
        "2 files .png: not a kind of document that is read",
        "1 file .py: not a kind of document that is read",
    ]


def test_hidden_and_installed_files_are_not_walked(tmp_path: Path) -> None:
    for name in ("a.md", ".b.md", ".git/c.md", "node_modules/d.md", "x/__pycache__/e.md"):
        write(tmp_path / name)
    assert names(tmp_path) == ["a.md"]
    assert not reasons(tmp_path)


def test_links_stay_in_the_folder_and_do_not_loop(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    write(docs / "a.md")
    write(docs / ".versions/3/b.md")
    write(tmp_path / "secret.md")
    (docs / "copy.md").symlink_to("a.md")
    (docs / "latest").symlink_to(".versions/3")
    (docs / "loop").symlink_to(".")
    (docs / "out.md").symlink_to("../secret.md")
    (docs / "nothing.md").symlink_to("missing.md")
    assert names(docs) == ["a.md", "latest/b.md"]
    assert reasons(docs) == {"out.md": "a link that leads out of the folder"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"PK\x03\x04\0\0 and so on", "not text: it contains NUL bytes"),
        ("Fähre".encode("latin-1"), "not UTF-8 (it has the byte 0xe4), first in line 1; save"),
        (b"a" * (10 * 2**20 + 1), "larger than 10 MiB; split it into several files"),
        (b"word " * 400_001, "more than 2,000,000 characters; split it into several files"),
        (b"Too short.", "no text of 8 words or more"),
    ],
)
def test_unreadable_files_are_skipped(tmp_path: Path, content: bytes, reason: str) -> None:
    write(tmp_path / "good.md")
    write(tmp_path / "bad.md", content)
    assert names(tmp_path) == ["good.md"]
    assert reasons(tmp_path)["bad.md"].startswith(reason)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path / "a.md", f"Fahrgäste: {CHILDREN}".replace(" ", "\r\n").encode(encoding))
    (document,) = read_corpus([path]).documents
    assert document.passages[0].text == f"Fahrgäste: {CHILDREN}".replace(" ", "\n").strip()


def test_a_named_pipe_is_not_opened(tmp_path: Path) -> None:
    write(tmp_path / "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    assert names(tmp_path) == ["a.md"]


def test_a_missing_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "handbook.md")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError) as caught:
        read_corpus([Path("hanbook.md")])
    assert str(caught.value) == (
        f"no file or folder 'hanbook.md' in the current folder {tmp_path} "
        "(did you mean 'handbook.md'?)"
    )


def test_a_given_file_of_another_kind(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"a.docx: not a kind of document .* and .jsonl"):
        read_corpus([write(tmp_path / "a.docx")])


def test_a_given_file_without_a_suffix_is_text(tmp_path: Path) -> None:
    assert names(write(tmp_path / "README")) == ["README"]


def test_without_documents_the_error_says_why(tmp_path: Path) -> None:
    write(tmp_path / "docs/a.md", b"\xff")
    write(tmp_path / "docs/b.png")
    with pytest.raises(ConfigurationError) as caught:
        read_corpus([tmp_path / "docs"])
    assert str(caught.value) == (
        f"{tmp_path / 'docs'}: no document can be read; correct these files, or give others\n"
        "  a.md: not UTF-8 (it has the byte 0xff), first in line 1; save the file as UTF-8\n"
        "  docs/*.png: 1 file .png: not a kind of document that is read"
    )
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="no documents; give Markdown"):
        read_corpus([tmp_path / "empty"])
