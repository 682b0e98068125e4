"""What the site adds to the pages: two files of the root, and links to the repository."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
# pages of the site that lie in the root, by their addresses here
ROOT_PAGES = {"project/contributing.md": "CONTRIBUTING.md", "project/changelog.md": "CHANGELOG.md"}
# stage directions, for the tests that run the blocks
_COMMENT = re.compile(r"^<!--.*?-->\n", re.M | re.S)
_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
# what follows a fence's language and title is for the tests that run the block
_FENCE = re.compile(r'^(```\w+(?: title="[^"\n]*")?)(?! title=) [^\n]*$', re.M)


def on_files(files: Any, config: Any) -> Any:
    for page, name in ROOT_PAGES.items():
        text = ROOT.joinpath(name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    for name in ("iframe-worker.js", "site.css"):
        text = Path(__file__).with_name(name).read_text(encoding="utf-8")
        files.append(File.generated(config, f"assets/{name}", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Leave out comments, and let links to files outside the docs lead to the repository.

    A link is read as from where the page's file lies; it stays one where that file is a page.
    """
    markdown = _COMMENT.sub("", markdown)
    address = page.file.src_uri
    here = posixpath.dirname(ROOT_PAGES.get(address, f"docs/{address}"))

    def place(link: re.Match[str]) -> str:
        before, target, after = link.groups()
        if re.match(r"[a-z]+:|/", target):
            return link[0]
        path = posixpath.normpath(posixpath.join(here, target))
        pages = {name: site for site, name in ROOT_PAGES.items()}
        inside = pages.get(path, path.removeprefix("docs/") if path.startswith("docs/") else None)
        if inside is not None:
            found = posixpath.relpath(inside, posixpath.dirname(address) or ".")
            return f"{before}{found}{after}"
        if not ROOT.joinpath(path).exists():
            return link[0]
        kind = "tree" if ROOT.joinpath(path).is_dir() else "blob"
        return f"{before}{config.extra['repository']}/{kind}/main/{path}{after}"

    return _FENCE.sub(r"\1", _LINK.sub(place, markdown))
