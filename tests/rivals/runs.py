"""Runs of one faithfulness check by each tool, as its documentation runs it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.children import Cost, pytest_run, run

from .__main__ import QUIET, environment, promptfoo_command
from .scenes import DEEPEVAL, RAGAS

HERE = Path(__file__).parent
_DEEPEVAL_COMMAND = "from deepeval.cli.main import app; app()"


class Place(NamedTuple):
    """Where a tool runs.

    Attributes:
        folder: has cases.jsonl and our test_rag.py; caches are kept in it.
        url: of the judge.
        rivals: where the rivals are installed.
        codes: exit codes that are expected.
    """

    folder: Path
    url: str
    rivals: Path
    codes: tuple[int, ...] = (0,)


Run = Callable[[Place], Cost]


def ours(place: Place, *options: str) -> Cost:
    variables = {
        "OPENAI_API_KEY": "sk-loopback",
        "RAGASSERT_BASE_URL": place.url,
        "RAGASSERT_CACHE_DIR": str(place.folder / "store"),
    }
    return pytest_run(place.folder, "test_rag.py", *options, variables=variables, codes=place.codes)


def deepeval(place: Place, *options: str) -> Cost:
    """`deepeval test run`, its pytest mode."""
    script = shutil.copy(HERE / "tested_by_deepeval.py", place.folder)
    command = ["-c", _DEEPEVAL_COMMAND, "test", "run", Path(script).name, *options]
    return _deepeval_run(place, command, {})


def deepeval_evaluate(place: Place, *, cache: bool = False) -> Cost:
    """DeepEval's `evaluate`, outside pytest."""
    command = [str(HERE / "evaluated_by_deepeval.py")]
    return _deepeval_run(place, command, {"USE_CACHE": "1"} if cache else {})


def _deepeval_run(place: Place, command: list[str], variables: dict[str, str]) -> Cost:
    return run(
        command,
        place.folder,
        {**QUIET, "JUDGE_URL": place.url, **variables},
        codes=place.codes,
        python=environment(DEEPEVAL, place.rivals),
    )


def ragas(place: Place, *, cache: bool = False) -> Cost:
    """ragas' `evaluate` with its default of 16 workers."""
    variables = {"CACHE": str(place.folder / "ragas-cache")} if cache else {}
    return run(
        ["-W", "ignore", str(HERE / "evaluated_by_ragas.py"), place.url, "16", "faithfulness"],
        place.folder,
        {**QUIET, **variables},
        codes=place.codes,
        python=environment(RAGAS, place.rivals),
    )


def promptfoo(place: Place) -> Cost:
    """`promptfoo eval` on answers that are there already."""
    node, script = promptfoo_command(place.rivals)
    (place.folder / "promptfooconfig.json").write_text(json.dumps(_promptfoo_config(place)))
    variables = {**QUIET, "PROMPTFOO_CONFIG_DIR": str(place.folder / "promptfoo")}
    command = [str(script), "eval", "--no-progress-bar", "-c", "promptfooconfig.json"]
    return run(command, place.folder, variables, codes=place.codes, python=node)


def _promptfoo_config(place: Place) -> dict[str, object]:
    served = {"apiBaseUrl": place.url, "apiKey": "sk-loopback"}
    judge = {"text": {"id": "openai:chat:judge-a", "config": served}}
    lines = (place.folder / "cases.jsonl").read_text("utf-8").splitlines()
    return {
        "prompts": ["{{answer}}"],
        "providers": ["echo"],
        "defaultTest": {
            "options": {"provider": judge},
            "assert": [{"type": "context-faithfulness", "threshold": 0.8}],
        },
        "tests": [
            {
                "vars": {
                    "query": case["question"],
                    "context": "\n".join(case["retrieved_contexts"]),
                    "answer": case["answer"],
                }
            }
            for case in map(json.loads, lines)
        ],
    }
