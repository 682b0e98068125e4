"""Make docs/images/report.png again: `python -m tests.docs.screenshot`.

Runs the first story of docs/how-to/reports.md, and photographs the page that it writes.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.browsers import Visit, chromium
from tests.fork_server import fork_server

from .blocks import ROOT, stories
from .run_story import run_story

PAGE = ROOT / "docs/how-to/reports.md"
IMAGE = ROOT / "docs/images/report.png"
WIDTH, HEIGHT = 1300, 780  # wide enough for answer and passages side by side
_TO_THE_CASE = "scrollTo(0, document.querySelector('#case').getBoundingClientRect().top + scrollY)"


def photograph(image: Path, python: str) -> list[str]:
    """Write the image; returns the texts that are marked in it.

    Args:
        python: the executable that runs the story.
    """
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        run_story(stories(PAGE)[0], Path(folder), python)
        report = Path(folder, "project", "report.html")
        size = {"width": WIDTH, "height": HEIGHT}
        visit = Visit(browser, report, "#case=fares-child", viewport=size)
        visit.page.locator(".claim").first.click()
        visit.page.evaluate(_TO_THE_CASE)
        marked = visit.texts("mark.on")
        visit.page.screenshot(path=image)
        visit.close()
    return marked


def main() -> int:
    with fork_server() as python:
        marked = photograph(IMAGE, python)
    print(f"{IMAGE.relative_to(ROOT)}: {IMAGE.stat().st_size // 1000} kB, marked: {marked}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
