"""The line on a terminal: it says how far the run is, and all else is as without it."""

from __future__ import annotations

import re
import sys

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals", allow_module_level=True)

from tests.terminal import Screen, on_terminal

project = pytest.fixture(new_project)

SLOW = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(4))
def test_slow(n, capsys):
    print("kept", n)
    with capsys.disabled():
        print("\\nshown", n)
    assert_faithful(case(f"c{n}", f"Boat number {n} is new."), min=0)
    assert n != 2, "as it is meant"
"""
LINE = re.compile(
    r"ragassert: (\d+)(?:/\d+)? asked, (\d+) stored, (\d+) in flight(?:, about \d+ s left)?"
)


def untimed(screen: Screen) -> list[str]:
    return [re.sub(r"in \d+\.\d+s|0x\w+|=+", "", line).strip() for line in screen.lines]


def shown(screen: Screen) -> list[tuple[int, int, int]]:
    found = [LINE.fullmatch(text) for text in screen.seen if text]
    assert all(found), screen.seen
    return [(int(m[1]), int(m[2]), int(m[3])) for m in found if m is not None]


@pytest.mark.parametrize("args", [(), ("-v",), ("-q",), ("-s",)], ids=["plain", "v", "q", "s"])
def test_nothing_else_on_the_terminal_changes(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    project.test(SLOW)
    project.judged_by(judge)
    command = project.forked_command("--ragassert-record-mode=off", *args)
    _, plain = on_terminal(command, project.path, TERM="dumb")
    assert "\x1b" not in plain
    judge.latency = 0.2
    status, output = on_terminal(command, project.path)
    assert status == pytest.ExitCode.TESTS_FAILED
    screen = Screen(output)
    assert untimed(screen) == untimed(Screen(plain))
    assert [line for line in screen.lines if line.startswith("shown")] == [
        f"shown {n}" for n in range(4)
    ]
    if args == ("-s",):
        # the terminal is the tests' own
        assert "\x1b" not in output
        return
    told = shown(screen)
    assert told == sorted(told, key=lambda numbers: numbers[0])
    assert 1 in {in_flight for _, _, in_flight in told} <= {0, 1}
    # the line may be drawn for the last time while any of the last three of 8 requests runs
    assert told[-1][0] in (6, 7, 8)


def test_the_controller_shows_what_workers_ask(project: Project, judge: LoopbackJudge) -> None:
    pytest.importorskip("xdist")
    # shorter lines than ours
    project.test(SLOW.replace("test_slow", "test"), "test_x")
    project.judged_by(judge)
    project.run("-k", "0")
    judge.latency = 0.4
    command = project.forked_command("-n", "2", "-v")
    status, output = on_terminal(command, project.path)
    assert status == pytest.ExitCode.TESTS_FAILED
    screen = Screen(output)
    told = shown(screen)
    assert max(asked for asked, _, _ in told) >= 2
    assert max(stored for _, stored, _ in told) == 2
    assert max(in_flight for _, _, in_flight in told) in (1, 2)
    ended = [line for line in screen.lines if re.match(r"\[gw\d\] \[", line)]
    assert len(ended) == 4
    # nothing is left of the line that stood where these were written
    ends, score = "(PASSED|FAILED)", r"faithfulness \d\.\d\d"
    whole = re.compile(rf"\[gw\d\] \[[ \d]+%\] {ends} {score} test_x\.py::test\[\d\]")
    assert all(whole.fullmatch(line) for line in ended), ended
    assert "in flight" not in "".join(screen.lines)
    assert "kept 2" in screen.lines


@pytest.mark.parametrize(
    ("args", "environ"),
    [(("-p", "no:terminal"), {}), ((), {"TERM": "dumb"}), ((), {"CI": "true"})],
    ids=["no:terminal", "dumb", "CI"],
)
def test_no_line_where_none_is_wanted(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...], environ: dict[str, str]
) -> None:
    project.test(SLOW)
    project.judged_by(judge)
    judge.latency = 0.1
    _, output = on_terminal(project.forked_command(*args), project.path, **environ)
    assert "\x1b" not in output
    assert "in flight" not in output
    assert judge.count() == 8


def test_a_stored_run_shows_none_and_starts_no_thread(
    project: Project, judge: LoopbackJudge
) -> None:
    tells = "import threading\n\n\ndef test_threads():\n    names = [t.name for t in "
    tells += "threading.enumerate()]\n    assert len(names) == 1, names\n"
    project.test(SLOW.replace('    assert n != 2, "as it is meant"\n', ""))
    project.test(tells, "test_threads")
    project.judged_by(judge)
    project.run("-k", "test_slow")
    judge.reset()
    status, output = on_terminal(project.forked_command(), project.path)
    assert status == pytest.ExitCode.OK
    assert "\x1b" not in output
    assert judge.count() == 0


MANY = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.rag_cases([case(f"c{n}", f"Boat number {n} is new.") for n in range(12)])
def test_many(rag_case):
    assert_faithful(rag_case, min=0)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "workers"])
def test_it_says_how_many_questions_there_are_and_how_long_they_take(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    if workers:
        pytest.importorskip("xdist")
    project.test(MANY)
    project.judged_by(judge)
    # what is stored is none of those to ask
    project.run("-k", "c0 or c11")
    judge.latency = 0.4
    command = project.forked_command("--ragassert-concurrency=2", *workers)
    status, output = on_terminal(command, project.path)
    assert status == pytest.ExitCode.OK
    told = [text for text in Screen(output).seen if text]
    totals = [m[1] for m in (re.search(r"/(\d+) asked", text) for text in told) if m is not None]
    # as long as it is not known that the last one is stored, it counts
    assert set(totals) <= {"20", "22", "24"}, told
    assert "22" in totals
    assert re.search(r" 2 in flight, about \d+ s left$", "\n".join(told), re.MULTILINE), told
    assert any(", 2 stored," in text for text in told)
