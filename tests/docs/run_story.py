"""Run a story, block by block, and say where the page and what happens differ."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import yaml

from tests.toml_files import toml_of

from .blocks import ROOT, Block, Direction, Story
from .outputs import has_elision, part, same
from .shell import Shell

_PARSERS: dict[str, Callable[[str], object]] = {
    "toml": toml_of,
    "json": json.loads,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
    "yaml": yaml.safe_load,
    "ini": lambda text: configparser.ConfigParser(interpolation=None).read_string(text),
    "xml": ElementTree.fromstring,
}


class Differs(AssertionError):
    """A block failed, or printed something else than the page shows."""


class StoryRun:
    """One run of a story; `updated` has the real output of each block that shows another."""

    def __init__(self, shell: Shell, *, update: bool = False) -> None:
        self._shell, self._update = shell, update
        self._printed = ""
        self._unused: list[Block] = []
        self.updated: dict[Block, str] = {}

    def run(self, story: Story) -> None:
        """Run all blocks.

        Raises:
            Differs: names the page and the line.
        """
        for one in story.parts:
            if isinstance(one, Direction):
                self._follow(one)
            elif one.run_by is not None:
                _check_other_test(one)
            elif one.not_run is None:
                self._run(one)
        for block in self._unused:
            raise Differs(f"{block.place}: nothing on the page uses {block.title} after it")

    def _follow(self, direction: Direction) -> None:
        if direction.name == "files":
            source, *below = direction.value.split()
            shutil.copytree(ROOT / source, self._shell.folder.joinpath(*below), dirs_exist_ok=True)
        elif direction.name == "endpoint":
            self._shell.endpoint(*direction.value.split(maxsplit=1))
        else:
            name, _, value = direction.value.partition("=")
            self._shell.environ[name] = self._shell.inward(value)

    def _run(self, block: Block) -> None:
        if block.language in _PARSERS:
            self._parse(block)
        if block.title is not None:
            self._write(block, block.title)
        elif block.language == "console":
            self._console(block)
        elif block.language in ("sh", "bash"):
            self._commands("set -e\n" + block.text, block)
        elif block.language == "python":
            self._python(block)
        elif block.language == "text":
            self._shown_again(block)
        elif block.language not in _PARSERS:
            raise Differs(f"{block.place}: no rule says how to run {block.language!r}")

    def _parse(self, block: Block) -> None:
        is_lines = block.language == "json" and str(block.title).endswith(".jsonl")
        try:
            _PARSERS["jsonl" if is_lines else block.language](block.text)
        except Exception as error:
            raise Differs(f"{block.place}: no valid {block.language}: {error}") from error

    def _write(self, block: Block, title: str) -> None:
        path = self._shell.folder / title
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if block.append else ""
        path.write_text(before + self._shell.inward(block.text), encoding="utf-8")
        self._unused.append(block)

    def _commands(self, commands: str, block: Block) -> str:
        self._unused.clear()
        status, self._printed = self._shell.run(commands)
        if status != block.exit_status:
            raise Differs(
                f"{block.place}: exit status {status}, not {block.exit_status}, of\n"
                f"{commands}\n{self._printed}"
            )
        return self._printed

    def _console(self, block: Block) -> None:
        transcript = ""
        for command, shown in _console_parts(block):
            printed = self._commands(command.replace("\\\n", " "), block)
            transcript += "".join(
                f"{'$' if not n else '>'} {line}\n" for n, line in enumerate(command.split("\n"))
            ).replace("\n> ", "\n")
            transcript += shown if self._kept(block, shown, printed) else printed.strip("\n") + "\n"
        if self._update and transcript != block.text:
            self.updated[block] = transcript

    def _kept(self, block: Block, shown: str, printed: str) -> bool:
        if not shown.strip() or same(shown, printed):
            return True
        if not self._update or has_elision(shown):
            raise Differs(f"{block.place}: shown\n{shown}\nprinted\n{printed}")
        return False

    def _python(self, block: Block) -> None:
        is_test = re.search(r"^(?:async )?def test_", block.text, re.M)
        path = self._shell.folder / (
            "test_block_of_the_page.py" if is_test else "block_of_the_page.py"
        )
        path.write_text(self._shell.inward(block.text), encoding="utf-8")
        command = "pytest -q" if is_test else "PYTHONPATH=.:$PYTHONPATH python"
        try:
            self._commands(f"{command} {path.name}", block)
        finally:
            path.unlink()

    def _shown_again(self, block: Block) -> None:
        if part(block.text, self._printed):
            return
        raise Differs(f"{block.place}: shown\n{block.text}\nprinted\n{self._printed}")


def _console_parts(block: Block) -> list[tuple[str, str]]:
    """Each command with the output that is shown."""
    found: list[tuple[str, str]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
            continue
        if not found:
            raise Differs(f"{block.place}: a console block begins with `$ ` and a command")
        command, shown = found[-1]
        if command.endswith("\\") and not shown:
            found[-1] = (f"{command}\n{line}", "")
        else:
            found[-1] = (command, f"{shown}{line}\n")
    return found


def _check_other_test(block: Block) -> None:
    path = ROOT / str(block.run_by)
    if not path.is_file():
        raise Differs(f"{block.place}: no such test: {block.run_by}")
    if block.page.name not in path.read_text(encoding="utf-8"):
        raise Differs(f"{block.place}: {block.run_by} does not read {block.page.name}")


def run_story(story: Story, folder: Path, python: str, *, update: bool = False) -> dict[Block, str]:
    """Run a story in a new folder; with `update`, the outputs to show in place of others.

    Raises:
        Differs: a block failed, or its output is not the one shown.
    """
    home = folder / "project"
    home.mkdir(parents=True)
    shell = Shell(home, folder / "state", python)
    try:
        run = StoryRun(shell, update=update)
        run.run(story)
        return run.updated
    finally:
        shell.close()
