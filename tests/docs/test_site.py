"""The site: it builds without a warning, fetches nothing, and its search works without a server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browsers import Visit, chromium

from .blocks import ROOT

CONFIG = "docs/.mkdocs/mkdocs.yml"
READ = ("docs", "pytest_ragassert", "CONTRIBUTING.md", "CHANGELOG.md", "README.md", "LICENSE")


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    # the command of CONTRIBUTING.md, into another folder
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", CONFIG]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "NO_COLOR": "1"}
    return subprocess.run(
        [*command, "--site-dir", str(site)],
        cwd=root,
        env=environ,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of what the site is built from, to break."""
    for name in READ:
        source, target = ROOT / name, tmp_path / "copy" / name
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    return tmp_path / "copy"


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        tags = re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", text)
        fetched = [tag for tag in tags if re.search(r'(?:src|href)="(?:https?:)?//', tag)]
        # the address of the repository is no resource of the page
        assert [tag for tag in fetched if 'rel="canonical"' not in tag] == [], page


def test_search_works_on_a_page_that_is_opened_as_a_file(site: Path) -> None:
    with chromium() as browser:
        visit = Visit(browser, site / "index.html")
        page = visit.page
        field = page.locator("input.md-search__input")
        field.click()
        field.press_sequentially("override", delay=20)
        page.locator(".md-search-result__link mark", has_text="override").first.wait_for()
        assert [url for url in visit.requests if not url.startswith(("file:", "blob:"))] == []
        visit.close()


def test_a_dead_link_and_anchor_and_an_orphan_are_errors(copy: Path, tmp_path: Path) -> None:
    index = copy / "docs/index.md"
    text = index.read_text(encoding="utf-8")
    index.write_text(f"{text}\n[one](none.md) and [two](project/speed.md#none)\n", "utf-8")
    copy.joinpath("docs/orphan.md").write_text("# Orphan\n", encoding="utf-8")
    done = build(copy, tmp_path / "site")
    assert done.returncode == 1
    assert "none.md" in done.stderr
    assert "#none" in done.stderr
    assert "orphan.md" in done.stderr
