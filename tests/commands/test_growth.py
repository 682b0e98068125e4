"""What a command does grows as its files do: of four times as many lines, four times as much."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.analysis.records.history_file import read_history
from pytest_ragassert.analysis.records.result_record import ResultRecord
from pytest_ragassert.analysis.records.results_file import ResultsFile
from pytest_ragassert.commands.command_line import main
from pytest_ragassert.datasets.loading import load_cases
from pytest_ragassert.storage.committed.committed_verdicts import write_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.failed_claims import keep_reported

from .stored import (
    NOTHING,
    PASSAGES,
    former,
    former_line,
    line_of,
    put,
    put_former,
    question,
    question_on,
    reported,
)

FEW, FACTOR = 20, 4
NOW = datetime(2026, 1, 31, tzinfo=timezone.utc)


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of the package's code are run in this thread; the same each time."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if "pytest_ragassert" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def verdicts(count: int) -> list[VerdictLine]:
    return [line_of(question("classify_answer", sample=number)) for number in range(count)]


def committed(folder: Path, count: int) -> None:
    write_verdicts(folder / "v.jsonl", verdicts(count))


def stored(folder: Path, count: int) -> None:
    committed(folder, count)
    put(folder / ".ragassert", *(question("classify_answer", sample=n) for n in range(count)))
    keep_reported(
        folder / ".ragassert", [reported(nodeid=f"test {n}", metric=f"m{n}") for n in range(count)]
    )


def stored_formerly(folder: Path, count: int) -> None:
    """Whole questions with two claims each."""
    asked = [former(sample=number) for number in range(count)]
    put_former(folder / ".ragassert", *asked)
    write_verdicts(folder / "v.jsonl", map(former_line, asked))


def stored_with_passages(folder: Path, count: int) -> None:
    """Claims that have one passage in common, and each another."""
    for number in range(count):
        passages = [*PASSAGES, f"passage {number}"] if number else PASSAGES
        asked = question_on(f"claim {number}", passages)
        put(folder / ".ragassert", asked, reply=NOTHING, passages=passages)


def results(folder: Path, count: int) -> None:
    for name in ("a", "b"):
        records = [
            ResultRecord(
                nodeid=f"test_{name}_{number}",
                case=f"case {number}",
                metric="faithfulness",
                score=0.5,
                minimum=0.8,
                asserted=True,
                judge="judge-a",
                identity=f"{name} {number}",
            )
            for number in range(count)
        ]
        made = ResultsFile(
            run=name * 32,
            started=NOW,
            ended=NOW,
            exit_status=0,
            tool_version="1",
            pytest_version="9",
            judge="judge-a",
            settings={},
            metrics={},
            results=records,
        )
        (folder / f"{name}.json").write_text(made.to_text())


def history(folder: Path, count: int) -> None:
    line = (
        '{"date": "2026-11-02T10:00:00+00:00", "commit": "c", "judge": "j", '
        '"metrics": {"faithfulness": {"n": 1, "mean": 0.5}}}\n'
    )
    (folder / "h.jsonl").write_text(line * count)


def labelled(folder: Path, count: int) -> None:
    line = '{"claim": "c", "context": ["a text"], "label": "supported"}\n'
    (folder / "l.jsonl").write_text(line * count)


def cases(folder: Path, count: int) -> None:
    (folder / "cases").mkdir()
    for number in range(count):
        (folder / "cases" / f"{number}.json").write_text(f'{{"question": "{number}"}}')


def count_labelled() -> None:
    with LabelledFiles([Path("l.jsonl")]) as files:
        files.counts()


def command(*arguments: str) -> Callable[[], object]:
    def work() -> None:
        assert main(arguments) in (0, 1)

    return work


KEY = question("classify_answer", sample=0).key


@pytest.mark.parametrize(
    ("make", "work"),
    [
        (committed, command("verdicts", "import", "v.jsonl")),
        (committed, command("verdicts", "merge", "v.jsonl", "v.jsonl", "-o", "out.jsonl")),
        (committed, command("verdicts", "merge", "v.jsonl", "-o", "out/")),
        (stored, command("verdicts", "export", "out.jsonl")),
        (stored, command("verdicts", "import", "v.jsonl")),
        (stored, command("verdicts", "info", "--verdicts=v.jsonl")),
        (stored, command("verdicts", "verify", "--verdicts=v.jsonl")),
        (stored, command("verdicts", "show", KEY, "--verdicts=v.jsonl")),
        (stored, command("verdicts", "show", reported().id, "--verdicts=v.jsonl")),
        (stored, command("verdicts", "prune", "--older-than=0")),
        (
            stored,
            command(
                "verdicts",
                "override",
                reported().id,
                "supported",
                "--reason=r",
                "--verdicts=v.jsonl",
            ),
        ),
        (stored_formerly, command("verdicts", "convert")),
        (stored_formerly, command("verdicts", "convert", "v.jsonl")),
        (stored_formerly, command("verdicts", "verify", "--verdicts=v.jsonl")),
        (stored_with_passages, command("verdicts", "verify")),
        (stored_with_passages, command("verdicts", "prune")),
        (stored_with_passages, command("verdicts", "show", question_on("claim 0").key)),
        (results, command("join", "a.json", "b.json", "--out=out.json")),
        (results, command("results", "compare", "a.json", "b.json")),
        (history, command("history", "h.jsonl")),
        (history, lambda: read_history(Path("h.jsonl"))),
        (labelled, count_labelled),
        (cases, lambda: load_cases("cases")),
    ],
)
def test_what_a_command_does_grows_as_its_files(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path, int], None],
    work: Callable[[], object],
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    ran = []
    for count in (1, FEW, FEW * FACTOR):
        folder = tmp_path / str(count)
        folder.mkdir()
        (folder / "pytest.ini").write_text("[pytest]\n")
        monkeypatch.chdir(folder)
        make(folder, count)
        ran.append(lines_run(work))
    least, few, many = ran
    # what a few take beyond one, and a third more for the logarithm of a sort
    assert many - least < 1.33 * FACTOR * (few - least) + 500
