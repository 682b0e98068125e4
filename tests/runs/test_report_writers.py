"""Reports: each a writer over the record of a run, or of its results file."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_ragassert.analysis.records.read_results import read_results
from pytest_ragassert.analysis.records.row_types import ClaimRow, MeasuredRow
from pytest_ragassert.analysis.run_record import RunRecord, record_of
from pytest_ragassert.config import options
from pytest_ragassert.plugin import pytest_options
from pytest_ragassert.report import writers
from pytest_ragassert.report.history_writer import HistoryLine
from pytest_ragassert.report.summary import summary_lines
from pytest_ragassert.report.terminal import Screen
from tests.contributing import shown_code

from .projects import Project, new_project, section
from .test_artifacts import LABELLED

project = pytest.fixture(new_project)

# With an `evidence` of each answer, an expected failure and metrics that can't be measured.
EVERYTHING = (
    LABELLED
    + """
from pytest_ragassert import assert_evidence, assert_ragas_score, evaluate

@pytest.mark.rag_cases(CASES)
def test_evidence(rag_case):
    assert_evidence(rag_case)

@pytest.mark.rag_xfail(metric="faithfulness", reason="known")
def test_known():
    assert_faithful(case("known", BAD))

def test_nothing_to_compare_with():
    evaluate(case("alone"), ["factual_f1", "answer_class"])
"""
)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[RunRecord]:
    """The records of runs, which a writer of the test's own gets."""
    records: list[RunRecord] = []

    class Keeps:
        name = "what the test looks at"

        def __init__(self, _: Path) -> None:
            pass

        def write(self, run: RunRecord) -> list[str]:
            records.append(run)
            return []

    monkeypatch.setattr(writers, "WRITERS", [*writers.WRITERS, ("artifacts", Keeps)])
    return records


def measured(project: Project) -> Path:
    """The folder of a run's artifacts."""
    project.set(RAGASSERT_JUDGE="offline")
    project.test(EVERYTHING)
    project.run("--ragassert-artifacts=out")
    return project.path / "out"


def test_a_writer_gives_the_same_from_a_run_and_from_its_results_file(
    project: Project, kept: list[RunRecord], tmp_path: Path
) -> None:
    folder = measured(project)
    (run,) = kept
    (file,) = folder.glob("results_*.json")
    read = record_of(read_results(file))
    assert {len(row["claims"]) for row in read.results} > {0, 1}
    for option, made in writers.WRITERS:
        if option == "artifacts":
            made(tmp_path / "again").write(read)
    again = {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    assert again == {path.name: path.read_bytes() for path in folder.iterdir()}
    assert len(again) == 3
    for name, record in ("run", run), ("read", read):
        HistoryLine(tmp_path / name).write(replace(record, date="2026-01-02", commit="c0ffee"))
    assert (tmp_path / "run").read_bytes() == (tmp_path / "read").read_bytes()
    # what each question cost is not in the file
    said, known = (summary_lines(one, Screen(), verbosity=1) for one in (run, read))
    assert known == [line for line in said if not line.startswith("judgements: ")]
    assert len(known) == len(said) - 1


def test_rows_have_all_their_fields_from_wherever_they_come(
    project: Project, kept: list[RunRecord]
) -> None:
    (file,) = measured(project).glob("results_*.json")
    (run,) = kept
    fields = MeasuredRow.__annotations__.keys()
    for record in run, record_of(read_results(file)):
        assert {row["error"] is None for row in record.results} == {True, False}
        assert all(row.keys() == fields for row in record.results)
        claims = [claim for row in record.results for claim in row["claims"]]
        assert claims
        assert all(claim.keys() == ClaimRow.__annotations__.keys() for claim in claims)


@pytest.fixture
def csv_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The format of CONTRIBUTING.md, added as it says."""
    code, registered, option = shown_code("Add a report format")
    name = "pytest_ragassert.report.csv_report"
    path = tmp_path / "csv_report.py"
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    shown = dict(vars(writers))
    exec(registered, shown)
    assert shown["WRITERS"][:-1] == writers.WRITERS
    monkeypatch.setattr(writers, "WRITERS", shown["WRITERS"])
    table = (*options.OPTIONS, eval(option, vars(options)))
    monkeypatch.setattr(options, "OPTIONS", table)
    monkeypatch.setattr(pytest_options, "OPTIONS", table)


TABLE = """\
test,case,metric,score,passed
test_it.py::test_dogs,dogs,faithfulness,1.0,True
test_it.py::test_price,price,faithfulness,0.0,False
"""
TESTS = """
from ferry import BAD, case
from pytest_ragassert import assert_faithful

def test_dogs():
    assert_faithful(case("dogs", "Dogs are not allowed on board."))

def test_price():
    assert_faithful(case("price", BAD))
"""


@pytest.mark.usefixtures("csv_report")
def test_the_format_that_contributing_shows(project: Project, tmp_path: Path) -> None:
    project.set(RAGASSERT_JUDGE="offline")
    project.test(TESTS)
    result = project.run("--ragassert-csv=results.csv", "--ragassert-artifacts=out")
    path = project.path / "results.csv"
    assert path.read_text() == TABLE
    assert f"note: table of results in {path}" in section(result)
    (file,) = (project.path / "out").glob("results_*.json")
    _, writer = writers.WRITERS[-1]
    writer(tmp_path / "again.csv").write(record_of(read_results(file)))
    assert (tmp_path / "again.csv").read_text() == TABLE
