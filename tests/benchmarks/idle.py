"""What the plugin adds to a run that does not use it."""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .children import bare_pytest_run

RUNS = 21
LIMIT_MS = 15.0
OURS, RIVAL = "pytest_ragassert.plugin", "pytest_recording.plugin"


def measure() -> bool:
    """CPU time of `pytest --co -q` in an empty folder: without plugins, with ours, with a rival.

    Where bytecode is written, and where it is not, as in many containers.
    """
    for variables in ({}, {"PYTHONDONTWRITEBYTECODE": "1"}):
        _measure(variables)
    return True


def _measure(variables: Mapping[str, str]) -> None:
    plugins = ["", OURS]
    if importlib.util.find_spec(RIVAL.partition(".")[0]):
        plugins.append(RIVAL)
    else:
        print("rival skipped: pytest-recording is not installed")
    taken: dict[str, list[float]] = {plugin: [] for plugin in plugins}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(RUNS + 1):
            # in turn, each time beginning with another, so that a slow moment is nobody's
            for place in range(len(plugins)):
                plugin = plugins[(place + number) % len(plugins)]
                cpu = _cpu_ms(plugin, Path(folder), variables)
                if number:  # the first round warms the file cache and compiles
                    taken[plugin].append(cpu)
    told = ", no bytecode written" * bool(variables)
    print(f"CPU ms of an empty `pytest --co -q`{told}, {RUNS} alternating runs")
    print(f"{'':24} median   least   added (median of pairs)")
    added = {}
    for plugin, times in taken.items():
        pairs = zip(times, taken[""], strict=True)
        added[plugin] = statistics.median(with_it - without for with_it, without in pairs)
        print(
            f"{plugin or 'no plugin':24} {statistics.median(times):6.1f}  {min(times):6.1f}  "
            f"{added[plugin]:+6.1f}"
        )
    print(f"added / limit of {LIMIT_MS:.0f} ms: {added[OURS] / LIMIT_MS:.2f}")


def _cpu_ms(plugin: str, folder: Path, variables: Mapping[str, str]) -> float:
    options = ("-p", plugin) if plugin else ()
    return bare_pytest_run(folder, *options, "--co", variables=variables, none=True).cpu * 1000
