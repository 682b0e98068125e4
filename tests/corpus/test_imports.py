"""The libraries that read documents are imported only if a document needs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .documents import CHILDREN

LIBRARIES = ("markdown_it", "bs4", "pypdf")


def imported(code: str) -> list[str]:
    command = f"import sys\n{code}\nprint(*[name for name in {LIBRARIES} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", command], check=True, capture_output=True, text=True
    )
    return done.stdout.split()


def test_no_run_of_tests_imports_them() -> None:
    assert imported("import pytest_ragassert.plugin, pytest_ragassert.evaluation") == []


@pytest.mark.parametrize(
    ("name", "libraries"),
    [("a.txt", []), ("a.md", ["markdown_it"]), ("a.html", ["bs4"]), ("a", [])],
)
def test_a_document_imports_what_reads_it(tmp_path: Path, name: str, libraries: list[str]) -> None:
    path = tmp_path / name
    path.write_text(CHILDREN, encoding="utf-8")
    assert (
        imported(
            "from pathlib import Path\n"
            "from pytest_ragassert.corpus.reading import read_corpus\n"
            f"assert read_corpus([Path({str(path)!r})]).documents"
        )
        == libraries
    )
