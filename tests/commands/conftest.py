"""A project's folder, and commands run there in this process."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_ragassert.commands.command_line import main
from tests.writing_judge import CONFTEST, WRITER, asked_of, write_documents

ROOT = Path(__file__).parents[2]


class Said(NamedTuple):
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Run = Callable[..., Said]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, the folder where commands are run; its store is `.ragassert`."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return tmp_path


@pytest.fixture
def store(project: Path) -> Path:
    return project / ".ragassert"


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `verdicts …`."""

    def run(*arguments: str) -> Said:
        capsys.readouterr()
        try:
            status = main(["verdicts", *arguments])
        except SystemExit as end:  # of argparse
            status = int(end.code or 0)
        return Said(status, *capsys.readouterr())

    return run


class Generate:
    """Runs `generate documents …` in a project that has documents and a judge that writes.

    Attributes:
        folder: the project's folder; the documents are in its folder `documents`.
    """

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(
        self,
        *arguments: object,
        documents: str = "documents",
        output: str = "cases.jsonl",
        judge: str = WRITER,
        status: int = 0,
    ) -> Said:
        """Run the command, and check its exit status.

        Args:
            output, judge: these options; empty: the command is run without them.
        """
        options = {"--output": output, "--judge": judge}
        given = [part for name, value in options.items() if value for part in (name, value)]
        self._capsys.readouterr()
        try:
            ended = main(["generate", documents, *map(str, arguments), *given])
        except SystemExit as end:  # of argparse
            ended = int(end.code or 0)
        said = Said(ended, *self._capsys.readouterr())
        assert said.status == status, said.out + said.err
        return said

    def cases(self, output: str = "cases.jsonl") -> list[Any]:
        text = (self.folder / output).read_text("utf-8")
        return [json.loads(line) for line in text.splitlines()]

    @property
    def asked(self) -> list[tuple[str, Any]]:
        """The steps and inputs that the hook's judge was asked."""
        return list(asked_of(self.folder))

    def forget(self) -> None:
        """Remove the store, and what is known of what was asked."""
        shutil.rmtree(self.folder / ".ragassert", ignore_errors=True)
        (self.folder / "asked.jsonl").unlink(missing_ok=True)


@pytest.fixture
def generate(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Generate:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for processes, whose conftest imports the judge
    write_documents(project / "documents")
    (project / "conftest.py").write_text(CONFTEST, "utf-8")
    return Generate(project, capsys)
