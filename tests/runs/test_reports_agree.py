"""Every output of a run says the same: terminal, results file, Markdown, page, JUnit XML."""

from __future__ import annotations

import html
import itertools
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pytest_ragassert.analysis.records.read_results import read_results
from pytest_ragassert.analysis.records.results_file import ResultsFile
from pytest_ragassert.commands.command_line import main

from .projects import Project, new_project, section

project = pytest.fixture(new_project)

SENTENCES = (
    "The ferry runs every 40 minutes.",
    "The crossing costs 5 euros.",
    "Dogs are not allowed on board.",
    "Bicycles need reservations.",
    # what stands nearest to it is shown
    "The crossing costs nothing on Sundays.",
)
SUITE = """
import json
import pathlib
import pytest
from ferry import case
from pytest_ragassert import (
    assert_context_precision, assert_faithful, assert_factual_recall, evaluate
)

SUITE = json.loads(pathlib.Path(__file__).with_name("suite.json").read_text())
CASES = [
    case(f"case-{number}", answer, ground_truth_answer=reference)
    for number, (answer, reference) in enumerate(SUITE["cases"])
    if number % 2 == int("odd" in __name__)
]

@pytest.mark.rag_cases(CASES)
def test_faithful(rag_case):
    assert_faithful(rag_case, min=SUITE["minimum"])

@pytest.mark.rag_xfail(metric="factual_recall", reason="known", cases=SUITE["known"])
@pytest.mark.rag_cases(CASES)
def test_recall(rag_case):
    evaluate(rag_case, ["faithfulness"])
    assert_factual_recall(rag_case)

@pytest.mark.rag_cases(CASES)
def test_precision(rag_case):
    assert_context_precision(rag_case, min=1.0)
"""

TEXTS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3, unique=True).map(" ".join)
SUITES = st.fixed_dictionaries(
    {
        "cases": st.lists(st.tuples(TEXTS, TEXTS), min_size=2, max_size=6),
        "minimum": st.sampled_from([0.3, 0.5, 1.0]),
        "known": st.lists(st.sampled_from(["case-0", "case-1"]), unique=True),
    }
)
GATES = st.lists(
    st.sampled_from(
        [
            "mean(faithfulness) >= 0.7",
            "min(factual_recall) >= 0.5",
            "plain_drop(faithfulness) <= 0.1",
            "mean(faithfulness) >= 0",
        ]
    ),
    unique=True,
)


# each example is several runs, and a smaller failing one would take minutes
SLOW: dict[str, Any] = {
    "suppress_health_check": [HealthCheck.function_scoped_fixture],
    "phases": [Phase.explicit, Phase.generate],
}


class Figures(NamedTuple):
    """A metric's, with as many digits as people are shown."""

    n: int
    mean: str
    min: str
    below: int


class Said(NamedTuple):
    """What an output says of a run.

    Attributes:
        failed: the gates that failed.
    """

    metrics: dict[str, Figures]
    failed: list[str]


def by_results(file: ResultsFile) -> Said:
    metrics = {
        name: Figures(own.n, f"{own.mean:.2f}", f"{own.min:.2f}", own.below)
        for name, own in file.metrics.items()
        if own.mean is not None and own.min is not None
    }
    gates = [] if file.conclusion is None else file.conclusion.gates
    return Said(metrics, sorted(gate.text for gate in gates if not gate.passed))


def by_terminal(lines: list[str]) -> Said:
    row = re.compile(r"(\w+) +(\d+) +(\S+) +(\S+) +(\d+)(?: {3}.*)?")
    start = next((at for at, line in enumerate(lines) if line.startswith("metric   ")), None)
    listed = [] if start is None else [*map(row.fullmatch, lines[start + 1 :])]
    found = itertools.takewhile(lambda match: match is not None, listed)
    metrics = {m[1]: Figures(int(m[2]), m[3], m[4], int(m[5])) for m in found if m is not None}
    gates = [line.partition(" ✗ ")[2].partition(": ")[0] for line in lines]
    return Said(metrics, sorted(filter(None, gates)))


def by_page(path: Path) -> Said:
    text = path.read_text(encoding="utf-8")
    cell = r'</td>\s*<td class="n">'
    row = rf'dir="auto">(\w+)</a></th>\s*<td class="n">(\d+){cell}<strong>(\S+)</strong>{cell}(\S+)'
    below = rf'{cell}(?:<a class="verdict bad" href="[^"]*">✗ )?(\d+)<'
    found = re.findall(row + below, text)
    metrics = {name: Figures(int(n), mean, least, int(low)) for name, n, mean, least, low in found}
    gates = re.findall(r"✗ fails</span> <code>(.*?)</code>", text)
    return Said(metrics, sorted(map(html.unescape, gates)))


def by_markdown(path: Path) -> Said:
    text = path.read_text(encoding="utf-8")
    tree = ET.fromstring(f"<page>{re.sub('<br>', ' ', text)}</page>")
    metrics = {}
    for table in tree.findall("table"):
        head, *rows = ["".join(cell.itertext()) for cell in table[0]], *table[1:]
        for row in rows:
            cells = dict(zip(head, ("".join(cell.itertext()) for cell in row), strict=True))
            metrics[cells["metric"]] = Figures(
                int(cells["n"]), cells["mean"], cells["min"], int(cells["below"])
            )
    gates = re.findall(r"^<li><code>(.*?)</code>: ", text, re.M)
    return Said(metrics, sorted("".join(ET.fromstring(f"<p>{g}</p>").itertext()) for g in gates))


def junit(path: Path) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Means by metric; by test and metric the lowest score; the gates that failed."""
    (suite,) = ET.parse(path).getroot()
    of_suite = suite.find("properties")
    assert of_suite is not None
    means = {
        one.attrib["name"].removeprefix("evals.scores.").removesuffix(".mean"): one.attrib["value"]
        for one in of_suite
        if one.attrib["name"].endswith(".mean")
    }
    lowest, gates = {}, []
    for test in suite.findall("testcase"):
        if (gate := re.fullmatch(r"gate\[(.*)\]", test.attrib["name"])) is not None:
            assert test.find("failure") is not None
            gates.append(gate[1])
        for one in test.findall("properties/property"):
            if one.attrib["name"].startswith("evals.scores."):
                metric = one.attrib["name"].split(".")[2]
                test_name = test.attrib["classname"] + "::" + test.attrib["name"]
                lowest[f"{test_name} {metric}"] = one.attrib["value"]
    return means, lowest, sorted(gates)


def lowest_by_results(file: ResultsFile) -> dict[str, float]:
    lowest: dict[str, float] = {}
    for one in file.results:
        if one.score is not None:
            name = f"{one.nodeid.replace('.py', '')} {one.metric}"
            lowest[name] = min(one.score, lowest.get(name, 1.0))
    return lowest


numbers = itertools.count()


def outputs(project: Project, gates: list[str], *args: str, process: bool = False) -> Path:
    """A run's outputs, in a folder of their own; that what it says agrees is asserted."""
    folder = project.path / f"out-{next(numbers)}"
    options = [
        f"--ragassert-artifacts={folder}",
        f"--ragassert-markdown={folder}/report.md",
        f"--ragassert-html={folder}/report.html",
        f"--junitxml={folder}/junit.xml",
        "--ragassert-baseline=baseline.jsonl",
        *(f"--ragassert-gate={gate}" for gate in gates),
    ]
    result = (project.process if process else project.run)(*options, *args)
    (file,) = folder.glob("results_*.json")
    read = read_results(file)
    said = by_results(read)
    assert by_terminal(section(result)) == said
    assert by_markdown(folder / "report.md") == said
    assert by_page(folder / "report.html") == said
    means, lowest, failed_gates = junit(folder / "junit.xml")
    assert failed_gates == said.failed
    assert {metric: f"{float(mean):.2f}" for metric, mean in means.items()} == {
        metric: figures.mean for metric, figures in said.metrics.items()
    }
    assert {test: float(score) for test, score in lowest.items()} == lowest_by_results(read)
    outcomes = result.parseoutcomes()
    assert read.outcome is not None
    assert outcomes.get("failed", 0) == read.outcome.assertions + len(said.failed)
    (suite,) = ET.parse(folder / "junit.xml").getroot()
    assert int(suite.attrib["failures"]) == outcomes.get("failed", 0)
    return folder


def without_run(folder: Path) -> dict[str, Any]:
    """The results of a folder, but for what differs between any two runs."""
    (file,) = folder.glob("results_*.json")
    data = json.loads(file.read_text())
    return {
        name: data[name] for name in data if name not in ("run", "started", "ended", "settings")
    }


@pytest.fixture
def suite(project: Project) -> Project:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(SUITE, "test_even")
    project.test(SUITE, "test_odd")
    return project


def written(project: Project, suite: dict[str, Any], gates: list[str]) -> list[str]:
    """Write a random suite, and the baseline of another one; the gates that it may have."""
    path = project.path / "suite.json"
    baseline = project.path / "baseline.jsonl"
    baseline.unlink(missing_ok=True)
    before = {**suite, "cases": [(SENTENCES[0], reference) for _, reference in suite["cases"]]}
    path.write_text(json.dumps(before))
    project.run(f"--ragassert-baseline={baseline}", "--ragassert-update-baseline")
    path.write_text(json.dumps(suite))
    return gates


@settings(max_examples=8, **SLOW)
@given(random=SUITES, gates=GATES)
def test_outputs_of_a_run_and_of_its_shards_agree(
    suite: Project, random: dict[str, Any], gates: list[str]
) -> None:
    gates = written(suite, random, gates)
    whole = outputs(suite, gates)
    shards = [outputs(suite, gates, f"test_{name}.py") for name in ("even", "odd")]
    files = [str(file) for shard in shards for file in shard.glob("results_*.json")]
    merged = suite.path / "merged.md"
    ini = "".join(f"\n  {gate}" for gate in gates)
    (suite.path / "pytest.ini").write_text(
        f"[pytest]\nragassert_baseline = baseline.jsonl\nragassert_gates ={ini}\n"
    )
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(suite.path)
            failed = main(["report", *files, "--markdown", str(merged)])
    finally:
        (suite.path / "pytest.ini").unlink()
    assert merged.read_bytes() == (whole / "report.md").read_bytes()
    assert failed == without_run(whole)["exit_status"]


@settings(max_examples=2, **SLOW)
@given(random=SUITES, gates=GATES)
def test_workers_change_no_output(suite: Project, random: dict[str, Any], gates: list[str]) -> None:
    gates = written(suite, random, gates)
    serial = outputs(suite, gates, "-n", "0", process=True)
    workers = outputs(suite, gates, "-n", "4", process=True)
    assert without_run(workers) == without_run(serial)
    assert (workers / "report.md").read_bytes() == (serial / "report.md").read_bytes()
    assert junit(workers / "junit.xml") == junit(serial / "junit.xml")
