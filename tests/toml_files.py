"""TOML on all versions of Python, and the project's own file."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

toml_of = tomllib.loads


@cache
def pyproject() -> dict[str, Any]:
    """The content of the project's `pyproject.toml`."""
    path = Path(__file__).parents[1] / "pyproject.toml"
    return toml_of(path.read_text(encoding="utf-8"))
