"""Rows of the table in docs/project/speed.md, and what their measurements have in common."""

from __future__ import annotations

import datetime
import os
import platform
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from .children import JudgeProcess, pytest_run

PACKAGES = ("pytest", "pytest-xdist", "openai", "pydantic", "diskcache")
HEADER = "| work | limit | measured |\n|---|---|---|"


class Choice(NamedTuple):
    """
    Attributes:
        rivals: where their environments are, or are to be made.
        whole: measure the rivals on all cases, not on a slice.
    """

    rivals: Path
    whole: bool


class Row(NamedTuple):
    """
    Attributes:
        limit: what is to be reached; empty where nothing is.
    """

    work: str
    limit: str
    measured: str
    reached: bool = True

    def __str__(self) -> str:
        missed = "" if self.reached else " **(not reached)**"
        return f"| {self.work} | {self.limit} | {self.measured}{missed} |"


class Asked(NamedTuple):
    """A run that asked the judge.

    Attributes:
        wall: seconds of the whole run, start-up too.
        cpu: seconds of its processors.
        peak: bytes of memory.
        busy: seconds from the first request to the last reply.
        questions: requests of judging steps.
        embeddings: requests of embeddings.
        twice: bodies that came more than once.
        at_once: the most requests in flight.
    """

    wall: float
    cpu: float
    peak: int
    busy: float
    questions: int
    embeddings: int
    twice: int
    at_once: int


def asked_run(judge: JudgeProcess, folder: Path, store: str, *options: str, **more: str) -> Asked:
    """Run the folder's test_rag.py with its store in the folder of that name.

    Args:
        more: variables of the environment.
    """
    variables = {**judge.variables(folder / store), **more}
    judge.stats()
    cost = pytest_run(folder, "test_rag.py", *options, variables=variables)
    stats = judge.stats()
    embeddings = stats["steps"].get("embed_text", 0)
    return Asked(
        wall=cost.wall,
        cpu=cost.cpu,
        peak=cost.peak,
        busy=busy_seconds(stats),
        questions=stats["total"] - embeddings,
        embeddings=embeddings,
        twice=stats["duplicates"],
        at_once=stats["max_in_flight"],
    )


def busy_seconds(stats: dict[str, Any]) -> float:
    """From the first request to the last reply."""
    return 0.0 if stats["first"] is None else float(stats["last"] - stats["first"])


def ideal_seconds(requests: int, *, latency: float, at_once: int, chain: int) -> float:
    """How long requests take at the least.

    Args:
        latency: seconds of each reply.
        at_once: requests in flight at most.
        chain: requests of a case of which each needs the reply before it.
    """
    return max(requests / at_once, chain) * latency


def machine() -> str:
    """What measured, in a line; others' load at the start makes every figure worse."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{datetime.date.today().isoformat()}; {os.cpu_count()} cores, {_processor()}{load}; "
        f"{platform.system()}; {platform.python_implementation()} {platform.python_version()}; "
        f"{packages}"
    )


def _processor() -> str:
    if sys.platform == "linux":
        lines: Iterable[str] = Path("/proc/cpuinfo").read_text().splitlines()
        names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        return next(names, platform.machine())
    return platform.processor() or platform.machine()
