"""`docs/project/architecture.md` and the folders' docstrings say what is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from .toml_files import pyproject

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pytest_ragassert"
PAGE = (ROOT / "docs" / "project" / "architecture.md").read_text(encoding="utf-8")


def linted_layers() -> list[list[str]]:
    """The layers that `lint-imports` checks, from the top, each with its modules."""
    contracts: list[dict[str, Any]] = pyproject()["tool"]["importlinter"]["contracts"]
    (layers,) = [
        contract["layers"]
        for contract in contracts
        if contract.get("containers") == ["pytest_ragassert"]
    ]
    return [layer.split(" : ") for layer in layers]


def test_every_path_on_the_page_exists() -> None:
    paths = re.findall(r"(?<![\w./])(?:\w+/)+(?:\w+\.py)?|(?<![\w./])\w+\.py\b", PAGE)
    assert len(set(paths)) > 20
    assert [p for p in paths if not ((ROOT / p).exists() or (PACKAGE / p).exists())] == []


def test_the_pages_layers_are_those_that_are_checked() -> None:
    section = PAGE.partition("\n## Layers\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.M)
    assert [re.findall(r"`(\w+)`", row) for row in rows] == linted_layers()


def test_each_folder_says_what_it_may_import() -> None:
    layers = linted_layers()
    for above, below in zip(layers, [*layers[1:], []], strict=True):
        for folder in (name for name in above if (PACKAGE / name).is_dir()):
            source = (PACKAGE / folder / "__init__.py").read_text(encoding="utf-8")
            said = " ".join((ast.get_docstring(ast.parse(source)) or "").split())
            if below:
                names = " and ".join(f"`{name}`" for name in below)
                assert f"May import {names} and the layers below it." in said, folder
            else:
                assert "Imports no other folder." in said, folder


def test_each_folder_says_what_is_inside() -> None:
    for file in PACKAGE.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))), file
