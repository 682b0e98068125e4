"""Show the real outputs on pages: `python -m tests.docs update docs/how-to/x.md`."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.fork_server import fork_server

from .blocks import Block, pages, stories
from .run_story import Differs, run_story


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.docs", description=__doc__)
    parser.add_argument("command", choices=["update"])
    parser.add_argument("page", nargs="*", type=Path, help="default: all pages")
    given = parser.parse_args()
    status = 0
    with fork_server() as python:
        for page in [path.resolve() for path in given.page] or pages():
            updated: dict[Block, str] = {}
            for story in stories(page):
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        updated |= run_story(story, Path(folder), python, update=True)
                    except Differs as error:
                        print(error)
                        status = 1
            _rewrite(page, updated)
    return status


def _rewrite(page: Path, updated: dict[Block, str]) -> None:
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    for block in sorted(updated, key=lambda one: -one.line):
        lines[block.line : block.line + block.text.count("\n")] = [updated[block]]
        print(f"{block.place}: output written")
    page.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
