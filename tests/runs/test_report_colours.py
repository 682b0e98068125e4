"""Colours of failures: on a terminal that has them, and nowhere else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .projects import FAILING, Project, new_project

project = pytest.fixture(new_project)

PAINT = re.compile("\x1b\\[[\\d;]*m")
RED_MARK = "\x1b[31m✗\x1b[0m The crossing costs 5 euros."
# What plugins may read of a report, when it is logged and when the terminal has printed it.
READING = """
import json

read = {}

def pytest_runtest_logreport(report):
    if report.failed:
        read["logged"] = report.longreprtext

def pytest_terminal_summary(terminalreporter):
    [report] = terminalreporter.stats["failed"]
    read["printed"] = report.longreprtext
    read["sections"] = report.longrepr.sections

def pytest_unconfigure():
    with open("read.json", "w") as file:
        json.dump(read, file)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "xdist"])
def test_colours_are_on_the_terminal_alone(project: Project, workers: tuple[str, ...]) -> None:
    project.test(FAILING)
    project.pytester.makeconftest(READING)
    result = project.run("--color=yes", "--junitxml=junit.xml", *workers)
    text = result.stdout.str()
    assert RED_MARK in text
    assert "\x1b[31mcontradicted\x1b[0m" in text
    assert "\x1b[33mno evidence\x1b[0m" in text
    assert "\x1b[33m⟦Bicycles need reservations.⟧\x1b[0m" in text
    assert "\x1b[31mfaithfulness 0.00 < 0.80\x1b[0m" in text
    read = json.loads(Path(project.path, "read.json").read_text())
    assert "✗ The crossing costs 5 euros." in read["logged"]
    assert read["logged"] == read["printed"]
    assert "\x1b" not in json.dumps(read)
    assert "\\u001b" not in json.dumps(read)
    [failure] = ElementTree.parse(project.path / "junit.xml").getroot().iter("failure")
    assert "✗ The crossing costs 5 euros." in (failure.text or "")
    assert "x1B" not in (failure.text or "")
    plain = project.run("--color=no", "--junitxml=junit.xml", *workers).stdout.str()
    assert "\x1b" not in plain
    lines = [PAINT.sub("", line) for line in text.splitlines()]
    for line in plain.splitlines():
        # pytest cuts the list of failures otherwise where it has colours
        other = re.search(r" in \d|created: |\[gw|^FAILED |^[.F]+ +\[100%\]$", line)
        assert line in lines or other, line


@pytest.mark.parametrize(
    ("environ", "args", "coloured"),
    [
        ({"FORCE_COLOR": "1"}, (), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
        ({"PY_COLORS": "1"}, (), True),
        ({"FORCE_COLOR": "1"}, ("--color=no",), False),
        ({}, (), False),
        ({"FORCE_COLOR": "1"}, ("-v",), True),
        ({"FORCE_COLOR": "1"}, ("--tb=short",), True),
    ],
)
def test_they_are_where_pytest_has_colours(
    project: Project, environ: dict[str, str], args: tuple[str, ...], coloured: bool
) -> None:
    project.unset("NO_COLOR", "FORCE_COLOR", "PY_COLORS")
    project.set(**environ)
    project.test(FAILING)
    text = project.run(*args).stdout.str()
    assert (RED_MARK in text) is coloured
    assert "✗ The crossing costs 5 euros." in PAINT.sub("", text)


def test_a_coloured_line_is_no_command_of_a_ci_log(project: Project) -> None:
    project.set(GITHUB_ACTIONS="true")
    project.test(
        """
        from ferry import case
        from pytest_ragassert import assert_faithful

        def test_evil():
            answer = "##[group]x The crossing costs 5 euros. ::stop-commands::x"
            assert_faithful(case("::error::x", answer, question="##vso[task]x"))
        """
    )
    text = project.run("--color=yes").stdout.str()
    shown = [line for line in text.splitlines() if "\x1b" in line and "group" in line]
    assert shown
    for line in map(PAINT.sub, ["" for _ in text], text.splitlines()):
        assert not re.match(r"\s*::", line) if "test_it.py" not in line else True
    assert "##[group]x The" not in PAINT.sub("", "\n".join(shown))


def test_hostile_texts_paint_nothing(project: Project) -> None:
    project.test(
        r"""
        from ferry import case
        from pytest_ragassert import assert_faithful

        def test_evil():
            assert_faithful(case("evil\x1b[42m", "\x1b[42mThe crossing costs 5 euros."))
        """
    )
    text = project.run("--color=yes").stdout.str()
    _, _, block = text.partition(" ragassert ---")
    assert "\x1b[42m" not in block
    assert "\\x1b[42m" in block
