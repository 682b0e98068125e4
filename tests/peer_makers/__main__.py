"""Makes the files of tools, each in an environment of its own."""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = ROOT / "tests/peer_files"
TOOLS = (
    *("ragas", "ragas_1", "deepeval", "llama_index", "haystack", "langchain_core"),
    *("datasets", "pandas", "polars"),
)
PROMPTFOO = "promptfoo"  # of Node.js
_WRITE = (
    "import sys, pathlib; from tests.peer_makers import {0}; {0}.write(pathlib.Path(sys.argv[1]))"
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.peer_makers", description=__doc__)
    parser.add_argument("tool", nargs="+", choices=(*TOOLS, PROMPTFOO))
    parser.add_argument(
        "--test",
        action="store_true",
        help="run tests/test_peer_files.py there, and keep the files that there are",
    )
    args = parser.parse_args()
    for tool in args.tool:
        if tool == PROMPTFOO:
            _make_promptfoo()
        else:
            _make(tool, test=args.test)


def _make(tool: str, *, test: bool) -> None:
    maker = importlib.import_module(f"tests.peer_makers.{tool}")
    environment = {**os.environ, **getattr(maker, "ENVIRONMENT", {})}
    with tempfile.TemporaryDirectory(prefix=f"{tool}-") as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin/python")
        ours = ("-e", str(ROOT), "hypothesis", "pytest-asyncio") if test else ()
        _run([python, "-m", "pip", "install", "-q", *maker.REQUIREMENTS, *ours], environment)
        _run([python, "-m", "pip", "freeze"], environment)
        if test:
            _run([python, "-m", "pytest", "-q", "tests/test_peer_files.py"], environment)
        else:
            _run([python, "-c", _WRITE.format(tool), FILES], environment)


def _make_promptfoo() -> None:
    """Evaluate the configuration in the folder, by a provider that says its prompt again."""
    environment = {
        **os.environ,
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_SHARING": "1",
    }
    with tempfile.TemporaryDirectory(prefix=f"{PROMPTFOO}-") as folder:
        environment["PROMPTFOO_CONFIG_DIR"] = folder
        _run(
            ["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", PROMPTFOO],
            environment,
        )
        tool = Path(folder, "node_modules/.bin", PROMPTFOO)
        outputs = [f"promptfoo_results.{suffix}" for suffix in ("json", "jsonl")]
        command: list[str | Path] = [
            tool,
            "eval",
            "--no-cache",
            "--no-write",
            "-c",
            "promptfoo_config.yaml",
        ]
        # an assertion fails, as it is meant to
        environment["PROMPTFOO_FAILED_TEST_EXIT_CODE"] = "0"
        _run([*command, *(word for file in outputs for word in ("-o", file))], environment, FILES)


def _run(command: Sequence[str | Path], environment: dict[str, str], folder: Path = ROOT) -> None:
    print(*command, file=sys.stderr)
    subprocess.run(command, cwd=folder, env=environment, check=True)


if __name__ == "__main__":
    main()
