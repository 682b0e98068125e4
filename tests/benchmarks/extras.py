"""What an installation takes on disk: the core, and what each extra adds to it.

Each is installed into an environment of its own, by uv where it is found, else by pip. Modules are
compiled, as pip does it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from importlib.metadata import Distribution, distributions, metadata
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
OURS = "pytest-ragassert"
# for those who work on the project, with tools that no user needs
FOR_DEVELOPERS = ("bench", "dev", "docs")
MOST_MB = 80  # of the core


class Installed(NamedTuple):
    """Bytes of each package in an environment, this one included."""

    sizes: Mapping[str, int]

    def beyond(self, core: Installed) -> Installed:
        return Installed({k: v for k, v in self.sizes.items() if k not in core.sizes})

    @property
    def megabytes(self) -> float:
        return sum(self.sizes.values()) / 1e6

    def largest(self, count: int) -> str:
        ranked = sorted(self.sizes.items(), key=lambda one: -one[1])
        return ", ".join(f"{name} {size / 1e6:.1f}" for name, size in ranked[:count])


def measure() -> bool:
    print(f"Python {sys.version.split()[0]}, {sys.platform}")
    print("| extra | packages | MB | the largest, in MB |")
    print("|---|---|---|---|")
    core = _installed(str(ROOT))
    _print_row("the core", core, 6)
    for extra in metadata(OURS).get_all("Provides-Extra") or []:
        if extra not in FOR_DEVELOPERS:
            try:
                added = _installed(f"{ROOT}[{extra}]").beyond(core)
            except subprocess.CalledProcessError as error:
                print(f"| `{extra}` | can't be installed here: {error.stderr.strip()[-200:]} |")
            else:
                _print_row(f"`{extra}`", added, 3)
    return core.megabytes <= MOST_MB


def _print_row(name: str, found: Installed, largest: int) -> None:
    size = f"{found.megabytes:.1f}"
    print(f"| {name} | {len(found.sizes)} | {size} | {found.largest(largest)} |", flush=True)


def _installed(requirement: str) -> Installed:
    with tempfile.TemporaryDirectory() as folder:
        uv = shutil.which("uv")
        venv.create(folder, with_pip=uv is None, symlinks=True)
        python = Path(folder, "Scripts" if os.name == "nt" else "bin", "python")
        command = [uv, "pip", "install", "--compile-bytecode", "--python", str(python)]
        if uv is None:
            command = [str(python), "-m", "pip", "install"]
        subprocess.run(
            [str(part) for part in (*command, requirement)],
            check=True,
            capture_output=True,
            text=True,
        )
        places = Path(folder).glob("**/site-packages")
        found = distributions(path=[str(place) for place in places])
        return Installed({one.name: _size(one) for one in found if one.name != "pip"})


def _size(package: Distribution) -> int:
    """Bytes of a package's files, and of what was compiled of them."""
    paths = set[Path]()
    for file in package.files or []:
        path = Path(str(file.locate()))
        paths.add(path)
        if path.suffix == ".py":
            paths.update((path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"))
    return sum(path.stat().st_size for path in paths if path.is_file())
