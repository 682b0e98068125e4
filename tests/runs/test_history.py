"""`--ragassert-history` and the command that shows it."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime, timezone

import pytest

from .projects import PASSING, Project, new_project, section
from .test_gated_runs import errors
from .test_results_commands import command

project = pytest.fixture(new_project)

HISTORY = "--ragassert-history=h.jsonl"


def lines(project: Project) -> list[dict[str, object]]:
    text = (project.path / "h.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_each_run_adds_a_line(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.test(PASSING)
    monkeypatch.setenv("GITHUB_SHA", "abc123")
    project.run(HISTORY, "--ragassert-date=2026-11-01")
    project.run(HISTORY, "--ragassert-date=2026-11-02T10:00:00+02:00", "--ragassert-commit=c2")
    project.run(HISTORY, "-n", "2")
    project.run(HISTORY, "-k", "nothing")
    first, second, third = lines(project)
    assert first == {
        "date": "2026-11-01T00:00:00+00:00",
        "commit": "abc123",
        "judge": "offline-3",
        "metrics": {"faithfulness": {"n": 2, "mean": 1.0}},
    }
    assert (second["date"], second["commit"]) == ("2026-11-02T10:00:00+02:00", "c2")
    when = datetime.fromisoformat(str(third["date"]))
    assert abs((datetime.now(timezone.utc) - when).total_seconds()) < 600


def test_the_commit_is_git_s_where_nobody_says(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.test(PASSING)
    for name in ("GITHUB_SHA", "CI_COMMIT_SHA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.path.parent))
    project.run(HISTORY)
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-C", str(project.path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "one"], check=True)
    project.run(HISTORY)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    assert [line["commit"] for line in lines(project)] == [None, head.stdout.strip()]


def test_a_place_that_takes_no_line_is_noted_and_fails_nothing(project: Project) -> None:
    project.test(f"import pathlib\npathlib.Path('h.jsonl').mkdir()\n{PASSING}")
    result = project.run(HISTORY)
    assert result.ret == 0
    assert any("no line in the history: --ragassert-history: " in one for one in section(result))
    (project.path / "h.jsonl").rmdir()
    assert "is not a date such as 2026-11-28" in errors(
        project.run(HISTORY, "--ragassert-date=today")
    )


def test_it_is_shown_and_drawn(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [
        ("2026-11-02T10:00:00+00:00", "bbbbbbbbbb", "judge-b", 0.5),
        ("2026-11-01T10:00:00+00:00", "aaaaaaaaaa", "judge-a", 0.95),
        ("2026-11-03T10:00:00+00:00", None, "<judge>", 0.0),
    ]
    text = "".join(
        json.dumps(
            {"date": d, "commit": c, "judge": j, "metrics": {"faithfulness": {"n": 7, "mean": m}}}
        )
        + "\n"
        for d, c, j, m in runs
    )
    (project.path / "h.jsonl").write_text(text)
    status, shown = command(project, monkeypatch, capsys, "history", "h.jsonl")
    assert status == 0
    assert shown.splitlines() == [
        "faithfulness",
        "  judge judge-a",
        "  2026-11-01 10:00  aaaaaaaa      7  0.950 " + "█" * 28,
        "  judge judge-b",
        "  2026-11-02 10:00  bbbbbbbb      7  0.500 " + "█" * 15,
        "  judge <judge>",
        "  2026-11-03 10:00  -             7  0.000",
    ]
    last = command(project, monkeypatch, capsys, "history", "h.jsonl", "--last", "1")[1]
    assert len(last.splitlines()) == 3


@pytest.mark.parametrize(
    ("text", "args", "said"),
    [
        (None, [], "h.jsonl can't be read"),
        ("", [], "has no run that measured anything"),
        ("{\n", [], "h.jsonl, line 1, character 2: not JSON"),
        ('{"date": "2026-11-01"}\n', [], "line 1: a run has date, commit, judge, metrics"),
        ("GOOD", ["--metric", "other"], "has no metric 'other'; it has faithfulness"),
        ("GOOD", ["--last", "0"], "--last must be a number of runs from 1, not 0"),
        ("GOOD".replace("GOOD", "BAD"), [], "a mean from 0 to 1"),
    ],
)
def test_what_is_no_history_is_told(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str | None,
    args: list[str],
    said: str,
) -> None:
    line = '{"date": "2026-11-01", "commit": null, "judge": "j", "metrics": {"faithfulness": '
    whole = {"GOOD": line + '{"n": 1, "mean": 1}}}\n', "BAD": line + '{"n": 1, "mean": 2}}}\n'}
    if text is not None:
        (project.path / "h.jsonl").write_text(whole.get(text, text))
    status, shown = command(project, monkeypatch, capsys, "history", "h.jsonl", *args)
    assert (status, said in shown) == (2, True), shown


def test_a_line_that_was_cut_off_does_not_swallow_the_next(project: Project) -> None:
    project.test(PASSING)
    project.run(HISTORY)
    path = project.path / "h.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    project.run(HISTORY)
    assert len(lines(project)) == 2
