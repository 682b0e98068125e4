"""A project's folder, and commands run there in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_ragassert.commands.command_line import main


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
