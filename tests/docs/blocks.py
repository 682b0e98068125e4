"""Read a page's code blocks, and the stage directions in its HTML comments.

A page is one story: its blocks are run in one empty folder, from top to bottom. A block with
`title="PATH"` writes that file. Comments, which readers do not see, say the rest:

    <!-- new folder -->          another story begins, in another empty folder
    <!-- run: exit=1 COMMAND --> runs a command that is not shown
    <!-- setup … -->             fenced blocks that are run but not shown
    <!-- files: FROM TO -->      copies a folder of the project into the story's, or below it
    <!-- endpoint: URL -->       a test server answers for this URL; JSON after it is its reply, and
                                 "writes" makes it one that writes cases
    <!-- env: NAME=VALUE -->     sets a variable for what follows
    <!-- run by: tests/x.py -->  another test runs the next block
    <!-- not run: REASON -->     nothing can run the next block here
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
_DIRECTION = re.compile(
    r"<!--\s*(new folder|setup|files|endpoint|env|run by|run|not run)\b:?(.*?)-->", re.S
)


@dataclass(frozen=True)
class Block:
    """A fenced code block: `line` is that of its fence, from 1."""

    page: Path
    line: int
    language: str
    text: str
    title: str | None = None
    append: bool = False
    exit_status: int = 0
    run_by: str | None = None
    not_run: str | None = None
    shown: bool = True

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Direction:
    """A stage direction that changes the story: `files`, `endpoint` or `env`."""

    name: str
    value: str


@dataclass
class Story:
    """Blocks and directions that share a folder."""

    page: Path
    line: int
    parts: list[Block | Direction] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def blocks(self) -> list[Block]:
        return [part for part in self.parts if isinstance(part, Block)]


def pages() -> list[Path]:
    """The README and all pages of the docs."""
    return [ROOT / "README.md", *sorted(ROOT.joinpath("docs").rglob("*.md"))]


def stories(page: Path) -> list[Story]:
    """A page's stories, in their order; those without a block are left out."""
    found = [Story(page, 1)]
    for part in _parts(page, page.read_text(encoding="utf-8"), 0):
        if part == Direction("new folder", ""):
            found.append(Story(page, 0))
            continue
        if isinstance(part, Block) and not found[-1].line:
            found[-1].line = part.line
        found[-1].parts.append(part)
    return [story for story in found if story.blocks]


def _parts(page: Path, text: str, offset: int, shown: bool = True) -> Iterator[Block | Direction]:
    elsewhere: dict[str, str] = {}  # how the next block is run, where its story does not
    for token in MarkdownIt().parse(text):
        line = offset + (token.map[0] if token.map else 0) + 1
        if token.type == "html_block":
            for direction in _DIRECTION.finditer(token.content):
                name, value = direction[1], direction[2].strip()
                if name in ("run by", "not run"):
                    elsewhere = {name.replace(" ", "_"): value}
                elif name == "run":
                    status, command = "", value
                    if value.startswith("exit="):
                        status, _, command = value.partition(" ")
                    yield _block(page, line, f"console {status}", f"$ {command}\n", False, {})
                elif name == "setup":
                    begin = line - 1 + token.content[: direction.start(2)].count("\n")
                    yield from _parts(page, direction[2], begin, shown=False)
                else:
                    yield Direction(name, value)
        elif token.type == "fence":
            yield _block(page, line, token.info, token.content, shown, elsewhere)
            elsewhere = {}


def _block(
    page: Path, line: int, info: str, text: str, shown: bool, elsewhere: dict[str, str]
) -> Block:
    language, *words = shlex.split(info) or [""]
    options = dict(word.partition("=")[::2] for word in words)
    unknown = options.keys() - {"title", "append", "exit"}
    assert not unknown, f"{page}:{line}: unknown options of a block: {sorted(unknown)}"
    return Block(
        page,
        line,
        language,
        text,
        title=options.get("title"),
        append="append" in options,
        exit_status=int(options.get("exit", 0)),
        shown=shown,
        run_by=elsewhere.get("run_by"),
        not_run=elsewhere.get("not_run"),
    )
