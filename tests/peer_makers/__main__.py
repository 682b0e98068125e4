"""Makes the files of tools, each in an environment of its own."""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = ROOT / "tests/peer_files"
TOOLS = (
    *("ragas", "deepeval", "llama_index", "haystack", "langchain_core"),
    *("datasets", "pandas", "polars"),
)
_WRITE = (
    "import sys, pathlib; from tests.peer_makers import {0}; {0}.write(pathlib.Path(sys.argv[1]))"
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.peer_makers", description=__doc__)
    parser.add_argument("tool", nargs="+", choices=TOOLS)
    parser.add_argument(
        "--test",
        action="store_true",
        help="run tests/test_peer_files.py there, and keep the files that there are",
    )
    args = parser.parse_args()
    for tool in args.tool:
        _make(tool, test=args.test)


def _make(tool: str, *, test: bool) -> None:
    maker = importlib.import_module(f"tests.peer_makers.{tool}")
    environment = {**os.environ, **getattr(maker, "ENVIRONMENT", {})}
    with tempfile.TemporaryDirectory(prefix=f"{tool}-") as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin/python")
        ours = ("-e", f"{ROOT}[parquet]", "hypothesis", "pytest-asyncio") if test else ()
        _run([python, "-m", "pip", "install", "-q", *maker.REQUIREMENTS, *ours], environment)
        _run([python, "-m", "pip", "freeze"], environment)
        if test:
            _run(
                [python, "-m", "pytest", "-q", "tests/test_peer_files.py", "-k", tool], environment
            )
        else:
            _run([python, "-c", _WRITE.format(tool), FILES], environment)


def _run(command: list[str | Path], environment: dict[str, str]) -> None:
    print(*command, file=sys.stderr)
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
